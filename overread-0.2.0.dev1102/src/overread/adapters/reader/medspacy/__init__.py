"""Reads reports into clinical units by overread's own lexicon and medspaCy's ConText."""
