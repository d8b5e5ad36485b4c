"""Execution of runs in jobs: worker processes, grading, rows, journals, hashes and the workflow."""
