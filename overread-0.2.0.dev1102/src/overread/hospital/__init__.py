"""The reviewing programme of a hospital: report versions in, pairs scored, worklists, reviews and rates."""
