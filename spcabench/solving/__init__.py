"""One run of a solver: stopped, graded, its penalty searched, its optimum bounded; imports solvers
only by name.
"""
