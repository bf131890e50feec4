"""CheXpert's observations by our own reader, and by CheXbert where its checkpoint is at hand."""
