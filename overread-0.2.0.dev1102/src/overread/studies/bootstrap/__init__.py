"""Wiring of studies."""
