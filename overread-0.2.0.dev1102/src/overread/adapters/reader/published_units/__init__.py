"""Unit tables as others publish them: rows with the fields of RadOT-Eval's Table IX, in whatever file and order."""
