"""Shared code for the figures of d'Aspremont et al. (2007): experiments, and tables of loadings."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api
from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.solving import deflate
from spcabench.solving.call import Limits
from spcabench.vectors import project

METHODS = {
    "pca": "PCA",
    "thresholded": "thresholded PCA",
    "dspca": "DSPCA",
    "exact": "exact optimum at each k",
}
FACTORS, K = 3, 5  # factors of gene expression, and genes in each of DSPCA's factors

# components of a table


def components_of_pattern(
    problem: Problem, method: str, pattern: tuple[int, ...]
) -> deflate.Components:
    """Find components with the cardinalities in ``pattern``, using Hotelling's deflation.

    The method "thresholded" truncates each eigenvector, but deflates with the full eigenvectors.
    """
    solver = "dspca" if method == "dspca" else "brute_force"
    # PCA and thresholded PCA subtract full eigenvectors; only the reported loadings are truncated
    ks = iter(pattern if method in ("dspca", "exact") else len(pattern) * (problem.n,))
    components = deflate.deflated_components(
        problem, len(pattern), lambda p: api.solve(p, solver, k=next(ks)), "hotelling"
    )
    if method != "thresholded":
        return components
    return deflate.Components(
        problem, [replace(r, x=project(r.x, k)) for r, k in zip(components, pattern, strict=True)]
    )


def measured(problem: Problem, method: str, pattern: tuple[int, ...]) -> dict[str, Any]:
    """Compute the values in a table; signs are chosen to make each vector's largest entry positive.

    explained : cumulative adjusted variance, computed by a QR decomposition (Zou et al. 2006), as a
        fraction of the trace of Sigma.
    """
    components = components_of_pattern(problem, method, pattern)
    # the sign of a loading vector is arbitrary, so comparable tables need a common convention
    Z = components.Z * np.sign(
        components.Z[np.abs(components.Z).argmax(axis=0), np.arange(len(components))]
    )
    total = problem.covariance.diagonal().sum()
    return {
        "Z": Z.tolist(),
        # the eigenvectors of a block matrix contain entries that are nothing but rounding errors
        "cardinality": np.count_nonzero(np.abs(Z) > 1e-9, axis=0).tolist(),
        "explained": (np.cumsum(components.adjusted_variances) / total).tolist(),
        "features": list(problem.features or range(1, problem.n + 1)),
    }


def table_of(title: str, numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a method as a table for the page.

    It lists the nonzero loadings, followed by the cardinality and the cumulative variance.
    """
    Z = np.array(numbers["Z"])
    lines = [
        [str(name), *(f"{v:.3f}" if abs(v) > 1e-9 else "" for v in row)]
        for name, row in zip(numbers["features"], Z, strict=True)
    ]
    lines.append(["cardinality", *(str(c) for c in numbers["cardinality"])])
    lines.append(["cumulative variance", *(f"{100 * e:.1f} %" for e in numbers["explained"])])
    head = ["variable", *(f"PC{i}" for i in range(1, Z.shape[1] + 1))]
    return {"title": title, "head": head, "lines": lines}


def tables(data: pd.DataFrame) -> list[dict[str, Any]]:
    """List the loadings found by each method, for the page."""
    return [
        table_of(METHODS[method], numbers)
        for method in METHODS
        for numbers in data[data.label == method].extra
    ]


# factors of gene expression


def factors(problem, *, seed):
    """Compute the scores (m, 3), nonzeros and accuracy of PCA and DSPCA."""
    # imported here, because the workflow lists the runs without needing scikit-learn
    from sklearn.model_selection import LeaveOneOut, cross_val_score
    from sklearn.neighbors import NearestCentroid

    # PCA uses the data, but DSPCA uses only the covariance
    A = problem.data.dense()
    sparse = deflate.deflated_components(
        problem.given_as("covariance"), FACTORS, factor, "hotelling"
    )
    names = problem.features or range(1, problem.n + 1)
    genes = [
        [[str(names[j]), float(z[j])] for j in np.argsort(-np.abs(z), kind="stable") if z[j] != 0.0]
        for z in sparse.Z.T
    ]
    numbers: dict[str, Any] = {"labels": list(problem.labels), "genes": genes}
    for method, Z in (("pca", np.linalg.svd(A)[2][:FACTORS].T), ("dspca", sparse.Z)):
        # the data were divided by sqrt(m), so this restores the units of the measured intensities
        scores = np.sqrt(problem.m) * A @ Z
        numbers[method] = {
            "scores": scores.tolist(),
            "nonzeros": int(np.count_nonzero(Z)),
            "accuracy": float(
                # leave-one-out, because there are too few samples for a test set
                cross_val_score(NearestCentroid(), scores, problem.labels, cv=LeaveOneOut()).mean()
            ),
            "explained": float(
                # adjusted by QR, because the variances of overlapping sparse factors do not add up
                np.linalg.norm(A @ np.linalg.qr(Z)[0]) ** 2 / np.linalg.norm(A) ** 2
            ),
        }
    return numbers


def factor(problem):
    """Compute DSPCA's component with at most `K` genes."""
    # a search with DSPCA itself would take hours
    rho = api.solve(problem, "bca_continuation", k=min(K, problem.n)).settings["lam"]
    while (
        results := api.solve(
            problem, "dspca", limits=Limits(tol=1e-2), settings={"rho": rho, "eps": 1e-2}
        )
    ).cardinality > K:
        # BCA stops at a different gap, so DSPCA's answer for the same rho can contain more genes
        rho *= 1.02
    return results


# runs on random covariances to a certified gap

SDP = ("SCS", "CLARABEL")
EPS = 1e-3
LEVELS = tuple(float(f"{eps:.3g}") for eps in np.geomspace(1e-1, 1e-3, 5))
LIMIT = dict(max_iterations=100_000)
# n -> number of problems for Clarabel and for the other solvers (at quick scale, at most two)
PROBLEMS = {10: (6, 6), 20: (6, 6), 30: (3, 3), 40: (6, 6), 60: (6, 6), 80: (4, 6), 100: (4, 6)}
PROBLEMS |= {120: (3, 4), 150: (1, 6), 200: (1, 6)}
FURTHER = (10, 11, 12)  # further timed problems with n = 120; timed runs form groups of their own


def runs_to_a_gap(scale):
    """Run each solver for up to `PROBLEMS` problems of each n; n is at most 40 at quick scale."""
    paper = scale == "paper"
    sizes = (10, 20, 40, 60, 80, 100, 120, 150, 200) if paper else (10, 20, 30, 40)
    for n in sizes:
        counts = [min(count, 6 if paper else 2) for count in PROBLEMS[n]]
        for seed in range(max(counts)):
            solvers = [of for of, count in zip(SDP, reversed(counts), strict=True) if seed < count]
            # memory is measured once, for the largest n, because it requires a second run
            largest = n == sizes[-1] and seed == 0
            yield from size_runs(n, seed, solvers, largest)
    for seed in FURTHER if paper else ():
        yield from size_runs(120, seed, SDP, timed=True, one_round=True)
    n = 40 if paper else 20
    for seed in range(6):
        for eps in LEVELS:
            yield gap_run("dspca", n, seed, dict(eps=eps, tol=eps, **LIMIT), label="eps")
        # the subgradient method needs about 1/eps^2 iterations, a million for the last level
        for eps in LEVELS[:3]:
            yield gap_run("dspca_subgradient", n, seed, dict(tol=eps, **LIMIT), label="eps")


def size_runs(n, seed, solvers, largest=False, **options):
    """Run DSPCA and some SDP solvers on a problem of size n."""
    options |= dict(label="size")
    settings = dict(eps=EPS, tol=EPS, **LIMIT)
    yield gap_run("dspca", n, seed, settings, memory=largest, **options)
    for solver in solvers:
        settings = dict(solver=solver, eps=1e-6)
        yield gap_run("exact_sdp", n, seed, settings, memory=seed == 0, **options)


def gap_run(solver, n, seed, settings, **options):
    """Return one run on F'F of order n."""
    return Run(
        dataset="gaussian",
        parameters=dict(m=n, n=n, seed=seed),
        form="covariance",
        solver=solver,
        seed=seed,
        # without screening, because screening would change n, the horizontal axis
        settings=dict(rho=float(f"{n**0.5:.4g}"), screen=False, **settings),
        **options,
    )
