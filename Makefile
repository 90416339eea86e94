# Everything runs in a virtual environment inside the checkout; each target sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
COMPILED := $(shell find src/lamina -name '*.[ch]')
# The tests start Lamina many hundred times; without bytecode each start compiles its modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint types tests quick fuzz sanitize faults docs bench clean

demo: $(READY)
	$(BIN)/python examples/demo.py

# The checks side by side, then the tests, which take all cores themselves.
test: $(READY)
	$(MAKE) --no-print-directory --jobs=2 lint types
	$(MAKE) --no-print-directory tests

lint: $(READY)
	$(BIN)/ruff check src tests bench docs examples hatch_build.py
	$(BIN)/ruff format --check src tests bench docs examples hatch_build.py
	$(BIN)/lint-imports --no-logo

types: $(READY)
	$(BIN)/mypy

tests: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal

quick: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" tests/unit tests/conformance tests/cli

fuzz: $(READY)
	LAMINA_FUZZ=long $(BIN)/python -m pytest -n auto tests/fuzz tests/helm

sanitize: $(READY)
	$(BIN)/python tests/sanitize.py

faults: $(READY)
	LAMINA_FAULTS=long $(BIN)/python -m pytest tests/service/test_faults.py tests/service/test_requests.py tests/service/test_attack.py

docs: $(READY)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "the manual is in docs/_build/html/index.html"

bench:
	$(PYTHON) bench/peers.py
	.bench/venv/bin/python bench/run.py $(BENCH)

$(READY): pyproject.toml constraints.txt hatch_build.py $(COMPILED)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[service]" --group dev --group docs
	touch $(READY)

clean:
	rm -rf $(VENV) .sanitize .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist docs/_build
