"""The baselines of RadOT-Eval's Table III, rebuilt from the names that the paper gives."""
