"""Violations of the contract by third-party files are kept until the file is changed."""

from dataclasses import replace
from pathlib import Path

import pytest

from spcabench.checking import conformance
from spcabench.checking.conformance import Outcome
from spcabench.comparison import violations
from spcabench.comparison.jobs import Job
from spcabench.running import code_hash
from tests.checking import tricks


@pytest.fixture
def outcomes(monkeypatch):
    """Return the list of the outcomes of each following check."""
    of_checks = []
    monkeypatch.setattr(conformance, "check", lambda solver: of_checks.pop(0))
    return of_checks


def test_a_violation_is_kept_until_the_file_is_changed(tmp_path, outcomes):
    file = Path(tricks.file_of(tmp_path, "mine"))
    job_of = {"mine": Job.of(str(file), "quick"), "tpower": Job.of("tpower", "quick")}
    fails = [Outcome("is repeatable", "fails", "on seed 1"), Outcome("ends", "holds")]
    again = [Outcome("is repeatable", "fails", "on seed 2"), Outcome("other", "fails", "on seed 2")]
    nothing = [Outcome("is repeatable", "holds"), Outcome("ends", "not checked")]
    outcomes += [fails, nothing, again, nothing, nothing]
    kept = {"mine": ["is repeatable: on seed 1"]}
    assert violations.found(job_of, tmp_path / "checks") == kept
    assert violations.found(job_of, tmp_path / "checks") == kept
    # one cause is one sentence
    assert violations.found(job_of, tmp_path / "checks") == {"mine": ["is repeatable: on seed 2"]}
    other_problems = {label: replace(job, fresh=5) for label, job in job_of.items()}
    assert violations.found(other_problems, tmp_path / "checks").keys() == {"mine"}
    file.write_text(file.read_text().replace("yield", "pass\n    yield"))
    code_hash._summary.cache_clear()  # a command reads each file once
    assert violations.found(job_of, tmp_path / "checks") == {}


def test_a_process_that_was_too_slow_is_a_violation_of_this_comparison_alone(tmp_path, outcomes):
    """A busy machine can be its cause."""
    job_of = {"mine": Job.of(tricks.file_of(tmp_path, "mine"), "quick")}
    outcomes += [[Outcome("ends", "fails", "too slow", ends="too slow")], []]
    assert violations.found(job_of, tmp_path / "checks") == {"mine": ["ends: too slow"]}
    assert violations.found(job_of, tmp_path / "checks") == {}


def test_a_file_among_the_rivals_is_checked_too(tmp_path, outcomes):
    """A label is that of the file, wherever the file was named."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    jobs = [Job.of(tricks.file_of(tmp_path / name, "mine"), "quick") for name in ("a", "b")]
    fails = [Outcome("is repeatable", "fails", "on seed 1")]
    outcomes += [[], fails]
    found = violations.found(dict(zip(("mine (a)", "mine (b)"), jobs, strict=True)), tmp_path / "c")
    assert found == {"mine (b)": ["is repeatable: on seed 1"]}
