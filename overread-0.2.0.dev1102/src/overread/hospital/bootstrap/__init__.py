"""Wiring of the hospital's service and of what serves it."""
