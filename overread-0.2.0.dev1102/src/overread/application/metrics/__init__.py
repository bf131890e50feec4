"""The metrics, and how both reports of a pair are read for them."""
