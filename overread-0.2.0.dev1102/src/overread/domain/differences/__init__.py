"""Comparison of two reports' units: costs, differences, notation and reward."""
