// Bundles test/host and runs it in the extension host of a real VS Code, on a project with a long run.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { build } from 'esbuild';

import { EXTENSION, FROM_CHECKOUT, ROOT, runInExtensionHost, startCode, temporary } from './harness.mjs';
import { Project } from './workbench.mjs';

const LONG = `name: long
roles: [w, judge]
stages:
  - id: rounds
    kind: loop
    max_iterations: 248
    on_exhausted: continue
    body:
      - {id: work, kind: agent_turn, role: w, prompt: go}
      - {id: judge, kind: agent_turn, role: judge, prompt: judge, verdict: {good: {action: break}, again: {action: retry}}}
  - id: last
    kind: loop
    max_iterations: 1
    on_exhausted: continue
    body:
${[0, 1, 2, 3].map((n) => `      - {id: judge${n}, kind: agent_turn, role: judge, prompt: judge, verdict: {good: {action: break}, again: {action: retry}}}`).join('\n')}
`;

const ASK = `name: ask
roles: [w]
stages:
  - {id: which, kind: user_checkpoint, prompt: Which colour?, save_as: colour}
  - {id: work, kind: agent_turn, role: w, prompt: "{{colour}}"}
`;

const TALK = `name: talk
roles: [talker]
stages:
  - {id: talk, kind: agent_turn, role: talker, prompt: Read a.py}
`;

const home = temporary('sw-host');
const environment = {
  XDG_CONFIG_HOME: path.join(home, 'config'),
  XDG_STATE_HOME: path.join(home, 'state'),
  XDG_RUNTIME_DIR: path.join(home, 'run'),
};
let code;
let exit = 1;
try {
  await build({
    entryPoints: [path.join(EXTENSION, 'test', 'host', 'index.ts')],
    bundle: true, platform: 'node', format: 'cjs', external: ['vscode', 'mocha'],
    outfile: path.join(EXTENSION, 'out', 'host', 'index.js'), sourcemap: 'inline', logLevel: 'warning',
  });
  const project = new Project(home);
  makeLongRun(project);
  fs.cpSync(path.join(EXTENSION, 'test', 'support', 'fake-models'), path.join(home, 'code', 'extensions', 'fake-models'), { recursive: true });
  code = await startCode({ driver: true, settings: FROM_CHECKOUT, user: path.join(home, 'code'), env: environment });
  const result = await runInExtensionHost(code, { tests: path.join(EXTENSION, 'out', 'host', 'index.js'), folder: project.folder });
  exit = result === 0 ? 0 : 1;
  if (exit !== 0) {
    console.error(`The extension host ended with ${result}.`);
  }
} finally {
  await code?.stop();
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}
process.exit(exit);

/** 500 turns, the last four of which find 500 things each (that is the most of one turn), made by the real program. */
function makeLongRun(project) {
  for (let part = 0; part < 20; part += 1) {
    project.write(`src/part${part}.py`, 'x = 1\n'.repeat(100));
  }
  const said = path.join(home, 'said');
  for (let judge = 0; judge < 4; judge += 1) {
    const findings = Array.from({ length: 500 }, (_, n) => ({
      severity: 'warning', message: `Finding ${judge * 500 + n}.`, path: `src/part${n % 20}.py`, line: judge * 25 + Math.floor(n / 20) + 1,
    }));
    fs.writeFileSync(`${said}${judge}`, JSON.stringify({ verdict: 'again', findings }));
  }
  project.define('long', LONG);
  project.define('ask', ASK);
  project.define('talk', TALK);
  project.write('a.py', 'x = 1\n');
  const judge = 'case $SPRINTWRIGHT_LEAF in last*/judge?) cat "$0${SPRINTWRIGHT_LEAF##*judge}";; *) echo VERDICT: again;; esac';
  const agents = {
    w: { kind: 'cli', command: ['/bin/echo', 'done'] },
    judge: { kind: 'cli', command: ['/bin/sh', '-c', judge, said] },
    fake: { kind: 'editor', vendor: 'sw-fake' },
  };
  fs.writeFileSync(path.join(project.config, 'config.yaml'), JSON.stringify({ agents, roles: { w: 'w', judge: 'judge', talker: 'fake' }, primary: 'w' }));
  const program = path.join(ROOT, '.venv', 'bin', 'sprintwright');
  fs.mkdirSync(environment.XDG_RUNTIME_DIR, { recursive: true, mode: 0o700 });
  const began = Date.now();
  execFileSync(program, ['run', 'long', 'A long run', '--yes'], {
    cwd: project.folder, env: { ...process.env, HOME: home, ...environment }, stdio: ['ignore', 'ignore', 'inherit'],
  });
  console.log(`sw: the long run took ${Date.now() - began} ms`);
  // Aside, so that the extension does not begin by itself: the first test does it, and measures.
  fs.renameSync(path.join(project.folder, '.sprintwright'), path.join(project.folder, 'aside'));
}
