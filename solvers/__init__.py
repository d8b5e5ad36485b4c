"""The solvers: one file each, found by name."""

DEFAULT = "tpower"

# the most thorough solver for so many variables, where none is asked for: for loadings of any sign,
# and for x >= 0
BY_SIZE = {
    False: {60: "branch_and_bound", 2000: "local_search", float("inf"): "grqi"},
    True: {60: "branch_and_bound", float("inf"): "em"},
}
