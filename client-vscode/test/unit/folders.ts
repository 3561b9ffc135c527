/** Folders and programs that tests make. */

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

import { onTestFinished } from 'vitest';

/** A folder that is gone after the test. */
export function temporary(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sprintwright-')));
  onTestFinished(() => {
    fs.rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A program of the shell; its path. */
export function program(file: string, text = 'exit 0'): string {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
}
