"""overread as other libraries want it: metrics of evaluate and torchmetrics, rewards of TRL and verl."""
