"""Tables on disk: rows and cells read in one way, Parquet written, and files that are replaced whole."""
