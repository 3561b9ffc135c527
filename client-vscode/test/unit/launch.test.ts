import * as fs from 'node:fs';
import * as path from 'node:path';

import { describe, expect, test } from 'vitest';

import { failureOf, launch, withoutEditor, type Ending, type Launched } from '../../src/server/launch';
import { program, temporary } from './folders';

const SCRIPT = path.resolve(__dirname, '..', '..', 'launch.py');
const PYTHON = path.resolve(__dirname, '..', '..', '..', '.venv', 'bin', 'python');

function start(python: string, environments = '-', said: string[] = []): Launched {
  return launch({ path: python, from: 'a test' }, SCRIPT, environments, (line) => said.push(line));
}

/** How a fake Python of the shell ended. */
function fake(text: string, said: string[] = []): Promise<Ending> {
  return start(program(path.join(temporary(), 'python3'), text), '-', said).ended;
}

describe('r115: what came of a start', () => {
  test.each([[90, 'tooOld'], [91, 'notSetUp'], [92, 'broken'], [0, 'ended'], [7, 'ended']] as const)('exit code %i', async (code, failure) => {
    expect(await fake(`echo why >&2; exit ${code}`)).toEqual({ failure, code, said: 'why' });
  });

  test('the stub of the Windows store', () => {
    expect(failureOf(9009)).toBe('cannotRun');
  });

  test('a program that is no Python', async () => {
    expect(await fake('echo Python 3.8.0')).toEqual({ failure: 'ended', code: 0, said: '' });
  });

  test('a file that is gone, or is no program', async () => {
    const folder = temporary();
    const file = path.join(folder, 'python3');
    expect((await start(file).ended).failure).toBe('cannotRun');
    fs.writeFileSync(file, 'nothing to run', { mode: 0o644 });
    expect((await start(file).ended).failure).toBe('cannotRun');
  });

  test('a real Python without a set-up', async () => {
    const ending = await start(PYTHON, temporary()).ended;
    expect(ending).toMatchObject({ failure: 'notSetUp', code: 91 });
    expect(ending.said).toMatch(/^Sprintwright is not set up for Python 3\.\d+ yet\.$/);
  });

  test('r114: a real Python whose environment lost its packages', async () => {
    const folder = temporary();
    const version = await fake(`exec ${PYTHON} -c 'import sys; sys.stderr.write("cp%d%d" % sys.version_info[:2])'`);
    const packages = path.join(folder, version.said);
    fs.mkdirSync(path.join(packages, 'sprintwright'), { recursive: true });
    fs.writeFileSync(path.join(packages, 'sprintwright', '__init__.py'), '');
    fs.writeFileSync(path.join(packages, 'complete'), '');
    const ending = await start(PYTHON, folder).ended;
    expect(ending).toMatchObject({ failure: 'broken', code: 92 });
    expect(ending.said).toContain("can't be loaded");
  });

  test('a real server, which ends when its client is gone', async () => {
    const launched = start(PYTHON);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } });
    const answer = new Promise<string>((resolve) => {
      launched.process.stdout.setEncoding('utf8').once('data', resolve);
    });
    launched.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    expect(await answer).toContain('Content-Length: ');
    launched.process.stdin.end();
    expect((await launched.ended).failure).toBe('ended');
  });
});

describe('ending', () => {
  test('one that hangs is ended', async () => {
    const launched = start(program(path.join(temporary(), 'python3'), 'exec sleep 600'));
    expect(await launched.end()).toMatchObject({ failure: 'ended', code: null });
  });

  test('one that takes no notice is killed', async () => {
    const said: string[] = [];
    const launched = start(program(path.join(temporary(), 'python3'), "trap '' TERM; echo deaf >&2; while :; do sleep 0.05; done"), '-', said);
    await expect.poll(() => said).toEqual(['deaf']);
    await launched.end(50);
    expect(launched.process.signalCode).toBe('SIGKILL');
  });

  test('what it leaves behind with its output in hand does not hold up the end', async () => {
    const file = path.join(temporary(), 'left');
    const ending = await fake(`sleep 600 & echo $! > ${file}; echo bye >&2; exit 92`);
    process.kill(Number(fs.readFileSync(file, 'utf8')));
    expect(ending).toEqual({ failure: 'broken', code: 92, said: 'bye' });
  });

  test('what is written to one that is ending is lost, and nothing else', async () => {
    const launched = start(program(path.join(temporary(), 'python3'), 'exec <&-; echo deaf >&2; sleep 0.2; exit 91'));
    launched.process.stderr.once('data', () => {
      launched.process.stdin.write('x'.repeat(1_000_000));
    });
    expect((await launched.ended).failure).toBe('notSetUp');
  });

  test('one that ended already', async () => {
    const launched = start(program(path.join(temporary(), 'python3'), 'exit 90'));
    await launched.ended;
    expect((await launched.end()).failure).toBe('tooOld');
  });
});

describe('how it is started', () => {
  test('its error output comes line by line, and all of it; of a lot the last is kept', async () => {
    const said: string[] = [];
    const ending = await fake('printf "one\\ntw" >&2; printf "o\\nthree" >&2; exit 1', said);
    expect(said).toEqual(['one', 'two', 'three']);
    expect(ending.said).toBe('one\ntwo\nthree');
    const long = await fake('yes | head -c 9000 >&2; echo last >&2; exit 1');
    expect(long.said.length).toBeLessThanOrEqual(4000);
    expect(long.said).toMatch(/last$/);
  });

  test('x003: isolated, in UTF-8, in no folder of the user’s', async () => {
    const said: string[] = [];
    await fake('pwd >&2; for part in "$@"; do echo "$part" >&2; done', said);
    expect(said).toEqual(['/', '-I', '-X', 'utf8', SCRIPT, '-']);
  });

  test('without the variables of the editor’s own processes', () => {
    const own = { PATH: '/bin', VSCODE_IPC_HOOK: 'x', ELECTRON_RUN_AS_NODE: '1', CHROME_DESKTOP: 'x', HOME: '/h' };
    expect(withoutEditor(own)).toEqual({ PATH: '/bin', HOME: '/h' });
  });
});
