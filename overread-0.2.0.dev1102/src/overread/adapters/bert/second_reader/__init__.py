"""A second reader: both reports token by token, asked about every discrepancy and every sentence."""
