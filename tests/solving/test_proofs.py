"""The status "proven" is decided by the `Result`, also after results were combined or changed."""

from dataclasses import replace

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.errors import CertificateError
from spcabench.solving.status import Status
from tests import problems


def _problem(seed, n=7):
    X = np.random.default_rng(seed).standard_normal((9, n))
    return Problem.from_data(X)


def _claiming(result, **changes):
    return replace(result, claim=replace(result.claim, **changes))


def test_a_proof_is_lost_if_the_answer_or_the_cardinality_changes():
    result = api.solve(_problem(0), "branch_and_bound", k=3)
    assert result.status == Status.PROVEN
    x = np.eye(7)[np.argmin(problems.explicit(result.problem).diagonal())]
    assert replace(result, x=x).status == Status.FINISHED
    assert _claiming(result, bound=None).status == Status.FINISHED
    assert _claiming(result, own=False).status == Status.FINISHED
    assert _claiming(result, bound=1.1 * result.claim.bound).status == Status.FINISHED
    with pytest.raises(CertificateError, match="please report"):
        _claiming(result, bound=0.9 * result.variance)


@pytest.mark.parametrize("seed", problems.some(2, range(10)))
def test_an_answer_that_a_path_keeps_is_not_proven_for_the_next_cardinality(seed, monkeypatch):
    problem = _problem(seed, 9)
    S, answer = problems.explicit(problem), api.answer

    def worse(call, refit):  # beyond k = 2, a poor answer
        result = answer(call, refit)
        return result if call.k <= 2 else replace(result, x=np.eye(9)[0])

    monkeypatch.setattr(api, "answer", worse)
    for result in api.path(problem, "branch_and_bound", [2, 4]):
        if result.status == Status.PROVEN:
            assert result.variance == pytest.approx(problems.optimum(S, result.k))


@pytest.mark.parametrize("seed", problems.some(2, range(10)))
def test_geospca_states_no_bound_for_an_indefinite_covariance(seed):
    components = api.solve(_problem(seed), "geospca", n_components=3, k=3, deflation="hotelling")
    for result in components:
        best = problems.optimum(problems.explicit(result.problem), 3)
        assert result.bound >= best * (1 - 1e-12)
    assert components[1].claim.bound is None
