"""The documents: every example runs, every link resolves, and the site builds without a warning."""

import inspect
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import typer

import spcabench
from spcabench import claims, iterate, run
from spcabench.checking import conformance
from spcabench.cli import application as command_line
from spcabench.cli import options
from spcabench.page import publish
from spcabench.readers import sources
from tests.faults import copied
from tests.problems import WHOLE

ROOT = options.ROOT


def blocks(page, language="python"):
    """Return the examples of a page in a language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def test_the_example_of_the_readme_runs(capsys):
    (example,) = [block for block in blocks("README.md") if "TRAITS" not in block]
    exec(compile(example, "README.md", "exec"), {})
    assert "(569, 3)" in capsys.readouterr().out


def test_the_solver_of_the_readme_is_a_solver(tmp_path):
    (solver,) = [block for block in blocks("README.md") if "TRAITS" in block]
    (tmp_path / "mine.py").write_text(solver)
    result = spcabench.solve(spcabench.load("pitprops"), str(tmp_path / "mine.py"), k=4)
    assert result.status == "converged" and result.cardinality == 4


def test_the_solver_of_the_tutorial_keeps_every_promise(tmp_path):
    (solver,) = blocks("docs/new_solver.md")
    (tmp_path / "mine.py").write_text(solver)
    outcomes = list(conformance.check(str(tmp_path / "mine.py"), 60.0))
    assert outcomes and not [o for o in outcomes if o.verdict == "fails"]


ADDED = {  # file -> the page that has its text, and the language
    "solvers/soft_power.py": ("docs/new_solver.md", "python"),
    "datasets/wine.py": ("docs/new_dataset.md", "python"),
    "figures/author2025_fig1.py": ("docs/new_figure.md", "python"),
    "figures/author2025.toml": ("docs/new_figure.md", "toml"),
}


# all in one process, because each would load the package again
TYPED = """
import shlex, sys
from spcabench.cli.application import main
for line in sys.argv[1:]:
    if not line.startswith("spcabench "):
        exec(line)
        continue
    sys.argv = shlex.split(line, comments=True)
    try:
        main()
    except SystemExit as end:
        # verify has the exit code 1 if statements have changed since the published run
        assert not end.code or (sys.argv[1], end.code) == ("verify", 1), line
"""


def typed(house, *lines):
    """Run commands and Python code in a folder, and return what they print.

    The package is that of the folder if it is a copy of the repository.
    """
    completed = subprocess.run(
        [sys.executable, "-c", TYPED, *lines],
        cwd=house,
        env=os.environ | {"PYTHONPATH": str(house), "BROWSER": "true"},
        capture_output=True,
        text=True,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


@WHOLE
@pytest.mark.xdist_group("house")  # one process makes copies of the repository
def test_added_files_are_solved_judged_and_shown_on_the_page_of_their_paper(tmp_path):
    """The solver, dataset, figure and paper of the tutorials are added by their files alone."""
    house = copied(tmp_path)
    for name, (page, language) in ADDED.items():
        text = blocks(page, language)[0].replace("pitprops", "wine").replace("grqi", "soft_power")
        (house / "spcabench" / name).write_text(text, encoding="utf-8")
    answer = typed(house, "spcabench solve wine --solver soft_power -k 2")
    assert "soft_power" in answer and "wine" in answer
    figure = ("spcabench figure author2025_fig1", "spcabench results-page results/quick")
    assert re.search("M1.*(holds|fails)|(holds|fails).*M1", typed(house, *figure))
    page = (house / "results" / "quick" / "author2025.html").read_text(encoding="utf-8")
    assert "<h1>Author, Friend (2025)</h1>" in page and '<h2 id="author2025_fig1">' in page


@WHOLE
@pytest.mark.xdist_group("house")
def test_every_command_of_the_readme_can_be_typed_in_a_clone(tmp_path):
    house = copied(tmp_path)
    (house / "results").mkdir(exist_ok=True)
    (house / "results" / "published").symlink_to(ROOT / "results" / "published")
    np.savetxt(house / "loadings.csv", np.repeat([0.5, 0.0], [4, 9]))  # of the 13 pit props
    shell = "".join(blocks("README.md", "sh"))
    lines = re.findall("^(?:spcabench|python) .*", shell, re.M)
    typed(house, *(re.sub('^python -c "(.*)"$', r"\1", line) for line in lines))
    for file in ("fig2.pdf", "loadings.png", "model.npz", "scores.csv", "wine_report.html"):
        assert (house / file).exists()


@pytest.mark.parametrize(
    "documented",
    [
        # components is deprecated
        *(getattr(spcabench, n) for n in spcabench.__all__ if n[0].islower() and n != "components"),
        *(
            getattr(spcabench.Problem, name)
            for name in ("from_covariance", "from_data", "given_as")
        ),
        *(spcabench.SparsePCA, iterate.Traits, iterate.Iterate, run.Run),
        *(claims.tidy, sources.File, sources.find),
    ],
    ids=lambda documented: documented.__qualname__,
)
def test_every_parameter_of_a_public_object_is_documented(documented):
    parameters = set(inspect.signature(documented).parameters) - {"self"}
    text = inspect.getdoc(documented)
    section = re.search(r"^Parameters\n-+\n((?:.+\n?|\n(?! *\S+\n-+))*)", text, re.M)
    named = re.findall(r"^(\S.*?) :|^(\*\*\w+)$", section[1] if section else "", re.M)
    names = [name for pair in named for name in "".join(pair).lstrip("*").split(", ")]
    assert sorted(names) == sorted(parameters)


def test_the_design_has_the_rule_of_imports_and_names_files_that_exist():
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = rules["importlinter"]["contracts"][0]["layers"]
    block = re.search(r"```\n(errors.*?)```", text, re.S)[1].splitlines()
    floors = [set(re.split(r"[,| ]+", line)) for line in reversed(block)]
    assert floors == [set(re.split(r"[|: ]+", line.replace("spcabench.", ""))) for line in layers]
    files = {p.name for p in ROOT.rglob("*.py") if ".venv" not in p.parts}
    assert set(re.findall(r"\w+\.py\b", text)) - {"NAME.py", "PAPER_NAME.py"} <= files


def test_the_tables_of_the_design_lead_to_files_that_have_these_names():
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    # the paths in the table of folders are relative to its folders
    tables = re.sub(r"^## The folders\n.*?(?=^## )", "", text, flags=re.M | re.S)
    for topic, place in re.findall(r"^\| ([^|]+) \| (.*)$", tables, re.M):
        files = re.findall(r"`([\w/]+\.(?:py|toml|json|md\.j2|html\.j2))`", place)
        paths = [next(d / f for d in (ROOT, ROOT / "spcabench") if (d / f).exists()) for f in files]
        contents = "\n".join(path.read_text(encoding="utf-8") for path in paths)
        names = re.sub(r"`[^`]*\.(?:py|css|js|toml|md)`", "", place)
        for name in re.findall(r"`(\w+(?:\.\w+)*)`", names) if files else ():
            for part in name.split("."):
                assert re.search(rf"\b{part}\b", contents), (topic, part)


@WHOLE
def test_what_the_page_for_analysts_says_can_be_typed(tmp_path):
    text, typed_lines = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8"), []
    for language, block in re.findall(r"```(python|sh)\n(.*?)```", text, re.S):
        typed_lines += [block] if language == "python" else block.splitlines()
    typed(tmp_path, *typed_lines)


@WHOLE
def test_the_numbers_of_the_solvers_are_those_that_are_published():
    for text in blocks("docs/solvers.md"):
        exec(compile(text, "solvers.md", "exec"), {})


def test_the_identities_between_the_variances_hold():
    (example,) = blocks("docs/numbers.md")
    exec(compile(example, "numbers.md", "exec"), {})


def anchors(page):
    """Return the anchors of a page's headings, as GitHub and MkDocs name them, and the top."""
    titles = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles} | {""}


def test_links_and_commands_exist():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "results").glob("**/*.md")]
    commands = {
        c.name or c.callback.__name__.replace("_", "-")
        for c in command_line.app.registered_commands
    }
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
    missing = []
    for page in sorted(pages):
        text = page.read_text(encoding="utf-8")
        for link, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
            target = page.parent / link if link else page
            if "://" in link:
                continue
            if not target.exists() or (target.suffix == ".md" and anchor not in anchors(target)):
                missing.append((page.name, link, anchor))
        shell = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.S))
        unknown = set(re.findall(r"^spcabench ([\w-]+)", shell, re.M)) - commands
        unknown |= set(re.findall(r"^make ([a-z-]+)", shell, re.M)) - set(targets)
        missing += [(page.name, name) for name in sorted(unknown)]
    assert missing == []


def test_commands_have_the_options_that_the_documents_name():
    commands, wrong = typer.main.get_group(command_line.app).commands, []
    pages = [*ROOT.glob("CON*.md"), *ROOT.glob("README.md"), *ROOT.glob("docs/*.md")]
    for page in [*pages, ROOT / "results" / "README.md"]:
        text = page.read_text("utf-8")
        in_sentences = re.findall(r"`(?:\S*/)?spcabench\s+([a-z][\w-]*)([^`]*)", text)
        shell = "\n".join(blocks(page, "sh"))
        in_blocks = re.findall(r"^spcabench ([a-z][\w-]*)([^\n#]*)", shell, re.M)
        for name, rest in in_sentences + in_blocks:
            known = {o for p in commands[name].params for o in p.opts} | {"--help"}
            named = set(re.findall(r"--[a-z-]+", rest))
            wrong += [(page.name, name, option) for option in named - known]
    assert wrong == []


def test_the_table_of_the_published_run_names_what_is_there():
    text, home = (ROOT / "results" / "README.md").read_text("utf-8"), ROOT / "results" / "published"
    named = re.findall(r"`(?:published|SCALE)/([^`]+)`", text)
    paths = {re.sub("NAME|PAPER", "*", path) for path in named}
    only_locally = {"workflow.log", "rows/*/JOB.parquet"}
    assert [p for p in paths - only_locally if not [*home.glob(p)]] == []
    tops = {path.split("/")[0] for path in paths}
    shared = {"search.js", "site.css", "site.js"}  # of all pages
    assert {p.name for p in home.iterdir() if not any(p.match(top) for top in tops)} == shared


def test_the_block_of_the_readme_is_that_of_the_published_run():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert publish.with_block(text, ROOT / "results" / "published") == text


@WHOLE
def test_the_site_builds_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs", reason="MkDocs is not installed: make installs it")
    words = ("-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", tmp_path / "site")
    command = [sys.executable, *words]
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert "spcabench.solve" in Path(tmp_path, "site", "reference.html").read_text()
    findings = Path(tmp_path, "site", "findings.html").read_text()
    assert 'href="results/kuleshov2013.html"' in findings and "../results" not in findings


def test_generated_blocks_are_current():
    from spcabench.page.documents import documents
    from spcabench.page.generated_block import replaced

    for file, blocks in documents().items():
        text = file.read_text(encoding="utf-8")
        assert replaced(text, blocks) == text, f"{file.name}: renew it with make docs"


def test_the_article_says_holds_fails_and_depends_of_what_does():
    """If this fails, a verdict has changed: rewrite its sentence in findings.md.j2."""
    text = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    for part, verdict in (
        ("The baseline decides", "depends"),
        ("What holds everywhere", "holds"),
        ("What fails everywhere", "fails"),
    ):
        section = text.partition(f"## {part}\n")[2].partition("\n## ")[0]
        found = re.findall(r"\[(\w+)\]\([^)]*\):\s(\w+)", section)
        assert len(found) >= 5
        assert not [(name, word) for name, word in found if word != verdict]
