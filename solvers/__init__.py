"""The solvers: one file each, found by name."""

# The most thorough solver for so many variables and stored entries, where none is asked for: for
# loadings of any sign, and for x >= 0. The exact search takes up to two seconds for 30 variables,
# and minutes for 60. Local search computes some hundred columns of the covariance, each at the cost
# of the stored entries: seconds for 10^7 of them.
BY_SIZE = {
    False: (
        (30, float("inf"), "branch_and_bound"),
        (float("inf"), 2e7, "local_search"),
        (float("inf"), float("inf"), "em"),
    ),
    True: (
        (30, float("inf"), "branch_and_bound"),
        (float("inf"), float("inf"), "em"),
    ),
}
# For the many runs of a choice of the cardinality: a solver with few starts, and its settings.
QUICK = {False: ("local_search", {"budget": 8}), True: ("em", {"restarts": 3})}
