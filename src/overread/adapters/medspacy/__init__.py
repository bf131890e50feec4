"""Reads reports into clinical units with medspaCy's TargetMatcher and ConText over overread's own lexicon."""
