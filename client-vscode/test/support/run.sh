#!/usr/bin/env bash
# Runs the tests that need a real VS Code: within the extension host, in a browser, and once without a network.
set -euo pipefail
cd "$(dirname "$0")/../.."
node test/support/run-host.mjs
node --test --test-concurrency=1 test/ui/runs.test.mjs test/ui/editor.test.mjs
if [ "$(id -u)" = 0 ] && command -v unshare >/dev/null && command -v ip >/dev/null; then
  SPRINTWRIGHT_OFFLINE=1 unshare -n sh -c 'ip link set lo up; exec node --test test/ui/install.test.mjs'
else
  echo "Not root: the installation is tested with the network there."
  node --test test/ui/install.test.mjs
fi
