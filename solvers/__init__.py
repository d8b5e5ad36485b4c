"""The solvers: one file each, found by name."""
