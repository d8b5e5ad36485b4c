"""The status "proven" is decided by the `Result`, also after results were combined or changed."""

from dataclasses import replace

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.errors import CertificateError
from spcabench.methods.eliminate import connected_parts
from spcabench.solving.status import Status
from tests import problems


def _problem(seed, n=7):
    X = np.random.default_rng(seed).standard_normal((9, n))
    return Problem.from_data(X)


@pytest.mark.parametrize("seed", problems.some(3, range(20)))
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_blocks_are_proven_only_if_the_whole_problem_is(seed, share):
    problem = _problem(seed)
    S = problems.explicit(problem)
    for solver in ("branch_and_bound", "local_search", "tpower"):
        result = api.solve(problem, solver, k=2, blocks=share)
        best = problems.optimum(S, 2)
        assert result.bound >= best
        if result.status == Status.PROVEN:
            assert result.variance == pytest.approx(best, rel=1e-8)
    single = len(connected_parts(S, share * S.diagonal().max())) == 1
    if single and share == 0.0:
        exact = api.solve(problem, "branch_and_bound", k=2, blocks=share)
        assert exact.status == Status.PROVEN


def test_exact_blocks_are_proven_together():
    X = np.zeros((8, 6))
    X[:4, :3] = np.random.default_rng(0).standard_normal((4, 3))
    X[4:, 3:] = np.random.default_rng(1).standard_normal((4, 3))
    problem = Problem.from_data(X, center=False)
    result = api.solve(problem, "branch_and_bound", k=2, blocks=0.0)
    assert result.status == Status.PROVEN and result.extra["blocks"] == 2.0
    assert result.variance == pytest.approx(problems.optimum(problems.explicit(problem), 2))
    other = api.solve(problem, "branch_and_bound", k=2, blocks=0.0, time_limit=0.0)
    assert other.status != Status.PROVEN


def test_a_proof_is_lost_if_the_answer_or_the_cardinality_changes():
    result = api.solve(_problem(0), "branch_and_bound", k=3)
    assert result.status == Status.PROVEN
    x = np.eye(7)[np.argmin(problems.explicit(result.problem).diagonal())]
    assert replace(result, x=x).status == Status.FINISHED
    assert replace(result, claimed=None).status == Status.FINISHED
    assert replace(result, own=False).status == Status.FINISHED
    assert replace(result, claimed=1.1 * result.claimed).status == Status.FINISHED
    with pytest.raises(CertificateError, match="please report"):
        replace(result, claimed=0.9 * result.variance)


def test_a_certified_bound_below_the_value_is_an_error(monkeypatch):
    from spcabench.solving import bounds

    result = api.solve(_problem(1), "tpower", k=3)
    monkeypatch.setattr(bounds, "upper_bound", lambda *_: 0.9 * result.variance)
    with pytest.raises(CertificateError, match="please report"):
        _ = result.bound


@pytest.mark.parametrize("seed", problems.some(2, range(10)))
def test_an_answer_that_a_path_keeps_is_not_proven_for_the_next_cardinality(seed, monkeypatch):
    problem = _problem(seed, 9)
    S, solve = problems.explicit(problem), api.solve

    def worse(*args, k, **settings):  # beyond k = 2, a poor answer
        result = solve(*args, k=k, **settings)
        return result if k <= 2 else replace(result, x=np.eye(9)[0])

    monkeypatch.setattr(api, "solve", worse)
    for result in api.path(problem, "branch_and_bound", [2, 4]):
        if result.status == Status.PROVEN:
            assert result.variance == pytest.approx(problems.optimum(S, result.k))


@pytest.mark.parametrize("seed", problems.some(2, range(10)))
def test_geospca_states_no_bound_for_an_indefinite_covariance(seed):
    components = api.components(_problem(seed), "geospca", 3, k=3, deflation="hotelling")
    for result in components:
        best = problems.optimum(problems.explicit(result.problem), 3)
        assert result.bound >= best * (1 - 1e-12)
    assert components[1].claimed is None
