"""Settings of the test suite, and fixtures that many files use."""

import gc
import importlib
import os
import signal
import subprocess
import sys
import tempfile

import pytest

from spcabench import machine, registry

pytest.register_assert_rewrite("tests.problems", "tests.trial")

# Each command of spcabench limits the numerical libraries to one thread, and so do its processes
# here. With more threads, a product waits for the slowest one on a loaded machine.
machine.pin_threads()

# No test uses the network: real data come from SPCABENCH_DATA or from earlier downloads.
os.environ["SPCABENCH_OFFLINE"] = "1"

# What is started in the background, or by nohup, ignores these, and so would all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def _temporary(tmp_path_factory):
    """Temporary files and locks of this process alone, so that no test waits for another one."""
    os.environ["TMPDIR"] = tempfile.tempdir = str(tmp_path_factory.mktemp("temporary"))


def pytest_configure(config):
    """Prepare the processes that run tests; the one that distributes them loads no solver."""
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        return
    from hypothesis import settings

    from tests import problems  # after the assertions in it are registered

    # the same examples in every run, whichever files are run and in whatever order
    settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=100)
    settings.load_profile("repeatable")
    # do not generate the thorough cases, a third of all, if they would only be deselected
    problems.GENERATED = "not thorough" not in config.option.markexpr


def pytest_addoption(parser):
    """Add the option that divides the tests into parts that take about the same time."""
    parser.addoption("--part", default="1/1", metavar="I/N", help="run part I of N")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Keep the tests of one part, and start with those that one process takes together.

    Then the processes end together. Every n-th case is of the same part, wherever slow tests are.
    """
    which, parts = map(int, config.getoption("part").split("/"))
    mine = {*sorted({_unit(item) for item in items})[which - 1 :: parts]}
    items[:] = [item for item in items if _unit(item) in mine]
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


def _unit(item):
    """Return the name of the tests that one process takes together, or of a single test."""
    group = item.get_closest_marker("xdist_group")
    return group.args[0] if group else item.nodeid


def pytest_collection_finish():
    """Leave all that was loaded out of the garbage collections, which took a sixth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000)


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    """If tests fail, report their random seed, because the order can be the reason."""
    seed = config.getoption("randomly_seed", None)
    if exitstatus and seed is not None:
        terminalreporter.write_line(f"to repeat this order: --randomly-seed={seed}")


@pytest.fixture
def add_file(tmp_path, monkeypatch):
    """Return a function that adds the file of a solver or a figure to the registry for one test."""
    # Two versions of a file in one second and of one length would share their bytecode.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    added = []

    def add(kind, name, text):
        package = importlib.import_module(registry.PACKAGES[kind])
        file = tmp_path / f"more_{kind}s" / f"{name}.py"
        if not file.parent.exists():
            file.parent.mkdir()
            monkeypatch.setattr(package, "__path__", [*package.__path__, str(file.parent)])
        file.write_text(text, encoding="utf-8")
        added.append(f"{package.__name__}.{name}")
        _forget(added)
        return file

    yield add
    _forget(added)


def _forget(modules):
    """Make the registry search for its files again and reload these modules."""
    from spcabench.running import fingerprint

    importlib.invalidate_caches()
    for name in modules:
        sys.modules.pop(name, None)
    texts = (
        fingerprint._summary,
        fingerprint._names,
        fingerprint._data,
        fingerprint.closure,
        fingerprint._of_all_drawings,
    )
    for cached in (registry._files, *texts):
        cached.cache_clear()


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Make the test's temporary folder the current one, and return it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def trial_run(tmp_path, add_file):
    """Return the folder for a run of the trial figure, which `trial.make_run` makes."""
    from tests import trial  # here: it imports all that draws, which few tests need

    add_file("figure", trial.NAME, trial.FIGURE)
    return tmp_path / "quick"


@pytest.fixture
def data_folder(tmp_path, monkeypatch):
    """Return an empty folder for real data, and hide earlier downloads."""
    import pooch

    from spcabench.readers import corpus, sources

    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("SPCABENCH_DATA", str(folder))
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache")
    caches = (sources._downloaded, corpus.docstrings)
    for cached in caches:
        cached.cache_clear()
    yield folder
    for cached in caches:
        cached.cache_clear()


@pytest.fixture
def real_data():
    """Return a function that returns a dataset's module, or skips the test if its file is
    missing.
    """

    from spcabench.readers import sources

    def module_of(name, file="FILE", sha256="SHA256"):
        module = registry.module("dataset", name)
        path = getattr(module, file)
        if sources.find(path, getattr(module, sha256)) is None:
            pytest.skip(f"{path} is not at hand: `spcabench data` says where to get it")
        return module

    return module_of


@pytest.fixture
def spcabench(monkeypatch, capsys):
    """Return a function that runs the command line in this process, as if a user had typed it."""
    from spcabench.cli import application as command_line  # here: few tests need it

    # Two versions of a solver in one second and of one length would share their bytecode.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in machine.THREAD_VARIABLES:
        monkeypatch.setenv(name, "1")

    def typed(*arguments):
        monkeypatch.setattr(sys, "argv", ["spcabench", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            command_line.main()
        return subprocess.CompletedProcess(arguments, end.value.code, *capsys.readouterr())

    return typed
