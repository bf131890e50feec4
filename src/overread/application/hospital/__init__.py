"""The application service API: reports come in, are paired, scored, searched and reviewed."""
