"""What the tests of tricks share: an honest row and the optimum of their problem."""

import pytest

from spcabench import api
from tests.checking import tricks


@pytest.fixture(scope="session")
def optimum():
    """The largest variance of the tricks' problem."""
    problem = api.load("gaussian", **tricks.SMALL)
    return api.solve(problem, "branch_and_bound", k=tricks.K).variance


@pytest.fixture(scope="session")
def honest(tmp_path_factory):
    """The row of the honest solver whose work every trick does."""
    folder = tmp_path_factory.mktemp("honest")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return tricks.row(tricks.file_of(folder, "honest"), folder)
