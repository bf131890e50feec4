"""CheXbert (Smit et al. 2020) over its published checkpoint: labels of reports, and F1 of them."""
