"""A folder into which files of reports are put."""
