"""Comparison of solvers on a standard set of problems: `spcabench compare`, `best-known`."""
