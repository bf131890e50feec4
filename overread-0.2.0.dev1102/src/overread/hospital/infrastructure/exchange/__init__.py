"""Exchange with hospital systems: reports in and results out, each in their formats."""
