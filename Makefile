# Everything is set up by what it needs: `make demo` and `make test` work in a fresh clone with Python >= 3.11 alone.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help setup dev demo test check format docs bench soak fuzz lock samples clean

help: ## Say what can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 10

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Clew needs Python >= 3.11; $(PYTHON) is $$($(PYTHON) --version 2>&1). Set PYTHON=/path/to/python3.11."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "This Python cannot make virtual environments; install its venv package (Debian: python3-venv)."; exit 1; }
	@touch $@

$(VENV)/.base: $(VENV)/.python requirements/base.lock pyproject.toml
	@echo "Installing Clew into $(VENV) …"
	@$(PIP) install --require-hashes -r requirements/build.lock -r requirements/base.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base requirements/dev.lock
	@echo "Installing the tools for development …"
	@$(PIP) install --require-hashes -r requirements/dev.lock
	@touch $@

setup: $(VENV)/.base ## Install Clew into .venv

dev: $(VENV)/.dev ## Install what tests and checks need as well

demo: $(VENV)/.base ## Run the main job on the sample landscape
	@$(BIN)/clew demo

test: $(VENV)/.dev ## Run the tests
	@$(BIN)/python -m pytest -n auto -m "not soak and not fuzz"

check: $(VENV)/.dev ## Run linters, the type checker and the import contract
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports

format: $(VENV)/.dev ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: $(VENV)/.dev ## Check that the documentation is true
	@$(BIN)/python -m pytest tests/docs tests/architecture

bench: $(VENV)/.dev ## Measure retrieval on the landscape and queries of $CLEW_TEST_DATA/bench-real
	@test -n "$$CLEW_TEST_DATA" || { echo "CLEW_TEST_DATA names no folder with bench-real and corpus."; exit 1; }
	@folder=$$(mktemp -d) && $(BIN)/clew init $$folder && $(BIN)/clew ingest --workspace $$folder --root $$CLEW_TEST_DATA/corpus \
		$$CLEW_TEST_DATA/bench-real/landscape.yaml $$CLEW_TEST_DATA/bench-real/bindings.yaml \
		&& $(BIN)/clew bench retrieval --workspace $$folder --leave-one-out $$CLEW_TEST_DATA/bench-real/queries.jsonl

soak: $(VENV)/.dev ## Run the long kills and loads
	@$(BIN)/python -m pytest -m soak

fuzz: $(VENV)/.dev ## Run the long fuzzing
	@$(BIN)/python -m pytest -m fuzz

lock: $(VENV)/.dev ## Write the locked requirements anew
	@$(PIP) install uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-emit-find-links requirements/build.in -o requirements/build.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-emit-find-links pyproject.toml -o requirements/base.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-emit-find-links pyproject.toml --all-extras --group dev -o requirements/dev.lock

samples: $(VENV)/.dev ## Write the sample landscape anew from its description
	@$(BIN)/python samples/generate.py

clean: ## Remove what was made
	rm -rf $(VENV) .clew dist build .pytest_cache .ruff_cache .hypothesis .import_linter_cache
