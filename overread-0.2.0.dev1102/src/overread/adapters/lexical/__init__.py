"""Metrics of words alone: BLEU and ROUGE, from their reference implementations."""
