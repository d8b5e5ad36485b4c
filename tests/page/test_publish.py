"""A published run is whole and current, and says what changed since a release."""

import json
import re
import shutil
import subprocess

import pandas as pd
import pytest

from spcabench.errors import InputError
from spcabench.page import publish, results_page, search_index, verify
from spcabench.running import rows, runner
from spcabench.running.jobs import LONG
from tests.page.test_verify import differences
from tests.trial import NAME, check_links, made_row, make_run


def git(root, *arguments):
    command = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    return subprocess.run([*command, *arguments], check=True, capture_output=True, text=True).stdout


def commit(root):
    git(root, "add", ".")
    git(root, "commit", "-qm", "all", "--allow-empty")


@pytest.fixture
def published(trial_run, tmp_path):
    """Return a function that publishes the run of the trial figure into a clean repository.

    It returns the published folder, the README and a summary.
    """
    home, readme = tmp_path / "clone" / "results" / "published", tmp_path / "clone" / "README.md"

    def publish_run():
        readme.parent.mkdir()
        block = "<!-- published: made by `make publish` -->\n<!-- end of published -->"
        readme.write_text(f"before\n{block}\nafter\n")
        git(readme.parent, "init", "-q")
        commit(readme.parent)
        return home, readme, publish.publish(trial_run, home, readme)

    return publish_run


def test_a_published_run_is_whole_current_and_judged_again(trial_run, published, monkeypatch):
    """Histories that are too large are left out; the verdicts do not need them."""
    make_run(trial_run, history=[{"flops": 1}])
    monkeypatch.setattr(publish, "LARGEST_ROWS", 10)
    home, readme, about = published()
    assert about["figures"] == 1 and about["scale"] == "quick"
    files = {f for f in home.rglob("*") if f.is_file() and f.name != "about.json"}
    # the file itself is a few hundred bytes
    assert 0 <= sum(f.stat().st_size for f in files) - about["bytes"] < 1000
    text = readme.read_text()
    assert "| 2 · 0 · 0 · 0 |" in text
    assert publish.with_block(text, home) == text
    (home / "found.html").write_text("".join(f'<a href="{at}">' for *_, at in searched(home)))
    for page in home.rglob("*.html"):
        check_links(page)
    (home / "found.html").unlink()
    assert 'href="analysis.html"' in (home / "docs" / "index.html").read_text()
    assert not differences(verify.rejudge(home))
    assert not differences(verify.against(trial_run, home))
    assert "history" not in trial_row(home).dropna()
    commit(readme.parent)
    before = {file: file.read_bytes() for file in home.rglob("*.parquet")}
    again = publish.publish(home, home, readme)  # its pages alone
    assert again["figures"] == 1 and before
    assert all(file.read_bytes() == content for file, content in before.items())
    readme.with_name("mine.py").write_text("x = 1\n")
    with pytest.raises(InputError, match=r"uncommitted changes.*mine\.py"):
        publish.publish(trial_run, home, readme)


def searched(folder):
    """Return the entries of the search index: title, text and address."""
    text = (folder / search_index.NAME).read_text(encoding="utf-8")
    return json.loads(text.partition(" = ")[2].strip().removesuffix(";"))


def trial_row(home):
    return pd.read_parquet(home / "rows" / NAME / "rows.parquet").iloc[0]


def test_groups_of_a_run_replace_those_with_their_names_and_long_runs_stay(
    trial_run, published, monkeypatch
):
    make_run(trial_run)  # whole, because other tests use it again
    monkeypatch.setattr(results_page.document_pages, "write", lambda *_: ())  # these take long
    monkeypatch.setattr(results_page.solver_page, "write", lambda *_: None)
    file, long = trial_run / "rows" / NAME / "grqi.parquet", f"{LONG}tpower-1"
    older = runner.stamp()["machine"] | {"cpu": "another"}
    before = dict(commit="before", machine=older, cpu="another")
    rows.write([made_row(group=group, **before) for group in ("kept", "grqi", long)], file)
    home, readme, _ = published()

    def published_again(of=trial_run, **options):
        commit(readme.parent)
        about = publish.publish(of, home, readme, **options)
        table = rows.read_text([home / "rows" / NAME / "rows.parquet"])
        assert not differences(verify.rejudge(home))
        return about, dict(zip(table.group, table.commit, strict=True))

    picture = home / "figures" / NAME / "figure.svg"
    picture.write_text("an older picture")
    rows.write([made_row(group="grqi", commit="after", k=2)], file)
    figures = (trial_run / "figures").rename(trial_run / "aside")  # not all runs draw
    about, made_by = published_again(only=[NAME])
    assert made_by == {"kept": "before", "grqi": "after", long: "before"}
    assert about["commits"] == ["after", "before"]
    assert about["machines"] == sorted(["another", runner.stamp()["cpu"]])
    assert picture.read_text().endswith("</svg>\n")
    figures.rename(trial_run / "figures")
    assert published_again()[1] == {"grqi": "after", long: "before"}
    for source, words in ((trial_run / "empty", "no rows"), (trial_run, "the scale paper")):
        rows.write([made_row(scale="paper")], file)
        with pytest.raises(InputError, match=f"--only: .*{words}"):
            published_again(source, only=[NAME])


def test_a_change_since_a_release_is_a_rule_a_reading_or_rows(trial_run, tmp_path):
    make_run(trial_run)
    root = tmp_path / "clone"
    file, log = root / "results" / "published" / "claims.json", root / "CHANGELOG.md"
    file.parent.mkdir(parents=True)
    shutil.copy(trial_run / "claims.json", file)
    git(root, "init", "-q")
    log.write_text("# Changes\n\n## 1.0.0 - 2026-01-01\n\n- All.\n")
    commit(root)
    assert [*verify.since(root, "1.0.0")] == ["no change"]
    run = json.loads(file.read_text())
    first, second = run["statements"]
    first["readings"][0]["places"][0]["value"] = 2.0
    first["readings"][0]["rows"] = 5
    second["parts"][0]["rule"]["low"] = 2.0
    file.write_text(json.dumps(run))
    name = first["id"]
    log.write_text(
        f"# Changes\n\n## Unreleased\n\n- {name} has\n  rows.\n- None.\n\n"
        f"## 1.0.0 - 2026-01-01\n\n- All, {name} too.\n"
    )
    told = [*verify.since(root, "1.0.0")]
    assert told[4:] == [f"changelog: {name} has rows."]
    assert told[0] == "other rows (1)" and "from 1 to 5 rows" in told[1]
    assert told[2] == "another rule (1)" and re.search("above 1,.* -> above 2,", told[3])
    assert [*verify.since(root, "1.0.0", [name])] == [*told[:2], told[4]]
    with pytest.raises(InputError, match="no release"):
        [*verify.since(root, "2.0.0")]
    file.write_text('{"claims": []}')  # of an earlier version
    commit(root)
    with pytest.raises(InputError, match="another format"):
        [*verify.since(root, "HEAD")]
    shutil.rmtree(root / ".git")
    with pytest.raises(InputError, match="clone"):
        [*verify.since(root, "1.0.0")]
