"""The command line, typed as a user would."""

import json

import pytest

from spcabench.cli import figures, options


@pytest.mark.parametrize(
    ("kind", "name"),
    [("solvers", "grqi"), ("datasets", "pitprops"), ("figures", "kuleshov2013_fig2")],
)
def test_lists(spcabench, kind, name):
    plain, as_json = spcabench("list", kind), spcabench("list", kind, "--json")
    assert plain.returncode == as_json.returncode == 0
    assert name in plain.stdout
    assert all(json.loads(as_json.stdout).values())


def test_solve_as_table_and_as_json(spcabench):
    words = ("solve", "pitprops", "--solver", "grqi", "-k", "4", "--components", "2")
    table, as_json = spcabench(*words), spcabench(*words, "--json")
    assert table.returncode == as_json.returncode == 0
    assert "topdiam" in table.stdout and "certified bounds" in table.stdout
    first, second = json.loads(as_json.stdout)["components"]
    assert all(name in table.stdout for name in first["features"] + second["features"])
    assert first["cardinality"] == second["cardinality"] == 4
    assert first["variance"] <= first["bound"] and first["features"]


def test_solver_settings(spcabench):
    found = spcabench(
        "solve", "pitprops", "--solver", "gpower1", "--set", "gamma=0.5", "--refit", "--json"
    )
    assert found.returncode == 0
    assert json.loads(found.stdout)["components"][0]["cardinality"] >= 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("solve", "pitprops", "--solver", "grqy", "-k", "3"), "did you mean 'grqi'"),
        (("solve", "pitprop", "--solver", "grqi", "-k", "3"), "did you mean 'pitprops'"),
        (
            ("solve", "pitprops", "--solver", "grqi", "-k", "0"),
            "-k: '0'; allowed are whole numbers from 1",
        ),
        (
            ("solve", "pitprops", "--solver", "grqi", "-k", "14"),
            "k: 14 is out of range; allowed are 1 to n = 13",
        ),
        (("solve", "pitprops", "--solver", "grqi"), "k:"),
        (("solve", "pitprops", "--solver", "grqi", "-k", "3", "--set", "j=2"), "setting"),
        (("solve", "pitprops", "--solver", "grqi", "-k", "3", "--set", "j"), "NAME=VALUE"),
        (
            ("solve", "pitprops", "--solver", "grqi", "-k", "3", "--deflation", "hoteling"),
            "hotelling",
        ),
        (("solve", "pitprops", "--solver", "missing.py", "-k", "3"), "missing.py"),
        (("run", "kuleshov2013_fig9", "grqi", "x.parquet"), "did you mean 'kuleshov2013_fig"),
        (("workflow", "nope"), "unknown figure"),
        (("draw", "kuleshov2013_fig1", "out", "--rows", "nowhere.parquet"), "nowhere.parquet"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(spcabench, words, said, tmp_path):
    found = spcabench(*words)
    assert found.returncode == 2
    assert said in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


def test_a_damaged_data_file_is_named(spcabench, data_folder):
    (data_folder / "singh").mkdir()
    (data_folder / "singh" / "singh.RData").write_bytes(b"not data")
    found = spcabench("solve", "singh", "--solver", "grqi", "-k", "3")
    assert found.returncode == 2
    assert "singh.RData" in found.stderr and len(found.stderr.strip().splitlines()) == 1


def test_figures_need_the_repository(tmp_path, monkeypatch):
    monkeypatch.setattr(options, "ROOT", tmp_path)
    with pytest.raises(ValueError, match="clone of the repository"):
        figures.make_figures([])
    assert not list(tmp_path.iterdir())
