"""Values from users: what is just accepted, as what, and what is refused."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from spcabench import validate
from spcabench.errors import InputError

S = np.array([[2.0, 1.0], [1.0, 2.0]])
NAN = np.array([[1.0, np.nan], [np.nan, 3.0]])

ACCEPTED = [
    (lambda: validate.whole("k", np.int8(3), 3, 3), 3),
    (lambda: validate.cardinalities(None, 2, 3), [3, 3]),
    (lambda: validate.cardinalities((1, 3), 2, 3), [1, 3]),
    (lambda: validate.number("tol", Fraction(1, 2)), 0.5),
    (lambda: validate.number("limit", np.inf, finite=False), np.inf),
    (lambda: validate.names("features", ["a", 1], 2), ("a", "1")),
    (lambda: validate.loading("start", [0, 2], 2).tolist(), [0.0, 2.0]),
    (lambda: validate.table("X", np.ma.array(S))[0].tolist(), S.tolist()),
    (lambda: validate.table("X", S.astype(object))[0].tolist(), S.tolist()),
    (lambda: validate.data(pd.DataFrame(S, columns=["a", "b"]))[1], ["a", "b"]),
    (lambda: validate.data(1e60 * np.eye(2))[1], None),
    (
        lambda: validate.data(sp.coo_array(([1, 2], ([0, 0], [1, 1])), (2, 2)))[0].toarray()[0, 1],
        3.0,
    ),
    (
        lambda: validate.covariance(S + 1e-9 * np.triu(S, 1))[0].tolist(),
        (S + 5e-10 * np.eye(2)[::-1]).tolist(),
    ),
    (lambda: validate.covariance(sp.csr_array(S))[2], 0.0),
    (lambda: validate.covariance(np.diag([1.0, -1e-9]))[2], -1e-9),
]

REFUSED = {
    "tol: inf": lambda: validate.number("tol", np.inf),
    "2 NaN or infinite entries, the first in row 1, column 2": lambda: validate.table("X", NAN),
    "the first in row 2, column 1;": lambda: validate.table("X", sp.csr_array(NAN)),
    "the first in row 1, column 'b'": lambda: validate.table("X", pd.DataFrame(NAN, None, [*"ab"])),
    "the same names": lambda: validate.covariance(pd.DataFrame(S, ["b", "a"], ["a", "b"])),
    "not symmetric, entries differ by up to 1": lambda: validate.covariance(np.triu(S)),
}


@pytest.mark.parametrize(("call", "value"), ACCEPTED)
def test_good_values_are_returned_in_one_type(call, value):
    assert call() == value


@pytest.mark.parametrize("message", REFUSED)
def test_bad_values_are_refused_in_a_line(message):
    with pytest.raises(InputError, match=message):
        REFUSED[message]()
