"""Tables in memory: pairs read from lists, data frames and data sets, and results as data frames."""
