"""Show answers as text, tables and pictures; hashes of runs exclude it: it never affects rows."""
