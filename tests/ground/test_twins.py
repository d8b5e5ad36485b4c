"""The plain twins of compiled kernels call no compiled function and change no module."""

import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from spcabench.flops import compiled, inlined
from spcabench.methods import block_ascent
from spcabench.methods.block_ascent import positive_root
from tests.twins import twin

SCALE = 1.0


@inlined
def square(x):
    return x * x


@inlined
def total(v, power=2):
    sum_so_far = v[0] - v[0]
    for x in v:
        sum_so_far += square(x) if power == 2 else x
    return sum_so_far


@compiled("Tuple((i8, f8))(f8[::1])")
def length(v):
    return len(v), SCALE * np.sqrt(total(v))


@inlined
def rooted(c):
    return positive_root(c, 1.0, 0.0)


def test_a_twin_is_the_kernel_and_the_module_stays_as_it_was():
    before = dict(globals())
    plain, v = twin(length), np.array([3.0, 4.0])
    assert plain(v) == (2, 5.0)
    assert all(globals()[name] is value for name, value in before.items())
    assert length(v) == 5.0  # compiled here, from what the module holds


def test_what_a_twin_calls_is_plain():
    thirds = [Fraction(1, 3), Fraction(2, 3)]  # which no compiled function takes
    assert twin(total)(thirds) == Fraction(5, 9)
    assert twin(total)(thirds, 1) == twin(total)(thirds, power=1) == 1
    inner = twin(rooted).__globals__["positive_root"]  # of another module
    assert inner.__code__ is positive_root.py_func.__code__
    assert inner.__globals__ is not vars(block_ascent)
    assert twin(rooted)(2.0) == pytest.approx(rooted(2.0), rel=1e-12)


def test_a_kernel_that_holds_another_one_in_a_closure_has_no_twin():
    held = total

    @inlined
    def outer(v):
        return held(v)

    with pytest.raises(AssertionError, match="by name"):
        twin(outer)


def test_no_test_replaces_what_a_kernel_is_compiled_from(monkeypatch):
    here = sys.modules[__name__]
    for name, reader in (("square", "total"), ("total", "length"), ("SCALE", "length")):
        old = getattr(here, name)
        with pytest.raises(AssertionError, match=f"{name} is compiled into {reader}"):
            monkeypatch.setattr(here, name, twin(square))
        with monkeypatch.context() as patch, pytest.raises(AssertionError, match=reader):
            patch.setattr(here, name, 2.0)
        assert getattr(here, name) is old
    monkeypatch.setattr(here, "length", None)  # which Python alone calls
    monkeypatch.setattr(here, "sqrt", None, raising=False)  # they read that of np


def test_every_test_takes_its_twins_from_the_helper():
    """The Python function that numba or `compiled` keeps still calls compiled functions."""
    for file in sorted(Path(__file__).parents[1].rglob("*.py")):
        if file.name not in ("twins.py", Path(__file__).name):
            assert not re.search(r"\.(py_func|twin)\b", file.read_text(encoding="utf-8")), file.name
