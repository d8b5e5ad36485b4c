"""The solvers: one file each, found by name."""

DEFAULT = "tpower"
