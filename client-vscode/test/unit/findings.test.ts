/** Findings that are given to agents, one after the other. */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Diagnostic, Uri as RealUri } from 'vscode';

import { ended, fixFile, fixFileAction } from '../../src/findings';
import type { ShownFinding } from '../../src/middleware';
import type { Parts } from '../../src/parts';
import type { RunStatus } from '../../src/protocol';
import { RunStore } from '../../src/runs/store';
import { change, finding, result } from '../support/runs';
import { answers, reset, shown, Uri, window } from '../support/vscode';

vi.mock('vscode', () => import('../support/vscode.js'));

describe('a fixing run is waited for', () => {
  test('until nobody carries it on, and not while it only looks over', async () => {
    const store = new RunStore();
    const statuses: string[] = [];
    void ended(store, 'r1').then((status) => statuses.push(status));
    store.replace(result('r1', { revision: 1 }));
    store.take(change(1, 2, { status: 'completed', owner: 'here' }));
    await Promise.resolve();
    expect(statuses).toEqual([]);
    store.take(change(2, 2, { status: 'completed', owner: 'none' }));
    await vi.waitFor(() => {
      expect(statuses).toEqual(['completed']);
    });
  });

  test('one that is over already needs no change', async () => {
    const store = new RunStore();
    store.replace(result('r1', { status: 'failed', owner: 'none' }));
    expect(await ended(store, 'r1')).toBe('failed');
  });
});

describe('all findings of a file', () => {
  const FILE = new Uri('/f/src/a.py');
  const OTHER = new Uri('/f/src/b.py');
  let store: RunStore;
  let sent: { runId: string; finding: string; startToken: string }[];
  let events: string[];
  let after: () => RunStatus;
  let parts: Parts;

  beforeEach(() => {
    reset();
    window.activeTextEditor = undefined;
    store = new RunStore();
    store.replace(result('r1', { findings: [finding(1), finding(2), finding(3)] }));
    store.replace(result('r2', { findings: [finding(4)] }));
    sent = [];
    events = [];
    after = () => 'completed';
    const one = (runId: string, id: string, line: number): ShownFinding => ({ runId, finding: id, message: `Say ${id} $(bug)`, line });
    const inFile = (uri: Uri): ShownFinding[] => (uri === FILE ? [one('r1', 'f1', 1), one('r1', 'f2', 2), one('r2', 'f4', 9)] : []);
    const perform = (_command: string, argument: (typeof sent)[number]): Promise<{ runId: string } | undefined> => {
      sent.push(argument);
      events.push(argument.finding);
      const runId = `fix${sent.length}`;
      setImmediate(() => {
        events.push(`${runId} ends`);
        store.replace(result(runId, { status: after(), owner: 'none' }));
      });
      return Promise.resolve({ runId });
    };
    const look = (runId: string): Promise<unknown> => Promise.resolve(store.get(runId));
    parts = { store, look, diagnostics: { inFile }, performer: { perform } } as unknown as Parts;
  });

  const all = (one: { items: readonly unknown[] }): unknown => one.items;

  test('are fixed by runs of their own, one after the other, each of the run that found it', async () => {
    answers.push(all);
    await fixFile(parts, FILE);
    expect(sent.map((one) => [one.runId, one.finding])).toEqual([['r1', 'f1'], ['r1', 'f2'], ['r2', 'f4']]);
    expect(events).toEqual(['f1', 'fix1 ends', 'f2', 'fix2 ends', 'f4', 'fix3 ends']);
    expect(new Set(sent.map((one) => one.startToken)).size).toBe(3);
    expect(shown).toHaveLength(1);
    expect(JSON.stringify(shown[0]?.items)).not.toContain('$(');
  });

  test('none is begun unless the user agrees to the list, and only those that they picked', async () => {
    await fixFile(parts, FILE);
    expect(sent).toEqual([]);
    answers.push((one) => one.items.slice(2));
    await fixFile(parts, FILE);
    expect(sent.map((one) => one.finding)).toEqual(['f4']);
  });

  test('one that was settled by the fix before it is passed over', async () => {
    after = () => {
      store.replace(result('r1', { findings: [finding(1, { status: 'fixed' }), finding(2, { status: 'fixed' })] }));
      return 'completed';
    };
    answers.push(all);
    await fixFile(parts, FILE);
    expect(sent.map((one) => one.finding)).toEqual(['f1', 'f4']);
  });

  test.each<[RunStatus, number]>([['failed', 2], ['cancelled', 2], ['paused', 2]])('a fix that is %s ends it, and it is said how many were not begun', async (status, left) => {
    after = () => status;
    answers.push(all);
    await fixFile(parts, FILE);
    expect(sent).toHaveLength(1);
    expect(shown.at(-1)?.message).toBe(`${left} findings were not begun.`);
  });

  test('without a file it is that of the editor; without findings it says so', async () => {
    window.activeTextEditor = { document: { uri: FILE } };
    answers.push(all);
    await fixFile(parts, undefined);
    expect(sent).toHaveLength(3);
    for (const given of [OTHER, 'nonsense']) {
      window.activeTextEditor = undefined;
      await fixFile(parts, given);
      expect(shown.at(-1)?.message).toBe('No finding is open.');
    }
    expect(sent).toHaveLength(3);
  });

  test('are offered at a finding, where there are others', () => {
    const about = [{ message: 'Say f1' }] as unknown as Diagnostic[];
    const uri = FILE as unknown as RealUri;
    expect(fixFileAction(uri, [], 3)).toEqual([]);
    expect(fixFileAction(uri, about, 1)).toEqual([]);
    expect(fixFileAction(uri, about, 3)).toEqual([{
      title: 'Fix all 3 findings of this file', kind: 'quickfix', diagnostics: about,
      command: { title: 'Fix all 3 findings of this file', command: 'sprintwright.finding.fixFile', arguments: [FILE] },
    }]);
  });
});
