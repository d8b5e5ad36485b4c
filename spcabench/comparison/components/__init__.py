"""Several components compared: the problems, the ways to ask a solver, their runs, their grades."""
