"""DICOM: structured reports that come as files."""
