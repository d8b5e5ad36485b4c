"""The progress of a workflow: an updated line in a terminal, or lines in a log.

A log gets a line for each finished figure or solver, and at least one line a minute.

The lines show what is being computed, the progress, and the estimated remaining time.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from time import monotonic

from tqdm import tqdm

from spcabench.streams import say

# Snakemake's lines about the number of jobs per rule, and about the start and end of each job
PLANNED = re.compile(r"^(\w+) +(\d+)$", re.MULTILINE)
BEGUN = re.compile(r"rule \w+:\n(?:    .*\n)*?    jobid: (\d+)\n(?:    .*\n)*?    wildcards: (.*)")
ENDED = re.compile(r"Finished jobid: (\d+) \(Rule: (\w+)\)")
COUNTED = {"run": "rows", "draw": "figures"}  # rules in the summary, and names of their results
SILENCE = 60.0  # seconds without a line in a log before the state is written
NAMES = ("folder", "figure", "comparison", "scale")  # wildcards that can be the name of a job


class Progress:
    """A display of the progress of a workflow, according to Snakemake's log."""

    def __init__(self, log: Path) -> None:
        self.log, self.begun = log, monotonic()
        self.last_told = self.begun
        self.told: set[str] = set()
        self.line = tqdm(bar_format="{desc}", disable=None, leave=False, dynamic_ncols=True)

    def show(self) -> None:
        """Show the progress since the last call."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        named = {
            job: dict(pair.split("=", 1) for pair in wildcards.split(", "))
            for job, wildcards in BEGUN.findall(text)
        }
        ended = dict(ENDED.findall(text))
        words = state(text, monotonic() - self.begun)
        at_work = dict.fromkeys(_name(names) for job, names in named.items() if job not in ended)
        if not self.line.disable:
            self.line.set_description_str(f"{words}: {', '.join(at_work)}" if at_work else words)
            return
        for job, names in named.items():
            # the jobs for the rows of a figure are not reported, but drawing the figure is
            of_figure = ended.get(job) == "run" and names["home"] != "compare"
            if job in ended and job not in self.told and not of_figure:
                self.told.add(job)
                seconds = monotonic() - self.begun
                self._tell(f"{_name(names)}: finished after {_duration(seconds)} ({words})")
        if monotonic() - self.last_told > SILENCE:
            self._tell(f"{words}; in progress: {', '.join(at_work) or 'no job'}")

    def _tell(self, sentence: str) -> None:
        """Write a line into a log."""
        self.last_told = monotonic()
        say(sentence, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Remove the line from the terminal."""
        self.line.close()


def state(log: str, seconds: float) -> str:
    """Summarise a log: "about 40 s left, rows 12 of 38, figures 3 of 30".

    seconds : time since the start. The mean time of finished jobs is used to estimate the remaining
        time.
    """
    planned = {rule: int(count) for rule, count in PLANNED.findall(log)}
    if not planned:
        return "looking for what is missing"
    done = Counter(rule for _, rule in ENDED.findall(log))
    counts = [
        f"{what} {done[rule]} of {planned[rule]}"
        for rule, what in COUNTED.items()
        if rule in planned
    ]
    finished, left = done.total(), planned["total"] - done.total()
    if finished and left:
        counts.insert(0, f"about {_duration(seconds / finished * left)} left")
    return ", ".join(counts) or "page"


def _duration(seconds: float) -> str:
    """Return a time for people: "40 s", "12 min" or "2 h 10 min"."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _name(wildcards: dict[str, str]) -> str:
    """Return a short name for a job."""
    if wildcards.get("home") == "compare":
        return wildcards["job"].rsplit("-", 1)[0]
    return next(wildcards[name] for name in NAMES if name in wildcards)
