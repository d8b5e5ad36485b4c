"""The progress of a workflow: what is being made, how much is done, and the seconds left."""

from spcabench.running import progress

LOG = """Job stats:
job       count
------  -------
run           2
draw          1
report        1
total         4

localrule run:
    output: results/quick/rows/one_fig1/timed.parquet
    jobid: 3
    wildcards: home=quick, folder=one_fig1, job=timed
    priority: 2
"""
ENDED = """Finished jobid: 3 (Rule: run)
1 of 4 steps (25%) done
localrule draw:
    output: results/quick/figures/one_fig1/figure.svg
    jobid: 5
    wildcards: scale=quick, figure=one_fig1
Finished jobid: 5 (Rule: draw)
"""


def test_what_is_left_is_as_long_as_what_is_done():
    assert progress.state("", 1.0) == "looking for what is missing"
    assert progress.state(LOG, 9.0) == "rows 0 of 2, figures 0 of 1"
    assert progress.state(LOG + ENDED, 9.0) == "about 9 s left, rows 1 of 2, figures 1 of 1"
    assert progress.state(LOG + ENDED, 1000.0).startswith("about 17 min left")
    assert progress.state(LOG + ENDED, 7810.0).startswith("about 2 h 10 min left")


def test_a_log_has_a_line_for_each_figure_once(tmp_path, capsys):
    log = tmp_path / "workflow.log"
    log.write_text(LOG)
    shown = progress.Progress(log)
    shown.show()
    log.write_text(LOG + ENDED)
    shown.show()
    shown.show()
    shown.close()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("one_fig1: finished after 0 s (about 0 s left, rows 1 of 2, ")


def test_a_solver_of_a_comparison_is_named(tmp_path, capsys):
    log = tmp_path / "workflow.log"
    log.write_text(
        "rule run:\n    output: results/compare/rows/tpower.parquet\n    jobid: 2\n"
        "    wildcards: home=compare, folder=rows, job=tpower\n"
        "Finished jobid: 2 (Rule: run)\n"
    )
    shown = progress.Progress(log)
    shown.show()
    shown.close()
    assert capsys.readouterr().err.startswith("tpower: finished after")


def test_a_log_is_not_silent_for_longer_than_a_minute(tmp_path, capsys, monkeypatch):
    log = tmp_path / "workflow.log"
    log.write_text(LOG)
    shown = progress.Progress(log)
    monkeypatch.setattr(progress, "SILENCE", 0.0)
    shown.show()
    shown.close()
    assert capsys.readouterr().err == "rows 0 of 2, figures 0 of 1; in progress: one_fig1\n"
