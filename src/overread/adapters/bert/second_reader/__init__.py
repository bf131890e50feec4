"""A second reader: both reports as token states of MiniLM, each claim compared with all that the other report says."""
