"""The commands of `spcabench`, with their output; only `__main__` imports this package."""
