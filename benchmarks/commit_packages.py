"""asv's environment for a commit: this Python, with the commit's package before the installed one.

The libraries are those of this environment, from the lock. So asv makes no second environment, and
builds and installs nothing for a commit.
"""

import os
import sys

from asv.console import log
from asv.environment import Environment
from asv.util import check_output

from .commits import package_of


class CommitPackages(Environment):
    """The environment type "trees" of asv.conf.json."""

    tool_name = "trees"
    _commit = None

    def __init__(self, conf, python, requirements, tagged_env_vars):
        self._requirements = requirements  # the name of the environment needs it
        super().__init__(conf, python, requirements, tagged_env_vars)

    @classmethod
    def matches(cls, python):
        """Whether it has this version of Python; it has only its own."""
        return python == f"{sys.version_info.major}.{sys.version_info.minor}"

    @property
    def installed_commit_hash(self):
        """The commit whose package is found first."""
        return self._commit

    def _get_installed_commit_hash(self):
        return None  # asv would look for it in the folder of an environment

    def check_presence(self):
        """Whether it exists: always."""
        return True

    def create(self):
        """Do nothing: the environment exists."""

    def install_project(self, conf, repo, commit_hash):
        """Unpack the package of a commit."""
        log.info(f"The package of {commit_hash[:8]}")
        package_of(commit_hash)
        self._commit = commit_hash

    def run(self, args, **kwargs):
        """Run Python on the commit's package."""
        # asv's script takes the first out of the path unless it finds the second
        path = dict.fromkeys(("PYTHONPATH", "ASV_PYTHONPATH"), str(package_of(self._commit)))
        env = dict(kwargs.pop("env", os.environ)) | self._global_env_vars | path
        return check_output([sys.executable, *args], env=env, **kwargs)
