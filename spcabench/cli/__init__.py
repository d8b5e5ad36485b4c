"""The commands of `spcabench`, and what they print and write; nothing imports it but `__main__`."""
