"""Shared code for the figures of d'Aspremont et al. (2007): experiments, and tables of loadings."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api
from spcabench.problem.problem import Problem
from spcabench.solving import deflate
from spcabench.vectors import project

METHODS = {
    "pca": "PCA",
    "thresholded": "thresholded PCA",
    "dspca": "DSPCA",
    "exact": "exact optimum at each k",
}
FACTORS, K = 3, 5  # factors of gene expression, and genes in each of DSPCA's factors
DEFLATIONS = {
    "hotelling": deflate.hotelling,
    "projection": deflate.projection,
    "schur": deflate.schur,
}
STEPS = 100  # components after which a decomposition stops

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
    """Compute the scores (m, 3), nonzeros, accuracy and silhouette of PCA and DSPCA."""
    # imported here, because the workflow lists the runs without needing scikit-learn
    from sklearn.metrics import silhouette_score
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
            "silhouette": float(silhouette_score(scores, problem.labels)),
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
    while (results := api.solve(problem, "dspca", rho=rho, eps=1e-2, tol=1e-2)).cardinality > K:
        # BCA stops at a different gap, so DSPCA's answer for the same rho can contain more genes
        rho *= 1.02
    return results


# the smoothed dual


def smoothing(problem, *, seed):
    """Return the smallest and the largest (f - f_mu) / eps over points in the box, for all eps."""
    S, n = problem.matrix.S, problem.n
    rho, rng = n**0.5, np.random.default_rng(seed)
    last = api.solve(problem, "dspca", rho=rho, screen=False, tol=1e-2, eps=1e-2).primal_and_dual
    assert last is not None
    distances = []
    for eps in (1.0, 1e-1, 1e-2, 1e-3):
        mu = eps * S.diagonal().max() / (2.0 * np.log(n))
        for U in (np.zeros((n, n)), *rng.uniform(-rho, rho, (10, n, n)), last[1]):
            w = np.linalg.eigvalsh(S + (U + U.T) / 2)
            # the largest eigenvalue is subtracted, because exp would overflow for small mu
            f_mu = w[-1] + mu * np.log(np.exp((w - w[-1]) / mu).sum()) - mu * np.log(n)
            distances.append((w[-1] - f_mu) / (2.0 * mu * np.log(n)))
    return {"least": float(min(distances)), "most": float(max(distances))}


# the paper's decomposition


def decomposition(problem, *, seed, rho, deflation="hotelling"):
    """Decompose a matrix with DSPCA, and record the largest |entry| left after each component.

    left : these entries. error : largest relative error of the two identities in claim D8.
    diagonal, least : largest diagonal entry and smallest eigenvalue of the remaining matrix.
    """
    left, error, variance = [float(np.abs(problem.matrix.S).max())], 0.0, np.inf
    # the loop also stops if the variance is at most 1e-2, because with Hotelling's deflation the
    # paper's rule might never be met
    while left[-1] >= rho and len(left) <= STEPS and variance > 1e-2:
        result = api.solve(problem, "dspca", rho=rho)
        A, x = problem.matrix.S, result.x
        matrix = DEFLATIONS[deflation](problem, [result], 1.0)
        # the cache is emptied, because it contains other forms of the previous matrix
        problem = replace(problem, matrix=matrix, indefinite=True, _cache={})
        B = problem.matrix.S
        wrong = abs(x @ B @ x), abs(np.trace(A) - np.trace(B) - x @ A @ x)
        error, variance = max(error, float(max(wrong)) / left[-1]), x @ A @ x
        left.append(float(np.abs(B).max()))
    return {
        "rho": rho,
        "deflation": deflation,
        "left": left,
        "error": error,
        "diagonal": float(problem.matrix.S.diagonal().max()),
        "least": float(np.linalg.eigvalsh(problem.matrix.S)[0]),
    }


# the rectangular relaxation


def pair(problem, *, seed, k_u, k):
    """Solve the relaxation on A (m, n), and find the best of all pairs of supports."""
    A = problem.data.dense()
    result = api.solve(problem, "exact_sdp_rectangular", k=k, k_u=k_u)
    assert result.u is not None and result.singular_value is not None
    return {
        "shape": list(A.shape),
        "k": [k_u, k],
        "optimum": max(
            norm(A, R, C)
            for R in combinations(range(len(A)), k_u)
            for C in combinations(range(A.shape[1]), k)
        ),
        "value": result.relaxation_value,
        "bound": result.relaxation_bound,
        # the sign of a pair of singular vectors is arbitrary
        "pair": abs(result.singular_value),
        # the relaxation shrinks its loadings and serves to find the supports
        "refit": norm(A, np.flatnonzero(result.u), result.support),
        # matrices differ in scale, so all values are divided by this one
        "top": float(np.linalg.norm(A, 2)),
    }


def norm(A, R, C):
    """Return the largest singular value of the rows R and columns C of A."""
    return float(np.linalg.norm(A[np.ix_(R, C)], 2))
