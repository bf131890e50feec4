"""The monotone readout: shipped or user-fitted coefficients, and their fit by non-negative least squares."""
