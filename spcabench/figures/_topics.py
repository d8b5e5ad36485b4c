"""Topics of a corpus for the tables of Zhang and El Ghaoui (2011): its sparse components.

The covariance of the 500 words (120 at quick scale) of largest variance is computed in two streamed
passes over the file. For each component the penalty is searched from above for five words, with
elimination at each step. If the search jumps over five, six are requested, because the paper
accepts cardinalities close to five. Words that were used are removed. The coherence of a topic is
the mean normalised pointwise mutual information (NPMI) of its pairs of words over documents. It is
compared with that of 1000 random sets, whose words occur in about as many documents.

To know the truth, an exact search over the words available to a component finds the proven optimum
for as many words, or at least a bound. The component is compared with it after a refit, as the
leading eigenvector on its words.
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
BUDGET = 5e8  # entries of node matrices for each cardinality
TOPICS, TARGETS = 5, (5, 6)
WORDS = {"quick": 120, "paper": 500}  # number of words of largest variance in the covariance
COHERENCE_WORDS = 2000
SWEEPS = 50  # limit for a trial of the search
NEIGHBOURS, SETS = 20, 1000  # words of nearest document frequency on each side; random sets
READINGS = {"counts": "counts", "tfidf": "tf-idf"}

# the words of the paper's tables
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
    """The component less coherent than most random sets, and how coherent the others are."""
    named = data.parameters.map(lambda supplied: supplied["corpus"] in PAPER).astype(bool)
    rows = data[(data.label == "counts") & named]
    of_counts = [topic for row in rows.itertuples() for topic in row.extra["topics"]]
    if not of_counts:
        return ""
    # the component that makes the statement fail
    worst = min(of_counts, key=lambda topic: topic["beaten"])
    others = [topic["npmi"] for topic in of_counts if topic is not worst]
    words = shorten(" ".join(worst["words"]), 60)
    return (
        f"The words '{words}' have a mean NPMI of {number(worst['npmi'])}, and "
        f"{number(1 - worst['beaten'], 'share')} of random sets have at least as much; those of "
        f"the other components have {span(others)}."
    )


def runs(corpora, scale):
    """Run every corpus in both readings, with fewer words at quick scale."""
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
    # coherence depends on which words share documents, whatever their counts
    presence = api.load_or_stand_in(
        "bag_of_words", corpus=corpus, words=COHERENCE_WORDS, values="presence", center=False
    )
    # each word is in one topic only, as in the paper's tables
    results = deflate.deflated_components(problem, TOPICS, component, "drop_features")
    variances = problem.covariance.diagonal()
    return {"topics": [_topic(problem, presence, variances, r, seed) for r in results]}


def component(problem):
    """One component of about five words."""
    trials = []
    for k in TARGETS:
        trials.append(api.solve(problem, SOLVER, k=k, max_iterations=SWEEPS))
        # penalties jump over some cardinalities
        if trials[-1].cardinality >= 4:
            break
    return trials[-1]


def _topic(problem, presence, variances, result, seed):
    # by weight, as in the paper's table
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
    """The refitted variance of the words W, and what is known about the optimum for as many."""
    if not len(W):
        return {}
    # the relaxation shrinks its weights; on its words the eigenvector is optimal
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
            # log 0 occurs at both ends, where NPMI has limits
            -1.0 if p <= 0 else 1.0 if p >= 1 else np.log(p / (P[i, i] * P[j, j])) / -np.log(p)
        )
    return float(np.mean(information)) if information else np.nan


def npmi_rank(presence, topic, seed):
    """Mean NPMI of the words, and the share of random sets of equal frequency below it."""
    P = presence.matrix.S
    place = {word: i for i, word in enumerate(presence.features)}
    # a word may be outside those whose documents were counted
    present = [place[word] for word in topic if word in place]
    coherence = npmi(P, present)
    # frequent words co-occur by chance, so random sets must be as frequent
    order = np.argsort(P.diagonal(), kind="stable")
    rank = np.argsort(order)
    rng = np.random.default_rng(seed)
    others = [
        npmi(P, _of_equal_frequency(present, order, rank, rng))
        for _ in range(SETS if present else 0)
    ]
    return coherence, float(np.mean([other < coherence for other in others])) if others else np.nan


def _of_equal_frequency(present, order, rank, rng):
    """For each word, pick another one that is near it in the order of document frequencies."""
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
    """The words of a run, in order of weight, with further numbers of each component."""
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
    coherent = 0
    for place, row in enumerate(data.itertuples()):
        beaten = [100 * topic["beaten"] for topic in row.extra["topics"]]
        coherent += sum(share >= 95 for share in beaten)
        across = place + np.linspace(-0.2, 0.2, len(beaten))
        axis.plot(across, beaten, "o", color=PALETTE[0 if row.label == "counts" else 5])
        for x, share, topic in zip(across, beaten, row.extra["topics"], strict=True):
            # the names of the others would overlap
            if share < 95 and topic["words"]:
                style = dict(textcoords="offset points", va="center", fontsize=LETTERS)
                axis.annotate(" ".join(topic["words"][:2]), (x, share), (6, 0), **style)
    mark_level(axis, 95, "95 %")
    axis.set_xticks(range(len(names)), [name.replace(", ", "\n") for name in names])
    axis.set(xlim=(-0.6, len(names) - 0.4), ylim=(-5, 105))
    axis.set(ylabel="random sets that are less coherent, %")
    count = sum(len(row.extra["topics"]) for row in data.itertuples())
    axis.set_title(f"{coherent} of {count} components are more coherent than 95 % of random sets")


def _share(topic):
    """The refitted variance relative to the optimum, in words."""
    if "best" not in topic:
        return "no words"
    proven = _proven(topic)
    share = 100.0 * topic["refitted"] / (topic["best"] if proven else topic["bound"])
    return f"{topic['refitted']:.3g}, {share:.1f} % of {'proven optimum' if proven else 'a bound'}"


def certified(data):
    """A table's entries of certified.json: the optimum for each component."""
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
    """Notes on the words: the paper's, how many carry weight, and the share of the optimum."""
    topics, corpus = row.extra["topics"], corpus_name(row)
    yield shorten(f"{corpus}: {'; '.join(' '.join(topic['words']) for topic in topics)}", 300)
    yield PAPER.get(row.parameters["corpus"], "")
    # the inverse participation ratio: one heavy word counts as one
    carried = [1.0 / np.sum(np.array(topic["weights"]) ** 4) for topic in topics]
    yield f"{corpus}: by squared weights, a component effectively has {span(carried, 'words')}."
    reached = [topic["refitted"] / topic["bound"] for topic in topics if "bound" in topic]
    yield f"{corpus}: {span(reached, 'share')} of the optimum (or of a bound on it) after a refit."
