# Two commands to know: `make chat` and `make test`. `make help` lists the rest.
# Nothing needs an account, a key, Java or data from outside: Python 3.11+ and make are enough.

# The first Python on the PATH that is new enough; PYTHON=/path/to/python chooses another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
SHOP := $(BIN)/personalized-shopping
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install --quiet --quiet --progress-bar off
PORT ?= 8000
PYTEST_ARGS ?= -n 2
EVAL_SETS ?= $(wildcard eval/*.evalset.json eval/*.test.json)
MAKEFLAGS += --no-print-directory

# QUERY travels through the environment exactly as it was typed. $(value) keeps make from expanding a `$` in it, and
# no recipe pastes it into a shell command, so quotes, apostrophes and backticks are ordinary characters.
override QUERY := $(value QUERY)
export QUERY

.DEFAULT_GOAL := help
.PHONY: help chat web serve site setup test eval replay lint format bench results lock wheel clean distclean
.DELETE_ON_ERROR:

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo '  make chat QUERY="a red cotton shirt under 30 dollars"   answers once and ends'

chat: $(VENV)/.base ## Talk to the shopping agent in this terminal
	@if [ -n "$$QUERY" ]; then exec $(SHOP) chat -- "$$QUERY"; else exec $(SHOP) chat; fi

web: $(VENV)/.base ## Talk to it in a browser, with the eval sets in its Evals tab (PORT=8000)
	@exec $(SHOP) web --port $(PORT) --eval-sets eval

site: PORT := 3000
serve: $(VENV)/.base ## The chat for people at /chat, the shop at /shop/, ADK's routes (PORT=8000)
	@PORT=$(PORT) exec $(BIN)/python -m personalized_shopping.server

site: $(VENV)/.base ## Open the shop as a website (PORT=3000)
	@exec $(SHOP) site --port $(PORT)

setup: $(VENV)/.base ## Install the package and make the demo catalogue, nothing else
	@$(SHOP) catalog demo >&2

test: $(VENV)/.test ## Run the tests (PYTEST_ARGS="-n 2 -k search")
	@exec $(BIN)/python -m pytest $(PYTEST_ARGS)

eval: $(VENV)/.test ## Run ADK's eval sets (EVAL_SETS="eval/buying.evalset.json" EVAL_ARGS="--verbose")
	@exec $(BIN)/python -m personalized_shopping.evaluation.adk_metrics $(EVAL_ARGS) $(EVAL_SETS)

replay: $(VENV)/.test ## Replay recorded conversations against the agent's tools with `adk test`
	@exec $(BIN)/adk test eval/replays -- -W default

lint: $(VENV)/.test ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.test ## Let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.base ## Measure speed and memory; prints a table of ratios
	@exec $(BIN)/python -m benchmarks

results: $(VENV)/.test ## Make the numbers of docs/evaluation.md again (WEBSHOP=items_shuffle_1000.json)
	@exec $(BIN)/python -m benchmarks.evaluation $(if $(WEBSHOP),--webshop "$(WEBSHOP)")

lock: ## Refresh the lock files from pyproject.toml (needs the package index)
	@deployment/lock.sh $(PYTHON)

wheel: $(VENV)/.test ## Build dist/*.whl
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist . >&2

clean: ## Remove what the tests and builds leave behind
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find personalized_shopping tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## ... and the virtual environment
	@rm -rf "$(VENV)"

# --- the virtual environment; a stamp that is newer than what it was made from means: no pip today ---

$(VENV)/bin/python:
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.11 or newer (with venv) is needed; found none on the PATH. Name one: make PYTHON=/path/to/python3.12" >&2; exit 2; fi
	@echo "making $(VENV) with $$($(PYTHON) --version)" >&2
	@$(PYTHON) -m venv $(VENV) >&2

$(VENV)/.base: requirements-base.lock pyproject.toml | $(VENV)/bin/python
	@echo "installing the agent and what it needs (once; about a minute)" >&2
	@$(PIP) --require-hashes --no-deps -r requirements-base.lock >&2
	@$(PIP) --no-deps --no-build-isolation --editable . >&2
	@touch $@

$(VENV)/.test: requirements.lock $(VENV)/.base
	@echo "installing what the tests need (once; some minutes)" >&2
	@$(PIP) --require-hashes --no-deps -r requirements.lock >&2
	@touch $@
