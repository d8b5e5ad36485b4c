"""Performance gate: fail if an exact count of a changed solver is worse at HEAD than at BASE.

asv measures both commits, with the same libraries. Times and memory are not measured.
"""

import argparse
import ast
import math
import os
import sys
import tempfile
from modulefinder import ModuleFinder, packagePathMap
from pathlib import Path

from .commits import KEY, MEASURES, ROOT, WORSE, accepted, conventions, git
from .history import numbers_of

FLOOR = {"gap": 1e-6, "shortfall": 1e-6}  # smaller changes of these are attributed to rounding
FOLDERS = ("spcabench", "solvers", "datasets")
DATASETS = ("spcabench.datasets.gaussian", "spcabench.datasets.spiked")  # of the problems
BAD = ("worse", "lost", "failed")


def changed_solvers(base):
    """Return solver -> whether its code at HEAD differs from that of a commit.

    The code of a solver is its file, the code that runs it, the datasets, and everything that these
    import. Comments and docstrings do not count.
    """
    names = git("diff", "--name-only", base, "HEAD", "--", *FOLDERS).splitlines()
    changed = {Path.cwd() / name for name in names if differs(name, base)}
    common = modules_of(("spcabench.api", *DATASETS))
    used = {
        file.stem: files_of(modules_of([f"spcabench.solvers.{file.stem}"], common))
        for file in sorted(Path("solvers").glob("[!_]*.py"))
    }
    return {solver: affects(changed, files) for solver, files in used.items()}


def differs(name, base):
    """Whether a file differs in more than comments and docstrings."""
    if not name.endswith(".py"):
        return True
    old, new = (code(git("show", f"{commit}:{name}")) for commit in (base, "HEAD"))
    return old != new


def code(text):
    """Return the syntax tree of a module without docstrings, or its text if it cannot be parsed."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    for node in ast.walk(tree):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if documented and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)


def modules_of(names, known=()):
    """Return name -> module of some modules, of ``known``, and of all that they import.

    Raises ValueError if a module has a syntax error or is missing.
    """
    here = str(Path.cwd())
    packagePathMap["spcabench"] = [here]  # a checkout has its solvers and datasets at its root
    finder = ModuleFinder(path=[here])
    finder.modules.update(known)
    for name in names:
        try:
            finder.import_hook(name)
        except (SyntaxError, ImportError) as error:
            raise ValueError(f"{name} cannot be imported: {error}") from error
    return finder.modules


def files_of(modules):
    """Return the files of some modules."""
    return {Path(module.__file__) for module in modules.values() if module.__file__}


def affects(changed, used):
    """Whether a changed file is used, or is no module but in a folder of used modules."""
    folders = {file.parent for file in used}
    return any(f in used or (f.suffix != ".py" and f.parent in folders) for f in changed)


def measure(commits, solvers, problems):
    """Return commit -> (solver, problem, measure) -> number of the exact counts, measured by asv.

    A number is None if the run failed, and NaN if the solver does not take the problem.
    """
    from asv.commands.run import Run
    from asv.config import Config
    from asv.console import log
    from asv.machine import Machine, MachineCollection
    from asv.util import UserError

    log.enable()
    conf = Config.load("asv.conf.json")
    bench = rf"^({'|'.join(solvers)})\.track_({'|'.join(MEASURES)})\('({'|'.join(problems)})'\)"
    found = {commit: {} for commit in commits}
    with tempfile.TemporaryDirectory() as folder:
        conf.results_dir, file = folder, f"{folder}/machines.json"
        MachineCollection.save("gate", Machine.get_defaults() | {"machine": "gate"}, _path=file)
        how = {"bench": bench, "show_stderr": True, "machine": "gate", "_machine_file": file}
        try:
            Run.run(conf, commits, **how)
        except UserError as error:
            raise ValueError(f"asv: {error}") from error
        for commit, *key, number in numbers_of(folder, "gate"):
            if key[1] in problems:
                found[commit][tuple(key)] = number
    return found


def compare(old, new, recounted=False):
    """Return rows (solver, problem, measure, old, new, word), sorted by solver.

    The word is "same", "better" or "worse"; "lost" if the new commit has no number; or "failed" if
    its run failed, which may be the first run of a new solver.

    recounted : whether the flop convention differs, in which case flops are not compared.
    """
    rows = []
    for key, after in sorted(new.items()):
        before = old.get(key, math.nan)
        if before is None or (recounted and key[2] == "flops"):
            continue
        if word := word_for(key[2], before, after):
            rows.append((*key, before, after, word))
    return rows


def word_for(measure, old, new):
    """Return a word for the change of a number; lower is better. "" if there is no old number."""
    if new is None:
        return "failed"
    if math.isnan(old):
        return ""
    if math.isnan(new):
        return "lost"
    floor = FLOOR.get(measure, 0.0)
    if new > WORSE * old + floor:
        return "worse"
    return "better" if old > WORSE * new + floor else "same"


def judge(rows, reasons):
    """Print the changed numbers and the verdict, and return the exit code."""
    failing = []
    for solver, problem, measure, old, new, word in rows:
        if word == "same":
            continue
        reason = next((r for r in reasons if word in BAD and r.covers(solver, measure)), None)
        if word in BAD and reason is None:
            failing.append(solver)
        note = f"accepted, {reason.commit}: {reason.reason}" if reason else word
        numbers = f"{old:>14.8g} {math.nan if new is None else new:>14.8g}"
        print(f"{solver:24} {problem:14} {measure:10} {numbers}  {note}")
    words = [row[-1] for row in rows]
    print(", ".join(f"{words.count(word)} {word}" for word in ("same", "better", *BAD)))
    if not failing:
        print("perf-check: passed")
        return 0
    print(
        f"perf-check: FAILED: {', '.join(sorted(set(failing)))}. To accept a change, add "
        f"'{KEY}: SOLVER [MEASURE]: reason' to a commit message"
    )
    return 1


def check(base, problems):
    """Measure the changed solvers at a commit and at HEAD, and return the exit code."""
    old, new = (git("rev-parse", "--verify", "-q", f"{name}^{{commit}}") for name in (base, "HEAD"))
    if not old:
        raise ValueError(f"no commit {base!r} here; a shallow clone has the last commits only")
    if git("status", "--porcelain", "--untracked-files=no"):
        print("note: uncommitted changes are not measured")
    reasons, changed = accepted(old, new), changed_solvers(old)
    solvers = [solver for solver, different in changed.items() if different]
    print(f"{len(changed) - len(solvers)} of {len(changed)} solvers have the same code", flush=True)
    if not solvers:
        return judge([], reasons)
    found = measure([new, old], solvers, problems)
    if found[old] and all(number is None for number in found[old].values()):
        raise ValueError(f"no solver runs at {base}")
    rules = conventions([old, new])
    return judge(compare(found[old], found[new], rules[old] != rules[new]), reasons)


def main():
    """Compare HEAD with another commit.

    The exit code is 1 if no commit message accepts a regression, and 2 if nothing could be
    compared.
    """
    from .problems import PROBLEMS, REDUCED

    parser = argparse.ArgumentParser(prog="make perf-check", description=__doc__)
    parser.add_argument("--base", default="main~1", help="the commit to compare with")
    parser.add_argument("--reduced", action="store_true", help="for CI: fewer problems")
    options = parser.parse_args()
    os.chdir(ROOT)
    try:
        sys.exit(check(options.base, REDUCED if options.reduced else [*PROBLEMS]))
    except ValueError as error:
        print(f"perf-check: nothing compared: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
