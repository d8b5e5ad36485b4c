"""Fixtures for the tests of the command line."""

import pytest


@pytest.fixture
def typed(spcabench):
    """Return a function that runs a command: words -> exit code, output, errors."""

    def run(*arguments):
        completed = spcabench(*arguments)
        return completed.returncode, completed.stdout, completed.stderr

    return run
