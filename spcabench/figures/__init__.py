"""The figures and tables of the papers: one file each, found by name."""
