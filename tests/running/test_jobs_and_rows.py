"""The jobs of figures, their hashes, and the rows of their runs."""

import pickle
import re
from dataclasses import replace

import pytest

from spcabench import registry
from spcabench.errors import InputError
from spcabench.run import Run, chains
from spcabench.running import fingerprint, rows, runner
from spcabench.running import jobs as figure_jobs
from spcabench.running.fingerprint import tree_hash
from spcabench.running.jobs import groups, unpublished


def run_job(figure, scale, job, out):
    """Compute the rows of one job of a figure, and write them to a file."""
    runner.run_job(replace(figure_jobs.job(figure, scale, job), out=out))


FIGURE = '''"""Trial figure."""
import fcntl
from spcabench.run import Run
from spcabench.running import exclusive_timing
def runs(scale):
    yield Run(dataset="pitprops", solver="gpower1", settings=dict(k=4), vectors=True)
    yield Run(dataset="pitprops", solver="grqi", match="gpower1", memory=True)
    yield Run(dataset="pitprops", solver="brute_force", settings=dict(k=4))
    small = dict(dataset="gaussian", parameters=dict(m=9, n=9), settings=dict(k=4))
    yield Run(**small, solver="grqi", timed=True)
    yield Run(**small, solver="gpower0", timed=True)
    yield Run(dataset="pitprops", function=trace)
    yield Run(dataset="pitprops", function=exclusive, timed=True)
    yield Run(dataset="pitprops", solver="grqi", settings=dict(k=3), timed=True, long=True)
    yield Run(dataset="pitprops", solver="tpower", settings=dict(k=3), timed=True, long=True)
def trace(problem, *, seed):
    return {"trace": float(problem.covariance.diagonal().sum())}
def exclusive(problem, *, seed):
    with (exclusive_timing.home() / exclusive_timing.TIMING).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return {"exclusive": 1}
    return {"exclusive": 0}
'''


@pytest.fixture
def figure(here, add_file):
    add_file("figure", "trial2013_fig2", FIGURE)
    return "trial2013_fig2"


def test_runs_are_grouped_by_solver_and_timed_ones_by_problem(figure):
    grouped = [*groups(figure, "quick").values()]
    names = [[run.solver or run.measure for run in runs] for runs in grouped]
    assert names[:3] == [["gpower1", "grqi"], ["brute_force"], ["grqi", "gpower0"]]
    assert names[3:] == [["trace"], ["exclusive"], ["grqi"], ["tpower"]]
    assert [len(chains(runs)) for runs in grouped[:3]] == [1, 1, 2]


def test_every_group_is_in_one_job_and_what_is_timed_or_long_in_one_of_its_own(figure):
    for scale in ("quick", "paper"):
        short, long = (figure_jobs.jobs(figure, scale, long=only) for only in (False, True))
        together = [pair for job in [*short.values(), *long.values()] for pair in job.items()]
        assert dict(together) == groups(figure, scale) and len(together) == len(dict(together))
        for name, groups_of in (short | long).items():
            assert {g.startswith("timed-") for g in groups_of} == {name.startswith("timed")}
        assert [name.rpartition("-")[0] for name in long] == [
            f"timed-long-{solver}-pitprops" for solver in ("grqi", "tpower")
        ]
    assert figure_jobs.jobs(figure, "quick").keys() == {"others", "timed"}
    untimed = ["gpower1", "brute_force", "measure-trace"]
    assert short.keys() == {*untimed, "timed-gaussian", "timed-measure-exclusive"}
    assert {figure_jobs.job(figure, "paper", name).timing.rounds for name in long} == {1}


def test_a_job_has_the_rows_of_each_of_its_groups(figure, tmp_path):
    out = tmp_path / "rows" / "others.parquet"
    run_job(figure, "quick", "others", out)
    table, asked = rows.read([out]), groups(figure, "quick")
    for group, part in table.groupby("group"):
        assert [*part.solver.dropna()] == [run.solver for run in asked.pop(group) if run.solver]
    assert all(name.startswith("timed-") for name in asked)
    (trace,) = table[table.measure.notna()].to_dict("records")
    assert (trace["measure"], trace["extra"]) == ("trace", {"trace": pytest.approx(13.0)})
    assert 0.0 < trace["solve_time"] < 60.0
    gpower1, grqi, _ = table[table.solver.notna()].to_dict("records")
    assert grqi["k"] == grqi["cardinality"] == gpower1["cardinality"] == len(gpower1["support"])
    assert len(gpower1["values"]) == gpower1["cardinality"] and gpower1["search_runs"] >= 1
    assert all(about["threads"] >= 1 for about in table.machine)
    assert [*out.parent.iterdir()] == [out]


def test_timed_rows_are_interleaved_and_a_function_that_measures_times_is_called_once(
    figure, tmp_path, monkeypatch
):
    monkeypatch.setattr(figure_jobs, "MIN_ROUNDS", {"quick": 3})
    run_job(figure, "quick", "timed", tmp_path / "t.parquet")
    table = rows.read([tmp_path / "t.parquet"])
    called, table = table.iloc[-1], table.iloc[:-1]
    assert called.extra == {"exclusive": 1}  # nothing else runs meanwhile
    assert table.solver.tolist() == ["grqi", "gpower0"] * 3
    assert table.repeat.tolist() == [0, 0, 1, 1, 2, 2]
    assert table.chain.tolist() == ["0-0", "0-1", "1-0", "1-1", "2-0", "2-1"]
    assert (table.samples >= 1).all() and table.calibration.gt(0).all()
    assert table.groupby("solver").flops.nunique().eq(1).all()


def test_a_local_variable_is_not_the_function_with_its_name(add_file):
    text = (
        "RHO = 1\ndef helper(x):\n    return x\n"
        "def other():\n    {}\n    return [RHO for RHO in (1, 2)]\n"
        "def used():\n    other = [x for x in helper(RHO)]\n    return other\n"
    )
    same = [text.format(line) for line in ("x = 1", "x = 2", "helper = 3", "RHO = 4")]
    changed = text.replace("return x\n", "return 2 * x\n").format("x = 1")
    hashes = []
    for i, source in enumerate([*same, changed]):
        add_file("figure", f"m{i}", source)
        hashes.append(fingerprint.function_hash(registry.module("figure", f"m{i}").used))
    assert len(set(hashes[:-1])) == 1 and hashes[-1] != hashes[0]


def test_unknown_and_broken_jobs(figure, tmp_path, add_file):
    with pytest.raises(InputError, match="no job 'nope'"):
        run_job(figure, "quick", "nope", tmp_path / "x.parquet")
    add_file("figure", figure, '"""Broken."""\ndef runs(scale:\n')
    assert figure_jobs.jobs(figure, "quick").keys() == {"broken"}
    assert isinstance(figure_jobs.shared(figure), tuple)


def test_only_what_is_done_counts_in_a_hash(tmp_path):
    texts = {
        "a": '"""One."""\nCOLOUR = "red"\ndef f(x):\n    """Doc."""\n    return x + 1\n',
        "b": '"""Two."""\nCOLOUR = "blue"\n# comment\ndef f(x):\n\n    return x+1\n',
        "c": '"""One."""\nCOLOUR = "red"\ndef f(x):\n    """Doc."""\n    return x + 2\n',
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    a, b, c = (tree_hash(tmp_path / f"{name}.py") for name in "abc")
    assert a == b != c


def test_the_hash_of_runs_has_every_field_of_them_their_order_and_all_their_code():
    run = Run(dataset="gaussian", solver="grqi", settings={"k": 3})
    others = dict(dataset="spiked", solver="tpower", settings={"k": 4}, parameters={"n": 9}, seed=1)
    others |= dict(match="em", form="data", timed=True, one_round=True, timeout=7.0, label="a")
    lists = [[run], [run, run], [run, run.at(k=4)], [run.at(k=4), run]]
    lists += [[replace(run, **{name: value})] for name, value in others.items()]
    keys = [fingerprint.of_runs(runs) for runs in lists] + [fingerprint.of_runs([run], "timing")]
    assert len({*keys}) == len(keys)
    orders = [run.at(tol=0.1), replace(run, settings={"tol": 0.1, "k": 3})]
    assert len({fingerprint.of_runs([each]) for each in orders}) == 1  # of the settings
    worker, grqi = fingerprint.closure(fingerprint.WORKER), registry.path("solver", "grqi")
    names = {file.name for file in worker}
    assert {"data.py", "driver.py", "tune.py", "problem.py"} <= names and grqi not in worker
    assert not {"style.py", "claims.py", "results_page.py"} & names


def test_data_beside_a_solver_that_its_text_names_is_part_of_it(tmp_path):
    solver, data, other = (tmp_path / name for name in ("mine.py", "weights.txt", "other.txt"))
    solver.write_text('WEIGHTS = open("weights.txt")\n')
    data.write_text("1")
    other.write_text("2")
    assert fingerprint.closure(solver) == (solver, data)


def test_every_figure_asks_for_what_exists():
    for figure in registry.names("figure"):
        shared = getattr(registry.module("figure", figure), "SHARES", ())
        assert figure_jobs.shared(figure) == shared
        for scale in ("quick", "paper"):
            for item in figure_jobs.runs_of(figure, scale):
                registry.path("dataset", item.dataset)
                assert all(registry.is_own_file(solver) for solver in item.solvers)
                assert pickle.loads(pickle.dumps(item)) == item  # as it is sent to a worker
            assert "broken" not in groups(figure, scale)
            assert all(re.fullmatch("[a-z0-9_-]+", job) for job in figure_jobs.jobs(figure, scale))


def test_a_measure_is_made_again_when_what_it_uses_changes(figure, tmp_path, add_file, monkeypatch):
    """A solver that it names, code of its own module, and files that it imports."""
    own, hashed = tmp_path / "own.py", fingerprint.tree_hash
    text = FIGURE.replace("function=trace)", f"function=trace, uses=({str(own)!r},))")
    text = text.replace("def trace(", "SHARE = 1.0\nCOLOUR_OF_A_LINE = 'red'\n\n\ndef trace(")
    text = text.replace('return {"trace": ', 'return {"share": SHARE, "trace": ')
    text = text.replace("seed):\n", "seed):\n    from spcabench.methods import swaps\n")

    def key(body="yield problem", changed="", **replaced):
        own.write_text(f"def solve(problem):\n    {body}\n")
        new = text
        for old, value in replaced.items():
            new = new.replace(f"{old} = ", f"{old} = {value} or ")
        add_file("figure", figure, new)
        monkeypatch.setattr(
            fingerprint, "tree_hash", lambda f: "new" if f.stem == changed else hashed(f)
        )
        return figure_jobs.key(figure, "paper", "measure-trace")

    first = key()
    assert first == key("yield problem  # a comment", COLOUR_OF_A_LINE=2)
    assert len({first, key("yield 1"), key(SHARE=2.0), key(changed="swaps")}) == 4


def test_a_long_run_whose_row_is_published_is_not_executed_again(figure, tmp_path):
    first, second = figure_jobs.jobs(figure, "paper", long=True)
    assert unpublished(tmp_path, figure, "paper") == [first, second]
    run_job(figure, "paper", first, tmp_path / "rows" / figure / "rows.parquet")
    assert unpublished(tmp_path, figure, "paper") == [second]
    table = rows.read([tmp_path / "rows" / figure / "rows.parquet"])
    assert {*table.solver} == {"grqi"} and {*table.group} == {first}
