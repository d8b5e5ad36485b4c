"""Dishonest solvers, one for each trick: each is refused or flagged, and none is rewarded.

Each does the same work as the honest solver and lies about one thing.
"""

import pytest

from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import Status
from tests.checking import tricks

TOP = {
    "module cache": "KEPT = vars(np).setdefault('kept', {})\n",
    "array": """
        class Late:
            def __init__(self, make):
                self.make = make

            def __array__(self, dtype=None, copy=None):
                time.sleep(0.3)
                return self.make()
        """,
}
BODY = {
    "columns of the matrix": """
        S, x = problem.covariance.S, work(problem.covariance, k, steps=1)
        for _ in range(40):
            x = project(sum(x[j] * S[:, j] for j in np.flatnonzero(x)), k)
        yield x
        """,
    "BLAS": """
        from scipy.linalg import blas
        x = work(problem.covariance, k, steps=1)
        for _ in range(40):
            x = project(blas.dsymv(1.0, problem.matrix.S, x), k)
        yield x
        """,
    "block of all": """
        x, B = work(problem.covariance, k, steps=1), problem.covariance[np.arange(problem.n)].B
        for _ in range(40):
            x = project(np.array([np.vdot(row, x) for row in B]), k)
        yield x
        """,
    "attributes of the matrix": """
        x, S = work(problem.covariance, k, steps=1), vars(problem.covariance)["S"]
        for _ in range(40):
            x = project((S * x).sum(axis=1), k)
        yield x
        """,
    "two products in one": """
        Sigma, n = problem.covariance, problem.n
        x, y = np.ones(n), np.arange(1.0, n + 1.0)
        for _ in range(40):
            both = Sigma @ (x + 1j * y)
            x, y = (z / np.linalg.norm(z) for z in (both.real, both.imag))
        yield project(x, k)
        """,
    "data made dense": """
        x, A = work(problem.covariance, k, steps=1), problem.given_as("data").data.dense()
        for _ in range(40):
            y = np.add.reduce(A * x, axis=1)
            x = project(np.add.reduce(A * y[:, None], axis=0), k)
        yield x
        """,
    "products of objects": """
        class Pair:
            def __init__(self, a, b):
                self.a, self.b = a, b
            def __rmul__(self, c):
                return Pair(c * self.a, c * self.b)
            __mul__ = __rmul__
            def __add__(self, other):
                return self if other == 0 else Pair(self.a + other.a, self.b + other.b)
            __radd__ = __add__
            def __eq__(self, other):
                return isinstance(other, Pair) and (self.a, self.b) == (other.a, other.b)
        Sigma, n = problem.covariance, problem.n
        a, b = np.ones(n), np.arange(1.0, n + 1.0)
        for _ in range(40):
            pairs = [Pair(*each) for each in zip(a.tolist(), b.tolist())]
            both = Sigma @ np.array(pairs, dtype=object)
            a, b = np.array([p.a for p in both]), np.array([p.b for p in both])
            a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        yield project(a, k)
        """,
    "sums of columns": """
        Sigma, I = problem.covariance, np.eye(problem.n)
        columns = [np.array(Sigma @ e) for e in I]
        x = columns[0]
        for _ in range(400):
            x = sum(c * x_j for c, x_j in zip(columns, x))
            x = x / np.linalg.norm(x)
        yield project(x, k)
        """,
    "false bound": """
        x = work(problem.covariance, k)
        yield Iterate(x, bound=problem.variance(x) * (1 + 1e-12))
        """,
    "branch_and_bound": """
        x = work(problem.covariance, k)
        yield Iterate(x, bound=problem.variance(x) * (1 + 1e-12))
        """,
    "variance replaced": """
        type(problem).variance = lambda self, x: 100.0
        yield work(problem.covariance, k)
        """,
    "Sigma scaled": """
        problem.matrix.S[:] *= 1e3
        yield work(problem.covariance, k)
        """,
    "ledger reset": """
        from spcabench.flops import LEDGER
        x = work(problem.covariance, k)
        yield x
        x = work(problem.covariance, k)
        LEDGER.flops = 0
        yield x
        """,
    "ledger off": """
        from spcabench.flops import LEDGER
        LEDGER.on = False
        yield work(problem.covariance, k)
        """,
    "compile seconds": """
        from spcabench.flops import LEDGER
        time.sleep(0.2)
        LEDGER.compile_seconds += 5.0
        yield work(problem.covariance, k)
        """,
    "clock replaced": """
        from spcabench.solving import driver
        start = time.perf_counter()
        driver.perf_counter = lambda: start
        time.sleep(0.5)
        yield work(problem.covariance, k)
        """,
    "array": """
        Sigma = problem.covariance
        yield Late(lambda: work(Sigma, k))
        """,
    "stored in the problem": """
        if "x" not in problem._cache:
            problem._cache["x"] = work(problem.covariance, k)
        yield problem._cache["x"]
        """,
    "module cache": """
        key = problem.covariance.diagonal().tobytes()
        if key not in KEPT:
            KEPT[key] = work(problem.covariance, k)
        yield KEPT[key]
        """,
    "set-up": """
        time.sleep(0.7)
        yield work(problem.covariance, k)
        while True:
            yield work(problem.covariance, k)
        """,
    "reserved columns": """
        x = work(problem.covariance, k)
        yield Iterate(x, extra={"variance": 1e12, "flops": -1e9})
        """,
    "prints": """
        print("best solver ever")
        yield work(problem.covariance, k)
        """,
    "threads": """
        from concurrent.futures import ThreadPoolExecutor
        import hashlib
        block = bytes(20_000_000)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: hashlib.sha256(block).digest(), range(40)))
        yield work(problem.covariance, k)
        """,
}


def write(folder, trick):
    """Write the file of a dishonest solver and return its path."""
    return tricks.file_of(folder, trick, TOP.get(trick, ""), BODY[trick])


@pytest.fixture
def answered(here):
    """Return a function that computes the graded row of a trick's solver, as a comparison does."""
    return lambda trick, **limits: tricks.row(write(here, trick), here, **limits)


def test_the_honest_one_keeps_its_numbers_and_has_no_flag(honest, optimum):
    assert honest.status == Status.FINISHED
    assert honest.flags is None
    assert not honest.own
    assert len(honest.solver_sha256) == 64
    assert honest.variance <= optimum * (1 + 1e-9) < honest.bound
    assert honest.flops == 0 < honest.setup_flops  # all its work is before the first iterate


@pytest.mark.parametrize("trick", ["false bound", "branch_and_bound"])
def test_a_claimed_bound_is_a_claim(answered, optimum, trick):
    answer = answered(trick)
    assert answer.claimed_bound < optimum
    assert answer.bound >= optimum
    assert answer.gap > 0.01


@pytest.mark.parametrize("trick", ["variance replaced", "Sigma scaled"])
def test_a_value_is_that_of_the_vector(answered, trick, optimum):
    answer = answered(trick)
    if answer.status == Status.DISAGREES:
        assert answer.variance is None
        assert "freshly loaded" in answer.reason
    else:
        assert trick == "Sigma scaled" and answer.variance <= optimum * (1 + 1e-9)


@pytest.mark.parametrize(
    ("trick", "flag"),
    [
        ("ledger reset", Flag.ledger),
        ("ledger off", Flag.ledger),
        ("clock replaced", Flag.clock),
        ("prints", Flag.printed),
    ],
)
def test_a_trick_is_flagged(answered, trick, flag):
    assert flag in (answered(trick).flags or ())


ENTRIES = ["columns of the matrix", "BLAS", "block of all", "attributes of the matrix"]


@pytest.mark.parametrize("trick", [*ENTRIES, "data made dense"])
def test_who_takes_the_entries_of_the_matrix_is_flagged(answered, trick):
    assert Flag.entries in answered(trick).flags


@pytest.mark.parametrize("trick", ["two products in one", "products of objects"])
def test_a_product_of_what_is_no_plain_real_array_is_refused(answered, trick):
    answer = answered(trick)
    assert answer.status == Status.ERROR
    assert "it must be a plain NumPy array of real numbers" in answer.reason
    assert len(answer.reason) <= 200


def test_sums_of_columns_are_on_no_count(answered):
    """Vector operations are not counted, even for honest solvers, so flops never rank outside
    files.
    """
    answer = answered("sums of columns")
    assert (
        answer.flops_in_all < 2 * tricks.SMALL["n"] ** 2
        and answer.setup_time + answer.solve_time > 0.0
    )


def test_more_threads_than_one_are_flagged(answered):
    answer = answered("threads", limit=60.0)
    assert Flag.threads in (answer.flags or ()) or answer.cpu_time < 1.6 * answer.setup_time + 0.1


def test_seconds_booked_as_compilation_are_on_the_clock(answered):
    answer = answered("compile seconds")
    assert Flag.compilation in answer.flags and answer.setup_time >= 0.2


def test_what_is_done_when_an_array_is_read_is_on_the_clock(answered):
    assert answered("array").setup_time >= 0.3


def test_nothing_stays_in_the_problem(answered):
    answer = answered("stored in the problem")
    assert answer.flags is None
    assert answer.setup_flops > 0


def test_set_up_counts_towards_the_time_limit(answered):
    answer = answered("set-up", limit=0.5)
    assert answer.status == Status.TIME_LIMIT
    assert answer.iterations == 0


def test_reserved_names_are_refused(answered):
    answer = answered("reserved columns")
    assert answer.status == Status.ERROR
    assert "the name 'variance' is reserved" in answer.reason
