"""What hospital systems exchange: reports in, in their formats; results out, in theirs."""
