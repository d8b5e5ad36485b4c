"""Performance tracked across commits: what asv measures (bench_*.py), the history's page, and the
gate.
"""
