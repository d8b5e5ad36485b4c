"""Performance across commits: the benchmarks for asv, the history page and the gate."""
