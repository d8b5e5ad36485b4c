"""asv's environment for a commit: the current Python environment with the commit's package.

The commit's package precedes the installed package on the path. Libraries are those of the current
environment, from the lock file, so asv does not create an environment, build or install anything.
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
        self._requirements = requirements  # needed for the environment's name
        super().__init__(conf, python, requirements, tagged_env_vars)

    @classmethod
    def matches(cls, python):
        """Whether this is the version of the current Python, the only version supported."""
        return python == f"{sys.version_info.major}.{sys.version_info.minor}"

    @property
    def installed_commit_hash(self):
        """The commit whose package is imported."""
        return self._commit

    def _get_installed_commit_hash(self):
        return None  # asv would search the folder of an environment for the hash

    def check_presence(self):
        """Return True, because the environment always exists."""
        return True

    def create(self):
        """Do nothing, because the environment already exists."""

    def install_project(self, conf, repo, commit_hash):
        """Unpack the package of a commit."""
        log.info(f"Unpacking the package of {commit_hash[:8]}")
        package_of(commit_hash)
        self._commit = commit_hash

    def run(self, args, **kwargs):
        """Run Python with the commit's package."""
        # asv's script removes the first variable from the path unless it finds the second
        path = dict.fromkeys(("PYTHONPATH", "ASV_PYTHONPATH"), str(package_of(self._commit)))
        env = dict(kwargs.pop("env", os.environ)) | self._global_env_vars | path
        return check_output([sys.executable, *args], env=env, **kwargs)
