"""A sample of `tests.bad_inputs`; all cases are run separately."""

import random
from collections import defaultdict

import hypothesis
import pytest
from hypothesis import strategies as st

from tests import bad_inputs
from tests.problems import some

EACH = {"settings": 3, "file": 14, "options": 12, "arguments": 8}  # of a group; of others all
GROUPS = defaultdict(list)
for case in bad_inputs.every_case():  # at import: each worker of the tests needs their names
    GROUPS[case.group].append(case)


@pytest.fixture
def folder(monkeypatch):
    for name in bad_inputs.machine.THREAD_VARIABLES:
        monkeypatch.setenv(name, "1")
    with bad_inputs.workplace() as folder:
        yield folder


def drawn(group):
    """Return the cases of a group to try, the same in every run."""
    cases = GROUPS[group]
    most = EACH.get(group.split()[0], len(cases))
    return random.Random(group).sample(cases, min(most, len(cases)))


def test_there_are_enough_kinds():
    kinds = {(case.group, case.kind) for cases in GROUPS.values() for case in cases}
    assert len(kinds) >= 4000
    assert sum(len(drawn(group)) for group in GROUPS) >= 400


@pytest.mark.parametrize("most", some(1, (4, None)))
@pytest.mark.parametrize("group", [*GROUPS])
def test_bad_input_is_one_line_or_an_answer(group, most, folder):
    faults = {case.kind: bad_inputs.fault(case, folder) for case in drawn(group)[:most]}
    assert {kind: fault for kind, fault in faults.items() if fault} == {}


GOOD = bad_inputs._formats()


@pytest.mark.parametrize("name", GOOD)
@hypothesis.settings(
    max_examples=12, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
)
@hypothesis.given(data=st.data())
def test_a_file_with_bytes_replaced_is_one_line_or_an_answer(name, data, folder):
    good = GOOD[name]
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 40)))
    content = good[:start] + data.draw(st.binary(max_size=40)) + good[end:]
    arguments = ("solve", name, "-k", "2", "--solver", "grqi")
    assert (
        bad_inputs.fault(bad_inputs.Case("file", "bytes", arguments, name, content), folder) == ""
    )
