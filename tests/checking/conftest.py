"""Fixtures for the tests of tricks: an honest row, and the optimum of the problem."""

import pytest

from spcabench import api
from tests.checking import tricks


@pytest.fixture(scope="session")
def optimum():
    """Return the optimal variance of the problem that the tricks use."""
    problem = api.load("gaussian", **tricks.SMALL)
    return api.solve(problem, "branch_and_bound", k=tricks.K).variance


@pytest.fixture(scope="session")
def honest(tmp_path_factory):
    """Return the row of the honest solver; every trick performs the same computation."""
    folder = tmp_path_factory.mktemp("honest")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return tricks.row(tricks.file_of(folder, "honest"), folder)
