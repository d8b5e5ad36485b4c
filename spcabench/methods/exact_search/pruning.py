"""The search tree of the exact search: nodes, and the tests that close them.

A node is a set F of variables forced into the support, a set T of candidates, and the number s of
variables still to take from T. The question at a node is whether F and some T' of s candidates
reach the value t > lambda_1(S[F, F]). By the Schur complement they do if and only if

    lambda_1(E[T', T']) >= t,    E = S + S[., F] (t I - S[F, F])^-1 S[F, .].

So a node asks the same question as the root, but about the smaller matrix E. Three tests close
nodes and discard candidates without a search:

- Potential. E - S is positive semidefinite, so lambda_1(E[T', T']) is at most OPT_s plus the s
  largest entries of diag(E - S). The test is made with each candidate forced in turn, because it
  must hold for every variable of T'.
- Trace. If S is positive semidefinite, lambda_1(E[T', T']) is at most the sum of the s largest
  entries of diag(E). This test is made in the same way.
- Gershgorin. Let j be the variable of T' at which the leading eigenvector of E[T', T'] has its
  largest entry in absolute value: the leader of T'. Then E_jj plus the sum of the s - 1 largest
  |E_jl| is at least t. It is sufficient to branch on variables that can lead. The leader j and a
  variable l can be in the same T' only if E_jj + |E_jl| plus the sum of the s - 2 largest other
  |E_jl| is at least t.

Taking a variable adds a rank-one matrix to E. The last two variables are found exactly, as a pair.
The search is compiled. It stops when its budget is spent, and can be resumed.
"""

from typing import Any

import numpy as np

from spcabench.flops import compiled, inlined

EXHAUSTED, PAUSED, FOUND, FULL = range(4)
EXCESS, DIAGONAL, POTENTIAL = range(3)  # rows of Tree.reals
VARIABLE, ALIVE, LEADER = range(3)  # rows of Tree.ints
COUNT, OFFSET, CHOSEN = range(3)  # rows of Tree.place
# A branch on the leader j has two forms. Either it contains every set with j, and j is removed
# afterwards, which lowers the sums of all other candidates. Or it contains only the sets that j can
# lead: far fewer candidates, but j remains for the sets that another variable leads. The second
# form is used if less than this fraction of the candidates can follow.
SHARE = 0.5
# typed constants, because numba would compile a function separately for literal arguments
NONE: Any = np.int64(-1)
ZERO: Any = np.int64(0)


@inlined
def insert(best, x):  # type: ignore[no-untyped-def]
    """Insert x into the descending array ``best``, and drop its last entry, which x exceeds."""
    # s is small and most x do not exceed the last entry, so insertion is fast enough
    p = len(best) - 1
    while p > 0 and best[p - 1] < x:
        best[p] = best[p - 1]
        p -= 1
    best[p] = x


@inlined
def top_squares(base, e, scale, alive, j, best):  # type: ignore[no-untyped-def]
    """Return the sum of the len(best) largest base_l + scale e_l^2 over the candidates except j.

    It is -inf if there are fewer candidates.
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
    """Return the potential of j, a bound for F, j and len(best) more candidates.

    e : row j of E.
    """
    gap = t - diagonal[j]
    if gap <= 0.0:
        return np.inf  # F and j alone reach t
    # Forcing j adds e e' / gap to E, of which the tests need the diagonal alone. With one more
    # variable to take, the largest new diagonal entry is the answer itself and not only a bound.
    if len(best) < 2:
        return top_squares(diagonal, e, 1.0 / gap, alive, j, best) if len(best) else -np.inf
    bound = opt_s + top_squares(D, e, 1.0 / gap, alive, j, best)
    # the second test costs another pass over the row, so it runs only if the first did not succeed
    if psd and bound >= t:
        bound = min(bound, top_squares(diagonal, e, 1.0 / gap, alive, j, best))
    return bound


@inlined
def leads(e, alive, j, t, best):  # type: ignore[no-untyped-def]
    """Gershgorin's test: whether j can lead a set of value t; fills best with the largest |e_l|."""
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
    """Return the candidate with the largest potential among those that can lead, or -1.

    The second result is the number of entries that were read.
    """
    alive, leader, potential = ints[d, ALIVE], ints[d, LEADER], reals[d, POTENTIAL]
    spent = ZERO
    while True:
        spent += 2 * len(E)
        j, second = NONE, -np.inf
        for i in range(len(E)):
            if alive[i] and leader[i]:
                if j < 0 or potential[i] > potential[j]:
                    second = potential[j] if j >= 0 else second
                    j = i
                elif potential[i] > second:
                    second = potential[i]
        if j < 0:
            return j, spent
        # Potentials only decrease while the node loses candidates, so an old potential is still a
        # bound, and only the largest one has to be updated. If it remains the largest, it is also
        # the largest among the exact potentials.
        old = potential[j]
        potential[j] = min(
            old, reach(E[j], reals[d, EXCESS], reals[d, DIAGONAL], alive, j, opt_s, t, psd, best)
        )
        # The first test excludes every set with j. The second excludes the sets that j leads: j can
        # still follow another leader.
        if potential[j] < t:
            alive[j] = 0
        elif not leads(E[j], alive, j, t, best):
            leader[j] = 0
        elif potential[j] >= second:
            return j, spent


@inlined
def closing(E, diagonal, alive, j, s, t):  # type: ignore[no-untyped-def]
    """Return the last s = 1 or 2 candidates with which F and its leader j reach t, or -1.

    The last result is the number of entries that were read.
    """
    # With E' = E + g e e', a pair {i, m} reaches t if and only if t I - E'[{i, m}, {i, m}] is not
    # positive definite: a diagonal entry or the determinant is not positive. This takes a few
    # multiplications per pair, whereas a node with its own matrix would cost as many as its size.
    e = E[j]
    g = 1.0 / (t - diagonal[j])
    least = t - diagonal[j]  # j leads, so by Gershgorin |e_i| + |e_m| is at least this
    top = 0.0
    for i in range(len(e)):
        if i != j and alive[i]:
            top = max(top, abs(e[i]))
    near = np.empty(len(e), dtype=np.int64)
    count, spent = ZERO, len(e)
    for i in range(len(e)):
        if i == j or not alive[i] or (s == 2 and abs(e[i]) + top < least):
            continue
        a = t - diagonal[i] - e[i] * e[i] * g
        if a <= 0.0:
            return i, -1, spent
        spent += count
        row, f = E[i], e[i] * g
        for q in range(count):
            m = near[q]
            if abs(e[i]) + abs(e[m]) >= least:
                x = row[m] + f * e[m]
                if x * x >= a * (t - diagonal[m] - e[m] * e[m] * g):
                    return i, m, spent
        near[count] = i
        count += s == 2
    return -1, -1, spent


@inlined
def compact(stack, start, n, d, reals, ints):  # type: ignore[no-untyped-def]
    """Remove dead candidates from the matrix (n, n) at stack[start:]; return how many remain."""
    # In place: entries move only towards the front, never onto an entry that is still to be read.
    alive, m, to = ints[d, ALIVE], 0, start
    for a in range(n):
        m += alive[a]
    for a in range(n):
        if alive[a]:
            for b in range(n):
                if alive[b]:
                    stack[to] = stack[start + a * n + b]
                    to += 1
    to = 0
    for a in range(n):
        if alive[a]:
            for r in range(3):
                reals[d, r, to], ints[d, r, to] = reals[d, r, a], ints[d, r, a]
            to += 1
    return m


@inlined
def test_row(row, i, d, reals, ints, opt_s, t, psd, best):  # type: ignore[no-untyped-def]
    """Update the potential of candidate i, and discard i if it is too small."""
    x = reach(row, reals[d, EXCESS], reals[d, DIAGONAL], ints[d, ALIVE], i, opt_s, t, psd, best)
    reals[d, POTENTIAL, i], ints[d, ALIVE, i] = x, x >= t


@inlined
def followers(row, j, ints, d, t, best):  # type: ignore[no-untyped-def]
    """Return the candidates of the child node that takes j, and their entries in row j of E."""
    alive = ints[d, ALIVE]
    leads(row, alive, j, t, best)
    least, count, near = t - row[j] - best.sum(), ZERO, ZERO
    for i in range(len(row)):
        if alive[i] and i != j:
            count += 1
            near += abs(row[i]) >= least
    if near < SHARE * count:
        count = near  # only the candidates that j can lead; j remains for other leaders
    else:
        least, alive[j] = -np.inf, 0  # all candidates that can be in a support with j
    where, e, n = np.empty(count, dtype=np.int64), np.empty(count), ZERO
    for i in range(len(row)):
        if alive[i] and i != j and abs(row[i]) >= least:
            where[n], e[n] = i, row[i]
            n += 1
    return where, e


@inlined
def grow(E, d, stack, start, reals, ints, j, opt_s, t, psd, best):  # type: ignore[no-untyped-def]
    """Create the node of level d + 1 that takes j; return its number of candidates and flops."""
    where, e = followers(E[j], j, ints, d, t, best)
    n = len(where)
    # The leaders of the new node depend on the new E, so every candidate can still lead.
    below, g = d + 1, 1.0 / (t - reals[d, DIAGONAL, j])
    for m in range(n):
        for r in (EXCESS, DIAGONAL):
            reals[below, r, m] = reals[d, r, where[m]] + g * e[m] * e[m]
        ints[below, VARIABLE, m] = ints[d, VARIABLE, where[m]]
        ints[below, ALIVE, m] = ints[below, LEADER, m] = 1
    for i in range(n):
        row, old, f = stack[start + i * n : start + (i + 1) * n], E[where[i]], g * e[i]
        for m in range(n):
            row[m] = old[where[m]] + f * e[m]
        # Tested immediately, so a discarded candidate is not included in the sums of later rows.
        test_row(row, i, below, reals, ints, opt_s, t, psd, best)
    work, m = n * n, compact(stack, start, n, below, reals, ints)
    # Fewer candidates have smaller sums, which discard more candidates. Another pass costs as much
    # as the node itself, so it is made only if the last pass discarded at least a tenth of them.
    while m < 0.9 * n:
        n = m
        for i in range(n):
            row = stack[start + i * n : start + (i + 1) * n]
            test_row(row, i, below, reals, ints, opt_s, t, psd, best)
        work, m = work + n * n, compact(stack, start, n, below, reals, ints)
    return m, work


@compiled(
    "Tuple((i8, i8, i8, i8, i8))(i8, f8[::1], f8, b1, i8, i8, f8[::1], f8[:,:,::1], i8[:,:,::1], "
    "i8[:,::1])"
)
def descend(k, opt, t, psd, budget, depth, stack, reals, ints, place):  # type: ignore[no-untyped-def]
    """Continue a search from a depth until it ends or has read more entries than the budget.

    Returns the flops, the status, the new depth, the number of nodes, and the entries read. If the
    status is FOUND, the variables that reach t are place[CHOSEN, :depth + 1].
    """
    # An explicit stack instead of recursion: the search can stop between two branches and resume
    # there, because its whole state is in the arrays that the caller owns.
    work, nodes, spent, buffer = 0, 0, 0, np.empty(k)
    while depth >= 0:
        c, offset, s = place[COUNT, depth], place[OFFSET, depth], k - depth - 1
        E, best = stack[offset : offset + c * c].reshape((c, c)), buffer[:s]
        start = offset + c * c
        # Both stops come before a branch is chosen, so nothing is lost or done twice. The last two
        # variables need no matrix, and thus no space on the stack.
        full = s > 2 and start + c * c > len(stack)
        if full or spent > budget:
            return work, FULL if full else PAUSED, depth, nodes, spent
        j, read = next_branch(E, depth, reals, ints, opt[s], t, psd, best)
        spent += read
        if j < 0:
            depth -= 1  # no candidate can lead, so this node contains no support of value t
            continue
        place[CHOSEN, depth] = ints[depth, VARIABLE, j]
        ints[depth, LEADER, j] = 0
        if reals[depth, DIAGONAL, j] >= t:
            return work, FOUND, depth, nodes, spent
        if s in (1, 2):
            work += c
            one, two, read = closing(E, reals[depth, DIAGONAL], ints[depth, ALIVE], j, s, t)
            spent += read
            for i in (one, two):
                # One of the two can be sufficient, because a set of fewer than k can reach t.
                if i >= 0:
                    depth += 1
                    place[CHOSEN, depth] = ints[k - s - 1, VARIABLE, i]
            if depth > k - s - 1:
                return work, FOUND, depth, nodes, spent
        elif s:
            nodes += 1
            m, flops = grow(E, depth, stack, start, reals, ints, j, opt[s - 1], t, psd, best[1:])
            depth, work, spent = depth + 1, work + flops, spent + 3 * flops
            place[COUNT, depth], place[OFFSET, depth] = m, start
    return work, EXHAUSTED, depth, nodes, spent
