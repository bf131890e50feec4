"""Other metrics joined by a user's coefficients, as RadCliQ joins them."""
