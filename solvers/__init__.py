"""Solvers, one per file, found by file name."""

# The default solver depends on the number of variables and on the cost of one product
# (`Problem.product_cost`). Each pair contains the names of the most thorough solvers that are fast
# enough, first for signed loadings, then for x >= 0. The exact search takes up to two seconds for
# 30 variables, and minutes for 60. Local search computes a few hundred columns of the covariance,
# which takes seconds if a product costs 10^7. Truncated power iteration and EM compute a few dozen
# products.
BY_SIZE = (
    (30, float("inf"), ("branch_and_bound", "branch_and_bound")),
    (float("inf"), 2e7, ("local_search", "local_search")),
    (float("inf"), float("inf"), ("tpower", "em")),
)
# Choosing the cardinality requires many runs, so the solver gets only a few starts.
QUICK = {False: ("local_search", {"budget": 8}), True: ("em", {"restarts": 3})}
