"""The progress of a workflow: a bar in a terminal, elsewhere a line for each finished item."""

import re
import sys
from pathlib import Path
from time import monotonic

from tqdm import tqdm

from spcabench.streams import say

STEPS = re.compile(r"(\d+) of (\d+) steps")
BEGUN = re.compile(r"rule \w+:\n(?:    .*\n)*?    jobid: (\d+)\n(?:    .*\n)*?    wildcards: (.*)")
ENDED = re.compile(r"Finished jobid: (\d+) \(Rule: (\w+)\)")
# rule -> the wildcard that names what it finishes
FINISHED = {"draw": "figure", "run": "job"}


class Progress:
    """The progress that a log of Snakemake reports, shown if a person can see it."""

    def __init__(self, log: Path) -> None:
        self.log, self.begun = log, monotonic()
        self.told: set[str] = set()
        self.bar = tqdm(desc="figures", unit="step", disable=None)

    def show(self) -> None:
        """Show what has been finished since the last call."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        steps = STEPS.findall(text)
        if steps:
            self.bar.n, self.bar.total = (int(number) for number in steps[-1])
            self.bar.refresh()
        if self.bar.disable:
            self._tell(text, " of ".join(steps[-1]) if steps else "0")

    def _tell(self, text: str, steps: str) -> None:
        """A line for each thing that is finished; in the log, its job begins before it ends."""
        wildcards = dict(BEGUN.findall(text))
        for job, rule in ENDED.findall(text):
            if rule in FINISHED and job not in self.told and job in wildcards:
                self.told.add(job)
                named = dict(pair.split("=", 1) for pair in wildcards[job].split(", "))
                if rule == "run" and named["home"] != "compare":
                    continue  # a figure is told when it is drawn
                seconds = monotonic() - self.begun
                say(
                    f"{named[FINISHED[rule]]}: finished after {seconds:.0f} s ({steps} steps)",
                    file=sys.stderr,
                    flush=True,
                )

    def close(self) -> None:
        """Take the bar away."""
        self.bar.close()
