"""Pictures of many solvers are small without visible loss, and no two solvers look alike."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from spcabench.comparison import ranking
from spcabench.page import comparison_pictures, light_svg
from spcabench.page.standing import Standing
from spcabench.running.rows import to_json
from tests.problems import WHOLE

SOLVERS = [f"solver_{i}" for i in range(3)]


@pytest.fixture(scope="module")
def answers():
    """Return made-up answers of three solvers on 18 problems with 3 cardinalities and 60 steps per
    run.
    """
    rng, entries = np.random.default_rng(0), []
    for item in range(18):
        for k in (5, 10, 20):
            for i, solver in enumerate(SOLVERS):
                share = 1.0 - rng.exponential(0.002 * (i % 9))
                cost = 10.0 ** rng.uniform(2.0, 8.0)
                steps = [
                    {
                        "cardinality": k,
                        "variance": share * (1.0 - 0.5**step),
                        "flops": cost * step / 60,
                        "seconds": cost * step * 1e-10,
                        "iteration": step,
                    }
                    for step in range(1, 61)
                ]
                entries.append(
                    dict(item=f"problem {item}", family=f"kind {item % 5}", asked=k, solver=solver)
                    | dict(answered=True, value=share, variance=share, cardinality=k, share=share)
                    | dict(shares=[share])
                    | dict(best=1.0, bound=1.1, proven=False, unit=1e3, who="", listed=True)
                    | dict(work=cost, time=cost * 1e-8, slowest=cost * 1e-8, gap=1.0 - share / 1.1)
                    | dict(search_time=np.nan, setup_flops=0.0, setup_time=0.0, memory=1e4)
                    | dict(status="converged", reason="", history=to_json(steps))
                    | dict(flags=None, own=True, calibration=1e-3)
                )
    return pd.DataFrame(entries)


@WHOLE
def test_a_problem_that_no_solver_answered_stops_no_picture(answers, tmp_path):
    """A large problem may have no answers within a short limit, and then nothing is known of it."""
    few = answers[(answers.asked == 5)].copy()
    lost = few.item == "problem 0"
    few["shares"] = [[0.0] if no else shares for no, shares in zip(lost, few.shares, strict=True)]
    few.loc[lost, ["value", "share", "gap", "work", "time", "bound", "unit"]] = np.nan
    few.loc[lost, "best"], few.loc[lost, "answered"] = 0.0, False
    few.loc[lost, ["history", "status"]] = None, "time_limit"
    comparison = SimpleNamespace(
        rows=pd.DataFrame({"kind": []}), plan=SimpleNamespace(named=[]), files={}
    )
    standing = Standing(comparison, few, ranking.ranking(few), "time", [])
    assert {*standing.looks} == {*SOLVERS[:3]}
    titles = []
    for picture in comparison_pictures.pictures(standing):
        picture.write(tmp_path / f"{picture.name}.svg")
        titles.append(picture.title)
    assert "Anytime curves" in titles and len(titles) == len([*tmp_path.iterdir()])


def test_a_lighter_picture_has_the_same_coordinates():
    text = (
        '<path d="M 1.234567 222.04 \nL 3.5 -4.98765 \nL 5 6 \n" transform="scale(0.015625)"/>\n'
        '<!-- a word -->\n<path d="M 1 2 \nQ 3 4 5 6 \nL 7 8.001 \n"/>\n<g id="x_">\n'
        + '<use xlink:href="#m" x="9" y="4" style="fill: red"/>\n' * 2
        + '</g>\n<use xlink:href="#DejaVuSans-a" transform="translate(9 4)"/>'
    )
    lighter = light_svg.light(text)
    numbers = [[float(x) for x in re.findall(r"-?\d+\.?\d*", part)] for part in (text, lighter)]
    assert np.allclose(*numbers, atol=0.05) and "scale(0.015625)" in lighter
    # markers share the style of their group
    assert '<g style="fill: red">\n<use href="#m" x="9" y="4"/>\n' in lighter
    assert '"#ga" x="9" y="4"' in lighter
    assert "L 7 8" in lighter and "word" not in lighter  # after a curve an L is needed
    assert len(lighter) < len(text)
