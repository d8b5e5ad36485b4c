"""Comparison of solvers on a standard set of problems: `spcabench compare` and `spcabench
best-known`.
"""
