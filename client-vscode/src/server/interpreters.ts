/** Which Pythons are tried, in their order. Looks at files only; runs nothing (X3). Knows nothing of VS Code. */

import * as fs from 'node:fs';
import * as path from 'node:path';

export interface Interpreter {
  readonly path: string;
  /** Where it was found, in words for the log and for messages. */
  readonly from: string;
}

export interface Sources {
  /** The user's setting; empty when there is none. */
  readonly setting: string;
  /** What the Python extension has as its active interpreter; empty when there is none. */
  readonly active: string;
  /** The PATH of the extension host. */
  readonly searchPath: string;
  readonly platform: NodeJS.Platform;
  /** What `~` stands for. */
  readonly home: string;
  /** Folders whose programs must not be run: they are the repository's. */
  readonly workspaceFolders: readonly string[];
}

/**
 * Candidates in their order, each once: the setting alone, else what the Python extension has and what PATH has.
 *
 * Only the setting may lie in a workspace folder: the user wrote it (X17). What is not used is told with its reason.
 */
export function interpreters(sources: Sources, log: (text: string) => void): Interpreter[] {
  const found: Interpreter[] = [];
  if (sources.setting !== '') {
    return chosen(sources, log);
  }
  if (sources.active === '') {
    log('The Python extension has no active interpreter.');
  } else if (!path.isAbsolute(sources.active)) {
    log(`Python ${sources.active} (the Python extension) is not used: it is no whole path.`);
  } else {
    add(found, sources, { path: sources.active, from: 'the Python extension' }, log);
  }
  for (const name of sources.platform === 'win32' ? ['py.exe', 'python.exe'] : ['python3', 'python']) {
    addFromPath(found, sources, name, log);
  }
  return found;
}

/** A whole path is taken as it is; a bare name is looked up where nothing of a workspace is looked at. */
function chosen(sources: Sources, log: (text: string) => void): Interpreter[] {
  const from = 'the setting sprintwright.python';
  const named = sources.setting.replace(/^~(?=[/\\])/, () => sources.home);
  if (path.isAbsolute(named)) {
    return [{ path: named, from }];
  }
  const found: Interpreter[] = [];
  if (path.basename(named) === named) {
    addFromPath(found, sources, named, log);
  }
  if (found.length === 0) {
    log(`${from} has ${named}, which is no whole path and no program on PATH.`);
  }
  return found.slice(0, 1).map((one) => ({ path: one.path, from }));
}

function addFromPath(found: Interpreter[], sources: Sources, name: string, log: (text: string) => void): void {
  for (const folder of sources.searchPath.split(path.delimiter)) {
    const candidate = path.join(folder, name);
    if (path.isAbsolute(folder) && isProgram(candidate)) { // a relative entry means the current folder: the repository's
      add(found, sources, { path: candidate, from: 'PATH' }, log);
    }
  }
}

function add(found: Interpreter[], sources: Sources, one: Interpreter, log: (text: string) => void): void {
  const inWorkspace = sources.workspaceFolders.some((folder) => {
    const root = real(folder);
    return [path.resolve(one.path), path.join(real(path.dirname(one.path)), path.basename(one.path)), real(one.path)]
      .some((way) => isWithin(root, way) || isWithin(folder, way));
  });
  if (inWorkspace) {
    log(`Python ${one.path} (${one.from}) is not used: it is in a workspace folder. The setting sprintwright.python can choose it.`);
  } else if (!found.some((known) => identity(known.path) === identity(one.path))) {
    found.push(one);
  }
}

/** Of a virtual environment its folder: its program is a link to the Python that made it, with other packages. */
function identity(file: string): string {
  const folder = real(path.dirname(file));
  return fs.existsSync(path.join(folder, '..', 'pyvenv.cfg')) ? folder : real(file);
}

function isWithin(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

function real(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
