"""Protocols of papers: their tables computed on data that users bring, beside the figures printed."""
