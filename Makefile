# make run: the app on sample data.  make test: every check.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test venv lint
.DEFAULT_GOAL := run

venv: .venv/installed

.venv/installed: requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "python3 is missing: install Python 3.11 or newer."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, found $$($(PYTHON) -V)."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "The venv module is missing: on Debian, apt install python3-venv."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable . 2>/dev/null || $(BIN)/pip install --quiet --no-deps --editable .
	@touch $@

run: venv
	$(BIN)/quartermaster load --if-empty --config sample_data/review_2026-11-23.toml
	$(BIN)/quartermaster load --if-only-sample
	$(BIN)/streamlit run app.py

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest
