"""Word of important pairs, sent to the systems of a hospital and signed."""
