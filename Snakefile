# The workflow of `make figures`: compute the rows of every figure, plot and judge it, and write the pages.
import gc
import shlex
import sys
from glob import glob
from pathlib import Path
from spcabench import registry
from spcabench.running import fingerprint, jobs

gc.set_threshold(100_000)  # the job graph exists until the end, so collecting garbage in it is useless
STEP = shlex.join([sys.executable, "-m", "spcabench"])  # paths can contain spaces
SCALE = config.get("scale", "quick")
FIGURES = registry.names("figure")
PACKAGE = Path(registry.__file__).parent
TEMPLATES = [*PACKAGE.glob("page/templates/*"), *PACKAGE.glob("figures/*.toml"), *PACKAGE.glob("figures/*.csv")]  # texts of the pages and the papers
HISTORY = glob("results/history/index.html")  # exists if `make perf` was run


def has_own_rows(w):
    """Whether the step of a figure computes its own rows: at the quick scale, except on a cluster."""
    return jobs.size(w.scale) == "quick" and not config.get("separate_rows")


def needed(w):
    """Return the files that a figure needs: those of other figures, or the rows of all its jobs."""
    if has_own_rows(w):
        return [f"results/{w.scale}/figures/{f}/claims.json" for f in jobs.shared(w.figure)]
    return [jobs.rows_file(f, w.scale, j) for f in (w.figure, *jobs.shared(w.figure)) for j in jobs.jobs(f, w.scale)]


def drawing_key(w):
    """Return the hash of everything that affects a figure and that its files do not tell."""
    own = jobs.jobs(w.figure, w.scale) if has_own_rows(w) else ()
    return " ".join([fingerprint.drawing_fingerprint(w.figure), *(jobs.key(w.figure, w.scale, j) for j in own)])


def key(w):
    """Return the hash of everything that affects the rows of a job."""
    if w.home != "compare":
        return jobs.key(w.folder, w.home, w.job)
    from spcabench.comparison import plans  # imported here, because most workflows run no comparison
    return plans.job_of(Path(f"results/compare/rows/{w.folder}/{w.job}.parquet")).key


def is_timed(w):
    return w.home == "compare" or w.job.startswith("timed")


wildcard_constraints:
    scale="(quick|paper)(-seeds-[0-9,-]+)?",
    figure="[a-z0-9]+_[a-z0-9_]+",
    home="(quick|paper)(-seeds-[0-9,-]+)?|compare",
    folder="[^/]+",
    job="[^/]+",


# The timers of this limit accumulate with every finished job. After several hundred jobs, they would use most of a core
# while runs are timed (Snakemake, pull request 3744).
onstart:
    if hasattr(workflow, "scheduler"): workflow.scheduler.job_rate_limiter = None


rule all:
    input: f"results/{SCALE}/index.html"


# Compute the rows of a job of a figure, or of a solver in a comparison on a cluster. Timed jobs get the machine to
# themselves through a lock (running/exclusive_timing.py) and start last. On a cluster, they request a node exclusively.
rule run:
    output: "results/{home}/rows/{folder}/{job}.parquet"
    params: of=key
    priority: lambda w: 0 if is_timed(w) else 2
    resources: slurm_extra=lambda w: "--exclusive" if is_timed(w) else ""
    shell: "{STEP} run {output:q}"


rule draw:
    input: needed
    output: multiext("results/{scale}/figures/{figure}/", "figure.svg", "figure.pdf", "figure.png", "claims.json")
    params: of=drawing_key
    priority: 1
    shell: "{STEP} draw {wildcards.figure} {wildcards.scale}"


rule report:
    input: expand("results/{{scale}}/figures/{f}/{file}", f=FIGURES, file=["figure.svg", "claims.json"]), TEMPLATES, HISTORY
    output: "results/{scale}/index.html", "results/{scale}/claims.json"
    shell: "{STEP} results-page results/{wildcards.scale}"
