"""The command line: one module a group of commands; options, progress and printing, nothing else."""
