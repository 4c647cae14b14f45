# `make test` and `make bench` set up everything that they need in .venv.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
DEV := $(VENV)/.installed-dev
DOCS := $(VENV)/.installed-docs
TORCH ?= torch

.PHONY: help warm test test-train bench paper docs lint proofs proofs-doc release-check clean check-python

help:
	@echo "make test          lint, types, import rules, unused code, tests"
	@echo "make test-train    the tests of real training, with scikit-learn, Dask and torch"
	@echo "make lint          only lint, types, import rules and unused code"
	@echo "make bench         the benchmark of ratios against proved optima"
	@echo "make paper         claims of the sources beside what is found here (PAPER_FLAGS=--full: full size)"
	@echo "make docs          the documentation, with its notebooks run: docs/_build/html/index.html"
	@echo "make warm          compile all kernels, once"
	@echo "make proofs        check the machine-checked proofs (needs Coq)"
	@echo "make release-check  wheel and sdist, installed and tried in clean environments outside the clone"
	@echo "make proofs-doc    pages of all statements in Coq, claim by claim: proofs/coq/html/claims.html"
	@echo "make clean         remove .venv, caches and build products"
	@echo "make check-python  whether this Python will do"
	@echo "make help          this list; the default"
	@echo "make PYTHON=python3.12 ...  use another Python (3.11 or newer)"

check-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: $(PYTHON) is not Python 3.11 or newer: install it (Debian 12, Ubuntu 24.04 and" \
	    "later: apt install python3), or name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	  echo "error: $(PYTHON) cannot make virtual environments:" \
	    "apt install python3-venv" >&2; exit 1; }

# The stamp of an extra set is written last: an interrupted or broken install is made again.
$(VENV)/.installed-%: pyproject.toml | check-python
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "Installing hadaropt[$*] into $(VENV) (once)"
	$(PY) -m pip install --quiet --editable '.[$*]'
	@touch $@

lint: $(DEV)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports --no-logo
	$(PY) -m vulture

warm: $(DEV)
	$(VENV)/bin/hadaropt doctor --warm

test: lint
	$(PY) -m pytest -n 2

# TORCH names what pip installs, for a build of your own: make TORCH='torch==2.9.1+cpu' test-train
test-train: $(DEV)
	@$(PY) -c 'import torch' 2>/dev/null || $(PY) -m pip install --quiet '$(TORCH)'
	OMP_NUM_THREADS=1 $(PY) -m pytest tests/forking tests/cli/train/test_command.py

bench: warm
	$(VENV)/bin/hadaropt bench ratio

# HADAROPT_DATA names the data. Where there are none, traces are fetched (PAPER_FLAGS=--no-fetch: not); without them
# experiments run on generated look-alikes that are marked, or are skipped.
paper: $(DEV)
	$(PY) -m benchmarks.paper $(PAPER_FLAGS)

# Sources are read where they lie, so that links between pages are those of the files.
docs: $(DOCS)
	$(PY) -m sphinx -W --keep-going -q -c docs -b html . docs/_build/html
	@cp docs/_static/first.html docs/_build/html/index.html
	@mkdir -p docs/_build/html/notebooks
	@cp docs/_build/jupyter_execute/docs/tutorials/*.ipynb docs/_build/html/notebooks/
	@echo "docs/_build/html/index.html"

# PROOFS_FLAGS=--no-coqchk leaves out the second, independent check.
proofs:
	@if [ -f proofs/build.sh ]; then sh proofs/build.sh $(PROOFS_FLAGS); \
	else echo "There are no machine-checked proofs here."; fi

release-check: $(DEV)
	@.ci/release_check $(CURDIR)/$(PY)

proofs-doc:
	$(MAKE) -C proofs/coq doc

clean:
	@if [ -f proofs/coq/Makefile ]; then $(MAKE) -s -C proofs/coq clean; fi
	rm -rf $(VENV) docs/_build docs/reference/api build dist results .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
