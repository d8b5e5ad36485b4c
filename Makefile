# Two commands on a fresh machine: `make figures` and `make test`.
PYTHON ?= python3
SCALE ?= quick
BASE ?= main~1
COMMITS ?= NEW
MACHINE ?= local
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
BIN := .venv/bin
# many containers set this variable, and then Python would compile every module at each start
export PYTHONDONTWRITEBYTECODE :=
READY := .venv/.installed
# tools that build and install the remaining packages; they are also hashed in the lock file
TOOLS := uv setuptools wheel

.PHONY: figures test mutants check docs perf perf-check publish lock clean help

help:
	@echo "make figures [SCALE=quick|paper] [JOBS=n]   run and judge all figures and tables: results/SCALE/index.html"
	@echo "make test                                   run the test suite"
	@echo "make test TESTS=thorough [PART=1/6]         ... on more seeds and problems, and whole workflows"
	@echo "make test TESTS=alone [PART=1/6]            ... each file by itself, in random order, without compiled kernels"
	@echo "make test TESTS=bounds                      ... with bounds checking in compiled kernels"
	@echo "make test TESTS=slurm                       ... on a SLURM cluster of one node, if one can be started"
	@echo "make mutants [ROOM=methods] [N=20]          plant small faults by chance, and list those that no test catches"
	@echo "make check                                  run ruff and mypy"
	@echo "make docs                                   build the documentation: site/index.html"
	@echo "make perf [COMMITS=a..b] [MACHINE=name]     measure new commits, or a range, with asv: results/history/index.html"
	@echo "make perf-check [BASE=main~1] [REDUCED=1]   fail if an exact count got worse since BASE"
	@echo "make publish                                copy results/paper to results/published, update the README (needs a clean tree)"
	@echo "make lock                                   update requirements.lock from pyproject.toml"
	@echo "make clean                                  delete all runs (results/quick, results/paper)"

figures: $(READY)
	@$(BIN)/python -m spcabench figure --scale $(SCALE) --jobs $(JOBS)

publish: $(READY)
	@$(BIN)/python -m spcabench publish results/paper

TESTS ?= quick
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup
PART ?= 1/1
FILES := ls tests/*/test_*.py | awk -v part=$(PART) 'split(part, of, "/") && NR % of[2] == of[1] % of[2]'
# The tests of the rooms that have compiled kernels, and of the solvers that call them. Their cache is separate, because
# other cached kernels have no bounds checks.
KERNELS := $(addprefix tests/,ground methods problem readers solvers)
test-quick := $(PYTEST)
test-thorough := $(PYTEST) -m thorough --part $(PART)
# pytest has the exit code 5 if all tests of a file are deselected
test-alone := $(FILES) | xargs -P $(JOBS) -I@ sh -c 'export NUMBA_CACHE_DIR=$$(mktemp -d); \
	$(BIN)/python -m pytest -n 0 -p no:cacheprovider @; code=$$?; rm -r $$NUMBA_CACHE_DIR; \
	case $$code in 0|5) ;; *) echo "@ fails alone"; exit 1 ;; esac'
test-bounds := NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.numba_bounds $(PYTEST) $(KERNELS)
test-slurm := $(BIN)/python -m pytest -rs -m slurm tests/running/test_slurm.py

test: $(READY)
	@$(or $(test-$(TESTS)),$(error TESTS=$(TESTS) is not one of quick, thorough, alone, bounds, slurm))

mutants: $(READY)
	@$(BIN)/python -m tests.mutants $(ROOM) -n $(or $(N),20) --jobs $(JOBS)

check: $(READY)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

docs: $(READY)
	@$(BIN)/python -m spcabench.page.documents
	@$(BIN)/python -m mkdocs build -q --strict && echo site/index.html

# Without COMMITS, only the page is written. `asv machine --machine NAME` would not record the processor and the memory.
perf: $(READY)
	@test -z "$(COMMITS)" || $(BIN)/python -c "from asv.machine import Machine, MachineCollection as known; \
		known.save('$(MACHINE)', Machine.get_defaults() | {'machine': '$(MACHINE)'})"
	@test -z "$(COMMITS)" || $(BIN)/asv run --machine $(MACHINE) "$(COMMITS)"
	@$(BIN)/python -m benchmarks.history --machine $(MACHINE)

perf-check: $(READY)
	@$(BIN)/python -m benchmarks.gate --base $(BASE) $(if $(REDUCED),--reduced)

# compile the bytecode here, because in many containers Python must not write it and would compile at each start
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "spcabench needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@echo "creating .venv from requirements.lock (about 1.4 GB, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@for tool in $(TOOLS); do sed -n "/^$$tool==/,/[^\\]$$/p" requirements.lock; done > .venv/tools.txt
	@$(BIN)/python -m pip install -q --require-hashes --no-deps -r .venv/tools.txt
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install -q --compile-bytecode --require-hashes --no-build-isolation -r requirements.lock
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install -q --no-deps --no-build-isolation -e .
	@touch $@

lock: $(READY)
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --generate-hashes --no-header --no-annotate -q --upgrade -o requirements.lock

clean:
	rm -rf results/quick results/paper .snakemake
