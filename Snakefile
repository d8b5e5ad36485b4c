# Rows of every job, then each figure drawn and judged, then the page. `make figures` calls this.
import gc
import json
import sys
from glob import glob
from pathlib import Path
from spcabench import registry
from spcabench.running.fingerprint import drawing_fingerprint, fingerprint
from spcabench.running.grid import jobs, shared

gc.set_threshold(100_000)  # the graph of the jobs stays to the end: a search for garbage in it is in vain
PYTHON = f"{sys.executable} -m spcabench"
SCALE = config.get("scale", "quick")
FIGURES = registry.names("figure")
PACKAGE = Path(registry.__file__).parent
TEMPLATES = [*PACKAGE.glob("page/templates/*.j*"), *PACKAGE.glob("figures/*.toml"), *PACKAGE.glob("figures/*.json")]  # words, of pages and of papers
HISTORY = glob("results/history/history.json")  # where `make perf` was run


def rows(w):
    return [f"results/{w.scale}/rows/{f}/{j}.parquet" for f in (w.figure, *shared(w.figure)) for j in jobs(f, w.scale)]


def compared(w):
    jobs = json.loads(Path(f"results/compare/{w.comparison}/plan.json").read_text())["jobs"]
    return [job.replace("/jobs/", "/rows/").replace(".json", ".parquet") for job in jobs]


def compared_fingerprint(w):
    from spcabench.comparison.jobs import Job  # here: most workflows compare nothing
    return Job.read(Path(f"results/compare/jobs/{w.suite}/{w.job}.json")).fingerprint()


wildcard_constraints:
    scale="quick|paper",
    figure="[a-z0-9]+_[a-z0-9_]+",
    comparison="[^/]+",
    suite="[^/]+",
    job="[^/]+",


# the timers of this limit add up with every job that ends: after some hundred they take most of a core, beside runs
# that are timed (Snakemake, pull request 3744)
onstart:
    if hasattr(workflow, "scheduler"): workflow.scheduler.job_rate_limiter = None


rule all:
    input: f"results/{SCALE}/index.html"


rule run:
    output: "results/{scale}/rows/{figure}/{job}.parquet"
    params: of=lambda w: fingerprint(w.figure, w.scale, w.job)
    resources:
        slot=lambda w: 1000 if w.job.startswith("timed") else 1,
        slurm_extra=lambda w: "--exclusive" if w.job.startswith("timed") else "",
    shell: "{PYTHON} run {wildcards.figure} {wildcards.job} {output} --scale {wildcards.scale}"


rule draw:
    input: rows
    output: multiext("results/{scale}/figures/{figure}/", "figure.svg", "figure.pdf", "figure.png", "claims.json")
    params: of=lambda w: drawing_fingerprint(w.figure), rows=lambda w, input: " ".join(f"--rows {f}" for f in input)
    resources: slot=1
    shell: "{PYTHON} draw {wildcards.figure} {params.rows} results/{wildcards.scale}/figures/{wildcards.figure} --scale {wildcards.scale}"


rule report:
    input: expand("results/{{scale}}/figures/{f}/{file}", f=FIGURES, file=["figure.svg", "claims.json"]), TEMPLATES, HISTORY
    output: "results/{scale}/index.html", "results/{scale}/claims.json"
    resources: slot=1
    shell: "{PYTHON} report results/{wildcards.scale}"


# comparisons: rows of one solver on a suite, shared by all comparisons; then their page
rule compare_run:
    output: "results/compare/rows/{suite}/{job}.parquet"
    params: of=compared_fingerprint
    resources: slot=1
    shell: "{PYTHON} compare-run \"results/compare/jobs/{wildcards.suite}/{wildcards.job}.json\" {output:q}"


rule compare_page:
    input: compared, "results/compare/{comparison}/plan.json", [*PACKAGE.glob("comparison/*.*")], [*PACKAGE.glob("page/c*.py")], TEMPLATES
    output: "results/compare/{comparison}/index.html"
    resources: slot=1
    shell: "{PYTHON} compare-page \"results/compare/{wildcards.comparison}/plan.json\""


# several components: rows of one solver in all its ways, then their page
def several(w):
    jobs = json.loads(Path(f"results/components/{w.comparison}/plan.json").read_text())["jobs"]
    return [job.replace("/jobs/", "/rows/").replace(".json", ".parquet") for job in jobs]


def several_fingerprint(w):
    from spcabench.several.jobs import Job
    return Job.read(Path(f"results/components/jobs/{w.job}.json")).fingerprint()


rule several_run:
    output: "results/components/rows/{job}.parquet"
    params: of=several_fingerprint
    resources: slot=1
    shell: "{PYTHON} compare-run \"results/components/jobs/{wildcards.job}.json\" {output:q} --components"


rule several_page:
    input: several, "results/components/{comparison}/plan.json", [*PACKAGE.glob("several/*.py")], [*PACKAGE.glob("page/several_*.py")], TEMPLATES
    output: "results/components/{comparison}/index.html"
    resources: slot=1
    shell: "{PYTHON} compare-page \"results/components/{wildcards.comparison}/plan.json\" --components"
