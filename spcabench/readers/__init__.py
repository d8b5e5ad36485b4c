"""Readers of user files, downloads and text corpora."""
