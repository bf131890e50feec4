"""Data sets: those that people annotated, those to train on, figures that papers print, and samples."""
