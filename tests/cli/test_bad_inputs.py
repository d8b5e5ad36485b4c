"""A sample of `tests.bad_inputs`, and files of every format in which bytes are replaced."""

import random
from collections import defaultdict

import hypothesis
import pytest
from hypothesis import strategies as st

from tests import bad_inputs

EACH = {"settings": 1, "options": 4, "arguments": 4}  # number of cases tried of a group
MOST = 10  # ... of other groups
GROUPS = defaultdict(list)
for case in bad_inputs.every_case():  # at import: each worker of the tests needs their names
    GROUPS[case.group].append(case)
GOOD = bad_inputs.formats()


@pytest.fixture
def folder(monkeypatch):
    for name in bad_inputs.machine.THREAD_VARIABLES:
        monkeypatch.setenv(name, "1")
    with bad_inputs.workplace() as folder:
        yield folder


@pytest.mark.parametrize("group", GROUPS)
def test_bad_input_is_one_line_or_an_answer(group, folder):
    most = EACH.get(group.split()[0], MOST)
    drawn = random.Random(group).sample(GROUPS[group], min(most, len(GROUPS[group])))
    faults = {case.kind: bad_inputs.fault(case, folder) for case in drawn}
    assert {kind: fault for kind, fault in faults.items() if fault} == {}


@pytest.mark.parametrize("name", GOOD)
@hypothesis.settings(
    max_examples=5, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
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
