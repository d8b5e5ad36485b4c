"""A single run of a solver: stopping, grading, bounds, penalty search; loads solvers by name."""
