"""Cards: what a metric does with reports, measured; material, figures and tables."""
