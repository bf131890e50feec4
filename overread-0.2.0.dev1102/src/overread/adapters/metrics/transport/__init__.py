"""The transport metrics, radot and notation, assembled from the chosen extractor, aligner and readout."""
