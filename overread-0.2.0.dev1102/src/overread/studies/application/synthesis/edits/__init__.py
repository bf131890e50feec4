"""Edits of real reports by rules: what may be changed, how it is done, and whether it reads as meant."""
