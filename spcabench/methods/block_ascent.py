"""Block coordinate ascent for the relaxation, with compiled sweeps over the columns of X.

Zhang and El Ghaoui, "Large-scale sparse principal component analysis with application to text
data", NIPS 2011, section 3: maximise Tr(Sigma X) - lam ||X||_1 - (Tr X)^2 / 2 + beta log det X, one
row and column at a time.
"""

import numpy as np

from spcabench.flops import compiled, inlined
from spcabench.methods.relaxation import Pair, value
from spcabench.problem.spectral import eigen, largest_eigenvalue, last_vector, rebuilt
from spcabench.vectors import Array, Vector, first_largest, support

ZERO = 1e-3  # entries of Y u below this fraction of the barrier's slack are set to zero


@inlined
def box_qp(X, w, u, s, lam, linked, count, passes, tol):
    """Minimise u'Yu over |u_i - s_i| <= lam by coordinate descent, and update w = Y u.

    Y is X without row and column j. ``linked`` lists the ``count`` rows of Y with a nonzero off the
    diagonal; the coordinates of the other rows are already optimal. Returns the number of products,
    which is ``count`` for each change of an entry.
    """
    work = 0
    for _ in range(passes):
        change = 0.0
        for q in range(count):
            i = linked[q]
            r = w[i] - X[i, i] * u[i]
            new = min(max(-r / X[i, i], s[i] - lam), s[i] + lam)
            step = new - u[i]
            if abs(step) > 1e-13 * lam:
                u[i] = new
                change = max(change, abs(step))
                if 2 * count > len(w):
                    for p in range(len(w)):
                        w[p] += step * X[i, p]
                else:
                    for p in range(count):
                        w[linked[p]] += step * X[i, linked[p]]
                work += count
        if change < tol:
            break
    return work


@inlined
def positive_root(c, beta, R2):
    """Return the positive root of tau^3 + c tau^2 - beta tau - R2.

    Newton's method starts above the root, where it is monotone.
    """
    if R2 <= 0.0:
        root = np.sqrt(c * c + 4.0 * beta)
        return 2.0 * beta / (c + root) if c > 0.0 else (root - c) / 2.0
    tau = 2.0 * max(abs(c), np.sqrt(beta), np.cbrt(R2))
    for _ in range(200):
        f = ((tau + c) * tau - beta) * tau - R2
        step = f / ((3.0 * tau + 2.0 * c) * tau - beta)
        if not step > 1e-16 * tau:
            break
        tau -= step
    return tau


@inlined
def take_out(X, w, u, s, lam, j, degree, linked):
    """Remove row and column j from X, clip the warm-start u to the box, and set w = Y u.

    degree : for each row, its number of nonzeros off the diagonal. w is set on the linked rows
        only. Returns the number of linked rows and the number of products.
    """
    count, work = 0, 0
    for i in range(len(w)):
        degree[i] -= X[j, i] != 0.0 and i != j
        w[i] = 0.0
        if i != j and degree[i] > 0:
            linked[count] = i
            count += 1
            u[i] = min(max(u[i], s[i] - lam), s[i] + lam)
        else:
            u[i] = min(max(0.0, s[i] - lam), s[i] + lam)
    u[j] = 0.0
    for q in range(count):
        i = linked[q]
        if u[i] != 0.0:
            for p in range(count):
                w[linked[p]] += u[i] * X[i, linked[p]]
            work += count
    X[j, :j] = 0.0
    X[j, j + 1 :] = 0.0
    return count, work


@inlined
def put_back(X, w, j, degree, tau, x_jj):
    """Set row and column j of X from y = w / tau."""
    degree[j] = 0
    for i in range(len(w)):
        if i != j:
            y = w[i] / tau
            X[i, j] = y
            X[j, i] = y
            degree[i] += y != 0.0
            degree[j] += y != 0.0
    X[j, j] = x_jj


@inlined
def square(X, w, u, s, lam, beta, j, degree):
    """Return R^2 = u'Yu and complete w = Y u.

    Entries of w that are zero up to rounding and early stopping are set to zero.
    """
    R2 = 0.0
    for i in range(len(w)):
        if i == j:
            continue
        if degree[i] == 0:
            w[i] = X[i, i] * u[i]
        elif abs(u[i] - s[i]) < lam * (1.0 - 1e-12) and abs(w[i]) < ZERO * np.sqrt(beta * X[i, i]):
            w[i] = 0.0  # inside the box the gradient Y u is zero
        R2 += u[i] * w[i]
    return max(R2, 0.0)


@compiled("Tuple((i8, f8))(f8[:,::1], f8[:,::1], f8[:,::1], f8, f8, i8, f8)")
def sweep(S, X, V, lam, beta, passes, tol):
    """Sweep once over the columns of X (n, n), in place (Algorithm 1).

    V : row j contains the u of column j that the box QP found in the preceding sweep. At the
        solution, V equals Sigma + U off the diagonal.
    passes, tol : the box QP stops after this number of passes, or when no entry changes by more
        than tol.

    Rows of X that are zero off the diagonal cost nothing, because their u is always zero, clipped
    to the box. Returns the flops and Tr X.
    """
    n = len(S)
    work, trace = 0, 0.0
    linked, w, degree = np.empty(n, np.int64), np.empty(n), np.zeros(n, np.int64)
    for i in range(n):
        trace += X[i, i]
        for q in range(n):
            degree[i] += X[i, q] != 0.0 and q != i
    for j in range(n):
        s, u = S[j], V[j]
        count, products = take_out(X, w, u, s, lam, j, degree, linked)
        work += products + box_qp(X, w, u, s, lam, linked, count, passes, tol)
        R2 = square(X, w, u, s, lam, beta, j, degree)
        trace -= X[j, j]
        tau = positive_root(S[j, j] - lam - trace, beta, R2)
        put_back(X, w, j, degree, tau, R2 / tau**2 + beta / tau)
        trace += X[j, j]
    return work, trace


def scaled(S: Array, lam: float, unit: float) -> tuple[Vector, float, float]:
    """Return S / unit, lam / unit and the unit.

    The ascent requires a positive optimum. A lower bound on the optimum is max S_ii - lam. If it is
    not positive, S is first shifted by a multiple of I, which shifts the optimum equally.
    """
    top, lower = float(np.abs(S).max()), float(S.diagonal().max()) - lam
    if lower <= 1e-9 * top:
        return (S + (top - lower) * np.eye(len(S))) / top, lam / top, top
    return S / unit, lam / unit, unit


def identity_start(S: Array, lam: float) -> tuple[Vector, Vector]:
    """Return X = I, and for each column the solution of the box QP: 0 clipped to the box."""
    return np.eye(len(S)), S - np.clip(S, -lam, lam)


def diagonal_start(S: Array, lam: float, beta: float) -> tuple[Vector, Vector]:
    """Return the best diagonal X, and the same V as `identity_start`.

    X_jj = beta / (t - S_jj + lam), where t is the sum of all X_jj, found by bisection.
    """
    d = S.diagonal() - lam
    low = max(float(d.max()), 0.0)
    high = low + np.sqrt(len(d) * beta) + len(d) * beta  # at this t the sum is at most t
    for _ in range(100):
        t = (low + high) / 2.0
        low, high = (t, high) if (beta / (t - d)).sum() > t else (low, t)
    return np.diag(beta / (high - d)), identity_start(S, lam)[1]


def loading_start(S: Array, lam: float, beta: float, x: Vector) -> tuple[Vector, Vector]:
    """Start from X = phi xx' plus the best diagonal, where phi is the value of x.

    On the support of x, V is S - lam ss', where s are the signs of x. If the optimum has rank one
    and x is its loading, this X is optimal.
    """
    phi = float(x @ S @ x - lam * np.abs(x).sum() ** 2)
    d = S.diagonal() - lam
    if phi <= max(d.max(), 0.0):
        return diagonal_start(S, lam, beta)
    V = identity_start(S, lam)[1]
    W = support(x)
    V[np.ix_(W, W)] = S[np.ix_(W, W)] - lam * np.outer(np.sign(x[W]), np.sign(x[W]))
    return np.diag(beta / (phi - d)) + phi * np.outer(x, x), V


def pair(S: Array, X: Array, V: Array, lam: float) -> Pair:
    """Return the primal and dual matrices that correspond to a state of the sweeps.

    X is restricted to the rows that are nonzero off the diagonal (the other rows contribute O(beta)
    to its trace), made PSD and scaled to trace one. U comes from V, which equals Sigma + U off the
    diagonal at the solution. Sigma + U is made symmetric, and its diagonal is set to
    Sigma_jj - lam.
    """
    n = len(S)
    linked = np.flatnonzero(np.count_nonzero(X, axis=1) > 1)
    W = linked if len(linked) else np.array([first_largest(X.diagonal())])
    w, E = eigen(X[np.ix_(W, W)])
    Z, x = np.zeros((n, n)), np.zeros(n)
    x[W] = last_vector(w, E)
    w = np.maximum(w, 0.0)
    Z[np.ix_(W, W)] = rebuilt(E, w / w.sum())
    M = (V + V.T) / 2
    np.fill_diagonal(M, S.diagonal() - lam)
    return Pair(x, Z, M - S, value(S, Z, lam), largest_eigenvalue(M))
