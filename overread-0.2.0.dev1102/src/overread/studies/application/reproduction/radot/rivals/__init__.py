"""RadOT-Eval's non-ensemble discrepancy baselines, of which the paper gives the names alone (section V-B)."""
