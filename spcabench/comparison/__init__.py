"""Comparisons of solvers on standard problems, and the best known answers to these problems."""
