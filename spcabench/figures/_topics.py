"""Find the topics of a corpus for the tables of Zhang and El Ghaoui (2011).

The covariance of the 500 words (120 at quick scale) with the largest variances is computed in two
streaming passes over the file. A topic is a sparse component. For each component, the penalty is
lowered until the component contains five words; each step begins by eliminating words. If the
result has fewer than four words, the search is repeated for six words, because the paper accepts
cardinalities close to five. The words of a component are removed before the next component is
computed. The coherence of a topic is the normalised pointwise mutual information (NPMI) of two of
its words over documents, averaged over pairs of words. It is compared with the coherence of 1000
random sets of words that occur in about as many documents.

An exact search over the words available to a component finds the proven optimum for the same number
of words, or at least an upper bound. The component is refitted (replaced by the leading eigenvector
restricted to its words) and compared with this optimum or bound.
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
# number of words in the covariance: the words with the largest variances
WORDS = {"quick": 120, "paper": 500}
COHERENCE_WORDS = 2000
SWEEPS = 50  # limit for one trial of the search
# number of candidate words with the next lower and the next higher document frequencies; number of
# random sets
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
    """Compare the component that beats the fewest random sets with the other components."""
    named = data.parameters.map(lambda supplied: supplied["corpus"] in PAPER).astype(bool)
    rows = data[(data.label == "counts") & named]
    of_counts = [topic for row in rows.itertuples() for topic in row.extra["topics"]]
    if not of_counts:
        return ""
    # this component determines the verdict
    worst = min(of_counts, key=lambda topic: topic["beaten"])
    others = [topic["npmi"] for topic in of_counts if topic is not worst]
    words = shorten(" ".join(worst["words"]), 60)
    return (
        f"The words '{words}' have a mean NPMI of {number(worst['npmi'])}, and "
        f"{number(1 - worst['beaten'], 'share')} of random sets have at least as much; those of "
        f"the other components have {span(others)}."
    )


def runs(corpora, scale):
    """Run each corpus with counts and with tf-idf weights, with fewer words at the quick scale."""
    for corpus in corpora:
        for values in READINGS:
            yield _run(corpus, values, scale)


def _run(corpus, values, scale):
    """Return the run that finds all topics of a corpus and stores them in one row."""
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
    """Return the words, weights, penalty, certified gap and coherence of each component."""
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
        # no penalty tried by the search may give exactly k words
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
    """Return the refitted variance on the words W, and the optimum or a bound for as many words."""
    if not len(W):
        return {}
    # the relaxation shrinks the weights, but the leading eigenvector is optimal on these words
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
    """Return the mean of log(p_ij / p_i p_j) / -log p_ij over the pairs of words in W.

    A pair that occurs in no document contributes -1.
    """
    information = []
    for i, j in combinations(W, 2):
        p = P[i, j]
        information.append(
            # the formula is undefined at both extremes, so the limits of the NPMI are used
            -1.0 if p <= 0 else 1.0 if p >= 1 else np.log(p / (P[i, i] * P[j, j])) / -np.log(p)
        )
    return float(np.mean(information)) if information else np.nan


def npmi_rank(presence, topic, seed):
    """Return the mean NPMI of the words, and the fraction of random sets with a lower mean NPMI."""
    P = presence.matrix.S
    place = {word: i for i, word in enumerate(presence.features)}
    # a word may not be among the words whose documents were counted
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
    """For each word, choose a random word with a similar document frequency."""
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
    """Return a table of the words printed in the paper."""
    title, _, words = PAPER[corpus].partition(": ")
    columns = [part.split() for part in words.split("; ")]
    lines = [[f"word {i}", *line] for i, line in enumerate(zip_longest(*columns, fillvalue=""), 1)]
    return {"title": f"the paper, {title}", "head": HEAD, "lines": lines}


def _of_row(row):
    """Return a table of a run: the words of each component, sorted by weight, and other results."""
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
    """Plot the percentage of random sets of words that are less coherent than each component."""
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
            # labels at all points would overlap
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
    """Format the refitted variance and its percentage of the optimum or the bound."""
    if "best" not in topic:
        return "no words"
    proven = _proven(topic)
    share = 100.0 * topic["refitted"] / (topic["best"] if proven else topic["bound"])
    return f"{topic['refitted']:.3g}, {share:.1f} % of {'proven optimum' if proven else 'a bound'}"


def certified(data):
    """Return a table's entries of certified.json: the optimum or a bound for each component."""
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
    """Yield notes on the words found, the paper's words, the weights, and the optimum."""
    topics, corpus = row.extra["topics"], corpus_name(row)
    yield shorten(f"{corpus}: {'; '.join(' '.join(topic['words']) for topic in topics)}", 300)
    yield PAPER.get(row.parameters["corpus"], "")
    # the participation ratio, which is 1 if one word has all the weight
    carried = [1.0 / np.sum(np.array(topic["weights"]) ** 4) for topic in topics]
    yield f"{corpus}: by squared weights, a component effectively has {span(carried, 'words')}."
    reached = [topic["refitted"] / topic["bound"] for topic in topics if "bound" in topic]
    yield f"{corpus}: {span(reached, 'share')} of the optimum (or of a bound on it) after a refit."
