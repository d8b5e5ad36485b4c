"""Comparisons of several components: problems, ways to use a solver, runs and grades."""
