"""The pure domain: reports, clinical units, their costs, alignment, discrepancies and results.

Imports attrs, numpy and the standard library; nothing here does input or output.
"""
