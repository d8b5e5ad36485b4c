"""Reading data: files, downloads, text corpora; imports only the problem and the ground."""
