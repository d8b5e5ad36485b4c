"""Performance across commits: what asv measures (bench_*.py), the history's page, the gate."""
