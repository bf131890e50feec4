"""What components learn from: labelled pairs, and the fits over them."""
