"""One run of a solver: stopped, graded, bounded, its penalty searched; loads solvers by name."""
