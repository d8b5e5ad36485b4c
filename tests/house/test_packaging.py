"""The wheel that users install, the CI workflow, and the issue templates."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.problems import WHOLE

ROOT = Path(__file__).parents[2]
# folders of the installed package -> those of the repository
PLACES = {"solvers": "solvers", "datasets": "datasets", "workflow/profiles": "profiles"}
PUBLISHED = "results/published"
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE", "Snakefile", PUBLISHED)
BUILT_FROM += ("spcabench", *PLACES.values())
IMPORT_ALL = """
import importlib, json, pkgutil, sys, warnings
warnings.simplefilter("error")
import spcabench
names = [m.name for m in pkgutil.walk_packages(spcabench.__path__, "spcabench.")]
print(json.dumps({name: importlib.import_module(name).__file__ for name in names}))
"""

of_the_wheel = pytest.mark.xdist_group("wheel")  # one process builds it, and takes these tests


def _run(*command, cwd, path=None):
    """Run Python with these arguments and return its output; the test fails if the command
    fails.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment |= {} if path is None else {"PYTHONPATH": str(path)}
    completed = subprocess.run(
        [sys.executable, *command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


def _files(folder):
    return {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder with the files of the wheel only, built from a copy without network."""
    # A copy: a build leaves a folder behind, from which deleted files get into the next wheel.
    copy, wheels, target = (tmp_path_factory.mktemp(name) for name in ("copy", "wheel", "target"))
    for name in BUILT_FROM:
        make = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        make(ROOT / name, copy / name)
    _run("-m", "build", "--wheel", "--no-isolation", "--outdir", wheels, copy, cwd=copy)
    (wheel,) = wheels.glob("*.whl")
    _run("-m", "pip", "install", "--no-deps", "--no-index", "--target", target, wheel, cwd=target)
    return target


@WHOLE
@of_the_wheel
def test_the_wheel_holds_every_file_and_its_modules_are_imported_from_it(installed, tmp_path):
    home = installed / "spcabench"
    for place, here in PLACES.items():
        assert _files(home / place) == _files(ROOT / here)
    assert (home / "workflow" / "Snakefile").is_file()
    apart = {"workflow", "published", "solvers", "datasets"}
    files = {file for file in _files(home) if file.partition("/")[0] not in apart}
    assert files == _files(ROOT / "spcabench")
    shown = json.loads(_run("-c", IMPORT_ALL, cwd=tmp_path, path=installed))
    template = home / "page" / "templates" / "solver.py"  # of an author's file, no module
    modules = {*home.rglob("*.py")} - {home / "__init__.py", template}
    assert {*map(Path, shown.values())} == modules


COMPARED = ("compare", "grqi", "--against", "none", "--suite", "quick", "-k", "5")


@WHOLE
@of_the_wheel
def test_an_installed_package_works_in_the_current_folder(installed, tmp_path):
    # in another repository, beside files that no step may take for its own
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / "Snakefile").write_text("rule all:\n    shell: 'exit 1'\n", encoding="utf-8")
    (tmp_path / "random.py").write_text("1 / 0\n", encoding="utf-8")
    start = "import runpy, sys; sys.path.pop(0); runpy.run_module('spcabench', run_name='__main__')"
    message = _run("-c", start, *COMPARED, cwd=tmp_path, path=installed)
    page = tmp_path / message.splitlines()[-1]
    assert page.is_file() and page.is_relative_to(tmp_path / "results")
    (rows,) = (tmp_path / "results" / "compare" / "rows").glob("*/*.parquet")
    assert set(pd.read_parquet(rows).commit) == {"unknown"}


def test_citation_changelog_and_package_have_one_version():
    """Between releases, the package has the development version of the next one."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    released = re.search(r"^## (\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert released is not None
    assert released.groups() == (citation["version"], str(citation["date-released"]))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert importlib.metadata.version("spcabench") == version
    assert version == citation["version"] or version.endswith(".dev0")
