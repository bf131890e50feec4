"""Reads reports into clinical units by asking a language model (RadOT-Eval section III-C)."""
