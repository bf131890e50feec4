"""overread as the metrics of other libraries are used: in training loops, and in harnesses that evaluate models."""
