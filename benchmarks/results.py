"""Read the numbers of all measured commits from asv's result files into a table."""

from itertools import product

from spcabench import opening

from .commits import ROOT, git

FOLDER = ROOT / "results" / "performance"  # asv's results_dir
COSTS = ("seconds", "memory")  # noisy; all other measures of a solver are exact
COLUMNS = ["commit", "solver", "problem", "measure", "value"]


def read(machine):
    """Return a table with one row per commit, solver, problem and measure, in git's commit order.

    The column ``value`` contains the number. If a solver was not timed at a commit, its previous
    time and memory are repeated. The column ``measured`` states whether the solver was timed at
    this commit. If a benchmark is not about a solver, the solver is "" and the measure is the name
    of the benchmark.
    """
    import pandas as pd

    table = pd.DataFrame(rows(machine), columns=COLUMNS).astype({"value": float}).dropna()
    measured = set(table.commit)
    commits = git("rev-list", "--topo-order", "--reverse", "--all").split()
    order = [sha for sha in commits if sha in measured]
    costs = table[table.measure.isin(COSTS)]
    table["measured"] = at(table).isin(at(costs)) | (table.solver == "")
    wide = costs.pivot(index=["solver", "problem", "measure"], columns="commit", values="value")
    wide = wide.reindex(columns=order).ffill(axis=1)
    earlier = wide.stack().rename("value").reset_index().assign(measured=False)
    earlier = earlier[at(earlier).isin(at(table)) & ~at(earlier).isin(at(costs))]
    both = pd.concat([table, earlier]).astype({"commit": pd.CategoricalDtype(order)})
    both = both.dropna().sort_values(
        "commit", kind="stable", ignore_index=True
    )  # drops commits that this clone lacks
    return both.astype({"commit": str})


def at(table):
    """Return the solver and the commit of each row as one string."""
    return table.solver + " " + table.commit


def rows(machine):
    """Yield (commit, solver, problem, measure, value) for each number of a machine."""
    from asv.results import iter_results_for_machine

    for file in FOLDER.glob(f"{machine}/*.json"):
        opening.read_json(file)  # asv itself shows a traceback for a damaged file
    for result in iter_results_for_machine(FOLDER, machine):
        for key in result.get_all_result_keys():
            params = result.get_result_params(key)
            solver, measure = solver_and_measure(key)
            for cell, number in zip(
                product(*params), result.get_result_value(key, params) or [], strict=False
            ):
                problem = cell[0].strip("'") if cell else ""
                yield result.commit_hash, solver, problem, measure, number


def solver_and_measure(key):
    """Return the solver and the measure of an asv benchmark."""
    module, name, method = key.split(".")
    if module != "solvers" or name == "Package":
        return "", f"{name}.{method}"
    return name, "seconds" if method == "time_solve" else method.removeprefix("track_")


def described(machine):
    """Return the published facts about a machine, such as its processor and its memory."""
    about = opening.read_json(FOLDER / machine / "machine.json")
    return {
        name: about[name] for name in ("machine", "arch", "cpu", "num_cpu", "ram") if name in about
    }
