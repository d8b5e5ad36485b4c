"""Answers as text, tables and pictures; never affects a row, so no hash of a run includes it."""
