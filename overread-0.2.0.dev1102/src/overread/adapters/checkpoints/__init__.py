"""Checkpoint folders, how models of them are loaded and run, and the folders of their training."""
