"""The tree of the exact search, which can be paused; `exact_search.pruning` runs it.

If there are few candidates, most trees have only a handful of nodes, and compiling the kernel would
take much longer than searching them with NumPy (`SmallTree`).
"""

import numpy as np

from spcabench.flops import LEDGER
from spcabench.methods.exact_search.candidates import root_bounds
from spcabench.methods.exact_search.pruning import (
    ALIVE,
    CHOSEN,
    COUNT,
    DIAGONAL,
    EXHAUSTED,
    FOUND,
    FULL,
    POTENTIAL,
    VARIABLE,
    descend,
)
from spcabench.vectors import Array, Indices, Vector

CHUNK = 40_000_000  # entries read between two checks of the clock
# maximum numbers of candidates and of nodes that are searched without the compiled kernel
SMALL, NODES = 40, 250
Node = tuple[Array, Vector, Indices, list[int]]  # E, diag(E - S), candidates and F


class Tree:
    """A search, which can be paused, for k variables of a covariance that reach a value t.

    Parameters
    ----------
    S : array of shape (c, c)
        Covariance of the candidates.
    variables : array of shape (c,)
        Indices of the candidates in the caller's problem.
    k : int
        Number of variables to take.
    opt : array of shape (k,)
        Upper bounds on the optima for 0, 1, ..., k - 1 variables.
    t : float
        The value that a support must reach.
    psd : bool
        Whether S has no negative eigenvalue, which allows one more test.
    """

    def __init__(
        self, S: Array, variables: Indices, k: int, opt: Vector, t: float, psd: bool
    ) -> None:
        c = len(S)
        self.k, self.opt, self.t, self.psd, self.nodes, self.depth = k, opt, t, psd, 0, 0
        self.spent = 0  # number of entries read
        self.S, self.variables, self.ended = S, variables, False
        # A flat array contains the node matrices on the path from the root to the current node, one
        # after another. Going back drops a node, so nothing is allocated during the search. The
        # whole state is in four arrays, so the kernel can stop and resume anywhere.
        self.stack = np.concatenate([S.ravel(), np.zeros(3 * c * c)])
        self.reals, self.ints = np.zeros((k + 1, 3, c)), np.zeros((k + 1, 3, c), dtype=np.int64)
        self.place = np.zeros((3, k + 1), dtype=np.int64)
        self.place[COUNT, 0] = c
        # At the root, F is empty and E = S. No candidate was tested yet, so every potential is
        # infinite until the first test of the candidate updates it.
        self.reals[0, DIAGONAL], self.reals[0, POTENTIAL] = S.diagonal(), np.inf
        self.ints[0] = variables, np.ones(c), np.ones(c)

    def go(self) -> int:
        """Search one more chunk, and return EXHAUSTED (no support reaches t), PAUSED or FOUND."""
        status = FULL
        while status == FULL:
            status, self.depth, nodes, spent = descend(
                self.k,
                self.opt,
                self.t,
                self.psd,
                CHUNK,
                self.depth,
                self.stack,
                self.reals,
                self.ints,
                self.place,
            )
            self.nodes += nodes
            self.spent += spent
            # Compiled code cannot enlarge an array of its caller, so it stops and asks for space.
            # Because the size is doubled, the number of copies is logarithmic in the final size.
            if status == FULL:
                self.stack = np.concatenate([self.stack, np.zeros(len(self.stack))])
        return int(status)

    @property
    def found(self) -> Indices:
        """The variables that reach t, at most k."""
        return self.place[CHOSEN, : self.depth + 1].copy()

    def raise_to(self, t: float) -> None:
        """Continue with a higher value t; exhausted subtrees of the root remain exhausted.

        If no support in a subtree reaches the value t, no support in it reaches a higher value. The
        subtree in which the last support was found was not finished, so it is searched again.
        """
        self.ints[0, ALIVE:, self.ints[0, VARIABLE] == self.place[CHOSEN, 0]] = 1
        self.reals[0, POTENTIAL] = np.inf
        self.t, self.depth = t, 0

    def bound(self, opt: float) -> float:
        """Bound the supports of size k, paused or exhausted; ``opt`` is a bound for k - 1.

        Every support that reaches t consists of open candidates. Therefore the root's
        test, applied to the open candidates only, bounds the optimum at any stage of the search.
        """
        places = self.open
        if len(places) < self.k:
            return 0.0
        return float(root_bounds(self.S[np.ix_(places, places)], self.k, opt).max())

    @property
    def open(self) -> Indices:
        """Return the places of the candidates that a support of value t can still contain."""
        # A candidate is dead only if every support that contains it is excluded. The candidate of
        # the current subtree was marked dead when the search of it began, but it is still open.
        left = self.ints[0, ALIVE] > 0
        left |= (self.ints[0, VARIABLE] == self.place[CHOSEN, 0]) & (self.depth > 0)
        return np.flatnonzero(left)


class SmallTree(Tree):
    """The same search for few candidates; the first nodes do not use the compiled kernel."""

    def go(self) -> int:
        """Search one more chunk, and return EXHAUSTED (no support reaches t), PAUSED or FOUND."""
        waiting = [(self.S, np.zeros(len(self.S)), np.arange(len(self.S)), list[int]())]
        while waiting and self.nodes < NODES:
            self.nodes += 1
            if len(found := self._divide(waiting.pop(), waiting)):
                self.depth = len(found) - 1
                self.place[CHOSEN, : len(found)] = self.variables[found]
                return FOUND
        return super().go() if waiting else EXHAUSTED

    def _divide(self, node: Node, waiting: list[Node]) -> list[int]:
        """Close a node, or add its two children to ``waiting``; return a support of value t, or [].

        The tests are the same as in the kernel (`exact_search.pruning`).
        """
        E, excess, W, F = node
        more = self.k - len(F) - 1
        while len(W) > more:
            d = E.diagonal()
            if d.max() >= self.t:
                return [*F, int(W[d.argmax()])]
            self.spent += 2 * E.size
            LEDGER.charge_compiled(2 * E.size)  # charged like the kernel that this replaces
            # forcing the variable of row j adds row j of these squares to the diagonal of E
            squares = E * E / (self.t - d)[:, None]
            np.fill_diagonal(squares, -np.inf)
            potential = self._potentials(squares, d, excess, more)
            left = potential >= self.t
            if left.all():
                break
            E, excess, W = E[np.ix_(left, left)], excess[left], W[left]
        else:
            return []
        if more == 1:  # the potential of a pair is its own test
            one, two = np.unravel_index((squares + d).argmax(), squares.shape)
            return [*F, int(W[one]), int(W[two])]
        sizes = np.abs(E)
        np.fill_diagonal(sizes, 0.0)
        leaders = d + _largest(sizes, more) >= self.t
        if leaders.any():
            j = int(np.where(leaders, potential, -np.inf).argmax())
            others = np.delete(np.arange(len(W)), j)
            rest, gained = E[np.ix_(others, others)], squares[j, others]
            waiting.append((rest, excess[others], W[others], F))
            e = E[j, others]
            taken = rest + np.outer(e, e) / (self.t - d[j])
            waiting.append((taken, excess[others] + gained, W[others], [*F, int(W[j])]))
        return []

    def _potentials(self, squares: Array, d: Vector, excess: Vector, more: int) -> Vector:
        """Return bounds (c,) on the supports with each candidate and ``more`` others."""
        if more == 1:
            return (squares + d).max(axis=1)
        most: Vector = self.opt[more] + _largest(squares + excess, more)
        return np.minimum(most, _largest(squares + d, more)) if self.psd else most


def _largest(A: Array, count: int) -> Vector:
    """Return the sum of the ``count`` largest entries in each row of A (c, c)."""
    sums: Vector = np.partition(A, len(A) - count, axis=1)[:, len(A) - count :].sum(axis=1)
    return sums
