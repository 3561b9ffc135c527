import * as fs from 'node:fs';
import * as path from 'node:path';

import { describe, expect, test } from 'vitest';

import { interpreters, type Sources } from '../../src/server/interpreters';
import { program, temporary } from './folders';

function find(some: Partial<Sources>): { paths: string[]; from: string[]; log: string } {
  const log: string[] = [];
  const sources: Sources = {
    setting: '', active: '', searchPath: '', platform: 'linux', home: '/nowhere', workspaceFolders: [], ...some,
  };
  const found = interpreters(sources, (text) => log.push(text));
  return { paths: found.map((one) => one.path), from: found.map((one) => one.from), log: log.join('\n') };
}

const joined = (...folders: string[]): string => folders.join(path.delimiter);

describe('the order', () => {
  test('the setting wins, and nothing else is tried', () => {
    const base = temporary();
    const found = find({
      setting: '/opt/mine/python', active: program(path.join(base, 'active')), searchPath: path.dirname(program(path.join(base, 'python3'))),
    });
    expect(found.paths).toEqual(['/opt/mine/python']);
    expect(found.from).toEqual(['the setting sprintwright.python']);
  });

  test('then the Python extension, then python3 before python on PATH', () => {
    const base = temporary();
    const active = program(path.join(base, 'venv', 'python'));
    const python = program(path.join(base, 'a', 'python'));
    const python3 = program(path.join(base, 'b', 'python3'));
    const found = find({ active, searchPath: joined(path.dirname(python), path.dirname(python3)) });
    expect(found.paths).toEqual([active, python3, python]);
    expect(found.from).toEqual(['the Python extension', 'PATH', 'PATH']);
  });

  test('each program once, however many links lead to it', () => {
    const base = temporary();
    const python3 = program(path.join(base, 'usr', 'bin', 'python3'));
    fs.symlinkSync('python3', path.join(base, 'usr', 'bin', 'python'));
    fs.symlinkSync('usr/bin', path.join(base, 'bin'));
    expect(find({ searchPath: joined(path.dirname(python3), path.join(base, 'bin')) }).paths).toEqual([python3]);
  });

  test('a virtual environment is another Python than the one that it links to', () => {
    const base = temporary();
    const python3 = program(path.join(base, 'usr', 'bin', 'python3'));
    const active = path.join(base, 'venv', 'bin', 'python');
    fs.mkdirSync(path.dirname(active), { recursive: true });
    fs.writeFileSync(path.join(base, 'venv', 'pyvenv.cfg'), '');
    fs.symlinkSync(python3, active);
    fs.symlinkSync('python', path.join(path.dirname(active), 'python3'));
    expect(find({ active, searchPath: joined(path.dirname(active), path.dirname(python3)) }).paths).toEqual([active, python3]);
  });

  test('on Windows the launcher comes first', () => {
    const base = temporary();
    const python = program(path.join(base, 'python.exe'));
    const launcher = program(path.join(base, 'py.exe'));
    expect(find({ platform: 'win32', searchPath: base }).paths).toEqual([launcher, python]);
  });

  test('folders and files that can’t be run are no programs', () => {
    const base = temporary();
    fs.mkdirSync(path.join(base, 'python3'));
    fs.writeFileSync(path.join(base, 'python'), '', { mode: 0o644 });
    expect(find({ searchPath: base }).paths).toEqual([]);
  });
});

describe('x003, x017: nothing of a workspace folder', () => {
  test.each(['active', 'searchPath'] as const)('is used by way of %s, and the log says so', (way) => {
    const folder = temporary();
    const python3 = program(path.join(folder, '.venv', 'bin', 'python3'));
    const found = find({ [way]: way === 'active' ? python3 : path.dirname(python3), workspaceFolders: [folder] });
    expect(found.paths).toEqual([]);
    expect(found.log).toContain(`${python3} (${way === 'active' ? 'the Python extension' : 'PATH'}) is not used: it is in a workspace folder`);
  });

  test('is used by a link out of it, a link into it, or a linked workspace folder', () => {
    const base = temporary();
    const folder = path.join(base, 'folder');
    const planted = program(path.join(folder, 'python3'));
    const outside = program(path.join(base, 'outside', 'real'));
    fs.mkdirSync(path.join(folder, 'bin'));
    fs.symlinkSync(outside, path.join(folder, 'bin', 'python3'));
    fs.mkdirSync(path.join(base, 'into'));
    fs.symlinkSync(planted, path.join(base, 'into', 'python3'));
    fs.symlinkSync(path.join(folder, 'bin'), path.join(base, 'bin'));
    fs.symlinkSync(folder, path.join(base, 'linked'));
    const searchPath = joined(
      folder, path.join(folder, 'bin'), path.join(base, 'into'), path.join(base, 'bin'), path.join(base, 'linked'),
      path.join(base, 'outside', '..', 'folder'),
    );
    for (const workspace of [folder, path.join(base, 'linked')]) {
      expect(find({ searchPath, workspaceFolders: [workspace] }).paths).toEqual([]);
    }
  });

  test('is meant by a relative or an empty entry of PATH, or a relative active interpreter', () => {
    const folder = temporary();
    program(path.join(folder, 'python3'));
    const relative = path.relative(process.cwd(), folder);
    const found = find({ searchPath: joined('', '.', relative), active: path.join(relative, 'python3') });
    expect(found.paths).toEqual([]);
    expect(found.log).toContain('is no whole path');
  });

  test('is used but by the setting', () => {
    const folder = temporary();
    const python3 = program(path.join(folder, '.venv', 'bin', 'python3'));
    expect(find({ setting: python3, workspaceFolders: [folder] }).paths).toEqual([python3]);
  });

  test('is kept apart from a folder with a like name', () => {
    const base = temporary();
    const python3 = program(path.join(base, 'project-tools', 'python3'));
    const dotted = program(path.join(base, '..python', 'python'));
    const searchPath = joined(path.dirname(python3), path.dirname(dotted));
    expect(find({ searchPath, workspaceFolders: [path.join(base, 'project')] }).paths).toEqual([python3, dotted]);
    expect(find({ searchPath, workspaceFolders: [base] }).paths).toEqual([]);
  });
});

describe('the setting', () => {
  test('a bare name is looked up on PATH, but not in a workspace folder', () => {
    const base = temporary();
    const folder = path.join(base, 'folder');
    const planted = program(path.join(folder, 'python3.13'));
    const python = program(path.join(base, 'bin', 'python3.13'));
    const found = find({
      setting: 'python3.13', searchPath: joined(path.dirname(planted), path.dirname(python)), workspaceFolders: [folder],
    });
    expect(found.paths).toEqual([python]);
    expect(found.from).toEqual(['the setting sprintwright.python']);
  });

  test('~ is the home folder', () => {
    expect(find({ setting: '~/py/python3', home: '/home/$&me' }).paths).toEqual(['/home/$&me/py/python3']);
  });

  test.each(['.venv/bin/python', './python3', 'no-such-python'])('%s is not used, and the log says why', (setting) => {
    const searchPath = temporary();
    program(path.join(searchPath, '.venv', 'bin', 'python'));
    program(path.join(searchPath, 'python3'));
    const found = find({ setting, searchPath });
    expect(found.paths).toEqual([]);
    expect(found.log).toContain(`the setting sprintwright.python has ${setting}, which is no whole path`);
  });
});
