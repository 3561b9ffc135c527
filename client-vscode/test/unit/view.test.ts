/** The tree Runs: lasting elements, few redraws. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { RunStore } from '../../src/runs/store';
import { outermost, RunsView, type Element } from '../../src/runs/view';
import { change, head, node, question, result } from '../support/runs';

vi.mock('vscode', () => import('../support/vscode.js'));

describe('what is drawn anew', () => {
  const parents: Record<string, string> = { a: '', 'a/b': 'a', 'a/b/c': 'a/b', d: '' };
  const parentOf = (id: string): string | undefined => parents[id];

  test.each<[string[], string[]]>([
    [[], []],
    [['a', 'd'], ['a', 'd']],
    [['a', 'a/b', 'a/b/c'], ['a']],
    [['a/b/c', 'a'], ['a']],
    [['a/b/c', 'd'], ['a/b/c', 'd']],
    [['', 'a', 'a/b/c', 'd'], ['']],
    [['gone', 'a'], ['gone', 'a']],
  ])('of %j is %j', (ids, drawn) => {
    expect(outermost(ids, parentOf)).toEqual(drawn);
  });
});

describe('the view', () => {
  let store: RunStore;
  let view: RunsView;
  let drawn: (Element | undefined)[];
  const look = vi.fn<(runId: string) => Promise<void>>(() => Promise.resolve());
  let limit = 50;

  beforeEach(() => {
    vi.useFakeTimers();
    look.mockClear();
    limit = 50;
    store = new RunStore();
    view = new RunsView(store, look, () => limit);
    drawn = [];
    view.onDidChangeTreeData((one) => drawn.push(one));
  });

  afterEach(() => {
    view.dispose();
    vi.useRealTimers();
  });

  function ids(): (string | undefined)[] {
    vi.advanceTimersByTime(200);
    const found = drawn.map((one) => one?.id);
    drawn = [];
    return found;
  }

  const nodes = [
    node('plan', '', { status: 'done' }),
    node('passes', '', { kind: 'loop' }),
    node('passes[1]', 'passes', { kind: 'pass' }),
    node('passes[1]/build', 'passes[1]'),
  ];

  test('has one element for each thing, whatever happens to it', async () => {
    store.replace(result('r1', { nodes }));
    const [run] = await view.getChildren();
    const before = await view.getChildren(run);
    store.take(change(1, 2, { nodes: [node('plan', '', { status: 'failed' })] }));
    expect(await view.getChildren(run)).toEqual(before);
    expect((await view.getChildren(run))[0]).toBe(before[0]);
    expect(before.map((one) => one.id)).toEqual(['plan', 'passes[1]']);
    expect(before.map((one) => view.getTreeItem(one).id)).toEqual(['r1 plan', 'r1 passes[1]']);
  });

  test('knows the parent of each element, past loops', async () => {
    store.replace(result('r1', { nodes }));
    const build = view.element('r1', 'passes[1]/build');
    const pass = view.getParent(build);
    expect(pass).toBe(view.element('r1', 'passes[1]'));
    expect(pass && view.getParent(pass)).toBe(view.element('r1', ''));
    expect(view.getParent(view.element('r1', ''))).toBeUndefined();
    expect(await view.getChildren(build)).toEqual([]);
  });

  test('draws only what changed, at most five times a second', () => {
    store.replace(result('r1', { nodes }));
    view.getTreeItem(view.element('r1', ''));
    expect(ids()).toEqual([undefined]);
    for (let revision = 2; revision < 12; revision += 1) {
      store.take(change(revision - 1, revision, { nodes: [node('passes[1]/build', 'passes[1]', { detail: `${revision}` })] }));
    }
    expect(drawn).toEqual([]);
    expect(ids()).toEqual(['passes[1]/build']);
  });

  test('draws the run’s own line anew when what it says changed', () => {
    store.replace(result('r1', { nodes }));
    view.getTreeItem(view.element('r1', ''));
    ids();
    store.take(change(1, 2, { nodes: [node('passes[1]', 'passes', { kind: 'pass', status: 'done' })] }));
    expect(ids()).toEqual(['']);
  });

  test('draws a new node with what is around it, and where that is hidden with what is shown', () => {
    store.replace(result('r1', { nodes, status: 'paused', owner: 'none' }));
    view.getTreeItem(view.element('r1', ''));
    ids();
    store.take(change(1, 2, { status: 'paused', owner: 'none', nodes: [node('passes[1]/judge', 'passes[1]', { status: 'done' })] }));
    expect(ids()).toEqual(['passes[1]']);
    store.take(change(2, 3, { status: 'paused', owner: 'none', nodes: [node('passes[2]', 'passes', { kind: 'pass', status: 'done' })] }));
    expect(ids()).toEqual(['']);
  });

  test('asks for a run of which only the head is known, once it is opened', async () => {
    store.setHeads([head('r1')], false);
    const [run] = await view.getChildren();
    expect(look).not.toHaveBeenCalled();
    await view.getChildren(run);
    expect(look).toHaveBeenCalledExactlyOnceWith('r1');
  });

  test('shows the newest, as many as wanted, and those that pass the filter', async () => {
    store.setHeads([head('r1'), head('r2', { owner: 'none', status: 'completed' }), head('r3', { owner: 'none', status: 'paused' })], false);
    const names = async (): Promise<string[]> => (await view.getChildren()).map((one) => one.runId);
    expect(await names()).toEqual(['r3', 'r2', 'r1']);
    limit = 2;
    expect(await names()).toEqual(['r3', 'r2']);
    limit = 50;
    view.filter = 'live';
    expect(await names()).toEqual(['r1']);
    view.filter = 'needsUser';
    expect(await names()).toEqual(['r3']);
    view.filter = 'over';
    expect(await names()).toEqual(['r3', 'r2']);
  });

  test('draws the list anew when a run may begin to pass the filter', () => {
    store.replace(result('r1'));
    ids();
    view.filter = 'needsUser';
    store.take(change(1, 2, { questions: [question('q')] }));
    store.take(change(5, 6));
    expect(ids()).toEqual([undefined]);
  });

  test('x049: tooltips are plain text, and made only when they are looked at', async () => {
    store.replace(result('r1', { nodes, task: '[x](command:y) $(bug)' }));
    const [run] = await view.getChildren();
    const item = view.getTreeItem(run as Element);
    expect(item.tooltip).toBeUndefined();
    expect(typeof view.resolveTreeItem(item, run as Element).tooltip).toBe('string');
  });

  test('x048: what is spoken makes no icon', () => {
    store.replace(result('r1', { task: '$(bug) [x](command:y)' }));
    const { accessibilityInformation } = view.getTreeItem(view.element('r1', ''));
    expect(accessibilityInformation?.label).not.toMatch(/\$\(|\]\(/);
  });

  test('an element that is gone is an empty line until it is drawn anew', () => {
    store.replace(result('r1', { nodes }));
    const plan = view.element('r1', 'plan');
    store.remove('r1');
    expect(view.getTreeItem(plan).label).toBe('');
    expect(ids()).toEqual([undefined]);
  });

  test('runs that are live are opened at first, turns never', () => {
    store.replace(result('r1', { nodes }));
    store.replace(result('r2', { nodes, owner: 'none', status: 'completed' }));
    expect(view.element('r1', '').collapsible).toBe(2);
    expect(view.element('r2', '').collapsible).toBe(1);
    expect(view.element('r1', 'plan').collapsible).toBe(0);
  });
});
