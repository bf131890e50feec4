"""overread as the metrics of other libraries are used: Hugging Face's evaluate, and torchmetrics."""
