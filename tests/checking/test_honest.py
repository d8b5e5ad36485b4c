"""Unusual but honest solvers are not flagged, and every refusal explains how to fix the problem."""

import multiprocessing
import os
import time

import pytest

from spcabench.checking import conformance
from spcabench.comparison import plans
from spcabench.comparison.jobs import Job
from spcabench.run import Run
from spcabench.solving.status import GOOD
from tests.answers import rows_of
from tests.checking import tricks
from tests.problems import some

SOLVERS = {
    "ARPACK on an operator": dict(
        top="COUNTED = False\nfrom scipy.sparse.linalg import LinearOperator, eigsh\n",
        body="""
            Sigma = problem.covariance
            n = problem.n
            A = LinearOperator((n, n), matvec=lambda x: Sigma @ np.ravel(x), dtype=float)
            _, V = eigsh(A, k=1, v0=np.ones(n))
            yield project(V[:, 0], k)
            """,
    ),
    "two threads": dict(
        top="COUNTED = False\nfrom concurrent.futures import ThreadPoolExecutor\n",
        body="""
            Sigma = problem.covariance
            starts = np.argsort(-Sigma.diagonal())[:2]
            with ThreadPoolExecutor(2) as pool:
                columns = list(pool.map(lambda j: project(problem.matrix.S[:, j], k), starts))
            yield max(columns, key=problem.variance)
            """,
        traits=', accepts="covariance"',
    ),
    "lazily compiled": dict(
        top="""
            COUNTED = False
            import numba

            @numba.njit
            def product(S, x):
                return S @ x
            """,
        body="""
            Sigma = problem.covariance
            x = project(Sigma.largest_column(), k)
            for _ in range(20):
                yield x
                x = project(product(problem.matrix.S, x), k)
            """,
        traits=', accepts="covariance"',
    ),
    "scikit-learn": dict(
        top="COUNTED = False\nfrom sklearn.decomposition import PCA\n",
        body="""
            Sigma = problem.covariance
            X = problem.data.dense()
            yield project(PCA(n_components=1, random_state=0).fit(X).components_[0], k)
            """,
        traits=', accepts="data"',
    ),
    "restarts with a seed": dict(
        settings=", seed=0",
        body="""
            Sigma = problem.covariance
            rng = np.random.default_rng(seed)
            best = project(Sigma.largest_column(), k)
            for _ in range(10):
                yield best
                x = project(rng.standard_normal(problem.n), k)
                for _ in range(10):
                    x = project(Sigma @ x, k)
                best = max(best, x, key=problem.variance)
            yield best
            """,
    ),
    "a random start": dict(
        settings=", seed=0",
        body="""
            x = project(np.random.default_rng(seed).standard_normal(problem.n), k)
            for _ in range(10):
                x = project(problem.covariance @ x, k)
            yield x
            """,
    ),
    "restarts without a seed": dict(
        body="""
            Sigma = problem.covariance
            rng = np.random.default_rng()
            best = project(Sigma.largest_column(), k)
            for _ in range(10):
                x = project(rng.standard_normal(problem.n), k)
                for _ in range(10):
                    x = project(Sigma @ x, k)
                best = max(best, x, key=problem.variance)
            yield best
            """
    ),
    "many cheap iterates": dict(
        body="""
            Sigma = problem.covariance
            starts = np.argsort(-Sigma.diagonal())[:2]
            x, y = (project(Sigma @ e, k) for e in np.eye(problem.n)[starts])
            for step in range(600):  # each iterate takes less time than the harness needs for it
                yield y if step % 2 else x
            """,
        top="COUNTED = False\n",
    ),
    "a penalty": dict(
        top="""
            COUNTED = False

            def penalty_range(problem):
                sizes = np.abs(problem.covariance.largest_column())
                return 1e-6 * sizes.max(), sizes.max()
            """,
        traits=', penalty="rho"',
        by="rho",
        body="""
            Sigma = problem.covariance
            x = Sigma.largest_column()
            for _ in range(100):
                y = np.sign(x) * np.maximum(np.abs(x) - rho, 0.0)
                yield y / max(np.linalg.norm(y), 1e-300)
            """,
    ),
    "warm start over k": dict(
        top="KEPT = {}\n",
        body="""
            Sigma = problem.covariance
            x = KEPT.get(problem.n, Sigma.largest_column())
            for _ in range(30):
                yield project(x, k)
                x = KEPT[problem.n] = Sigma @ project(x, k)
            """,
    ),
}


def write(folder, title):
    """Write the file of a solver and return its path."""
    return tricks.file_of(folder, title, **{"traits": "", **SOLVERS[title]})


def _spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


@pytest.fixture
def loaded_machine():
    """Keep all processors busy with other processes."""
    count = 2 * len(os.sched_getaffinity(0))
    crowd = [
        multiprocessing.Process(target=_spin, args=(120.0,), daemon=True) for _ in range(count)
    ]
    for process in crowd:
        process.start()
    yield
    for process in crowd:
        process.kill()
        process.join()


@pytest.mark.parametrize("title", some(1, [*SOLVERS]))
def test_no_honest_solver_is_accused_on_a_loaded_machine(title, here, loaded_machine):
    job = Job.of(write(here, title), "quick")
    same = dict(dataset="gaussian", solver=job.solver, timed=True, memory=True, timeout=60.0)
    limits = dict(time_limit=5.0, history=True)
    runs = [
        Run(**same, parameters=dict(m=60, n=50, seed=k), settings=limits | dict(k=k))
        for k in (3, 8)
    ]
    for row in rows_of(runs, here, plans.plan(job).protocol):
        assert row.status in GOOD, row.reason
        assert not row.flags


@pytest.mark.parametrize("title", some(2, [name for name in SOLVERS if "start" not in name]))
def test_what_check_refuses_names_the_remedy(title, tmp_path):
    for outcome in conformance.check(write(tmp_path, title)):
        assert outcome.verdict != "fails" or "COUNTED" in outcome.sentence, outcome


def test_a_warm_start_is_told_that_something_is_kept(tmp_path):
    file = write(tmp_path, "warm start over k")
    messages = [o.sentence for o in conformance.check(file) if o.verdict == "fails"]
    assert any("stores data between runs" in sentence for sentence in messages), messages


def test_a_conversion_of_large_data_by_the_harness_is_no_hidden_work(tmp_path):
    """The harness forms the covariance once for all runs on a problem, before the first one."""
    file = tricks.file_of(tmp_path, "covariance_only")
    data = dict(dataset="gaussian", parameters=dict(m=4000, n=300, seed=0))
    row = tricks.row(file, tmp_path, warm=True, **data)
    assert row.status in GOOD and row.flags is None
