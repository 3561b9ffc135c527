/** Starts the server's process and says, when it ended at once, what that means. Knows nothing of VS Code. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import * as path from 'node:path';

import type { Interpreter } from './interpreters';

/** Exit codes of launch.py. */
const TOO_OLD = 90;
const NOT_SET_UP = 91;
const BROKEN = 92;
/** What `python` exits with where it is only the stub of the Windows store. */
const STORE_STUB = 9009;

const MOST_ERRORS = 4000;
const PATIENCE_MILLISECONDS = 5_000;
/** How long output may still come of a process that ended; one that it started may hold the pipe open for ever. */
const LAST_WORDS_MILLISECONDS = 500;

export type Failure = 'tooOld' | 'notSetUp' | 'broken' | 'cannotRun' | 'ended';

/** A process of the server. */
export interface Launched {
  readonly process: ChildProcessWithoutNullStreams;
  /** Resolves when it ended. */
  readonly ended: Promise<Ending>;
  /** End it if it lives: asked first, killed after `patience`. */
  end(patience?: number): Promise<Ending>;
}

export interface Ending {
  readonly failure: Failure;
  readonly code: number | null;
  /** The last of its error output. */
  readonly said: string;
}

/**
 * Start it.
 *
 * @param environments folder of the environments, or `-` for the interpreter's own packages.
 * @param say is given its error output, line by line.
 */
export function launch(
  python: Interpreter, script: string, environments: string, say: (line: string) => void,
): Launched {
  const started = spawn(python.path, ['-I', '-X', 'utf8', script, environments], {
    cwd: path.parse(script).root, // no folder of the user's: some Pythons look in it for which Python they are to be
    env: withoutEditor(process.env),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    shell: false,
  });
  started.stdin.on('error', () => undefined); // it ended before it read what was written: `ended` says so
  let said = '';
  let rest = '';
  started.stderr.setEncoding('utf8');
  started.stderr.on('data', (piece: string) => {
    said = (said + piece).slice(-MOST_ERRORS);
    const lines = (rest + piece).split('\n');
    rest = (lines.pop() ?? '').slice(-MOST_ERRORS);
    lines.forEach(say);
  });
  const ended = new Promise<Ending>((resolve) => {
    started.once('error', (error) => {
      resolve({ failure: 'cannotRun', code: null, said: error.message });
    });
    const end = (code: number | null): void => {
      if (rest !== '') {
        say(rest);
        rest = '';
      }
      resolve({ failure: failureOf(code), code, said: said.trim() });
    };
    started.once('close', end);
    started.once('exit', (code) => {
      setTimeout(end, LAST_WORDS_MILLISECONDS, code).unref();
    });
  });
  const end = async (patience = PATIENCE_MILLISECONDS): Promise<Ending> => {
    started.kill();
    const last = setTimeout(() => started.kill('SIGKILL'), patience);
    try {
      return await ended;
    } finally {
      clearTimeout(last);
    }
  };
  return { process: started, ended, end };
}

export function failureOf(code: number | null): Failure {
  switch (code) {
    case TOO_OLD: return 'tooOld';
    case NOT_SET_UP: return 'notSetUp';
    case BROKEN: return 'broken';
    case STORE_STUB: return 'cannotRun';
    default: return 'ended';
  }
}

/** Without what belongs to VS Code's own processes. */
export function withoutEditor(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !/^(VSCODE_|ELECTRON_|CHROME_)/.test(name)));
}
