"""The default aligner, partial transport of importance with a null unit, and the readout that sums its plan."""
