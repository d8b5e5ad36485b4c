"""Data in: files, downloads, text corpora; imports the problem and the ground."""
