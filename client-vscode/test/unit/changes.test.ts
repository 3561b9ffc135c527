/** What a pass changed: which editors are opened on which two texts, and what is said of the rest. */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Uri as RealUri } from 'vscode';

import { ChangesEditor } from '../../src/changes';
import type { Changes, FileChange } from '../../src/protocol';
import { Refused } from '../../src/server/refused';
import { executed, reset, shown, Uri } from '../support/vscode';

vi.mock('vscode', () => import('../support/vscode.js'));

const BEFORE = 'b'.repeat(40);
const AFTER = 'a'.repeat(40);

let asked: object[];
let reply: () => Promise<unknown>;
let editor: ChangesEditor;

beforeEach(() => {
  reset();
  asked = [];
  reply = () => Promise.resolve({ text: 'as it was\n' });
  editor = new ChangesEditor({
    command: <T>(_name: string, argument?: object): Promise<T> => {
      asked.push(argument ?? {});
      return reply() as Promise<T>;
    },
  });
});

const changes = (files: readonly FileChange[], more: Partial<Changes> = {}): Changes =>
  ({ runId: 'r1', leaf: 'a', before: BEFORE, after: AFTER, files, diff: '', ...more });
const file = (path: string, status = 'modified'): FileChange => ({ path, status });

/** The rows of the editor: path, and for both sides scheme and tree. */
function rows(): string[][] {
  const [, , given] = executed[0] ?? [];
  const side = (uri: Uri | undefined): string =>
    uri === undefined ? '' : uri.scheme === 'file' ? uri.path : `${uri.path} ${new URLSearchParams(uri.query).get('tree')?.charAt(0) ?? ''}`;
  return (given as (Uri | undefined)[][]).map((row) => row.map(side));
}

describe('the editor', () => {
  test('has both sides of each file, by its kind; nothing of the workspace is one of them', async () => {
    await editor.show('Changes of a $(bug)', '/f', changes([file('src/a.py'), file('new é#?.py', 'added'), file('old.py', 'deleted')]));
    expect(executed.map((one) => one[0])).toEqual(['vscode.changes']);
    expect(executed[0]?.[1]).not.toContain('$(');
    expect(rows()).toEqual([
      ['/f/src/a.py', '/src/a.py b', '/src/a.py a'],
      ['/f/new é#?.py', '', '/new é#?.py a'],
      ['/f/old.py', '/old.py b', ''],
    ]);
    expect(shown).toEqual([]);
  });

  test('has the files as they are now where the turn has no end', async () => {
    await editor.show('x', '/f', changes([file('a.py'), file('b.py', 'deleted')], { after: '' }));
    expect(rows()).toEqual([['/f/a.py', '/a.py b', '/f/a.py'], ['/f/b.py', '/b.py b', '']]);
  });

  test.each(['../up', 'a/../../up', '/etc/passwd', 'C:/x', '\\\\host\\x', 'a\\..\\..\\up'])('x029: never has %s', async (path) => {
    await editor.show('x', '/f', changes([file(path), file('good')], { after: '' }));
    expect(rows()).toEqual([['/f/good', '/good b', '/f/good']]);
  });

  test('is not opened where nothing, or only permissions, changed, and it is said', async () => {
    await editor.show('x', '/f', changes([]));
    await editor.show('x', '/f', changes([file('a', 'mode')]));
    expect(executed).toEqual([]);
    expect(shown.map((one) => one.message)).toEqual(['No file was changed there.', 'Only permissions changed: 1 files.']);
  });

  test('has so many files, and it is said how many more there are', async () => {
    const many = Array.from({ length: 130 }, (_, n) => file(`f${n}`));
    await editor.show('x', '/f', changes([...many, file('1,234 more files', 'more')]));
    expect(rows()).toHaveLength(100);
    expect(shown[0]?.message).toBe('Not shown: 30 more files. Not shown: 1,234 more files.');
  });
});

describe('a file of then', () => {
  const address = async (): Promise<RealUri> => {
    await editor.show('x', '/f', changes([file('src/new é#?.py')]));
    return (executed[0]?.[2] as Uri[][])[0]?.[1] as unknown as RealUri;
  };

  test('is asked of the server, by run, tree and path', async () => {
    expect(await editor.provideTextDocumentContent(await address())).toBe('as it was\n');
    expect(asked).toEqual([{ runId: 'r1', tree: BEFORE, path: 'src/new é#?.py' }]);
  });

  test('that is no text, or that nobody knows, says so in its place', async () => {
    reply = () => Promise.reject(new Refused('not_supported', 'It is no text: 3 bytes then.\u202e'));
    expect(await editor.provideTextDocumentContent(await address())).toBe('Not shown: It is no text: 3 bytes then.\\u{202e}');
    const odd = new Uri('/x', 'sprintwright-snapshot') as unknown as RealUri;
    await editor.provideTextDocumentContent(odd);
    expect(asked.at(-1)).toEqual({ runId: '', tree: '', path: 'x' });
  });
});
