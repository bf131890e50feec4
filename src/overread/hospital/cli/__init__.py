"""Commands of the hospital."""
