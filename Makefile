# Every target makes what it needs, so `make demo` or `make test` is enough on a machine with Python 3.11+, git and make.
# Another interpreter for the environment: make PYTHON=python3.13 setup

PYTHON ?= python3
# A file's tests stay in one worker, so a server that a file starts is started once.
WORKERS ?= 2
BIN := .venv/bin
STAMP := .venv/.synced
UV := $(shell sed -n 's/^ *"\(uv==[0-9.]*\)",*$$/\1/p' pyproject.toml)

# The environment is always ./.venv: never one that happens to be active, never one that a variable names.
unexport VIRTUAL_ENV
unexport PYTHONHOME
unexport PYTHONPATH
export UV_PROJECT_ENVIRONMENT := $(CURDIR)/.venv
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup demo test check mutants prove bench bench-compare observe clean
.DELETE_ON_ERROR:

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile

setup: $(STAMP) ## make .venv from uv.lock (nothing to do when it is up to date)

$(STAMP): uv.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "setup: PYTHON=$(PYTHON) is missing or older than 3.11; name a newer one: make PYTHON=python3.12 setup" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || { rm -rf .venv; \
	  echo "setup: $(PYTHON) has no working venv module; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip -q
	@test "$$($(BIN)/uv --version 2>/dev/null | cut -d' ' -f2)" = "$(UV:uv==%=%)" || $(BIN)/python -m pip install -q '$(UV)'
	@$(BIN)/uv sync -q --frozen --all-extras --all-groups --python $(BIN)/python
	@touch $@

demo: setup ## run a real agent that loses a response and charges twice, and read the verdicts
	@$(BIN)/counterfoil demo

test: setup ## run all tests
	$(BIN)/pytest -n $(WORKERS) --dist loadfile

check: setup ## lint, format, strict types, direction of imports, contract
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict src
	$(BIN)/pytest tests/test_imports.py tests/test_contract.py

mutants: setup ## break the rules one at a time and see the tests notice every time
	$(BIN)/python tools/mutants.py

OPERATIONS ?= 20000
SEEDS ?= 30
SEED ?= 1

prove: setup ## let agents meet faults, and hold each verdict against the providers' books (OPERATIONS= SEEDS= SEED= REPORT=)
	$(BIN)/python -m prove --operations $(OPERATIONS) --seeds $(SEEDS) --seed $(SEED) $(if $(REPORT),--report $(REPORT))

bench: setup ## measure, and print the figures with the machine they were measured on
	$(BIN)/python -m bench

bench-compare: setup ## measure ratios anew, and fail where one is over 25 % worse than in bench/ratios.json
	$(BIN)/python -m bench.compare

observe: setup ## see the demo through a real collector, Prometheus and Alertmanager
	@$(BIN)/python -m tools.observe

clean: ## remove the environment, caches and builds
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
