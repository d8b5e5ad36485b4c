"""The solvers: one file each, found by name."""

# The most thorough solver for so many variables, where none is asked for: for loadings of any sign,
# and for x >= 0. The exact search takes up to two seconds for 30 variables, and minutes for 60.
BY_SIZE = {
    False: {30: "branch_and_bound", 2000: "local_search", float("inf"): "grqi"},
    True: {30: "branch_and_bound", float("inf"): "em"},
}
