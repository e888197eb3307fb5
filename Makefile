# What a checkout needs, and how to try it. Everything goes into ignored folders of this checkout:
# .venv and .clients. `make` alone lists the targets.

# The interpreter itself, not a shim in front of it: .venv must not depend on a version manager's state.
PYTHON ?= $(shell python3 -c 'import sys; print(sys.executable)')
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CLIENTS := .clients
CLIENTS_READY := $(CLIENTS)/.ready
PINS := tests/e2e/clients

.DEFAULT_GOAL := help
.PHONY: help venv clients demo test lint docs screenshots bench bench-graph

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(READY) ## set up .venv with Foreword and what its development needs

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Foreword needs Python 3.11 or newer: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1'  # knows --group
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

clients: $(CLIENTS_READY) ## put the real clients, the reference memory server and axe into .clients, for the tests (needs npm)

$(CLIENTS_READY): $(PINS)/package.json $(PINS)/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not on the PATH: install Node.js 20 or newer" >&2; exit 1; }
	mkdir -p $(CLIENTS)
	cp $(PINS)/package.json $(PINS)/package-lock.json $(CLIENTS)/
	cd $(CLIENTS) && npm install --no-audit --no-fund --loglevel=error
	@touch $@

demo: $(READY) ## see a note saved, offered, opened and flagged, in a temporary home
	@$(BIN)/python demo/demo.py $(ARGS)

test: $(READY) ## run all tests (those with a real client after `make clients`)
	$(BIN)/python -m pytest -n auto $(ARGS)

lint: $(READY) ## check style, layers and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright

docs: $(READY) ## write docs/reference/cli.md and docs/clients anew from the commands' help and the clients' tables
	$(BIN)/python docs/generate.py

screenshots: $(READY) ## make docs/images anew, from the view of a made-up store (needs Chromium)
	$(BIN)/python docs/screenshots.py

bench: $(READY) ## measure every hook against the budgets
	$(BIN)/python bench/hooks.py $(ARGS)

bench-graph: $(READY) $(CLIENTS_READY) ## measure the graph server against the reference memory server
	$(BIN)/python bench/graph.py $(ARGS)
