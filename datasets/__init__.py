"""Datasets, one per file, found by file name."""
