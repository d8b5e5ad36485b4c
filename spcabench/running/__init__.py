"""Runs as jobs and rows: worker processes, journals, fingerprints, the workflow; imports what is
below, and `run`.
"""
