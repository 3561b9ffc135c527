#!/usr/bin/env bash
# Installs the agents that package-lock.json pins into a cache outside the repository. Quick when everything is there;
# without Node, or without a registry, nothing is installed, and the tests that need them are skipped with that reason.
set -euo pipefail
cd "$(dirname "$0")"
home=${SPRINTWRIGHT_PEERS_HOME:-$HOME/.cache/sprintwright-peers}
ready=$home/ready-$(sha256sum package-lock.json | cut -c1-16)
if [ -e "$ready" ]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "Without Node the agents of tests/peers are not installed." >&2
  exit 0
fi
echo "Installing agents for tests in $home …"
rm -rf "$home"
mkdir -p "$home"
cp package.json package-lock.json "$home"
# Not `npm ci`: it wants lines even for optional packages of other systems that a registry may not have.
# No scripts of packages are run but one, which puts opencode's program for this machine in its place.
if (cd "$home" && npm install --ignore-scripts --no-audit --no-fund --silent && cd node_modules/opencode-ai &&
  node postinstall.mjs >/dev/null); then
  touch "$ready"
else
  echo "The agents of tests/peers could not be installed." >&2
fi
