"""What RadOT-Eval is compared with in its Table III, rebuilt from the names that the paper gives."""
