"""The commands of the command line `spcabench`, and their output."""
