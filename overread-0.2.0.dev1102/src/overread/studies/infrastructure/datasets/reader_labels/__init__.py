"""Readers of labelled data in the layouts in which it is published, and what its labels mean."""
