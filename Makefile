# The project's commands. Everything lives in .venv; the lock file pins each package by hash.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-exhaustive test-client test-vscode test-peers check check-vscode bench vsix lock schema clean

demo: $(READY)
	@$(BIN)/sprintwright demo

test: $(READY)
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory test-client; else echo "Without Node only the Python part is tested."; fi
	@$(BIN)/python -m pytest tests --ignore=tests/bench --ignore=tests/packaging -n 2 --dist worksteal -m "not exhaustive and not peers"

test-exhaustive: $(READY)
	@$(BIN)/python -m pytest tests --ignore=tests/bench --ignore=tests/packaging -n 2 --dist worksteal -m "exhaustive and not peers"

# Real agents of other makers, pinned in tests/peers, against a model server of ours, and once against a real model; what
# is not there is named.
test-peers: $(READY)
	@PYTHON="$(PYTHON)" tests/peers/setup.sh
	@$(BIN)/python -m pytest tests/peers -m peers -n 2 --dist worksteal -rs

# The extension's unit tests: those that need no VS Code.
test-client: client-vscode/node_modules/.ready
	@cd client-vscode && npx vitest run --reporter=dot

# The extension's package, the extension host, and a real VS Code in a browser.
test-vscode: vsix
	@$(BIN)/python -m pytest tests/packaging
	@client-vscode/test/support/setup.sh
	@client-vscode/test/support/run.sh

check: $(READY)
	@$(BIN)/ruff format --check server tests client-vscode
	@$(BIN)/ruff check server tests client-vscode
	@$(BIN)/pyright
	@$(BIN)/python -m sprintwright schema --check definitions/workflow.schema.json
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory check-vscode; else echo "Without Node the extension is not checked."; fi

check-vscode: client-vscode/node_modules/.ready
	@cd client-vscode && npm run --silent check && npm run --silent lint

bench: $(READY)
	@$(BIN)/python -m tests.bench

schema: $(READY)
	@$(BIN)/python -m sprintwright schema > definitions/workflow.schema.json

vsix: $(READY) client-vscode/node_modules/.ready
	@$(BIN)/python client-vscode/scripts/package.py

client-vscode/node_modules/.ready: client-vscode/package-lock.json
	@cd client-vscode && npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# The extension carries wheels for one platform; its lock has no line that counts only elsewhere.
BUNDLED := x86_64-manylinux_2_28
lock:
	@uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet -o requirements-dev.lock
	@uv pip compile pyproject.toml --group bundle --constraint requirements-dev.lock --python-platform $(BUNDLED) --python-version 3.11 \
	  --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet -o requirements.lock
	@cd tests/peers && uv pip compile requirements.in --override overrides.txt --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet -o requirements.lock

$(READY): requirements-dev.lock pyproject.toml
	@command -v git >/dev/null || { echo "git is needed: install it and try again." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis dist
	cd client-vscode && rm -rf node_modules dist out bundled schemas LICENSE *.vsix
