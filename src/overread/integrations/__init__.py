"""overread among other libraries: as metrics of evaluate and torchmetrics, in trackers of experiments, in pytest."""
