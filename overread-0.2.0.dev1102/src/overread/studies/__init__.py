"""Studies: of metrics against people, of systems, of the reader; invented reports; published sets."""
