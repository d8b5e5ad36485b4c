"""The tree of an exact search: sets F of variables forced into a support, and the bounds that close
them.

Given F and s variables still to take from the candidates T, can a support reach the value t >
lambda_1(S[F, F])? By the Schur complement if and only if lambda_1(E[T', T']) >= t for some T' of s
candidates, with E = S + S[., F] (t I - S[F, F])^-1 S[F, .]. Three tests close what cannot:

- potential: E - S is PSD, so lambda_1(E[T', T']) <= OPT_s + the s largest entries of diag(E - S);
  with each candidate forced in turn, this must hold for every variable of T';
- trace: lambda_1(E[T', T']) <= the s largest entries of diag(E), where S is PSD; asked likewise;
- Gershgorin: for some variable j of T', the largest entry of the eigenvector, E_jj + the s - 1
  largest |E_jl| >= t: it is enough to branch on such variables, its leaders, and a leader is
  followed only by l with E_jj + |E_jl| + the s - 2 largest others >= t.

A variable taken adds a rank-one matrix to E. The last two are found exactly, as pairs. A search
stops and goes on where its budget says; it is compiled.
"""

import numpy as np

from spcabench.kernels import compiled, inlined

EXHAUSTED, PAUSED, FOUND, FULL = range(4)
EXCESS, DIAGONAL, POTENTIAL = range(3)  # rows of Tree.reals
VARIABLE, ALIVE, LEADER = range(3)  # rows of Tree.ints
COUNT, OFFSET, CHOSEN = range(3)  # rows of Tree.place
SHARE = 0.5  # of the candidates that may follow a leader: below it the branch is of these alone


@inlined
def insert(best, x):  # type: ignore[no-untyped-def]
    """Put x into best, falling, in place of its last entry, which it exceeds."""
    p = len(best) - 1
    while p > 0 and best[p - 1] < x:
        best[p] = best[p - 1]
        p -= 1
    best[p] = x


@inlined
def top_squares(base, e, scale, alive, j, best):  # type: ignore[no-untyped-def]
    """Sum of the len(best) largest base_l + scale e_l^2 over the candidates but j; -inf where there
    are fewer.
    """
    last = len(best) - 1
    best[:] = -np.inf
    for i in range(len(e)):
        x = base[i] + scale * e[i] * e[i]
        if x > best[last] and alive[i] and i != j:
            insert(best, x)
    return best.sum()


@inlined
def reach(e, D, diagonal, alive, j, opt_s, t, psd, best):  # type: ignore[no-untyped-def]
    """Bound on what F + j with s = len(best) more candidates has, as far as it matters against t; e
    is row j of E.
    """
    gap = t - diagonal[j]
    if gap <= 0.0:
        return np.inf
    if len(best) < 2:
        return top_squares(diagonal, e, 1.0 / gap, alive, j, best) if len(best) else -np.inf
    bound = opt_s + top_squares(D, e, 1.0 / gap, alive, j, best)
    if psd and bound >= t:
        bound = min(bound, top_squares(diagonal, e, 1.0 / gap, alive, j, best))
    return bound


@inlined
def leads(e, alive, j, t, best):  # type: ignore[no-untyped-def]
    """Gershgorin's test: whether j can be the largest entry of an eigenvector of value t."""
    last = len(best) - 1
    best[:] = 0.0
    if last >= 0:
        for i in range(len(e)):
            x = abs(e[i])
            if x > best[last] and alive[i] and i != j:
                insert(best, x)
    return e[j] + best.sum() >= t


@inlined
def next_branch(E, d, reals, ints, opt_s, t, psd, best):  # type: ignore[no-untyped-def]
    """The candidate to branch on: the largest potential, brought up to date, among those that may
    lead; or -1.
    """
    alive, leader, potential = ints[d, ALIVE], ints[d, LEADER], reals[d, POTENTIAL]
    while True:
        j, second = -1, -np.inf
        for i in range(len(E)):
            if alive[i] and leader[i]:
                if j < 0 or potential[i] > potential[j]:
                    second = potential[j] if j >= 0 else second
                    j = i
                elif potential[i] > second:
                    second = potential[i]
        if j < 0:
            return j
        old = potential[j]
        potential[j] = min(
            old, reach(E[j], reals[d, EXCESS], reals[d, DIAGONAL], alive, j, opt_s, t, psd, best)
        )
        if potential[j] < t:
            alive[j] = 0
        elif not leads(E[j], alive, j, t, best):
            leader[j] = 0
        elif potential[j] >= second:
            return j


@inlined
def closing(E, diagonal, alive, j, s, t):  # type: ignore[no-untyped-def]
    """The last s = 1 or 2 candidates that with F + j as their leader reach t, exactly; -1 for
    none.
    """
    e = E[j]
    g = 1.0 / (t - diagonal[j])
    least = t - diagonal[j]  # what |e_i| + |e_m| have at least
    top = np.array([0.0, 0.0])
    for i in range(len(e)):
        if i != j and alive[i] and abs(e[i]) > top[1]:
            insert(top, abs(e[i]))
    near = np.empty(len(e), dtype=np.int64)
    count = 0
    for i in range(len(e)):
        if i == j or not alive[i] or (s == 2 and abs(e[i]) + top[0] < least):
            continue
        a = t - diagonal[i] - e[i] * e[i] * g
        if a <= 0.0:
            return i, -1
        row, f = E[i], e[i] * g
        for q in range(count):
            m = near[q]
            if abs(e[i]) + abs(e[m]) >= least:
                x = row[m] + f * e[m]
                if x * x >= a * (t - diagonal[m] - e[m] * e[m] * g):
                    return i, m
        near[count] = i
        count += s == 2
    return -1, -1


@inlined
def compact(stack, start, n, d, reals, ints):  # type: ignore[no-untyped-def]
    """Leave out of E, at stack[start:] in rows of n, the candidates that are not alive; how many
    remain.
    """
    keep = np.flatnonzero(ints[d, ALIVE, :n])
    m = len(keep)
    for a in range(m):
        for b in range(m):
            stack[start + a * m + b] = stack[start + keep[a] * n + keep[b]]
        for r in range(3):
            reals[d, r, a], ints[d, r, a] = reals[d, r, keep[a]], ints[d, r, keep[a]]
    return m


@inlined
def test_row(row, i, d, reals, ints, opt_s, t, psd, best):  # type: ignore[no-untyped-def]
    """Bring the potential of candidate i up to date; where it is too small the candidate is out."""
    x = reach(row, reals[d, EXCESS], reals[d, DIAGONAL], ints[d, ALIVE], i, opt_s, t, psd, best)
    reals[d, POTENTIAL, i], ints[d, ALIVE, i] = x, x >= t


@inlined
def grow(E, d, stack, start, reals, ints, j, opt_s, t, psd, best):  # type: ignore[no-untyped-def]
    """Level d + 1, with the candidate j taken: E at stack[start:]; how many candidates pass,
    flops.
    """
    where = np.flatnonzero(ints[d, ALIVE, : len(E)])
    where = where[where != j]
    leads(E[j], ints[d, ALIVE], j, t, best)
    near = where[np.abs(E[j][where]) >= t - E[j, j] - best.sum()]
    if len(near) < SHARE * len(where):
        where = near  # those of which j can be the leader; j stays, for other leaders
    else:
        ints[d, ALIVE, j] = 0  # all that have j
    n, e, below = len(where), E[j][where], d + 1
    g = 1.0 / (t - reals[d, DIAGONAL, j])
    for m in range(n):
        for r in (EXCESS, DIAGONAL):
            reals[below, r, m] = reals[d, r, where[m]] + g * e[m] * e[m]
        ints[below, VARIABLE, m] = ints[d, VARIABLE, where[m]]
        ints[below, ALIVE, m] = ints[below, LEADER, m] = 1
    for i in range(n):
        row, old, f = stack[start + i * n : start + (i + 1) * n], E[where[i]], g * e[i]
        for m in range(n):
            row[m] = old[where[m]] + f * e[m]
        test_row(row, i, below, reals, ints, opt_s, t, psd, best)
    work, m = n * n, compact(stack, start, n, below, reals, ints)
    while m < 0.9 * n:  # fewer candidates have smaller sums
        n = m
        for i in range(n):
            test_row(
                stack[start + i * n : start + (i + 1) * n],
                i,
                below,
                reals,
                ints,
                opt_s,
                t,
                psd,
                best,
            )
        work, m = work + n * n, compact(stack, start, n, below, reals, ints)
    return m, work


@compiled(
    "Tuple((i8, i8, i8, i8))(i8, f8[::1], f8, b1, i8, i8, f8[::1], f8[:,:,::1], i8[:,:,::1], "
    "i8[:,::1])"
)
def descend(k, opt, t, psd, budget, depth, stack, reals, ints, place):  # type: ignore[no-untyped-def]
    """Go on with a search from its depth: flops, how it ended, the depth (what was found ends
    there), nodes made.
    """
    work, nodes, buffer = 0, 0, np.empty(k)
    while depth >= 0:
        c, offset, s = place[COUNT, depth], place[OFFSET, depth], k - depth - 1
        E, best = stack[offset : offset + c * c].reshape((c, c)), buffer[:s]
        start = offset + c * c
        if s > 2 and start + c * c > len(stack):
            return work, FULL, depth, nodes
        if work > budget:
            return work, PAUSED, depth, nodes
        j = next_branch(E, depth, reals, ints, opt[s], t, psd, best)
        if j < 0:
            depth -= 1
            continue
        place[CHOSEN, depth] = ints[depth, VARIABLE, j]
        ints[depth, LEADER, j] = 0
        if reals[depth, DIAGONAL, j] >= t:
            return work, FOUND, depth, nodes
        if s in (1, 2):
            work += c
            for i in closing(E, reals[depth, DIAGONAL], ints[depth, ALIVE], j, s, t):
                if i >= 0:
                    depth += 1
                    place[CHOSEN, depth] = ints[k - s - 1, VARIABLE, i]
            if depth > k - s - 1:
                return work, FOUND, depth, nodes
        elif s:
            nodes += 1
            m, made = grow(E, depth, stack, start, reals, ints, j, opt[s - 1], t, psd, best[1:])
            depth, work = depth + 1, work + made
            place[COUNT, depth], place[OFFSET, depth] = m, start
    return work, EXHAUSTED, depth, nodes
