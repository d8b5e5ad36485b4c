"""The solvers: one file each, found by name."""

# The default solver for a given number of variables and cost of a product (`Problem.product_cost`):
# the most thorough one that is fast enough, for loadings of any sign and for x >= 0. The exact
# search takes up to two seconds for 30 variables, and minutes for 60. Local search computes a few
# hundred columns of the covariance: seconds for a cost of 10^7. Truncated power iteration and EM
# compute a few dozen products.
BY_SIZE = (
    (30, float("inf"), ("branch_and_bound", "branch_and_bound")),
    (float("inf"), 2e7, ("local_search", "local_search")),
    (float("inf"), float("inf"), ("tpower", "em")),
)
# Choosing the cardinality takes many runs: hence a solver with few starts, and its settings.
QUICK = {False: ("local_search", {"budget": 8}), True: ("em", {"restarts": 3})}
