"""Results: alignments, discrepancies, scores, readouts and signatures."""
