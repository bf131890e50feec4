"""Word-overlap baselines, BLEU and ROUGE, from their reference implementations."""
