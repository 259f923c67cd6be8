# `make` alone lists the targets. PYTHON picks the interpreter for .venv, ARGS goes to the command behind a target.
PYTHON ?= python3
ARGS ?=
ACCEPT ?=
BIN := .venv/bin
READY := .venv/.ready
ST := .venv-st
USABLE := $(BIN)/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))'
JAVA_21 := $(BIN)/python -c 'import os; from graphmem.tooling.neo4j import find_java; find_java(os.environ, 21)'
IN_PARALLEL := -p tests.in_parallel --numprocesses auto --maxprocesses 4 --no-loadscope-reorder
SOURCES := $(wildcard graphmem benchmarks)
BENCHMARKS := $(filter-out soak,$(notdir $(basename $(shell grep -ls '^if __name__' benchmarks/*.py))))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo demo-neo4j notebooks lab test test-neo4j-2026 test-sentence-transformers check serve bench soak

help: ## this list
	@sed -n 's/^\([a-z][a-z0-9-]*\):[^#]*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv with everything graphmem and its tests need

$(READY): pyproject.toml constraints.txt graphmem/_version.py
	@sh scripts/preflight.sh $(PYTHON)
	@$(USABLE) 2>/dev/null || { echo "Making the virtual environment .venv"; $(PYTHON) -m venv --clear .venv; }
	@echo "Installing graphmem and its tools into .venv (1 GB on disk; the first time takes a few minutes)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(READY) ## the main job, from nothing, on the embedded store
	@$(BIN)/graphmem demo $(ARGS)

demo-neo4j: $(READY) ## the same on a Neo4j server of your own (ACCEPT=yes accepts its licence)
	@$(BIN)/graphmem neo4j install $(if $(filter yes,$(ACCEPT)),--accept-license)
	@$(BIN)/graphmem neo4j start
	@unset NEO4J_USERNAME NEO4J_USER NEO4J_PASSWORD NEO4J_DATABASE; \
	store=$$($(BIN)/graphmem neo4j status --json | $(BIN)/python -c 'import json, sys; print(json.load(sys.stdin)["store"])') && \
	name="demo-$$(date +%Y%m%d-%H%M%S)" && \
	$(BIN)/graphmem demo --store "$$store" --namespace "$$name" $(ARGS) && echo && \
	$(BIN)/graphmem neo4j browser --namespace "$$name"

test: $(READY) ## every test, in as many processes as there are processors (ARGS="-k recall -n 0" for some, in one)
	@$(BIN)/python -m pytest $(IN_PARALLEL) $(ARGS)

test-neo4j-2026: $(READY) ## every test of the store on the newest Neo4j (Java 21 comes with the jvm extra where it is missing)
	@$(JAVA_21) 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[jvm]'
	@GRAPHMEM_TEST_NEO4J_VERSION=2026 $(BIN)/python -m pytest $(IN_PARALLEL) -m neo4j tests/contract tests/unit/adapters/neo4j tests/integration/test_explore.py $(ARGS)

test-sentence-transformers: $(ST)/.ready ## tests with the real library and a real model (6.1 GB on disk, minutes)
	@$(ST)/bin/python -m pytest tests/sentence_transformers $(ARGS)

$(ST)/.ready: pyproject.toml constraints.txt constraints-sentence-transformers.txt tests/sentence_transformers/prepare.sh graphmem/_version.py
	@sh tests/sentence_transformers/prepare.sh $(PYTHON)
	@touch $@

check: $(READY) ## lint, format, types, layers, compose file, budgets
	@echo "ruff: lint and format"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check . || { $(BIN)/ruff format --check .; exit 1; }
	@echo "mypy: strict over $(SOURCES)"
	@$(BIN)/mypy --no-error-summary $(SOURCES)
	@echo "lint-imports: who may import whom"
	@$(BIN)/lint-imports
	@echo "docker-compose.yml: the compose specification"
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec docker-compose.yml
	@echo "budgets: sizes and habits of the house"
	@$(BIN)/python -m pytest --quiet tests/house/test_budgets.py

notebooks: $(READY) ## run the notebooks from top to bottom, on both stores (ARGS="-k sqlite")
	@$(BIN)/python -m pytest tests/notebooks $(ARGS)

lab: $(READY) ## open the notebooks in JupyterLab (installed the first time); GRAPHMEM_URL=... for your own memory
	@$(BIN)/python -c 'import jupyterlab' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt jupyterlab
	@$(BIN)/python -m jupyterlab --notebook-dir=notebooks $(ARGS)

serve: $(READY) ## the service: GraphQL, MCP and the page (ARGS="--port 8080")
	@$(BIN)/graphmem serve $(ARGS)

bench: $(READY) ## every benchmark (ARGS="--quick")
	@set -e; for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name $(ARGS); done

soak: $(READY) ## 100 rounds of 50 writers at once and one that is killed, counted, on SQLite (or ARGS="--store bolt://...")
	@$(BIN)/python -m benchmarks.soak $(ARGS)
