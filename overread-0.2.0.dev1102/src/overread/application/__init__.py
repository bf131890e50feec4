"""Use cases that orchestrate extractors, aligners, readouts and metrics through ports."""
