"""Clinical units and what they mean: the lexicon, relations between findings, and rules of importance."""
