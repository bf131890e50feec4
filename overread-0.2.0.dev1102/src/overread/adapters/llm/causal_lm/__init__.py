"""Causal language models on this machine, through transformers."""
