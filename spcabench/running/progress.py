"""The progress of a workflow: a line in a terminal, elsewhere one for each thing that is finished.

Both say what is made, how much of it is done, and how many seconds are left.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from time import monotonic

from tqdm import tqdm

from spcabench.streams import say

# what Snakemake writes: how many jobs each rule has, and when one begins and ends
PLANNED = re.compile(r"^(\w+) +(\d+)$", re.MULTILINE)
BEGUN = re.compile(r"rule \w+:\n(?:    .*\n)*?    jobid: (\d+)\n(?:    .*\n)*?    wildcards: (.*)")
ENDED = re.compile(r"Finished jobid: (\d+) \(Rule: (\w+)\)")
COUNTED = {"run": "rows", "draw": "figures"}  # rules whose jobs are counted, and what they make
NAMES = ("folder", "figure", "comparison", "scale")  # wildcards that name what a job is about


class Progress:
    """The progress that a log of Snakemake reports."""

    def __init__(self, log: Path) -> None:
        self.log, self.begun = log, monotonic()
        self.told: set[str] = set()
        self.line = tqdm(bar_format="{desc}", disable=None, leave=False, dynamic_ncols=True)

    def show(self) -> None:
        """Show what has been finished since the last call."""
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
            # the rows of a figure are told when it is drawn
            of_figure = ended.get(job) == "run" and names["home"] != "compare"
            if job in ended and job not in self.told and not of_figure:
                self.told.add(job)
                seconds = monotonic() - self.begun
                sentence = f"{_name(names)}: finished after {seconds:.0f} s ({words})"
                say(sentence, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Take the line away."""
        self.line.close()


def state(log: str, seconds: float) -> str:
    """What a log says of its jobs: "about 40 s left, rows 12 of 38, figures 3 of 30".

    seconds : that have passed. The jobs that are left are taken to be as long as those before.
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
        counts.insert(0, f"about {seconds / finished * left:.0f} s left")
    return ", ".join(counts) or "page"


def _name(wildcards: dict[str, str]) -> str:
    """What a job is about, in a word."""
    if wildcards.get("home") == "compare":
        return wildcards["job"].rsplit("-", 1)[0]
    return next(wildcards[name] for name in NAMES if name in wildcards)
