"""overread among other libraries: metrics and rewards of theirs, trackers of experiments, pytest."""
