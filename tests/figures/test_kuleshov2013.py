"""What the figures of Kuleshov (2013) compute themselves."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from spcabench import api
from spcabench.figures import _kuleshov2013 as base
from spcabench.figures import kuleshov2013_fig5
from spcabench.figures._gabor import explained
from spcabench.figures._kuleshov2013_starts import power_steps
from spcabench.figures.kuleshov2013_fig2 import K11
from spcabench.figures.kuleshov2013_fig3 import held
from spcabench.figures.kuleshov2013_fig4 import flops_of_grqi
from tests import trial


@pytest.mark.parametrize("k", [1, 4, 12])
def test_the_formula_for_a_given_sigma_is_what_such_a_run_is_charged(k):
    problem = api.load("gaussian", m=20, n=30, seed=3).given_as("covariance")
    result = api.solve(problem, "grqi", k=k)
    formula = flops_of_grqi(problem.n, k, result.iterations)
    assert result.iterations > 0 and result.cost.flops == formula


def test_pairs_are_of_equal_cardinality_and_the_ratio_is_of_gpower_to_grqi():
    common = dict(label="main", n=100, variance=1.0, variance_refit=1.0, iterations=2, status="")
    common |= dict(setup_flops=40.0, row="a")
    rows = [
        common | dict(chain=chain, group="g", solver=solver, match=match, flops=flops, **more)
        for chain, k_of_grqi in (("a", 5), ("b", 4))
        for solver, match, flops, more in (
            ("gpower1", None, 60.0, dict(cardinality=5, settings=dict(k=6))),
            ("grqi", "gpower1", 20.0, dict(cardinality=k_of_grqi, settings={})),
        )
    ]
    (pair,) = base.pairs(pd.DataFrame(rows), "main").itertuples()
    assert (pair.chain, pair.asked, pair.ratio) == ("a", 6, 3.0)
    assert pair.whole == (60 + 40) / (20 + 40)


def test_given_penalties_give_pairs_of_equal_cardinality_on_one_problem():
    problem = api.load("gaussian", m=60, n=60, seed=2)
    found = base.given(problem, seed=2, penalty="gpower1", count=3)
    row = dict(label=base.GIVEN, extra=found, settings=dict(penalty="gpower1"), n=60, seed=2)
    table = trial.table([row | dict(problem="p", stand_in=False)])
    both = base.of_all_problems(table)
    assert len(both) == 3 and (both.cardinality_p == both.cardinality_g).all()
    for pair in both.itertuples():
        alone = api.solve(problem.given_as("covariance"), "grqi", k=int(pair.cardinality_g))
        assert pair.whole_g == alone.cost.flops + alone.cost.setup_flops
        assert pair.variance_g == pytest.approx(alone.variance, rel=1e-9)
        assert pair.more == pytest.approx(100 * (pair.variance_p / pair.variance_g - 1), abs=1e-6)


@pytest.mark.parametrize(("first", "jumps"), [(100, 1), (10, 0)])
def test_pairs_of_few_nonzeros_do_not_count_as_jumps(first, jumps):
    rows = [
        dict(solver="gpower1", label="gamma 0.3", seed=seed, settings=dict(gamma=1.009**step))
        | dict(cardinality=k, stand_in=False, problem="made up")
        for seed, ks in enumerate([(first, first - first // 7 - 1), (first, first)])
        for step, k in enumerate(ks)
    ]
    judged = K11.judge(SimpleNamespace(rows=pd.DataFrame(rows)))
    assert judged["readings"][0]["places"][0]["value"] == jumps


def test_with_all_variables_shrinking_and_cutting_find_the_eigenvector():
    problem = api.load("gaussian", m=20, n=10, seed=1).given_as("covariance")
    assert held(problem, k=10, seed=0) == pytest.approx({"cut": 1.0, "shrunk": 1.0})


def test_power_steps_end_once_the_quotient_is_reached():
    Sigma, x = np.diag([4.0, 1.0]), np.array([0.6, 0.8])
    assert power_steps(Sigma, x, 2.0) is x  # its quotient is 2.08
    once = Sigma @ x / np.linalg.norm(Sigma @ x)
    assert power_steps(Sigma, x, 3.0) == pytest.approx(once)  # 3.7
    y = power_steps(Sigma, x, 3.99)
    assert y @ Sigma @ y >= 3.99


def test_components_are_compared_with_the_mean_of_both_kinds_of_patches():
    kinds = {"components": [0.6, 0.8], "patches": [0.4, 0.6, 0.8], "cut": [0.2, 0.3]}
    rows = [dict(kind=kind, r2=r2) for kind, of in kinds.items() for r2 in of]
    data = pd.DataFrame(rows).assign(label="main", stand_in=False, problem="p")
    ratios = [table.value.mean() for table in kuleshov2013_fig5.K10.rows(data) if len(table)]
    # over as many patches as there are components
    assert ratios == pytest.approx([1 + (0.7 - 0.5) / 0.6, 0.7 / 0.25])


def test_a_gabor_patch_is_explained_whatever_its_colour_and_contrast_and_noise_is_not():
    rows, columns = np.indices((8, 8))
    y, x = rows - 4.1, columns - 3.2
    along, across = 0.8 * x + 0.6 * y, 0.8 * y - 0.6 * x
    wave = np.exp(-(along**2 + (across / 1.5) ** 2) / 8) * np.sin(2 * np.pi * along / 5 + 1)
    tile = wave[..., None] * [1.0, -2.0, 0.5] + [3.0, 1.0, 2.0]
    noise = np.random.default_rng(0).standard_normal((20, *tile.shape))
    r2 = explained(np.stack([tile, 7.0 - 100 * tile, np.rot90(tile), np.ones(tile.shape), *noise]))
    assert r2[:3] == pytest.approx(1.0, abs=1e-3) and r2[0] == pytest.approx(r2[1], abs=1e-9)
    assert r2[3] < 1e-9 and r2[4:].max() < 0.3
