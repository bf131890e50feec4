"""Where a corpus is scored: this process, several, or a Ray cluster; and what of it is committed."""
