"""Technology of studies."""
