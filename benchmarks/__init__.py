"""Benchmarks that asv runs at every commit."""
