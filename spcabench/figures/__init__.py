"""Figures and tables of the papers, one file each; they are found by name."""
