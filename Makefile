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

.PHONY: figures publish test test-thorough test-alone test-bounds test-slurm check docs perf perf-check lock clean help

help:
	@echo "make figures [SCALE=quick|paper] [JOBS=n]   run and judge all figures and tables: results/SCALE/index.html"
	@echo "make publish                                copy results/paper to results/published, update the README (needs a clean tree)"
	@echo "make test                                   run the test suite"
	@echo "make test-thorough [PART=1/3]               run the tests on more seeds and problems, and whole workflows"
	@echo "make test-alone [PART=1/3]                  run each test file separately, in random order, with an empty kernel cache"
	@echo "make test-bounds                            run the tests of methods with bounds checking in compiled kernels"
	@echo "make test-slurm                             run the workflow on a SLURM cluster of one node, if one can be started"
	@echo "make check                                  run ruff and mypy"
	@echo "make docs                                   build the documentation: site/index.html"
	@echo "make perf [COMMITS=a..b] [MACHINE=name]     measure new commits, or a range, with asv: results/history/index.html"
	@echo "make perf-check [BASE=main~1] [REDUCED=1]   fail if an exact count got worse since BASE"
	@echo "make lock                                   update requirements.lock from pyproject.toml"
	@echo "make clean                                  delete all runs (results/quick, results/paper)"

figures: $(READY)
	@$(BIN)/python -m spcabench figure --scale $(SCALE) --jobs $(JOBS)

publish: $(READY)
	@$(BIN)/python -m spcabench publish results/paper

test: $(READY)
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

test-thorough: $(READY)
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m thorough $(if $(PART),--part $(PART))

test-alone: $(READY)
	@$(BIN)/python -m tests.alone --jobs $(JOBS) $(if $(PART),--part $(PART))

# Tests that run compiled kernels. They use a separate cache, because other cached kernels are compiled without the checks.
KERNEL_TESTS := $(addprefix tests/,ground methods problem readers solving solvers figures checking/test_audit.py \
	running/test_jobs_and_rows.py)
test-bounds: $(READY)
	@NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.numba_bounds $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup \
		$(KERNEL_TESTS)

test-slurm: $(READY)
	@$(BIN)/python -m pytest -rs -m slurm tests/running/test_slurm.py

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
