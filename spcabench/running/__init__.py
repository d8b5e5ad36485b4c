"""Runs as jobs and rows: worker processes, journals, fingerprints, the workflow."""
