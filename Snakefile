# The workflow of `make figures`: compute the rows of every job, plot and judge each figure, and write the pages.
import gc
import json
import shlex
import sys
from glob import glob
from pathlib import Path
from spcabench import registry
from spcabench.running.row_hash import drawing_fingerprint, fingerprint
from spcabench.running.figure_jobs import jobs, shared
from spcabench.running import step

gc.set_threshold(100_000)  # the job graph exists until the end, so collecting garbage in it is useless
STEP = shlex.join([sys.executable, "-S", step.__file__])  # paths can contain spaces
SCALE = config.get("scale", "quick")
FIGURES = registry.names("figure")
PACKAGE = Path(registry.__file__).parent
TEMPLATES = [*PACKAGE.glob("page/templates/*.j*"), *PACKAGE.glob("figures/*.toml"), *PACKAGE.glob("figures/*.json")]  # texts of the pages and the papers
HISTORY = glob("results/history/index.html")  # exists if `make perf` was run


def rows(w):
    return [f"results/{w.scale}/rows/{f}/{j}.parquet" for f in (w.figure, *shared(w.figure)) for j in jobs(f, w.scale)]


def compared(w):
    jobs = json.loads(Path(f"results/compare/{w.comparison}/plan.json").read_text())["jobs"]
    return [job.replace("/jobs/", "/rows/").replace(".json", ".parquet") for job in jobs]


def key(w):
    """Return the hash of everything that affects the rows of a job."""
    if w.home != "compare":
        return fingerprint(w.folder, w.home, w.job)
    from spcabench.comparison import jobs, plans  # imported here, because most workflows run no comparison
    return plans.plan(jobs.Job.read(Path(f"results/compare/jobs/{w.folder}/{w.job}.json"))).key


def is_third_party(w):
    """Whether a job of a comparison runs a file from outside the repository, whose name has a hash."""
    return w.home == "compare" and "-" in w.job


def is_timed(w):
    return w.home == "compare" or w.job.startswith("timed")


wildcard_constraints:
    scale="(quick|paper)(-seeds-[0-9,-]+)?",
    figure="[a-z0-9]+_[a-z0-9_]+",
    comparison="[^/]+",
    home="(quick|paper)(-seeds-[0-9,-]+)?|compare",
    folder="[^/]+",
    job="[^/]+",


# The timers of this limit accumulate with every finished job. After several hundred jobs, they would use most of a core
# while runs are timed (Snakemake, pull request 3744).
onstart:
    if hasattr(workflow, "scheduler"): workflow.scheduler.job_rate_limiter = None


rule all:
    input: f"results/{SCALE}/index.html"


# Compute the rows of a job of a figure or a comparison. Timed jobs get the machine to themselves through a lock
# (running/exclusive_timing.py) and start last, when no long job is running. On a cluster, they request a node exclusively.
rule run:
    output: "results/{home}/rows/{folder}/{job}.parquet"
    params: of=key
    priority: lambda w: 3 if is_third_party(w) else 0 if is_timed(w) else 2  # errors in a user's file appear early
    resources: slurm_extra=lambda w: "--exclusive" if is_timed(w) else ""
    shell: "{STEP} run {output:q}"


rule draw:
    input: rows
    output: multiext("results/{scale}/figures/{figure}/", "figure.svg", "figure.pdf", "figure.png", "claims.json")
    params: of=lambda w: drawing_fingerprint(w.figure), rows=lambda w, input: " ".join(f"--rows {f}" for f in input)
    priority: 1
    shell: "{STEP} draw {wildcards.figure} {params.rows} results/{wildcards.scale}/figures/{wildcards.figure} --scale {wildcards.scale}"


rule report:
    input: expand("results/{{scale}}/figures/{f}/{file}", f=FIGURES, file=["figure.svg", "claims.json"]), TEMPLATES, HISTORY
    output: "results/{scale}/index.html", "results/{scale}/claims.json"
    shell: "{STEP} results-page results/{wildcards.scale}"


# write the page of a comparison, for one component or several
rule compare_page:
    input: compared, "results/compare/{comparison}/plan.json", [*PACKAGE.glob("comparison/**/*.*")], [*PACKAGE.glob("page/c*.py")], [*PACKAGE.glob("page/several_*.py")], TEMPLATES
    output: "results/compare/{comparison}/index.html"
    shell: "{STEP} compare-page \"results/compare/{wildcards.comparison}/plan.json\""
