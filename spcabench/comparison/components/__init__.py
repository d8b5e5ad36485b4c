"""Comparisons of solvers for several components: problems, ways to use a solver, runs, grades."""
