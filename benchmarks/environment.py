"""asv's environment for a commit: this Python, with the commit's package before the installed one.

The libraries are those of this environment, from the lock. So asv makes no second environment, and
builds and installs nothing for a commit.
"""

import filecmp
import json
import os
import shutil
import sys
from pathlib import Path

from asv.console import log
from asv.environment import Environment
from asv.util import check_output

from .codes import of_files, reader
from .commits import TREES, tree

PLACE = TREES.with_name("tree")  # the commit that is measured lies here, one after the other
KERNELS = ("@compiled", "@inlined")  # what a file with kernels has in it


class Trees(Environment):
    """The environment named "trees" in asv.conf.json."""

    tool_name = "trees"
    _commit = None

    def __init__(self, conf, python, requirements, tagged_env_vars):
        self._requirements = (
            requirements  # the name of the environment, which is asked for, needs it
        )
        super().__init__(conf, python, requirements, tagged_env_vars)

    @classmethod
    def matches(cls, python):
        """Whether it has this version of Python: its own alone."""
        return python == f"{sys.version_info.major}.{sys.version_info.minor}"

    @property
    def installed_commit_hash(self):
        """The commit whose package is found first."""
        return self._commit

    def _get_installed_commit_hash(self):
        return None  # asv would look for it in the folder of an environment

    def check_presence(self):
        """Whether it is there: always."""
        return True

    def create(self):
        """Nothing has to be made."""

    def install_project(self, conf, repo, commit_hash):
        """Bring the package of a commit."""
        log.info(f"The package of {commit_hash[:8]}")
        bring(tree(commit_hash), PLACE)
        self._commit = commit_hash

    def run(self, args, **kwargs):
        """Run Python on the commit's package."""
        # asv's script takes the first out of the path unless it finds the second
        place = dict.fromkeys(("PYTHONPATH", "ASV_PYTHONPATH"), str(PLACE))
        env = dict(kwargs.pop("env", os.environ)) | self._global_env_vars | place
        return check_output([sys.executable, *args], env=env, **kwargs)


def bring(source, place):
    """Make a folder hold the files of another one, and touch no file that stays the same.

    So bytecode and compiled kernels stay valid from one commit to the next. Those of a kernel whose
    file is the same, but not all that it imports, are removed: numba looks at its file alone.
    """
    place.mkdir(parents=True, exist_ok=True)
    record = place / "kernels.json"
    old = json.loads(record.read_text()) if record.exists() else {}
    new = kernels(source)
    record.unlink(missing_ok=True)  # after an interruption nothing that is compiled is trusted
    there = {file.relative_to(source) for file in files(source)}
    for file in files(place) - {record}:
        if file.relative_to(place) not in there:
            file.unlink()
    for name in there:
        if not (place / name).exists() or not filecmp.cmp(
            source / name, place / name, shallow=False
        ):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, place / name)
    for file in place.rglob("*.nb[ic]"):
        name = str((file.parent.parent / file.name.split(".")[0]).relative_to(place)) + ".py"
        if name not in new or old.get(name) != new[name]:
            file.unlink()
    record.write_text(json.dumps(new))


def files(folder):
    """All files below a folder, but for what Python and numba made of them."""
    return {f for f in Path(folder).rglob("*") if f.is_file() and f.parent.name != "__pycache__"}


def kernels(source):
    """File with kernels -> hash of it and of all that it imports."""
    package = source / "spcabench"
    read = reader(package)
    return {
        str(file.relative_to(source)): of_files(read, [file])
        for file in package.rglob("*.py")
        if any(mark in file.read_text(encoding="utf-8") for mark in KERNELS)
    }
