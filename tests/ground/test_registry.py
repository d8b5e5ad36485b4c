"""Solvers are found by name or file, and what is no solver is refused; the machine is described."""

import resource

import psutil
import pytest

from spcabench import machine, registry
from spcabench.errors import InputError, SolverError

SOLVER = '''"""The first
paragraph.

The second.
"""
from spcabench.iterate import Traits
COLOUR = "#000001"
TRAITS = Traits(control="cardinality")
def solve(problem, *, k):
    yield
'''
NO_SOLVERS = {  # what is replaced, by what, and the message
    "does not define solve": ("def solve", "def run"),
    "TRAITS has exact='1'; it must be one of bool": (
        'control="cardinality"',
        'control="cardinality", exact="1"',
    ),
    "the name of the penalty": ('"cardinality"', '"penalty"'),
    r"they must be \(problem, \*, k, \.\.\.\)": ("*, k", "*, j"),
    "exits the program": ("COLOUR", "raise SystemExit\nCOLOUR"),
}
NOT_FOUND = {
    "did you mean 'tpower'": "tpwer",
    "there is no file": "none.py",
    "'text' is a file whose name does not end in .py": "text",
    "only letters": "a-b.py",
}


@pytest.mark.parametrize("message", NO_SOLVERS)
def test_a_file_that_is_no_solver_is_refused(message, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(SOLVER)
    loaded = registry.module("solver", str(file))
    assert registry.module("solver", str(file)) is loaded and not registry.is_own(loaded)
    assert registry.written(str(file), "COLOUR") == "#000001"
    assert registry._first_paragraph(file) == "The first paragraph"
    wrong = tmp_path / "wrong.py"
    wrong.write_text(SOLVER.replace(*NO_SOLVERS[message], 1))
    with pytest.raises(SolverError, match=message):
        registry.module("solver", str(wrong))


@pytest.mark.parametrize("message", NOT_FOUND)
def test_a_name_that_is_no_solver_is_refused(message, here):
    for name in ("text", "a-b.py"):
        (here / name).write_text("")
    with pytest.raises(InputError, match=message):
        registry.path("solver", NOT_FOUND[message])


def test_the_solvers_of_the_repository_are_found_by_name():
    assert registry.is_own(registry.module("solver", "tpower")) and registry.is_own_file("grqi")
    assert "tpower" in registry.names("solver") == sorted(registry.names("solver"))
    assert [registry.solver_for(n) for n in (30, 31)] == ["branch_and_bound", "local_search"]


def test_the_memory_of_the_machine_is_that_of_the_system_and_is_limited_for_a_while():
    sizes = [0, 999.6, 99_600, 123_456, 3.4e9, 1e31]
    texts = ["0 bytes", "1 kB", "100 kB", "123 kB", "3.4 GB", "more than 1,000 PB"]
    assert [machine.readable(size) for size in sizes] == texts
    assert machine.process_memory("VmRSS") == pytest.approx(
        psutil.Process().memory_info().rss, rel=0.2
    )
    earlier = resource.getrlimit(resource.RLIMIT_AS)
    with machine.limited_memory():
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        assert machine.process_memory("VmSize") < limit < 2**60
    assert resource.getrlimit(resource.RLIMIT_AS) == earlier


def test_a_library_that_is_missing_is_named_with_its_extra():
    assert [machine.extra_of(name) for name in ("h5py.File", "none")] == ["hdf5", "all"]
    with pytest.raises(machine.MissingExtra, match="no_such is not installed"):
        machine.require("no_such.part")
