"""Aligners: entropic transport plans, balanced, partial and unbalanced."""
