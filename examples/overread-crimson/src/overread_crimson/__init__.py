"""CRIMSON's scoring over the discrepancies that overread finds."""
