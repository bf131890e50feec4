"""The panel metric: what its members' scores mean, and fitting it."""
