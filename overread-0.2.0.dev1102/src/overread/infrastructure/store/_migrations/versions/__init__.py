"""Revisions of the tables, each from the one before and back."""
