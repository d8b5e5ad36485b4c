"""Solvers, one per file, found by file name."""

# The default solver for at most this number of variables. The exact search takes up to two seconds
# for 30 variables, and minutes for 60. Local search adapts its number of scans to the problem.
BY_SIZE = ((30, "branch_and_bound"), (float("inf"), "local_search"))
# Choosing the cardinality requires many runs, so the solver gets only a few starts.
QUICK = {False: ("local_search", {"budget": 8}), True: ("em", {"restarts": 3})}
