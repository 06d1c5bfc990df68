# make run: the app on sample data.  make test: every check.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint venv
.DEFAULT_GOAL := run

run: venv
	$(BIN)/python -m sample_data.load
	$(BIN)/streamlit run app.py

test: lint
	$(BIN)/python -m pytest

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

venv: .venv/installed

.venv/installed: requirements.lock
	@command -v $(PYTHON) >/dev/null || { echo "python3 is missing. Install Python 3.11 or newer."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) -V)."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "The venv module is missing. On Debian: apt install python3-venv."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@
