"""Named entities, their affinity, and graphs of them."""
