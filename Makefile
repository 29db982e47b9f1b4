# `make test` and `make demo` need nothing but Python 3.11 or newer, pip and make: they build .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CLRS := .venv-clrs
GRAPHBENCH := .venv-graphbench
MINUTES ?= 60
SEED ?= 1
NAMES ?= $(shell ls src/recursor/weights)
ONE_CORE := $(shell command -v taskset >/dev/null && echo taskset --cpu-list 0)  # more of them sum in another order

.PHONY: $(shell sed -nE 's/^([a-z-]+):.*\#\#.*/\1/p' $(firstword $(MAKEFILE_LIST)))
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
	$(BIN)/python -m pytest -m "not slow and not browser" -n auto --maxprocesses 4 --dist loadfile

test-slow: install  ## Runs the tests that take minutes
	$(BIN)/python -m pytest -m slow --override-ini addopts="--strict-markers"

test-browser: install  ## Runs the tests of the pages in a real browser, Debian's chromium
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
		|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } \
		|| { echo "The browser tests need chromium; install it first, with sudo apt-get install chromium"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tests/browser/requirements.lock
	$(BIN)/python -m pytest -m browser tests/browser -n 3  # much of a test is waiting

lint: install  ## Checks style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright --warnings

demo: install  ## Trains depth-first search from scratch, scores it and solves a graph
	$(BIN)/recursor demo

$(CLRS)/.installed: benchmarks/clrs.lock
	$(PYTHON) -m venv $(CLRS)
	$(CLRS)/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/clrs.lock
	@touch $@

bench-sampling: install $(CLRS)/.installed  ## Compares the speed of recording with dm-clrs's sampler
	$(BIN)/python benchmarks/sampling.py --clrs-python $(CLRS)/bin/python

bench-training: install $(CLRS)/.installed  ## Compares the speed of training with dm-clrs's baseline
	$(BIN)/python benchmarks/training.py --clrs-python $(CLRS)/bin/python

bench-exact: install $(CLRS)/.installed  ## Measures the way from nothing to exactness in updates of dm-clrs
	$(BIN)/python benchmarks/exact.py --clrs-python $(CLRS)/bin/python

bench-execution: install  ## Measures executions that look situations up, beside those that compute every row
	$(BIN)/python benchmarks/execution.py

$(GRAPHBENCH)/.installed: benchmarks/graphbench.lock
	$(PYTHON) -m venv $(GRAPHBENCH)
	$(GRAPHBENCH)/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/graphbench.lock
	@touch $@

SOME := $(if $(filter command,$(firstword $(origin NAMES))),$(NAMES))  # the networks that were asked for, or all

scoreboard: install $(CLRS)/.installed  ## Has dm-clrs and networkx score the shipped networks: some with NAMES="dfs tarjan", else all
	$(BIN)/python -m benchmarks.scoreboard.run --clrs-python $(CLRS)/bin/python $(SOME)

scoreboard-graphbench: install $(GRAPHBENCH)/.installed  ## Has GraphBench score the networks for bridges and topological sort
	$(BIN)/python -m benchmarks.scoreboard.run --graphbench-python $(GRAPHBENCH)/bin/python

rescore: $(CLRS)/.installed  ## Has dm-clrs score the predictions in results/scoreboard again, without any code of Recursor
	$(CLRS)/bin/python benchmarks/scoreboard/clrs_side.py score results/scoreboard/clrs

exactness: install  ## Trains the exact networks from three seeds and runs them on graphs of all sorts, up to 1600 nodes
	$(BIN)/python benchmarks/exactness.py

verify: install  ## Verifies the shipped networks and fills the tables of README and docs: one with NAMES=dfs, else all
	$(BIN)/python benchmarks/verify.py $(NAMES)

verify-all-sizes: install  ## Lists what the networks can meet at any size, and prints certificates: of one with NAMES=dfs, else of all
	$(BIN)/python benchmarks/verify.py --all-sizes $(NAMES)

weights: install  ## Trains the shipped weights again and verifies them: of one algorithm with NAMES=dfs, else of all; from another seed with SEED=2
	for name in $(NAMES); do \
		rm -rf runs/weights/$$name src/recursor/weights/$$name && \
		$(ONE_CORE) $(BIN)/recursor train exact/$$name --seed $(SEED) --out runs/weights/$$name && \
		mkdir -p src/recursor/weights/$$name && \
		cp runs/weights/$$name/config.json runs/weights/$$name/weights.safetensors src/recursor/weights/$$name/ && \
		$(BIN)/recursor verify src/recursor/weights/$$name/ --keep || exit 1; \
	done

package: install  ## Builds wheel and source archive, and solves a graph with each in an empty environment; PYTHONS=… for more
	$(BIN)/python benchmarks/package.py $(if $(PYTHONS),--python $(PYTHONS))

docs: install gallery  ## Builds the documentation into site/, with warnings as errors
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r docs/site/requirements.lock
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

torture: install  ## Kills, full disks, damaged files and odd inputs, for at most MINUTES=60: is anything lost? PARTS=kills runs one part
	$(BIN)/python -m benchmarks.torture $(PARTS) --minutes $(MINUTES)

ablation: install  ## Trains them with one thing changed at a time, and writes docs/ablation.md
	$(BIN)/python benchmarks/ablation.py

silence: install  ## Counts the situations of depth-first search by the price of bits and their number, for docs/verifying.md
	$(BIN)/python benchmarks/silence.py

tables: install  ## Writes the paper's tables and plots as reproduced, and the algorithms', from the results that are there
	for budget in small small-long paper-sizes; do \
		pages=$$(grep -l "^<!-- table-$$budget/" README.md docs/*.md); \
		$(BIN)/recursor table --budget $$budget --only-report $${pages:+--fill $$pages} || exit 1; \
	done

family: install  ## Trains the exact network of every algorithm from three seeds and scores it on inputs up to 250 nodes: hours
	$(BIN)/recursor table --algorithms all --fill docs/family.md

pictures: install  ## Makes the pictures of README and docs
	$(BIN)/python docs/pictures/make.py
	$(BIN)/python docs/pictures/situations.py
	$(BIN)/python docs/pictures/sizes.py
	$(BIN)/python docs/pictures/growth.py

gallery: install  ## Makes the gallery of the docs: every shipped network on an example, to be watched row by row
	$(BIN)/python docs/gallery.py

clean:  ## Removes what was built
	rm -rf $(VENV) $(CLRS) $(GRAPHBENCH) site dist .pytest_cache .ruff_cache .hypothesis
