"""Times of two commits, interleaved: two processes take turns, and each round gives one ratio.

The times are those of the processor: other work on the machine, which may have it meanwhile, is not
in them.
"""

import json
import subprocess
import sys
from contextlib import ExitStack
from time import process_time

from .counts import ROOT
from .passes import command, environment

ROUNDS = 15
SAMPLE = 0.01  # seconds that one sample lasts at least
SLOWEST = 0.25  # seconds of a run that is still timed


def ratios(pairs, old, new):
    """(solver, problem) -> seconds (rounds, 2) of old and new, run in turns.

    pairs : (solver, problem) -> (settings, seconds of a run); old, new : the trees of the commits.
    """
    found = {}
    with ExitStack() as stack:
        clocks = [stack.enter_context(serving(tree)) for tree in (old, new)]
        for (solver, problem), (settings, seconds) in pairs.items():
            number = max(1, min(500, round(SAMPLE / max(seconds, 1e-5))))
            for clock in clocks:
                sample(clock, solver, problem, settings, 1)  # compiled and warm
            found[solver, problem] = [
                in_turn(clocks, turn % 2, (solver, problem, settings, number))
                for turn in range(ROUNDS)
            ]
    return found


def in_turn(clocks, first, task):
    """One sample of each, in alternating order."""
    seconds = [0.0, 0.0]
    for i in (first, 1 - first):
        seconds[i] = sample(clocks[i], *task)
    return seconds


def serving(tree):
    """A process that times what it is sent, on the commit in ``tree``."""
    return subprocess.Popen(
        command("clock"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(tree),
        cwd=ROOT.anchor,
    )


def sample(clock, *task):
    """Seconds of one run, by that process."""
    clock.stdin.write(json.dumps(task) + "\n")
    clock.stdin.flush()
    return float(clock.stdout.readline() or "nan")


def main():
    """Answer tasks (solver, problem, settings, number of runs) with seconds of a run."""
    import spcabench

    from .problems import PROBLEMS

    made = {}
    for line in sys.stdin:
        solver, name, settings, number = json.loads(line)
        problem = made.setdefault(name, None) or PROBLEMS[name].make()
        made[name] = problem
        start = process_time()
        for _ in range(number):
            spcabench.solve(problem, solver, **settings)
        print((process_time() - start) / number, flush=True)
