"""Engines that score a corpus: this process, several, or a Ray cluster; and the shards they have committed."""
