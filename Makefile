# Two commands on a fresh machine: `make figures` and `make test`.
PYTHON ?= python3
SCALE ?= quick
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BIN := .venv/bin
READY := .venv/.installed
# the lock's own, hashed lines of the tools that build and install everything else
TOOLS := uv setuptools wheel

.PHONY: figures test check lock clean help

help:
	@echo "make figures [SCALE=quick|paper] [JOBS=n]   every figure and table, judged: results/SCALE/index.html"
	@echo "make test                                   the test suite"
	@echo "make check                                  ruff and mypy"
	@echo "make lock                                   renew requirements.lock from pyproject.toml"
	@echo "make clean                                  forget the runs (results/quick, results/paper)"

figures: $(READY)
	@$(BIN)/python -m spcabench workflow --scale $(SCALE) --jobs $(JOBS)

test: $(READY)
	@$(BIN)/python -m pytest -n $(JOBS)

check: $(READY)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "spcabench needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@echo "making .venv from requirements.lock (about 1.3 GB, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@for tool in $(TOOLS); do sed -n "/^$$tool==/,/[^\\]$$/p" requirements.lock; done > .venv/tools.txt
	@$(BIN)/python -m pip install -q --require-hashes --no-deps -r .venv/tools.txt
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install -q --require-hashes --no-build-isolation -r requirements.lock
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install -q --no-deps --no-build-isolation -e .
	@touch $@

lock: $(READY)
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --generate-hashes --no-header --no-annotate -q --upgrade -o requirements.lock

clean:
	rm -rf results/quick results/paper .snakemake
