"""BERTScore over a user's own checkpoint, as a baseline."""
