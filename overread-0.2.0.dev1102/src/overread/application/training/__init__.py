"""Training of components: labelled pairs, and the fits over them."""
