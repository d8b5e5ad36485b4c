"""Find the topics of a corpus for the tables of Zhang and El Ghaoui (2011).

The covariance of the 500 words (120 at quick scale) of largest variance is computed in two streamed
passes over the file. A topic is a sparse component. For each component, the penalty is lowered
until the component has five words; each step first eliminates words. If the search skips five
words, six are requested, because the paper accepts cardinalities close to five. The words of a
component are then removed. The coherence of a topic is the mean normalised pointwise mutual
information (NPMI) of its pairs of words over documents. It is compared with the coherence of 1000
random sets, whose words occur in about as many documents.

An exact search over the words available to a component finds the proven optimum for the same number
of words, or at least a bound. After a refit (the leading eigenvector on its words), the component
is compared with this optimum.
"""

import json
from itertools import combinations, zip_longest
from textwrap import shorten

import numpy as np

from spcabench import api, claims
from spcabench.claims.words import number, span
from spcabench.figures._truth import PROVEN
from spcabench.figures._zhang2011 import corpus_name
from spcabench.methods import eliminate
from spcabench.run import Run
from spcabench.solving import deflate
from spcabench.style import LETTERS, PALETTE, mark_level

SOLVER, EXACT = "bca_continuation", "branch_and_bound"
BUDGET = 5e8  # search budget for each cardinality, in entries of node matrices
TOPICS, TARGETS = 5, (5, 6)
# the covariance contains this many words, those of largest variance
WORDS = {"quick": 120, "paper": 500}
COHERENCE_WORDS = 2000
SWEEPS = 50  # limit of one trial of the search
# candidates of nearest document frequency on each side; number of random sets
NEIGHBOURS, SETS = 20, 1000
READINGS = {"counts": "counts", "tfidf": "tf-idf"}

# the words in the tables of the paper
PAPER = {
    "nytimes": "Table 1: million percent business company market companies; point play team season "
    "game; official government united_states u_s attack; president campaign bush administration; "
    "school program children student",
    "pubmed": "Table 2: patient cell treatment protein disease; effect level activity "
    "concentration rat; human expression receptor binding; tumor mice cancer maligant carcinoma; "
    "year infection age children child",
}

EACH = claims.every("components", least=TOPICS)
Z3 = claims.Statement(
    "Z3",
    where="section 4, tables 1 and 2",
    quote="The sparse principal components still unambiguously identify and perfectly correspond "
    "to the topics used by The New York Times itself to classify articles on its own website",
    kind="comparison",
    measures="share of random sets of words, each in about as many documents, whose mean NPMI is "
    "at least the component's",
    unit="share",
    rule=claims.at_most(0.05),
    over=EACH,
    also=[claims.Part("words", "words of a component", "words", claims.within(4, 6), EACH)],
    primary="counts",
    why="the paper's data are counts of words, as in a bag of words",
    changed="whether words are disjoint was tested, but they are disjoint by construction",
)


@Z3.measured
def _coherent(data):
    ours = data.parameters.map(lambda supplied: supplied["corpus"] not in PAPER)
    for (values, other), rows in data.groupby(["label", ours]):
        places = []
        for row in rows.itertuples():
            for i, topic in enumerate(row.extra["topics"], 1):
                name = f"{corpus_name(row)}, component {i}"
                places.append(claims.Place(name, claims.exact(1.0 - topic["beaten"])))
                places.append(claims.Place(name, claims.exact(len(topic["words"])), part="words"))
        notes = [note for row in rows.itertuples() for note in _notes(row)]
        yield claims.Reading(f"{READINGS[values]}{', NIPS' if other else ''}", places, rows, notes)


@Z3.because
def _by_chance(data, judged):
    """Name the component less coherent than most random sets, and the coherence of the rest."""
    named = data.parameters.map(lambda supplied: supplied["corpus"] in PAPER).astype(bool)
    rows = data[(data.label == "counts") & named]
    of_counts = [topic for row in rows.itertuples() for topic in row.extra["topics"]]
    if not of_counts:
        return ""
    # this component makes the statement fail
    worst = min(of_counts, key=lambda topic: topic["beaten"])
    others = [topic["npmi"] for topic in of_counts if topic is not worst]
    words = shorten(" ".join(worst["words"]), 60)
    return (
        f"The words '{words}' have a mean NPMI of {number(worst['npmi'])}, and "
        f"{number(1 - worst['beaten'], 'share')} of random sets have at least as much; those of "
        f"the other components have {span(others)}."
    )


def runs(corpora, scale):
    """Run every corpus in both readings, with fewer words at the quick scale."""
    for corpus in corpora:
        for values in READINGS:
            yield _run(corpus, values, scale)


def _run(corpus, values, scale):
    """The run that finds the topics of a corpus, as one row."""
    settings = dict(corpus=corpus, values=values)
    parameters = dict(corpus=corpus, words=WORDS[scale], values=values)
    return Run(
        dataset="bag_of_words",
        parameters=parameters,
        function=topics,
        settings=settings,
        label=values,
        uses=(SOLVER, EXACT),
    )


def topics(problem, *, seed, corpus, values):
    """Words, weights, penalty, certified gap and coherence of each component."""
    # coherence depends on which words occur in the same documents, not on their counts
    presence = api.load_or_stand_in(
        "bag_of_words", corpus=corpus, words=COHERENCE_WORDS, values="presence", center=False
    )
    # each word belongs to at most one topic, as in the paper's tables
    results = deflate.deflated_components(problem, TOPICS, component, "drop_features")
    variances = problem.covariance.diagonal()
    return {"topics": [_topic(problem, presence, variances, r, seed) for r in results]}


def component(problem):
    """Find one component of about five words."""
    trials = []
    for k in TARGETS:
        trials.append(api.solve(problem, SOLVER, k=k, max_iterations=SWEEPS))
        # the search skips some cardinalities
        if trials[-1].cardinality >= 4:
            break
    return trials[-1]


def _topic(problem, presence, variances, result, seed):
    # sorted by weight, as in the paper's table
    W = result.support[np.argsort(-np.abs(result.x[result.support]))]
    words = [problem.features[j] for j in W]
    coherence, beaten = npmi_rank(presence, words, seed)
    lam = result.settings["lam"]
    # the sign of a component is arbitrary
    sign = 1.0 if result.x[W[0]] > 0 else -1.0
    return {
        "words": words,
        "weights": (sign * result.x[W]).tolist(),
        "lam": lam,
        "variance": problem.variance(result.x),
        "gap": result.relaxation_gap,
        "survivors": len(eliminate.survivors(variances, lam)),
        "seconds": result.search["time"],
        "npmi": coherence,
        "beaten": beaten,
        **_truth(result.problem, W),
    }


def _truth(problem, W):
    """The refitted variance of the words W, and the optimum or its bound for as many words."""
    if not len(W):
        return {}
    # the relaxation shrinks its weights; the eigenvector is optimal on these words
    refitted = float(np.linalg.eigvalsh(problem.matrix.S[np.ix_(W, W)])[-1])
    exact = api.solve(problem, EXACT, k=len(W), budget=BUDGET)
    best = max(exact.variance, refitted)
    return {
        "refitted": refitted,
        "best": best,
        "bound": max(exact.bound, best),
        "nodes": exact.extra["nodes"],
        "exact_seconds": exact.setup_time + exact.solve_time,
    }


def npmi(P, W):
    """Mean over the pairs of W of log(p_ij / p_i p_j) / -log p_ij; -1 for a pair in no document."""
    information = []
    for i, j in combinations(W, 2):
        p = P[i, j]
        information.append(
            # log 0 occurs at both extremes, where the NPMI has limits
            -1.0 if p <= 0 else 1.0 if p >= 1 else np.log(p / (P[i, i] * P[j, j])) / -np.log(p)
        )
    return float(np.mean(information)) if information else np.nan


def npmi_rank(presence, topic, seed):
    """Mean NPMI of the words, and the share of random sets of equal frequency below it."""
    P = presence.matrix.S
    place = {word: i for i, word in enumerate(presence.features)}
    # a word can be outside the set of words whose documents were counted
    present = [place[word] for word in topic if word in place]
    coherence = npmi(P, present)
    # frequent words co-occur by chance, so the random words must be equally frequent
    order = np.argsort(P.diagonal(), kind="stable")
    rank = np.argsort(order)
    rng = np.random.default_rng(seed)
    others = [
        npmi(P, _of_equal_frequency(present, order, rank, rng))
        for _ in range(SETS if present else 0)
    ]
    return coherence, float(np.mean([other < coherence for other in others])) if others else np.nan


def _of_equal_frequency(present, order, rank, rng):
    """For each word, draw another word with a similar document frequency."""
    chosen = []
    for i in present:
        low = max(rank[i] - NEIGHBOURS, 0)
        near = [
            j for j in order[low : rank[i] + NEIGHBOURS + 1] if j not in present and j not in chosen
        ]
        chosen.append(int(rng.choice(near)))
    return chosen


def tables(data):
    """List the words of each corpus and reading with their weights, and the paper's words."""
    paper = [corpus for corpus in PAPER if corpus in {p["corpus"] for p in data.parameters}]
    return [_of_paper(corpus) for corpus in paper] + [_of_row(row) for row in data.itertuples()]


HEAD = ["", *(f"component {i}" for i in range(1, TOPICS + 1))]


def _of_paper(corpus):
    """The words printed in the paper."""
    title, _, words = PAPER[corpus].partition(": ")
    columns = [part.split() for part in words.split("; ")]
    lines = [[f"word {i}", *line] for i, line in enumerate(zip_longest(*columns, fillvalue=""), 1)]
    return {"title": f"the paper, {title}", "head": HEAD, "lines": lines}


def _of_row(row):
    """The words of a run, sorted by weight, with further numbers for each component."""
    topics = row.extra["topics"]
    words = [
        [f"{word} {weight:+.2f}" for word, weight in zip(t["words"], t["weights"], strict=True)]
        for t in topics
    ]
    lines = [[f"word {i}", *line] for i, line in enumerate(zip_longest(*words, fillvalue=""), 1)]
    for name, tell in (
        ("penalty", lambda t: f"{t['lam']:.3g}"),
        ("variance", lambda t: f"{t['variance']:.3g}"),
        ("certified gap", lambda t: f"{t['gap']:.0e}"),
        ("coherence (NPMI)", lambda t: "unknown" if np.isnan(t["npmi"]) else f"{t['npmi']:.2f}"),
        ("variance, refitted", _share),
    ):
        lines.append([name, *map(tell, topics)])
    return {"title": f"{row.problem}: {READINGS[row.label]}", "head": HEAD, "lines": lines}


def draw(data, axes):
    """Draw the coherence of each component against random sets of words."""
    axis = axes.flat[0]
    names = [f"{corpus_name(row)}, {READINGS[row.label]}" for row in data.itertuples()]
    coherent, least = 0, 100.0
    for place, row in enumerate(data.itertuples()):
        beaten = [100 * topic["beaten"] for topic in row.extra["topics"]]
        coherent += sum(share >= 95 for share in beaten)
        least = min(least, *beaten)
        across = place + np.linspace(-0.2, 0.2, len(beaten))
        axis.plot(across, beaten, "o", color=PALETTE[0 if row.label == "counts" else 5])
        for x, share, topic in zip(across, beaten, row.extra["topics"], strict=True):
            # the names of all points would overlap
            if share < 95 and topic["words"]:
                style = dict(textcoords="offset points", va="center", fontsize=LETTERS)
                axis.annotate(" ".join(topic["words"][:2]), (x, share), (6, 0), **style)
    mark_level(axis, 95, "95 %")
    axis.set_xticks(range(len(names)), [name.replace(", ", "\n") for name in names])
    # most components are near the top, so the axis starts below the least coherent one
    low = 10 * ((least - 5) // 10)
    axis.set(xlim=(-0.6, len(names) - 0.4), ylim=(max(low, -5), 100 + 0.05 * (100 - low)))
    axis.set(ylabel="random sets that are less coherent, %")
    count = sum(len(row.extra["topics"]) for row in data.itertuples())
    axis.set_title(f"{coherent} of {count} components are more coherent than 95 % of random sets")


def _share(topic):
    """The refitted variance as a percentage of the optimum, in words."""
    if "best" not in topic:
        return "no words"
    proven = _proven(topic)
    share = 100.0 * topic["refitted"] / (topic["best"] if proven else topic["bound"])
    return f"{topic['refitted']:.3g}, {share:.1f} % of {'proven optimum' if proven else 'a bound'}"


def certified(data):
    """The entries of a table in certified.json: the optimum for each component."""
    entries = []
    for row in data.itertuples():
        for i, topic in enumerate(row.extra["topics"], 1):
            if "best" in topic:
                about = f"{row.dataset} {json.dumps(row.parameters, sort_keys=True)}, component {i}"
                known = {name: topic[name] for name in ("best", "bound", "nodes")} | {
                    "seconds": topic["exact_seconds"]
                }
                known |= {"k": len(topic["words"]), "proven": _proven(topic)}
                entries.append(
                    {
                        "problem": f"{row.problem}, {row.label}, component {i}",
                        "parameters": about,
                        **known,
                    }
                )
    return entries


def _proven(topic):
    return topic["bound"] <= topic["best"] * (1.0 + PROVEN)


def _notes(row):
    """Notes on the words: the paper's words, how many carry weight, and how near the optimum."""
    topics, corpus = row.extra["topics"], corpus_name(row)
    yield shorten(f"{corpus}: {'; '.join(' '.join(topic['words']) for topic in topics)}", 300)
    yield PAPER.get(row.parameters["corpus"], "")
    # the inverse participation ratio: if one word has all the weight, it is 1
    carried = [1.0 / np.sum(np.array(topic["weights"]) ** 4) for topic in topics]
    yield f"{corpus}: by squared weights, a component effectively has {span(carried, 'words')}."
    reached = [topic["refitted"] / topic["bound"] for topic in topics if "bound" in topic]
    yield f"{corpus}: {span(reached, 'share')} of the optimum (or of a bound on it) after a refit."
