"""GREEN (Ostmeier et al. 2024): errors that a language model counts, and clusters of their explanations."""
