"""Answers as text, tables and pictures; decides no row, so no hash of a run contains it."""
