# Every target sets up .venv from requirements.lock first, if it is missing or out of date.
#
#   make sweep               the default study; CORES=4 limits it, SNAKEMAKE_ARGS adds options
#   make test                the quick tests; PYTEST_ARGS adds options
#   make PYTHON=python3.12   another interpreter, at the first set-up

PYTHON ?= python3
CORES ?= all
WORKERS ?= auto
SNAKEMAKE_ARGS ?=
PYTEST_ARGS ?=
# `make lock UPGRADE=--upgrade` takes the newest releases; without it the pins stay where they can.
UPGRADE ?=

VENV := .venv
BIN := $(VENV)/bin
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready
UV ?= .uv/bin/uv
AUDIT ?= .audit/bin/pip-audit
# Twice quiet: errors show, warnings about where pip looked do not.
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input install
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal

# The workflow's rules call `obroute` by its bare name.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Jobs and tests start Python many times: compile once, even where the machine would rather not.
unexport PYTHONDONTWRITEBYTECODE
# Material for MkDocs prints a notice about its successor at every build.
export NO_MKDOCS_2_WARNING := 1

.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help setup sweep test long-tests test-slow test-cluster test-all fuzz bench lint lint-format lint-code lint-types \
	lint-imports lint-snakefmt lint-workflow lint-docs docs pictures stories examples schema licences audit lock clean

help:
	@echo "Targets: sweep test long-tests test-slow test-cluster test-all fuzz bench lint docs pictures stories examples schema licences audit lock setup clean"

setup: $(READY)

# Two steps, each with its stamp written last, so that an interrupted set-up starts afresh and a
# changed setting in pyproject.toml does not install everything again.
$(LOCKED): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "obroute needs Python 3.11 or newer; name one: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up $(VENV) from requirements.lock (a minute or two, once)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) --require-hashes -r requirements.lock
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

sweep: $(READY)
	$(BIN)/snakemake --cores $(CORES) $(SNAKEMAKE_ARGS)

test: $(READY)
	$(PYTEST) $(PYTEST_ARGS)

# Measures the quick tests, and leaves those that take longer than half a second to the slower ones.
long-tests: $(READY)
	OBROUTE_NOTE_LONG=1 $(PYTEST) $(PYTEST_ARGS)

# pytest's exit code 5 says that no test has these markers, which is no failure.
test-slow: $(READY)
	$(PYTEST) -m "slow and not cluster and not faults" $(PYTEST_ARGS) || [ $$? -eq 5 ]

# Starts Dask clusters, uses a Slurm where there is one (.ci/slurm starts one), and breaks things.
test-cluster: $(READY)
	$(PYTEST) -m "cluster or faults" $(PYTEST_ARGS) || [ $$? -eq 5 ]

test-all: $(READY)
	$(PYTEST) -m "" $(PYTEST_ARGS)

# Other inputs at every round, until one breaks the rule or Ctrl-C.
fuzz: $(READY)
	while OBROUTE_FUZZ=1 $(PYTEST) tests/fuzz tests/differential -m "" --maxfail 1 $(PYTEST_ARGS); do :; done

bench: $(READY)
	$(BIN)/pytest benchmarks/bench_*.py -m "" --benchmark-only $(PYTEST_ARGS)

# `make --keep-going lint` shows every complaint at once.
lint: lint-format lint-code lint-types lint-imports lint-snakefmt lint-workflow lint-docs

lint-format: $(READY)
	$(BIN)/ruff format --check

lint-code: $(READY)
	$(BIN)/ruff check

lint-types: $(READY)
	$(BIN)/mypy

lint-imports: $(READY)
	$(BIN)/lint-imports

lint-snakefmt: $(READY)
	$(BIN)/snakefmt --check Snakefile workflow

lint-workflow: $(READY)
	$(BIN)/snakemake --lint

lint-docs: $(READY)
	$(BIN)/mkdocs build --quiet --strict

docs: $(READY)
	$(BIN)/mkdocs build --strict

# The pictures of the front page and of the README, from the default study.
pictures: sweep
	for ground in "" dark; do \
		$(BIN)/obroute figure worst_permutation results/default --cell torus-9x9/romm \
			$${ground:+--$$ground} --width 9.5 --output docs/pictures/worst_permutation$${ground:+_$$ground}.svg && \
		$(BIN)/obroute figure trends results/default \
			$${ground:+--$$ground} --width 9.5 --output docs/pictures/trends$${ground:+_$$ground}.svg || exit 1; \
	done

# Runs the notebooks of the gallery, and stores what they print.
stories: $(READY)
	$(BIN)/python .ci/stories.py

schema: $(READY)
	$(BIN)/obroute schema > config/schema.json.new
	mv config/schema.json.new config/schema.json
	$(BIN)/obroute schema --stores > results/README.md.new
	mv results/README.md.new results/README.md
	$(BIN)/python docs/commands.py

# The files that pages show, to take.
examples: $(READY)
	$(BIN)/python .ci/examples.py

licences: $(READY)
	$(BIN)/python .ci/licences.py

# Asks the advisories of PyPI about requirements.lock. It fails on what it finds; where no service
# answers it says so, and does not fail.
audit: $(AUDIT)
	@$(AUDIT) --require-hashes --disable-pip --requirement requirements.lock --format json \
		--progress-spinner off 2>/dev/null | $(PYTHON) .ci/audit.py

.audit/bin/pip-audit:
	@$(PYTHON) -m venv --clear .audit
	@.audit/bin/python -m pip -qq --disable-pip-version-check install pip-audit || true

.uv/bin/uv:
	@$(PYTHON) -m venv --clear .uv
	@.uv/bin/python -m pip -qq --disable-pip-version-check install uv

# One version of each package for every Python and platform (`fewest`), so that results agree.
lock: $(UV)
	$(UV) pip compile pyproject.toml --all-extras --group dev --group docs \
		--universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
		--no-config --no-python-downloads --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" --quiet $(UPGRADE) --output-file requirements.lock

# Leaves results/ and the environment alone.
clean:
	rm -rf build dist site .benchmarks .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
