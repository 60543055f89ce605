# Two commands for a fresh machine with Python ≥ 3.11, pip, git and make: `make demo` and `make test`.

PYTHON ?= python3
UV_VERSION := 0.13
BIN := .venv/bin

.PHONY: setup servers demo test lint clean

setup: .venv/.ready

.venv/.ready: uv.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "diva needs Python 3.11 or newer; name one with make PYTHON=…"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv~=$(UV_VERSION).0"
	@$(BIN)/uv sync --quiet --frozen --inexact --compile-bytecode
	@touch $@

demo: setup
	@bash examples/demo.sh

lint: setup
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --no-cache --check .
	$(BIN)/mypy

servers:
	@bash tests/engines/servers.sh

test: lint servers
	$(BIN)/pytest

clean:
	rm -rf .venv demo .mypy_cache .ruff_cache .hypothesis
