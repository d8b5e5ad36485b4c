"""Figures with other seeds: the same runs on new problems, in a separate folder."""

import json

import pytest

from spcabench.cli import options
from spcabench.run import Run
from spcabench.running import jobs as figure_jobs

SEEDED = ("kuleshov2013_fig1", "he2010_fig3", "asteris2014_exact")
VERDICTS = options.ROOT / "results/published/figures/daspremont2007_fig1/claims.json"


@pytest.mark.parametrize("figure", SEEDED)
def test_only_the_seeds_differ_and_each_is_used(figure):
    """With its own seeds, a figure has its own runs."""

    def without_seeds(run):
        return str(run.described() | {"parameters": {**run.parameters, "seed": 0}, "seed": 0})

    runs = figure_jobs.runs_of(figure, "quick")
    own = sorted({run.parameters["seed"] for run in runs if "seed" in run.parameters})
    assert [*figure_jobs.reseeded(runs, own)] == runs and figure_jobs.has_seeds(runs)
    for seeds, values in (("20-40", {*range(20, 41)}), ("3,20-30-5,7", {3, 7, 20, 25, 30})):
        new = figure_jobs.runs_of(figure, f"quick-seeds-{seeds}")
        assert {run.parameters["seed"] for run in new} == values
        assert {*map(without_seeds, new)} == {*map(without_seeds, runs)}
        head = new[0]
        for run in new:
            head = head if run.match else run
            assert run.parameters == head.parameters  # what matches a run is on the same problem


def test_a_part_with_fewer_problems_gets_its_share_of_the_new_ones():
    runs = [Run(dataset="a", parameters={"n": 5, "seed": s}, seed=s) for s in (7, 8, 9)]
    runs += [Run(dataset="b", parameters={"seed": 1}), Run(dataset="c")]
    new = [
        (run.dataset, run.parameters.get("seed"), run.seed)
        for run in figure_jobs.reseeded(runs, range(20, 26))
    ]
    assert sorted(new[:6]) == [("a", seed, seed) for seed in range(20, 26)]
    assert new[6:] == [("b", 20, 0), ("b", 23, 0), ("c", None, 0)]
    assert not figure_jobs.has_seeds(runs[-1:])


def test_rows_with_other_seeds_are_not_those_of_the_figure(tmp_path, spcabench):
    own, other = (
        figure_jobs.job("kuleshov2013_fig1", f"quick{seeds}", "others")
        for seeds in ("", "-seeds-20-24")
    )
    assert own.key != other.key and own.timing == other.timing and own.out != other.out
    assert other.labels["scale"] == "quick-seeds-20-24"
    file = tmp_path / "x/figures/daspremont2007_fig1/claims.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(json.loads(VERDICTS.read_text()) | {"scale": "quick-seeds-20-24"}))
    published = spcabench("publish", tmp_path / "x")
    assert published.returncode == 2 and "other seeds" in published.stderr
