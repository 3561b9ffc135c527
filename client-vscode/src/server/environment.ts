/** The managed environment: packages for the server, made on the user's wish from what the extension carries (X81). */

import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';

import type { Interpreter } from './interpreters';
import { withoutEditor } from './launch';

/** Exit code of set_up.py when pip did not take the packages: another Python would get no further. */
const REFUSED = 93;
const MOST_SAID = 4000;

export interface Made {
  readonly ok: boolean;
  /** The last of what was said; for the log and for a message. */
  readonly said: string;
}

interface Tried extends Made {
  /** This Python will not do; another one may. */
  readonly isUnfit: boolean;
}

/** Where environments are, and what they are made from. */
export class Environment {
  constructor(
    /** Has one folder for each Python version; in the editor's storage, so that a later version does not take it away. */
    readonly folder: string,
    private readonly script: string,
    private readonly wheels: string,
  ) {}

  /** Whether the extension carries what an environment is made from; a checkout does not. */
  get isCarried(): boolean {
    return fs.existsSync(path.join(this.wheels, 'requirements.txt'));
  }

  /**
   * Make one for the first of these Pythons that will do, with nothing from the network.
   *
   * @param again a finished one is not left as it is, but made anew.
   * @param report is given what goes on, a line at a time.
   * @param signal ends it; what was begun is taken away by the next try.
   */
  async make(
    pythons: readonly Interpreter[], again: boolean, report: (line: string) => void, signal: AbortSignal,
  ): Promise<Made> {
    let made: Tried = { ok: false, said: '', isUnfit: true };
    for (const python of pythons) {
      report(`Trying ${python.path} (from ${python.from}).`);
      made = await this.makeFor(python.path, again, report, signal);
      if (!made.isUnfit || signal.aborted) {
        break;
      }
    }
    return made;
  }

  private makeFor(python: string, again: boolean, report: (line: string) => void, signal: AbortSignal): Promise<Tried> {
    return new Promise((resolve) => {
      fs.mkdirSync(this.folder, { recursive: true });
      const options = again ? ['again'] : [];
      const child = spawn(python, ['-I', '-X', 'utf8', this.script, this.folder, this.wheels, ...options], {
        cwd: this.folder,
        env: withoutEditor(process.env),
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
        shell: false,
        signal,
      });
      let said = '';
      const take = (piece: string): void => {
        said = (said + piece).slice(-MOST_SAID);
        piece.split('\n').filter((line) => line.trim() !== '').forEach(report);
      };
      child.stdout.setEncoding('utf8').on('data', take);
      child.stderr.setEncoding('utf8').on('data', take);
      child.once('error', (error) => {
        resolve({ ok: false, said: error.message, isUnfit: true });
      });
      child.once('close', (code) => {
        const ok = code === 0 && this.hasOne();
        resolve({ ok, said: said.trim(), isUnfit: !ok && code !== REFUSED });
      });
    });
  }

  /** A program that only looks like Python also ends with 0. */
  private hasOne(): boolean {
    return fs.readdirSync(this.folder).some((name) => fs.existsSync(path.join(this.folder, name, 'complete')));
  }
}
