"""Interleaved times of two commits: two processes take turns, and each round gives one ratio.

Times are processor times, so they exclude other programs on the machine.
"""

import json
import subprocess
import sys
from contextlib import ExitStack
from time import process_time

from .commits import ROOT
from .solver_processes import command, environment

ROUNDS = 15
SAMPLE = 0.01  # minimum duration of a sample in seconds
SLOWEST = 0.25  # maximum duration in seconds of a run that is timed


def ratios(pairs, old, new):
    """Return (solver, problem) -> seconds (rounds, 2) of the old and the new commit.

    pairs : (solver, problem) -> (settings, seconds of a run).
    old, new : folders with the packages of the commits.
    """
    times = {}
    with ExitStack() as stack:
        clocks = [stack.enter_context(serving(tree)) for tree in (old, new)]
        for (solver, problem), (settings, seconds) in pairs.items():
            number = max(1, min(500, round(SAMPLE / max(seconds, 1e-5))))
            for clock in clocks:
                sample(clock, solver, problem, settings, 1)  # compiles and warms up
            times[solver, problem] = [
                in_turn(clocks, turn % 2, (solver, problem, settings, number))
                for turn in range(ROUNDS)
            ]
    return times


def in_turn(clocks, first, task):
    """Return one sample of each process; ``first`` is the index of the process that starts."""
    seconds = [0.0, 0.0]
    for i in (first, 1 - first):
        seconds[i] = sample(clocks[i], *task)
    return seconds


def serving(tree):
    """Start a process that times runs with the package in the folder ``tree``."""
    return subprocess.Popen(
        command("interleaved_times"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(tree),
        cwd=ROOT.anchor,
    )


def sample(clock, *task):
    """Return the seconds of one run, measured by the process ``clock``."""
    clock.stdin.write(json.dumps(task) + "\n")
    clock.stdin.flush()
    return float(clock.stdout.readline() or "nan")


def main():
    """Answer each task (solver, problem, settings, number of runs) with the seconds of a run."""
    import spcabench

    from .problems import PROBLEMS

    problems = {}
    for line in sys.stdin:
        solver, name, settings, number = json.loads(line)
        if name not in problems:
            problems[name] = PROBLEMS[name].make()
        start = process_time()
        for _ in range(number):
            spcabench.solve(problems[name], solver, **settings)
        print((process_time() - start) / number, flush=True)
