"""Scoring pairs and corpora: every metric over every pair, each outcome in its place."""
