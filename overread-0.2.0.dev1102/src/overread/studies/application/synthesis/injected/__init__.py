"""Error injection: labelled pairs from a user's own reports, by rules or by a language model."""
