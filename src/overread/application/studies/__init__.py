"""Studies of metrics, systems and the reader; each gives a Tabulation."""
