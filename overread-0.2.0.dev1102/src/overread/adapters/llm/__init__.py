"""Language models, and the metrics and judges that read their answers."""
