"""The sets of problems on which solvers are compared, with cardinalities and origins."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spcabench import registry, validate
from spcabench.errors import InputError
from spcabench.solving.driver import parameters


@dataclass(frozen=True)
class Item:
    """A problem of a suite.

    ks : the cardinalities. family : the kind of problem. origin : who has used it. n : number of
        variables, or 0 if the parameters give it or if it is unknown.
    """

    name: str
    dataset: str
    parameters: dict[str, Any]
    ks: tuple[int, ...]
    family: str
    origin: str
    nonnegative: bool = False
    seed: int = 0
    n: int = 0

    @property
    def variables(self) -> int:
        """The number of variables; 0 if it is unknown before the problem is loaded."""
        return int(self.n or self.parameters.get("n", 0))

    @property
    def full_name(self) -> str:
        """Its name with the parameters of its dataset: "mll genes=300"."""
        return " ".join(
            [self.name, *(f"{name}={value}" for name, value in self.parameters.items())]
        )

    @property
    def is_whole(self) -> bool:
        """Whether it is a dataset with default parameters, as in `solve`."""
        defaults = parameters(registry.module("dataset", self.dataset).load)
        return all(defaults[name].default == value for name, value in self.parameters.items())

    @property
    def grid(self) -> dict[str, Any]:
        """The fields that determine the runs of the item."""
        return dict(dataset=self.dataset, parameters=self.parameters, nonnegative=self.nonnegative)


KULESHOV = "Kuleshov (2013), after Journee et al. (2010)"
ZHANG = "Zhang and El Ghaoui (2011)"
ASTERIS = "Asteris et al. (2014)"
NIPS = dict(corpus="nips", words=300)
KOS = dict(corpus="kos", words=300)
ITEMS = [
    Item("pit props", "pitprops", {}, (3, 6, 9), "classic", "Jeffers (1967)", n=13),
    Item("artificial", "artificial", {}, (4, 6), "classic", "Zou, Hastie, Tibshirani (2006)", n=10),
    Item("gaussian 40", "gaussian", dict(m=40, n=40, seed=0), (5, 10), "gaussian", KULESHOV),
    Item("gaussian 100", "gaussian", dict(m=100, n=100, seed=0), (5, 10, 25), "gaussian", KULESHOV),
    Item(
        "gaussian 300", "gaussian", dict(m=300, n=300, seed=0), (10, 20, 50), "gaussian", KULESHOV
    ),
    Item(
        "gaussian wide", "gaussian", dict(m=50, n=300, seed=0), (10, 30), "rank-deficient", KULESHOV
    ),
    Item(
        "random sparse",
        "random_sparse",
        dict(m=300, n=300, seed=0),
        (10, 30),
        "sparse data",
        "He et al. (2010)",
    ),
    Item("spiked 40", "spiked", dict(n=40, strength=4.0, seed=0), (4, 8), "spiked, strong", ZHANG),
    Item(
        "spiked strong",
        "spiked",
        dict(n=200, strength=6.0, seed=0),
        (10, 20, 40),
        "spiked, strong",
        ZHANG,
    ),
    Item(
        "spiked weak",
        "spiked",
        dict(n=200, strength=1.5, seed=0),
        (10, 20, 40),
        "spiked, weak",
        ZHANG,
    ),
    Item("blocks", "blocks", dict(n=120, seed=0), (10, 20, 30), "block", "ours"),
    Item(
        "decaying",
        "decaying",
        dict(n=150, power=1.0, seed=0),
        (5, 15, 40),
        "decaying spectrum",
        ASTERIS,
    ),
    Item("rank 3", "low_rank", dict(n=100, rank=3, seed=0), (5, 10, 25), "rank-deficient", ASTERIS),
    Item("leukemia", "golub", dict(genes=500), (5, 20, 50), "genes", "Golub et al. (1999)"),
    Item("colon", "alon", dict(genes=300), (5, 20, 50), "genes", "Alon et al. (1999)"),
    Item("mll", "mll", dict(genes=300), (10, 30), "genes", "Armstrong et al. (2002)"),
    Item("nips words", "bag_of_words", NIPS, (5, 10, 20), "text", "Newman (2008), " + ZHANG),
    Item("kos words", "bag_of_words", KOS, (5, 10, 20), "text", "Newman (2008)"),
    Item("faces", "cbcl", {}, (10, 30, 60), "faces", "Sung (1996), " + ASTERIS),
    Item("spectra", "lrs", {}, (5, 10, 20), "spectra", ASTERIS),
]
SIGNED = [
    Item("pit props", "pitprops", {}, (3, 6), "classic", "Jeffers (1967)", True, n=13),
    Item(
        "gaussian 100", "gaussian", dict(m=100, n=100, seed=0), (5, 10), "gaussian", KULESHOV, True
    ),
    Item("leukemia", "golub", dict(genes=500), (5, 20, 50), "genes", "Golub et al. (1999)", True),
    Item("nips words", "bag_of_words", NIPS, (5, 10, 20), "text", "Newman (2008)", True),
    Item("faces", "cbcl", {}, (10, 30, 60), "faces", "Sung (1996), " + ASTERIS, True),
    Item("spectra", "lrs", {}, (5, 10, 20), "spectra", ASTERIS, True),
]
KUMAR = "Kumar et al. (2026)"
ADVERSARIAL = [
    Item(f"against {method}", "adversarial", dict(family=family, n=60), (k,), "adversarial", origin)
    for family, method, k, origin in [
        ("diagonal", "variances", 8, KUMAR),
        ("covariance", "large covariances", 8, KUMAR),
        ("greedy", "greedy selection", 8, KUMAR),
        ("deflation", "deflation", 2, KUMAR),
        ("equal", "single starts: two equal blocks", 8, "ours"),
        ("negative", "signs: negative correlations", 8, "ours"),
        ("tied", "rounding: nearly tied optima", 8, "ours"),
    ]
]
# the covariances of the papers on certified sparse PCA
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
LARGE = [
    Item("text 100,000", "generated_text", {}, (10, 30), "text", "ours", n=100_000),
    Item(
        "sparse 200,000",
        "random_sparse",
        dict(m=20_000, n=200_000, density=1e-3, seed=0),
        (10, 30),
        "sparse data",
        "He et al. (2010)",
    ),
    Item("nips whole", "bag_of_words", dict(corpus="nips"), (10, 30), "text", ZHANG, n=12_419),
    Item("singh whole", "singh", {}, (10, 30), "genes", "Singh et al. (2002)", n=12_600),
    Item("mll whole", "mll", {}, (10, 30), "genes", "Armstrong et al. (2002)", n=12_582),
    Item(
        "spiked 10,000",
        "spiked_samples",
        dict(m=1000, n=10_000, count=20, strength=10.0, seed=0),
        (10, 20),
        "spiked, strong",
        "ours",
    ),
]
# what the five papers propose: always in colour, so that they are found in every comparison
OF_PAPERS = ("grqi", "scol", "mcol", "dspca", "bca", "spannogram")
QUICK = ("pit props", "gaussian 40", "spiked 40", "blocks", "decaying", "rank 3")
SUITES: dict[str, list[Item]] = {
    "standard": ITEMS,
    "quick": [item for item in ITEMS if item.name in QUICK],
    "text": [item for item in ITEMS if item.family == "text"],
    "genes": [item for item in ITEMS if item.family == "genes"],
    "nonnegative": SIGNED,
    "adversarial": ADVERSARIAL,
    "certified": CERTIFIED,
    "large": LARGE,
}
# support recovery: samples of the spiked model, with seeds that were not used to tune any solver
SAMPLES, VARIABLES = 100, 100
STRENGTHS, SPARSITIES, SEEDS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0), (0.5, 1.0, 2.0), (11, 12, 13, 14)
# problems for held-out variance and stability, with their cardinalities
RESAMPLED = {"spectra": 10, "leukemia": 20, "colon": 20}


# parameters that select the variables of largest variance, which a fresh sample selects anew
CHOSEN = ("genes", "words")


def items(suite: str, ks: tuple[int, ...] = (), fresh: int | None = None) -> list[Item]:
    """Return the problems of a suite, with their own cardinalities or with ``ks``.

    fresh : the seed of new problems of the same families, which replace the standard ones.

    Raises InputError for an unknown suite.
    """
    if suite not in SUITES:
        raise InputError(validate.nearest("suite", suite, SUITES))
    chosen = [replace(item, ks=ks or item.ks) for item in SUITES[suite]]
    if fresh is None:
        return chosen
    return [_fresh(item, fresh, place) for place, item in enumerate(chosen)]


def called(name: str, items: Iterable[Item]) -> list[Item]:
    """Return the items that a name can mean; spaces, punctuation and case do not matter.

    A name can be an item's own, with or without its parameters, or that of a dataset that an item
    uses with default parameters. Several items with one name are the same problem in several
    suites; an item that is a whole dataset comes first. The name of a dataset never means an item
    with other parameters than in `solve`.

    Raises InputError if a name means both such an item and a whole dataset.
    """
    items, plain = sorted(items, key=lambda item: bool(item.parameters)), _plain(name)
    own = [item for item in items if plain in (_plain(item.name), _plain(item.full_name))]
    whole = [i for i in items if plain == _plain(i.dataset) and i.is_whole]
    parts = [i for i in own if plain == _plain(i.dataset) and not i.is_whole]
    parts = [i for i in parts if name == i.dataset or name != i.name]
    if parts and whole:
        names = " or ".join(repr(item.full_name) for item in (parts[0], whole[0]))
        raise InputError(f"{name}: two problems have this name; give {names}")
    return [item for item in own if item not in parts] or whole


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def new_seed() -> int:
    """Draw a seed that nobody can predict.

    Raises InputError in a process that has run a stranger's file, because it could choose the seed.
    """
    if registry.has_strangers():
        raise InputError("--fresh: a solver's file was run in this process; use a new one")
    return secrets.randbelow(10**9)


def _fresh(item: Item, seed: int, place: int) -> Item:
    """Return a new problem of the same family: another seed, or resampled rows of the same data."""
    drawn = int(np.random.SeedSequence([seed, place]).generate_state(1)[0])
    if "seed" in item.parameters:
        parameters = {**item.parameters, "seed": drawn}
        return replace(item, name=f"fresh {item.name}", parameters=parameters)
    settings = {name: value for name, value in item.parameters.items() if name not in CHOSEN}
    variables = [value for name, value in item.parameters.items() if name in CHOSEN]
    parameters = dict(of=item.dataset, given=settings, seed=drawn)
    parameters |= dict(variables=variables[0]) if variables else {}
    return replace(
        item, name=f"fresh {item.name}", dataset="bootstrap", parameters=parameters, seed=0
    )


def recovery(fresh: int | None = None) -> list[Item]:
    """Return the spiked samples: a problem for each strength, sparsity k / sqrt(n) and seed.

    Each is solved at the true k. fresh : the seed from which the seeds of the samples are drawn.
    """
    seeds = SEEDS if fresh is None else _fresh_seeds(fresh)
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


def _fresh_seeds(seed: int) -> tuple[int, ...]:
    """Return as many seeds as the standard samples have."""
    drawn = np.random.SeedSequence([seed, len(ITEMS)]).generate_state(len(SEEDS))
    return tuple(int(word) for word in drawn)


@dataclass(frozen=True)
class Settings:
    """Named settings of the solvers: solver -> settings.

    Solvers that are not named use their defaults.
    """

    about: str
    of: dict[str, dict[str, Any]] = field(default_factory=dict)


GPOWER = dict(stop="objective", tol=1e-4)
SETTINGS = {
    "default": Settings("the defaults in each solver's file"),
    "paper": Settings(
        "the stopping rules stated in the papers, and defaults for solvers whose paper states none",
        {
            "gpower0": GPOWER,
            "gpower1": GPOWER,
            "gpower_block": GPOWER,
            "grqi": dict(stop="step", tol=1e-6),
            "nspca": dict(restarts=10),
        },
    ),
    "tuned": Settings(
        "the settings TUNED in a solver's own file, chosen by its author, and those chosen "
        "by the harness from its GRID on other problems; defaults for solvers without these"
    ),
}


# the reasons for a solver's settings, where its paper leaves a choice
RULES = {
    "branch_and_bound": "The search ends at its budget or at the time limit; the best support so "
    "far is the answer.",
    "em": "Ten random starts; the authors' package leaves their number to the user.",
    "greedy_anytime": "All single variables as seeds, which is the first step of the paper's "
    "hierarchy. At the time limit the best seed so far is the answer.",
    "local_search": "The default budget of its file.",
    "nspca": "Five random starts; ten with --settings paper.",
    "rtpm": "Starts from every variable, as in the paper.",
    "spannogram": "Rank 3, with as many samples as the paper's rule gives for its eps.",
    "spcavrp": "A = 300 groups of B = 100 projections, as the authors' package advises for some "
    "hundred variables, with d = k variables, as the paper advises. Groups are drawn one after the "
    "other. If the time limit ends the run, the answer is the paper's for the groups drawn so "
    "far. The number of iterates is the number of groups minus one.",
}


def settings_of(
    name: str, solver: str = "", own: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Return the settings of a solver: those in this file, and PAPER or TUNED of its own file.

    own : the settings in the solver's file, by name. Raises InputError for an unknown name.
    """
    if name not in SETTINGS:
        raise InputError(validate.nearest("settings", name, SETTINGS))
    return {**SETTINGS[name].of.get(solver, {}), **(own or {}).get(name, {})}
