"""An independent audit of the ledger: flops counted from outside the matrix layer, in the same convention.

For one run the arrays of the problem are replaced by `Seen` ones, which count the products they take part in by
their shapes; LAPACK's and SciPy's solvers and the sparse products are wrapped. What counts:

1. A (p x q)(q x r) product p q r, a sparse one its stored entries times r; a pass over the squares of a matrix's
   entries their number; a solve of bordered order k + 1 k^3 + 2 k^2; a symmetric eigendecomposition 9 n^3.
2. Vector by vector, elementwise and gathering work: nothing.
3. A Rayleigh quotient y'(By), B (k, k), belongs to the solve of order k before or after it: nothing, but never more
   than one ahead of the solves of that order.
4. Products with a low-rank part (centring, deflation): nothing.

Only what happens between two iterates is seen, none of the harness's grading. Blind spots: arrays stripped of their
class (``np.asarray``) and compiled kernels; a run in which nothing at all is seen raises.
"""

from __future__ import annotations

import copy
import functools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.linalg import lapack
from scipy.sparse import _compressed, _sparsetools

from . import api, registry
from .flops import LEDGER
from .iterate import Iterate
from .problem import Problem
from .watch import Seen, Watch, is_low_rank, plain, seen


class AuditError(RuntimeError):
    """The audit saw nothing, or met a function that it has no count for."""
