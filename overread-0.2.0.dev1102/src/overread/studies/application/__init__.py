"""Studies of metrics, systems and the reader, and the invention of reports; each gives a Tabulation."""
