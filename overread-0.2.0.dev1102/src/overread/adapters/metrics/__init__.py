"""The metrics that are assembled from chosen components."""
