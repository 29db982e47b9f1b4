# `make test` and `make demo` need nothing but Python 3.11 or newer, pip and make: they build .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CLRS := .venv-clrs

.PHONY: help install test test-slow lint demo bench-sampling bench-training pictures clean
help:  ## Shows this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

install: $(VENV)/.installed  ## Builds .venv with the pinned versions and recursor itself

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Recursor needs Python 3.11 or newer, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

test: install  ## Runs the tests
	$(BIN)/python -m pytest -m "not slow"

test-slow: install  ## Runs the tests that take minutes
	$(BIN)/python -m pytest -m slow --override-ini addopts="--strict-markers"

lint: install  ## Checks style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright --warnings

demo: install  ## Records a depth-first search and shows its rows
	$(BIN)/recursor record dfs examples/maze.txt

$(CLRS)/.installed: benchmarks/clrs.lock
	$(PYTHON) -m venv $(CLRS)
	$(CLRS)/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/clrs.lock
	@touch $@

bench-sampling: install $(CLRS)/.installed  ## Compares the speed of recording with dm-clrs's sampler
	$(BIN)/python benchmarks/sampling.py --clrs-python $(CLRS)/bin/python

bench-training: install $(CLRS)/.installed  ## Compares the speed of training with dm-clrs's baseline
	$(BIN)/python benchmarks/training.py --clrs-python $(CLRS)/bin/python

pictures: install  ## Makes the pictures of README and docs
	$(BIN)/python docs/pictures/make.py

clean:  ## Removes what was built
	rm -rf $(VENV) $(CLRS) .pytest_cache .ruff_cache .hypothesis
