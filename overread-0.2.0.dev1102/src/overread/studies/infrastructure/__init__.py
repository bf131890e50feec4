"""Data sets, files and views of studies."""
