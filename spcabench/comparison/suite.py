"""The suites of problems for comparisons, with cardinalities and origins."""

import secrets
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from spcabench import registry
from spcabench.errors import InputError, nearest
from spcabench.solving.call import parameters

SMALL = 50  # maximum number of variables for relaxations and exact searches


@dataclass(frozen=True)
class Item:
    """A problem of a suite.

    ks : the cardinalities. family : the kind of problem. origin : the papers that used it. n :
        number of variables, or 0 if it is one of the parameters or unknown.

    For several components: counts : the numbers of components. small : whether the problem is small
        enough for exact searches and relaxations. held_out : whether loadings are also computed on
        half of the samples and graded on the other half.
    """

    name: str
    dataset: str
    parameters: dict[str, Any]
    ks: tuple[int, ...]
    family: str
    origin: str
    nonnegative: bool = False
    n: int = 0
    counts: tuple[int, ...] = ()
    small: bool = False
    held_out: bool = False

    @property
    def variables(self) -> int:
        """Number of variables; 0 if it is unknown before the problem is loaded."""
        return int(self.n or self.parameters.get("n", 0))

    @property
    def is_small(self) -> bool:
        """Whether relaxations and exact searches are run on the problem."""
        return self.small if self.counts else 0 < self.variables <= SMALL

    @property
    def full_name(self) -> str:
        """Name with the parameters of the dataset, such as "mll genes=300"."""
        return " ".join(
            [self.name, *(f"{name}={value}" for name, value in self.parameters.items())]
        )

    @property
    def is_whole(self) -> bool:
        """Whether the item is a dataset with its default parameters, as in `solve`."""
        defaults = parameters(registry.module("dataset", self.dataset).load)
        return all(defaults[name].default == value for name, value in self.parameters.items())


# the problems, settings and rules in suites.toml
DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("suites.toml").read_text("utf-8"))


def _item(entry: dict[str, Any]) -> Item:
    """Return a problem in suites.toml."""
    fields: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in entry.items()}
    return Item(**fields)


SUITES = {name: [*map(_item, of)] for name, of in DATA.items() if isinstance(of, list)}
COMPONENTS = SUITES.pop("components")  # problems for several components
ITEMS = SUITES["standard"]
# covariances used in papers on certified sparse PCA
CERTIFIED = [
    Item(
        name,
        "published",
        dict(name=name),
        tuple(k for k in (5, 10, 20, 30, 40, 50) if k < table.n),
        "published",
        registry.module("dataset", "published").CITED[table.home],
        n=table.n,
    )
    for name, table in registry.module("dataset", "published").TABLES.items()
]
# solvers proposed in the five papers, which are coloured in every comparison
OF_PAPERS = ("grqi", "scol", "mcol", "dspca", "bca", "spannogram")
QUICK = ("pit props", "gaussian 40", "spiked 40", "blocks", "decaying", "rank 3")
SUITES |= {
    "quick": [item for item in ITEMS if item.name in QUICK],
    "text": [item for item in ITEMS if item.family == "text"],
    "genes": [item for item in ITEMS if item.family == "genes"],
    "certified": CERTIFIED,
}
# support recovery: samples of the spiked model with seeds that no solver was tuned on
SAMPLES, VARIABLES = 100, 100
STRENGTHS, SPARSITIES, SEEDS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0), (0.5, 1.0, 2.0), (11, 12, 13, 14)
# problems for held-out variance and stability, with their cardinalities
RESAMPLED = {"spectra": 10, "leukemia": 20, "colon": 20}


# parameters that select the variables with the largest variances; fresh samples repeat this
# selection
CHOSEN = ("genes", "words")
FRESH = "fresh "  # first word of the names of fresh problems
# Spread of the random factors of the variables in fresh samples. With smaller factors, the support
# that is optimal on the public problem often remains optimal.
SPREAD = 0.5
DESIGNED = ("adversarial",)  # datasets that are designed for their scales


def items(suite: str, ks: tuple[int, ...] = (), fresh: int | None = None) -> list[Item]:
    """Return the problems of a suite with their own cardinalities, or with ``ks`` if specified.

    A problem only has the cardinalities of ``ks`` that are at most its number of variables, if this
    number is known.

    fresh : seed of new problems of the same families, which replace the standard problems.

    Raises InputError if the suite is unknown, or if all of ``ks`` are too large.
    """
    every = {**SUITES, "components": COMPONENTS}
    if suite not in every:
        raise InputError(nearest("suite", suite, every))
    chosen = every[suite]
    if fresh is not None:
        chosen = [fresh_of(item, fresh, place) for place, item in enumerate(chosen)]
    if possible := [item for item in (_with_ks(item, ks) for item in chosen) if item.ks]:
        return possible
    largest = max(item.variables for item in chosen)
    raise InputError(
        f"-k: {max(ks)}: the largest problem of suite {suite!r} has {largest} variables"
    )


def _with_ks(item: Item, ks: tuple[int, ...]) -> Item:
    possible = tuple(k for k in ks if not item.variables or k <= item.variables)
    return replace(item, ks=possible if ks else item.ks)


def by_name(suites: Iterable[str] = SUITES) -> dict[tuple[str, bool], Item]:
    """Return a mapping from names and sign constraints to the items of suites."""
    return {(item.name, item.nonnegative): item for suite in suites for item in SUITES[suite]}


def called(name: str, items: Iterable[Item]) -> list[Item]:
    """Return the items that a name can refer to, ignoring spaces, punctuation and case.

    The name can be the name of an item, with or without parameters. It can also be the name of a
    dataset if an item uses the dataset with its default parameters. Several items with the same
    name are the same problem in several suites. An item without parameters is listed first. The
    name of a dataset never refers to an item with parameters that differ from those of `solve`.

    Raises InputError if a name is ambiguous because it refers both to an item with different
    parameters and to a whole dataset.
    """
    items, plain = sorted(items, key=lambda item: bool(item.parameters)), _plain(name)
    own = [item for item in items if plain in (_plain(item.name), _plain(item.full_name))]
    whole = [i for i in items if plain == _plain(i.dataset) and i.is_whole]
    parts = [i for i in own if plain == _plain(i.dataset) and not i.is_whole]
    parts = [i for i in parts if name == i.dataset or name != i.name]
    if parts and whole:
        names = " or ".join(repr(item.full_name) for item in (parts[0], whole[0]))
        raise InputError(f"{name}: two problems have this name; specify {names}")
    return [item for item in own if item not in parts] or whole


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def new_seed() -> int:
    """Draw a seed for fresh problems."""
    return secrets.randbelow(10**9)


def fresh_of(item: Any, seed: int, place: int) -> Any:
    """Return a new problem of the same family, with another seed or with resampled rows.

    item : the problem, for one component or for several. place : its place in the suite.
    """
    drawn = int(np.random.SeedSequence([seed, place]).generate_state(1)[0])
    if "seed" in item.parameters:
        parameters = {**item.parameters, "seed": drawn}
        return replace(item, name=FRESH + item.name, parameters=parameters)
    settings = {name: value for name, value in item.parameters.items() if name not in CHOSEN}
    variables = [value for name, value in item.parameters.items() if name in CHOSEN]
    spread = 0.0 if item.dataset in DESIGNED else SPREAD
    parameters = dict(of=item.dataset, given=settings, spread=spread, seed=drawn)
    parameters |= dict(variables=variables[0]) if variables else {}
    return replace(item, name=FRESH + item.name, dataset="bootstrap", parameters=parameters)


def recovery(fresh: int | None = None) -> list[Item]:
    """Return problems of spiked samples for each strength, sparsity k / sqrt(n) and seed.

    The cardinality of each problem is the true k.

    fresh : seed from which new seeds of the samples are drawn, which replace the standard seeds.
    """
    seeds: Iterable[int] = SEEDS
    if fresh is not None:
        drawn = np.random.SeedSequence([fresh, len(ITEMS)]).generate_state(len(SEEDS))
        seeds = [int(word) for word in drawn]
    problems = []
    for strength in STRENGTHS:
        for sparsity in SPARSITIES:
            count = round(sparsity * VARIABLES**0.5)
            for seed in seeds:
                parameters = dict(m=SAMPLES, n=VARIABLES, count=count, strength=strength, seed=seed)
                problems.append(
                    Item("recovery", "spiked_samples", parameters, (count,), "recovery", "ours")
                )
    return problems


# kinds of settings by name: ``about`` is a description, ``of`` maps solvers to their settings
SETTINGS: dict[str, dict[str, Any]] = DATA["settings"]
# reasons for the settings of a solver, if its paper leaves a choice
RULES: dict[str, str] = DATA["rules"]


def settings_of(
    name: str, solver: str = "", own: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Return the settings of kind ``name`` for a solver, from suites.toml and from its own file.

    own : settings in the solver's file (PAPER, TUNED) by name.

    Raises InputError if the kind is unknown.
    """
    if name not in SETTINGS:
        raise InputError(nearest("settings", name, SETTINGS))
    return {**SETTINGS[name].get("of", {}).get(solver, {}), **(own or {}).get(name, {})}
