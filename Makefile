# Everything runs in a virtual environment inside the checkout; each target sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPILED := $(shell find src/lamina -name '*.[ch]')
# The tests start Lamina many hundred times; without bytecode each start compiles its modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint types tests quick editors coverage fuzz sanitize faults dist docs bench clean

demo: $(INSTALLED)
	$(BIN)/python examples/demo.py

# The checks side by side, then the tests, which take all cores themselves.
test: $(READY)
	$(MAKE) --no-print-directory --jobs=2 lint types
	$(MAKE) --no-print-directory tests

lint: $(READY)
	$(BIN)/ruff check src tests bench docs examples integrations hatch_build.py
	$(BIN)/ruff format --check src tests bench docs examples integrations hatch_build.py
	$(BIN)/lint-imports --no-logo

types: $(READY)
	$(BIN)/mypy

tests: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal

quick: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" tests/unit tests/conformance tests/cli

# How much of the code those run, and a floor for it (pyproject.toml).
coverage: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" --cov --cov-report term tests/unit tests/conformance tests/cli tests/property

fuzz: $(READY)
	LAMINA_FUZZ=long $(BIN)/python -m pytest -n auto tests/fuzz tests/helm tests/oracles

sanitize: $(READY)
	$(BIN)/python tests/sanitize.py

faults: $(READY)
	LAMINA_FAULTS=long $(BIN)/python -m pytest tests/service/test_faults.py tests/service/test_requests.py tests/service/test_attack.py

# The language server and its clients, and the extension in Visual Studio Code.
editors: $(READY)
	$(BIN)/python -m pytest -n auto tests/editor
	editors/vscode/test/run $(CURDIR)/$(BIN)/lamina

# The sdist and the wheel, each tried outside of the checkout; in Pyodide, too.
dist: $(READY)
	$(PIP) --constraint constraints.txt --group release
	$(BIN)/python tests/dist/build.py

docs: $(READY)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "the manual is in docs/_build/html/index.html"

bench:
	$(PYTHON) bench/peers.py
	.bench/venv/bin/python bench/run.py $(BENCH)

$(INSTALLED): pyproject.toml constraints.txt hatch_build.py $(COMPILED)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --constraint constraints.txt --editable .
	touch $(INSTALLED)

$(READY): $(INSTALLED)
	$(PIP) --constraint constraints.txt --editable ".[service]" --group dev --group docs
	touch $(READY)

clean:
	rm -rf $(VENV) .sanitize .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist docs/_build
