"""overread among other libraries: metrics of training loops and of harnesses, trackers of experiments, pytest."""
