# Two commands on a fresh machine: `make figures` and `make test`.
PYTHON ?= python3
SCALE ?= quick
BASE ?= main~1
COMMITS ?= NEW
MACHINE ?= local
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
BIN := .venv/bin
# where it is set, as in many containers, every start would compile anew
export PYTHONDONTWRITEBYTECODE :=
READY := .venv/.installed
# the lock's own, hashed lines of the tools that build and install everything else
TOOLS := uv setuptools wheel

.PHONY: figures publish publish-history test test-thorough test-alone test-bounds test-slurm check docs history perf perf-check lock clean help

help:
	@echo "make figures [SCALE=quick|paper] [JOBS=n]   every figure and table, judged: results/SCALE/index.html"
	@echo "make publish                                results/paper into results/published and the README; needs a clean tree"
	@echo "make test                                   the test suite"
	@echo "make test-thorough [THIRD=0|1|2]            the same properties on more seeds and problems, and whole workflows"
	@echo "make test-alone [THIRD=0|1|2]               each test file by itself, in random order, on an empty cache of kernels"
	@echo "make test-bounds                            its tests of methods, with every index of a compiled kernel checked"
	@echo "make test-slurm                             the workflow on a SLURM cluster of one node, where one can be started"
	@echo "make check                                  ruff and mypy"
	@echo "make docs                                   the documents: site/index.html"
	@echo "make perf [COMMITS=a..b] [MACHINE=name]     asv measures the commits since the last measured one, or a range"
	@echo "make history [MACHINE=name]                 what asv measured, as a page: results/history/index.html"
	@echo "make publish-history                        the page of the published numbers into results/published; needs a clean tree"
	@echo "make perf-check [BASE=main~1] [REDUCED=1]   fail if an exact count got worse since BASE"
	@echo "make lock                                   renew requirements.lock from pyproject.toml"
	@echo "make clean                                  forget the runs (results/quick, results/paper)"

figures: $(READY)
	@$(BIN)/python -m spcabench figure --scale $(SCALE) --jobs $(JOBS)

publish: $(READY)
	@$(BIN)/python -m spcabench publish results/paper

test: $(READY)
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

test-thorough: $(READY)
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m thorough $(if $(THIRD),--third $(THIRD))

test-alone: $(READY)
	@$(BIN)/python -m tests.alone --jobs $(JOBS) $(if $(THIRD),--third $(THIRD))

# the tests that run compiled kernels; in a folder of its own, because what is cached elsewhere is compiled without the checks
KERNEL_TESTS := $(addprefix tests/,ground methods problem readers solving solvers figures checking/test_audit.py \
	checking/test_conformance.py running/test_answers.py running/test_jobs_and_rows.py)
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

# its own commands work too; `asv machine --machine NAME` would forget the processor and the memory
perf: $(READY)
	@$(BIN)/python -c "from asv.machine import Machine, MachineCollection as known; \
		known.save('$(MACHINE)', Machine.get_defaults() | {'machine': '$(MACHINE)'})"
	@$(BIN)/asv run --launch-method forkserver --machine $(MACHINE) "$(COMMITS)"

history: $(READY)
	@$(BIN)/python -m benchmarks.history_page $(if $(filter-out file,$(origin MACHINE)),--machine $(MACHINE))

publish-history: history
	@$(BIN)/python -m spcabench publish results/published

perf-check: $(READY)
	@$(BIN)/python -m benchmarks.gate --base $(BASE) $(if $(REDUCED),--reduced)

# compiled here: where Python may not write bytecode (many containers), every start would compile anew
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "spcabench needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@echo "making .venv from requirements.lock (about 1.4 GB, once)"
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
