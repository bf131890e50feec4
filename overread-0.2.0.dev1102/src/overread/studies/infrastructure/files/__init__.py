"""Files that studies read."""
