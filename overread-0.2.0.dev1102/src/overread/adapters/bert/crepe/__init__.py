"""CREPE: a BERT encoder with regression heads that predict how many errors a candidate has (Cho et al. 2025)."""
