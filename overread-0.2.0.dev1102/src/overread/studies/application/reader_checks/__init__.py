"""Checks of the reader against labels that people made: pure scoring over ports."""
