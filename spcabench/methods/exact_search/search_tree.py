"""The search tree of the exact search: nodes, and the tests that close them.

A node is a set F of variables forced into the support, a set W of candidates, and the number s of
variables still to take from W. The question at a node is whether F and some T of s candidates
reach the value t > lambda_1(S[F, F]). By the Schur complement they do if and only if

    lambda_1(E[T, T]) >= t,    E = S + S[., F] (t I - S[F, F])^-1 S[F, .].

So a node asks the same question as the root, but about the smaller matrix E. Three tests close
nodes and discard candidates without a search:

- Potential. E - S is positive semidefinite, so lambda_1(E[T, T]) is at most OPT_s plus the s
  largest entries of diag(E - S). The test is made with each candidate forced in turn, because it
  must hold for every variable of T.
- Trace. If S is positive semidefinite, lambda_1(E[T, T]) is at most the sum of the s largest
  entries of diag(E). This test is made in the same way.
- Gershgorin. Let j be the variable of T at which the leading eigenvector of E[T, T] has its
  largest entry in absolute value: the leader of T. Then E_jj plus the sum of the s - 1 largest
  |E_jl| is at least t. It is sufficient to branch on variables that can lead. The leader j and a
  variable l can be in the same T only if E_jj + |E_jl| plus the sum of the s - 2 largest other
  |E_jl| is at least t.

Taking a variable adds a rank-one matrix to E. The last two variables are found exactly, as a pair.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spcabench.flops import LEDGER
from spcabench.methods.exact_search.candidates import ENTRY, root_bounds
from spcabench.methods.exact_search.part import UNSEEN
from spcabench.vectors import Array, Indices, Vector


@dataclass(eq=False)
class Node:
    """A node whose candidates passed the tests.

    E : the matrix (c, c). excess : diag(E - S) (c,). W : the candidates (c,). F : the variables
    taken. open : whether a support of value t can still contain a candidate (c,). leads : whether
    a candidate can lead such a support that was not searched (c,). potential : bounds (c,) on the
    supports with each candidate.
    """

    E: Array
    excess: Vector
    W: Indices
    F: list[int]
    open: NDArray[np.bool_]
    leads: NDArray[np.bool_]
    potential: Vector


class Tree:
    """A search, which can be paused, for k variables of a covariance that reach a value t.

    Parameters
    ----------
    S : array of shape (c, c)
        Covariance of the candidates.
    k : int
        Number of variables to take.
    opt : array of shape (k,)
        Upper bounds on the optima for 0, 1, ..., k - 1 variables.
    t : float
        The value that a support must reach.
    psd : bool
        Whether S has no negative eigenvalue, which allows one more test.
    """

    def __init__(self, S: Array, k: int, opt: Vector, t: float, psd: bool) -> None:
        self.S, self.k, self.opt, self.t, self.psd = S, k, opt, t, psd
        self.nodes, self.spent, self.seen = 0, 0.0, 0.0
        self.left = np.arange(len(S))  # candidates that a support of value t can still contain

    def run(self) -> Iterator[list[int]]:
        """Search; yield supports that reach t, and empty lists now and then.

        The caller can raise t after a support. If no support in a subtree reaches the value t, no
        support in it reaches a higher value, so what was excluded remains excluded.
        """
        while True:
            t, left = self.t, self.left
            root = self._tested(self.S[np.ix_(left, left)], np.zeros(len(left)), left, [])
            if isinstance(root, Node):
                for found in self._search(root):
                    self.left = root.W[root.open]
                    yield found
                    if self.t > t:
                        break
                else:
                    break
            elif root:
                yield root
            else:
                break
        self.left = np.arange(0)

    def _search(self, node: Node) -> Iterator[list[int]]:
        """Search a node by taking each of its candidates that can lead in turn."""
        while (j := self._leader(node)) >= 0:
            child, whole = self._child(node, j)
            if isinstance(child, Node):
                yield from self._search(child)
            elif child:
                yield child
            if self.spent > self.seen + UNSEEN:
                self.seen = self.spent
                yield []
            node.leads[j] = False
            node.open[j] = node.open[j] and not whole

    def bound(self, opt: float) -> float:
        """Bound the supports of size k, at any stage; ``opt`` is a bound for k - 1.

        Every support that reaches t consists of candidates that are left, so the root's test of
        these bounds the optimum.
        """
        if len(self.left) < self.k:
            return 0.0
        return float(root_bounds(self.S[np.ix_(self.left, self.left)], self.k, opt).max())

    def _tested(self, E: Array, excess: Vector, W: Indices, F: list[int]) -> Node | list[int]:
        """Return a node without the candidates that fail a test, or a support of value t, or []."""
        more = self.k - len(F) - 1  # variables to take after the next one
        while len(W) > more:
            self.spent += ENTRY * E.size + 1e5  # measured
            LEDGER.charge_compiled(E.size)
            d = E.diagonal()
            if d.max() >= self.t:
                return [*F, int(W[d.argmax()])]
            # forcing the variable of row j adds row j of these squares to the diagonal of E
            squares = E * E / (self.t - d)[:, None]
            np.fill_diagonal(squares, -np.inf)
            potential = self._potentials(squares, d, excess, more)
            left = potential >= self.t
            if not left.all():
                E, excess, W = E[np.ix_(left, left)], excess[left], W[left]
            elif more == 1:  # the potential of a pair is its own test
                one, two = np.unravel_index((squares + d).argmax(), squares.shape)
                return [*F, int(W[one]), int(W[two])]
            else:
                sizes = np.abs(E)
                np.fill_diagonal(sizes, 0.0)
                leads = d + _largest(sizes, more) >= self.t
                return Node(E, excess, W, F, left, leads, potential)
        return []

    def _potentials(self, squares: Array, d: Vector, excess: Vector, more: int) -> Vector:
        """Return bounds on the supports with each candidate, a row of squares, and ``more`` others.

        With one more variable to take, the largest new diagonal entry is the value itself.
        """
        if more <= 1:
            return (squares + d).max(axis=1) if more else np.full(len(squares), -np.inf)
        most: Vector = self.opt[more] + _largest(squares + excess, more)
        if self.psd and (left := most >= self.t).any():
            most[left] = np.minimum(most[left], _largest(squares[left] + d, more))
        return most

    def _leader(self, node: Node) -> int:
        """Return the place of the leader with the largest potential, or -1."""
        more, d = self.k - len(node.F) - 1, node.E.diagonal()
        while (able := node.open & node.leads).any():
            # Potentials only decrease while the node loses candidates, so an old potential is still
            # a bound, and only the largest one is computed again.
            j = int(np.where(able, node.potential, -np.inf).argmax())
            others = node.open.copy()
            others[j] = False
            e = node.E[j, others]
            if len(e) < more:
                return -1
            squares = (e * e / (self.t - d[j]))[None]
            node.potential[j] = self._potentials(squares, d[others], node.excess[others], more)[0]
            # The first test excludes every support with j. The second excludes those that j leads:
            # j can still follow another leader.
            if node.potential[j] < self.t:
                node.open[j] = False
            elif d[j] + _largest(np.abs(e)[None], more)[0] < self.t:
                node.leads[j] = False
            else:
                return j
        return -1

    def _child(self, node: Node, j: int) -> tuple[Node | list[int], bool]:
        """Return the node that takes j, and whether it has all supports with j.

        A branch on the leader j has two forms. Either it contains every support with j, which is
        removed afterwards. Or it contains only the supports that j can lead: fewer candidates, but
        j remains for those that another variable leads. The second form is used if less than half
        of the candidates can follow.
        """
        e, gap = node.E[j], self.t - node.E[j, j]
        taken = node.open.copy()
        taken[j] = False
        followers = _largest(np.abs(e[taken])[None], self.k - len(node.F) - 2)[0]
        near = taken & (np.abs(e) >= gap - followers)
        whole = 2 * near.sum() >= taken.sum()
        if not whole:
            taken = near
        self.nodes += 1
        places, e = np.flatnonzero(taken), e[taken]
        E = node.E[np.ix_(places, places)] + np.outer(e, e / gap)
        excess = node.excess[taken] + e * e / gap
        return self._tested(E, excess, node.W[taken], [*node.F, int(node.W[j])]), bool(whole)


def _largest(A: Array, count: int) -> Vector:
    """Return the sum of the ``count`` largest entries in each row of A (r, c)."""
    if not count:
        return np.zeros(len(A))
    sums: Vector = np.partition(A, A.shape[1] - count, axis=1)[:, A.shape[1] - count :].sum(axis=1)
    return sums
