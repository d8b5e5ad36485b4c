"""The datasets: one file each, found by name."""
