"""Comparisons of solvers for several components: problems, uses of a solver, runs and grades."""
