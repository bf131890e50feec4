"""Entity and relation F1 in the manner of RadGraph, over graphs of clinical units."""
