/** What is known of the runs: the rules for revisions of docs/protocol.md, and what is told to whom. */

import { beforeEach, describe, expect, test } from 'vitest';

import type { DidChange, RunNode } from '../../src/protocol';
import { RunStore, isLive, isOver, needsUser, runningPath, type Change, type Run } from '../../src/runs/store';
import { change, finding, head, node, question, result } from '../support/runs';

let store: RunStore;
let told: Change[];

beforeEach(() => {
  store = new RunStore();
  told = [];
  store.onDidChange((one) => told.push(one));
});

function run(): Run {
  const found = store.get('r1');
  expect(found).toBeDefined();
  return found as Run;
}

describe('revisions', () => {
  test('a change that builds on ours is taken in', () => {
    store.replace(result('r1', { revision: 3, nodes: [node('a')] }));
    expect(store.take(change(3, 5, { nodes: [node('a', '', { status: 'done' }), node('b')] }))).toBe(true);
    expect(run().revision).toBe(5);
    expect(run().nodes.get('a')?.status).toBe('done');
    expect(store.below('r1', '')).toEqual(['a', 'b']);
  });

  test.each([2, 4, 99])('one that builds on %d is not, but what stands beside the nodes is shown', (base) => {
    store.replace(result('r1', { revision: 3, nodes: [node('a')] }));
    const asked = [question('q')];
    expect(store.take(change(base, 120, { status: 'waiting', questions: asked, openFindings: 7, turns: 4, nodes: [node('b')] }))).toBe(false);
    expect(run().revision).toBe(3);
    expect([...run().nodes.keys()]).toEqual(['a']);
    expect(run()).toMatchObject({ questions: asked, openFindings: 7, turns: 4, head: { status: 'waiting' } });
  });

  test('base 0 is the whole run, whatever was known', () => {
    store.replace(result('r1', { revision: 3, nodes: [node('a'), node('a/x', 'a')] }));
    expect(store.take(change(0, 9, { nodes: [node('b')] }))).toBe(true);
    expect([...run().nodes.keys()]).toEqual(['b']);
    expect(store.below('r1', '')).toEqual(['b']);
    expect(store.below('r1', 'a')).toEqual([]);
    expect(run().revision).toBe(9);
  });

  test('equal base and revision change the owner only', () => {
    store.replace(result('r1', { revision: 3, nodes: [node('a')] }));
    expect(store.take(change(3, 3, { owner: 'none' }))).toBe(true);
    expect(run().head.owner).toBe('none');
    expect(run().nodes.size).toBe(1);
  });

  test('a run that is not known must be asked for', () => {
    expect(store.take(change(0, 9, { nodes: [node('b')] }))).toBe(false);
    expect(store.runs()).toEqual([]);
  });

  test('after a new start of the server nothing is built upon what is shown', () => {
    store.replace(result('r1', { revision: 3, nodes: [node('a')] }));
    store.forgetRevisions();
    expect(store.take(change(3, 4))).toBe(false);
    expect(run().nodes.size).toBe(1);
    store.replace(result('r1', { revision: 2 }));
    expect(run().revision).toBe(2);
  });

  test('what is taken out is gone with its place', () => {
    store.replace(result('r1', { revision: 1, nodes: [node('a'), node('b'), node('b/x', 'b'), node('c')] }));
    store.take(change(1, 2, { removed: ['b', 'b/x', 'never'] }));
    expect(store.below('r1', '')).toEqual(['a', 'c']);
    expect(store.below('r1', 'b')).toEqual([]);
    store.take(change(2, 3, { nodes: [node('b')] }));
    expect(store.below('r1', '')).toEqual(['a', 'c', 'b']);
  });
});

test('a node that comes again has nothing below it that was there before', () => {
  store.replace(result('r1', { revision: 1, nodes: [node('b'), node('b/x', 'b')] }));
  store.take(change(1, 2, { removed: ['b'] }));
  store.take(change(2, 3, { nodes: [node('b')] }));
  expect(store.below('r1', 'b')).toEqual([]);
});

describe('who is told of what', () => {
  test('of a changed node the node, of a new one its parent', () => {
    store.replace(result('r1', { nodes: [node('a'), node('b')] }));
    told = [];
    store.take(change(1, 2, { nodes: [node('b', '', { status: 'done' }), node('a/x', 'a')] }));
    expect(told).toEqual([{ runId: 'r1', nodes: ['b', 'a'] }]);
  });

  test('of a new run the list, of a known one the run', () => {
    store.replace(result('r1'));
    store.replace(result('r1'));
    expect(told).toEqual([{ runId: '', nodes: [] }, { runId: 'r1', nodes: [''] }]);
  });

  test('nobody is told of the removal of what was not there, nor after having left', () => {
    store.remove('r9');
    expect(told).toEqual([]);
    const left: Change[] = [];
    store.onDidChange((one) => left.push(one)).dispose();
    store.replace(result('r1'));
    expect(left).toEqual([]);
  });
});

describe('the list', () => {
  test('is newest first', () => {
    store.setHeads([head('20260501-1'), head('20260503-1'), head('20260502-1')], true);
    expect(store.runs().map((one) => one.head.runId)).toEqual(['20260503-1', '20260502-1', '20260501-1']);
    expect(store.more).toBe(true);
  });

  test('takes out what is not in it, but not what this server tells of', () => {
    store.setHeads([head('r1'), head('r2')], false);
    store.replace(result('r3', { revision: 4 }));
    store.setHeads([head('r2')], false);
    expect(store.runs().map((one) => one.head.runId)).toEqual(['r3', 'r2']);
  });

  test('does not take back what notifications said since', () => {
    store.replace(result('r1', { revision: 4, status: 'completed' }));
    store.setHeads([head('r1', { status: 'running' })], false);
    expect(run().head.status).toBe('completed');
  });

  test('a run of which only the head is known has revision 0', () => {
    store.setHeads([head('r1')], false);
    expect(run()).toMatchObject({ revision: 0, questions: [], openFindings: 0 });
  });

  test('counts open findings of a whole run', () => {
    store.replace(result('r1', { findings: [finding(1), finding(2, { status: 'fixed' }), finding(3, { status: 'dismissed' })] }));
    expect(run().openFindings).toBe(1);
  });

  test('is empty when it was cleared', () => {
    store.setHeads([head('r1')], true);
    store.clear();
    expect(store.runs()).toEqual([]);
    expect(store.more).toBe(false);
  });
});

describe('loops', () => {
  const nodes = [
    node('plan'),
    node('sprints', '', { kind: 'loop' }),
    node('sprints[1]', 'sprints', { kind: 'entry' }),
    node('sprints[1]/passes', 'sprints[1]', { kind: 'loop' }),
    node('sprints[1]/passes[1]', 'sprints[1]/passes', { kind: 'pass' }),
    node('later', '', { kind: 'loop', status: 'not_started' }),
  ];

  test('are no level of their own: what they repeat is', () => {
    store.replace(result('r1', { nodes }));
    expect(store.below('r1', '')).toEqual(['plan', 'sprints[1]', 'later']);
    expect(store.below('r1', 'sprints[1]')).toEqual(['sprints[1]/passes[1]']);
    expect(store.shownAs('r1', 'sprints')).toBe('');
    expect(store.shownAs('r1', 'sprints[1]/passes')).toBe('sprints[1]');
    expect(store.shownAs('r1', 'later')).toBe('later');
    expect(store.shownAs('r1', 'plan')).toBe('plan');
    expect(store.shownAs('r9', 'x')).toBe('x');
  });

  test('the way to what runs goes through them', () => {
    store.replace(result('r1', { nodes }));
    expect(runningPath(run())).toEqual(['sprints', 'sprints[1]', 'sprints[1]/passes', 'sprints[1]/passes[1]']);
    store.take(change(1, 2, { nodes: [node('sprints', '', { kind: 'loop', status: 'done' }), node('plan', '', { status: 'waiting' })] }));
    expect(runningPath(run())).toEqual(['plan']);
  });
});

describe('states', () => {
  test.each<[string, Parameters<typeof head>[1], boolean]>([
    ['waits for an answer', { status: 'waiting' }, true],
    ['pauses', { status: 'paused', owner: 'none' }, true],
    ['is ready to be closed', { status: 'terminal_ready', owner: 'none' }, true],
    ['goes on although something is asked', { status: 'running' }, true],
    ['was cut off with a question open', { status: 'interrupted', owner: 'none' }, true],
    ['is another user’s', { status: 'waiting', own: false }, false],
    ['has failed', { status: 'failed', owner: 'none' }, false],
    ['is over', { status: 'completed', owner: 'none' }, false],
  ])('a run with a question that %s', (_words, more, needs) => {
    store.replace(result('r1', { ...head('r1', more), questions: [question('q')] }));
    expect(needsUser(run())).toBe(needs);
    expect(store.waiting()).toHaveLength(needs ? 1 : 0);
  });

  test('a run that waits for a limit goes on by itself, and needs nobody', () => {
    store.replace(result('r1', { status: 'waiting' }));
    expect(needsUser(run())).toBe(false);
  });

  test('a run that waits, of which no more is known, may need somebody', () => {
    store.setHeads([head('r1', { status: 'waiting' })], false);
    expect(needsUser(run())).toBe(true);
  });

  test.each(['completed', 'failed', 'cancelled', 'not_converged', 'unreadable'] as const)('%s is over', (status) => {
    expect(isOver(head('r1', { status }))).toBe(true);
  });

  test('a run is live while somebody carries it on', () => {
    expect(isLive(head('r1', { owner: 'elsewhere' }))).toBe(true);
    expect(isLive(head('r1', { owner: 'none' }))).toBe(false);
    expect(isLive(head('r1', { status: 'paused' }))).toBe(false);
  });
});

describe('random sequences', () => {
  /** Small and repeatable. */
  function randoms(seed: number): (below: number) => number {
    let at = seed;
    return (below) => {
      at = (at * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((at / 2_147_483_648) * below);
    };
  }

  /** A server with a run: it makes changes, and the whole as it is. */
  class Server {
    revision = 1;
    nodes: RunNode[] = [node('n0')];
    private made = 1;

    constructor(private readonly random: (below: number) => number) {}

    change(): DidChange {
      const base = this.revision;
      this.revision += this.random(4);
      const fresh = Array.from({ length: this.random(3) }, () => {
        const parent = this.random(2) === 0 ? '' : (this.nodes[this.random(this.nodes.length)]?.id ?? '');
        return node(`n${this.made++}`, parent, { kind: 'stage' });
      });
      const touched = this.nodes.filter(() => this.random(4) === 0).map((one) => ({ ...one, detail: `at ${this.revision}` }));
      const leaves = this.nodes.filter((one) => !this.nodes.some((other) => other.parent === one.id));
      const taken = new Set([...fresh.map((one) => one.parent), ...touched.map((one) => one.id)]);
      const removed = leaves.filter((one) => !taken.has(one.id) && this.random(5) === 0).map((one) => one.id);
      const now = new Map(this.nodes.map((one) => [one.id, one]));
      removed.forEach((id) => now.delete(id));
      [...touched, ...fresh].forEach((one) => now.set(one.id, one));
      this.nodes = [...now.values()];
      return change(base, this.revision, { nodes: [...touched, ...fresh], removed });
    }

    whole(): ReturnType<typeof result> {
      return result('r1', { revision: this.revision, nodes: this.nodes });
    }
  }

  test.each(Array.from({ length: 40 }, (_, seed) => seed))('lead to what the server has, with changes lost on the way (%d)', (seed) => {
    const random = randoms(seed + 1);
    const server = new Server(random);
    store.replace(server.whole());
    for (let step = 0; step < 60; step += 1) {
      const next = server.change();
      if (random(6) === 0 && next.base !== next.revision) {
        continue; // lost
      }
      if (random(10) === 0) {
        store.forgetRevisions();
      }
      if (!store.take(next)) {
        store.replace(server.whole());
      }
      expect(new Map(run().nodes)).toEqual(new Map(server.nodes.map((one) => [one.id, one])));
      for (const id of ['', ...run().nodes.keys()]) {
        const below = server.nodes.filter((one) => one.parent === id).map((one) => one.id);
        expect(store.below('r1', id)).toEqual(below);
      }
    }
  });
});

test('what is asked within a turn is shown as the turn; a question of its own is shown as itself', () => {
  const store = new RunStore();
  const asked = node('gen/permission-1', 'gen', { kind: 'question' });
  store.replace(result('r1', { nodes: [node('gen'), asked, node('plan', '', { kind: 'question' })] }));
  expect(store.below('r1', '')).toEqual(['gen', 'plan']);
  expect(store.below('r1', 'gen')).toEqual([]);
  expect(store.shownAs('r1', 'gen/permission-1')).toBe('gen');
  expect(store.shownAs('r1', 'plan')).toBe('plan');
});
