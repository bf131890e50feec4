"""Optimal transport with POT, and monotone readouts by nonnegative least squares."""
