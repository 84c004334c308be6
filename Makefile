# Every task of the project. `make try` is the first thing to run on a fresh clone.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
TRY := $(BIN)/recollect --db .recollect/try.db
WORK ?= training/work
MIRRORS ?= $(WORK)/mirrors
TREE_TESTS := tests/test_architecture.py tests/test_public_api.py tests/test_docs.py

.PHONY: help try test check bench eval train docs clean

help:
	@echo "make try     install, index this repository, ask it a question"
	@echo "make test    every test"
	@echo "make check   lint, formatting, types, architecture, public names, documentation"
	@echo "make bench   speed, memory and start-up on this machine"
	@echo "make eval    search quality: DATASET=folder [REPOS=folder] [ONLY=name]"
	@echo "make train   make the built-in embedding model again (training/README.md)"
	@echo "make docs    write the generated reference pages"

try: $(VENV)/.installed
	@$(TRY) index . --name recollect
	@echo
	$(TRY) query "which lines of a hit are shown on screen" --collection recollect --limit 3

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto

check: $(VENV)/.installed-check $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest $(TREE_TESTS)

bench: $(VENV)/.installed
	$(BIN)/python benchmarks/speed.py

eval: $(VENV)/.installed
	@test -n "$(DATASET)" || { echo "Say which dataset: make eval DATASET=folder (see docs/evaluation.md)" >&2; exit 2; }
	$(BIN)/recollect eval $(DATASET) --mode search --mode vsearch --mode query \
	  $(if $(REPOS),--repos $(REPOS)) $(if $(ONLY),--only $(ONLY)) --write benchmarks/results

train: $(VENV)/.installed-train
	$(BIN)/python training/download.py --downloads $(WORK)/downloads
	$(BIN)/python training/collect.py --downloads $(WORK)/downloads --mirrors $(MIRRORS) \
	  $(if $(BLOCK),--block $(BLOCK)) --out $(WORK)/pairs.jsonl
	$(BIN)/python training/train.py --pairs $(WORK)/pairs.jsonl --work $(WORK) --out src/recollect/embedding/builtin/model.npz

docs: $(VENV)/.installed
	$(BIN)/python -m recollect.interfaces.reference docs/cli.md

clean:
	rm -rf $(VENV) .recollect build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The environment is made once; a stamp for each set of dependencies says that pyproject.toml has not changed since.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Recollect needs Python 3.11 or newer, and $(PYTHON) is not. Try: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing Recollect into $(VENV) ..."
	@$(PIP) --editable .
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	@echo "Installing Recollect with what '$*' needs into $(VENV) ..."
	@$(PIP) --editable ".[$*]"
	@touch $@
