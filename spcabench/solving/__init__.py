"""Running a solver on a problem: stopping rules, grading, bounds and penalty search."""
