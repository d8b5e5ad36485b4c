"""The test suite: fixtures are in conftest.py, helpers in problems.py and trial.py."""
