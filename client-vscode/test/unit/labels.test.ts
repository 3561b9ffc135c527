/** How runs and their nodes are shown. */

import { describe, expect, test } from 'vitest';

import type { NodeKind, NodeStatus, Owner, RunNode, RunStatus } from '../../src/protocol';
import { nodeItem, nodeTooltip, runItem, runTooltip, stateOf } from '../../src/runs/labels';
import { RunStore, type Run } from '../../src/runs/store';
import { finding, head, node, question, result } from '../support/runs';

function run(more: Parameters<typeof result>[1] = {}): Run {
  const store = new RunStore();
  store.replace(result('r1', more));
  return store.get('r1') as Run;
}

function tags(context: string): string[] {
  return context.split(';').filter((tag) => tag !== '');
}

describe('a run', () => {
  test.each<[RunStatus, Owner, string, string, string[]]>([
    ['running', 'here', 'running', 'loading~spin', ['live']],
    ['waiting', 'here', 'waiting', 'bell-dot', ['live']],
    ['paused', 'none', 'paused', 'debug-pause', []],
    ['interrupted', 'none', 'interrupted', 'debug-disconnect', ['resumable']],
    ['cancelled', 'none', 'cancelled', 'circle-slash', ['over', 'resumable']],
    ['failed', 'none', 'failed', 'error', ['over', 'resumable']],
    ['not_converged', 'none', 'passes used up', 'sync-ignored', ['over', 'resumable']],
    ['terminal_ready', 'none', 'ready to be closed', 'check', []],
    ['completed', 'none', 'completed', 'pass', ['over']],
    ['unreadable', 'none', 'damaged record', 'warning', ['over']],
  ])('that is %s (%s) says “%s” in words', (status, owner, words, icon, more) => {
    const shown = runItem(run({ status, owner }));
    expect(shown.description).toBe(`dev · ${words}`);
    expect(shown.icon).toBe(icon);
    expect(tags(shown.context)).toEqual(['run', status, 'own', ...more]);
    expect(shown.spoken).toBe(`Add a flag, dev · ${words}`);
  });

  test('of a status that a newer server knows is shown as it is', () => {
    const shown = runItem(run({ status: 'half_done' as RunStatus, owner: 'none' }));
    expect(shown.description).toBe('dev · half done');
    expect(shown.icon).toBe('question');
  });

  test('that asks needs you, whatever else goes on in it', () => {
    const shown = runItem(run({ status: 'running', questions: [question('q')] }));
    expect(shown.description).toContain('needs you');
    expect(shown.icon).toBe('bell-dot');
    expect(tags(shown.context)).toContain('asks');
  });

  test('that waits for a limit does not need you; one of which no more is known may', () => {
    expect(runItem(run({ status: 'waiting' })).description).toBe('dev · waiting');
    const store = new RunStore();
    store.setHeads([head('r1', { status: 'waiting' })], false);
    expect(runItem(store.get('r1') as Run).description).toBe('dev · needs you');
  });

  test('of another user, and one in another program, are told apart', () => {
    const foreign = runItem(run({ own: false, owner: 'none' }));
    expect(foreign.description).toContain('made elsewhere');
    expect(tags(foreign.context)).toContain('foreign');
    expect(tags(foreign.context)).not.toContain('own');
    expect(runItem(run({ owner: 'elsewhere' })).description).toContain('in another program');
  });

  test('says where it is, and how much was found', () => {
    const nodes = [
      node('sprints', '', { kind: 'loop' }),
      node('sprints[1]', 'sprints', { kind: 'entry', label: 'Sprint 1: the flag', status: 'done' }),
      node('sprints[2]', 'sprints', { kind: 'entry', label: 'Sprint 2: the rest' }),
      node('sprints[2]/passes', 'sprints[2]', { kind: 'loop', limit: 3 }),
      node('sprints[2]/passes[1]', 'sprints[2]/passes', { kind: 'pass', label: 'Pass 1' }),
      node('sprints[2]/passes[1]/generator', 'sprints[2]/passes[1]', { role: 'generator' }),
    ];
    expect(stateOf(run({ nodes, findings: [finding(1)] }))).toBe('Sprint 2 of 2 · pass 1 of 3 · generator · running · 1 finding');
    expect(stateOf(run({ findings: [finding(1), finding(2)] }))).toBe('running · 2 findings');
  });

  test('is called by the first line of its task, else by its id', () => {
    expect(runItem(run({ task: '\n\n  Mend   it\nsoon' })).label).toBe('Mend it');
    expect(runItem(run({ task: ' ' })).label).toBe('r1');
  });
});

describe('a node', () => {
  test.each<[NodeStatus, Partial<RunNode>, string, string]>([
    ['not_started', {}, 'not started', 'circle-outline'],
    ['running', {}, 'running', 'loading~spin'],
    ['waiting', { waitingFor: 'answer' }, 'needs your answer', 'bell-dot'],
    ['waiting', { waitingFor: 'permission' }, 'needs your permission', 'bell-dot'],
    ['waiting', { waitingFor: 'limit' }, 'waits for a limit', 'watch'],
    ['waiting', {}, 'waiting', 'bell-dot'],
    ['done', {}, 'done', 'pass'],
    ['done', { verdict: 'good_to_go', action: 'break' }, 'good to go', 'pass'],
    ['done', { verdict: 'needs_refinement', action: 'retry' }, 'needs refinement', 'issue-reopened'],
    ['skipped', {}, 'skipped', 'debug-step-over'],
    ['failed', {}, 'failed', 'error'],
    ['blocked', {}, 'blocked', 'circle-slash'],
    ['interrupted', {}, 'interrupted', 'debug-disconnect'],
    ['cancelled', {}, 'cancelled', 'circle-slash'],
    ['dreaming' as NodeStatus, {}, 'dreaming', 'question'],
  ])('that is %s %j says “%s” in words', (status, more, words, icon) => {
    const one = node('n', '', { status, label: 'generator', ...more });
    const shown = nodeItem(run({ nodes: [one] }), one);
    expect(shown).toMatchObject({ label: 'generator', description: words, icon, spoken: `generator, ${words}` });
  });

  test('names its agent, and its role where the label does not', () => {
    const one = node('n', '', { label: 'build', role: 'builder', agent: 'mine' });
    expect(nodeItem(run(), one).description).toBe('builder: mine · running');
    expect(nodeItem(run(), { ...one, label: 'builder' }).description).toBe('mine · running');
  });

  test('tells its place among passes, findings, time and tokens', () => {
    const loop = node('p', '', { kind: 'loop', limit: 3 });
    const pass = node('p[1]', 'p', { kind: 'pass', status: 'done', verdict: 'again', findings: 2, seconds: 75, usage: { tokens: 5120, inputTokens: 5000, outputTokens: 120, cachedTokens: 0, cost: 0.5, precision: 'exact' } });
    expect(nodeItem(run({ nodes: [loop, pass] }), pass).description).toBe('of 3 · again · 2 findings · 1 min · 5,120 tokens, $0.50');
  });

  test.each<[NodeKind, boolean, boolean]>([['turn', true, true], ['pass', false, true], ['question', true, false]])(
    'of kind %s has its tags (own %s, live %s)', (kind, own, live) => {
      const one = node('n', '', { kind });
      const found = tags(nodeItem(run({ own, owner: live ? 'here' : 'none' }), one).context);
      expect(found).toEqual(['node', kind, 'running', own ? 'own' : 'foreign', ...(live ? ['live'] : [])]);
    },
  );
});

describe('texts from outside', () => {
  const bad = 'x\u202ey\u200bz\u{e0041}';
  const evil = node('n', '', { kind: 'entry', label: bad, role: bad, agent: bad, detail: bad, verdict: bad });
  const inner = node('n/t', 'n', { label: bad, role: bad });
  const whole = run({
    task: `${bad}\n${'t'.repeat(20_000)}`, workflow: bad, reason: bad, roles: { [bad]: bad }, folder: bad, nodes: [evil, inner],
    status: bad as RunStatus,
  });

  test('x051: are seen as they are in every line, tooltip and spoken label', () => {
    for (const shown of [runItem(whole), nodeItem(whole, evil), nodeItem(whole, inner)]) {
      expect([shown.label, shown.description, shown.spoken].join('')).not.toMatch(/[\u202e\u200b\u{e0041}]/u);
      expect(shown.label + shown.description).toContain('\\u{202e}');
    }
    expect(runTooltip(whole) + nodeTooltip(whole, evil) + stateOf(whole)).not.toMatch(/[\u202e\u200b\u{e0041}]/u);
  });

  test('x054: are cut, and are one line', () => {
    const long = node('n', '', { label: `${'l'.repeat(9000)}\nmore`, agent: 'a'.repeat(9000), detail: 'd'.repeat(9000), kind: 'entry' });
    const of = run({ task: 't'.repeat(9000), workflow: 'w'.repeat(9000), nodes: [long] });
    for (const shown of [runItem(of), nodeItem(of, long)]) {
      expect(shown.label.length).toBeLessThanOrEqual(120);
      expect(shown.description.length).toBeLessThanOrEqual(300);
      expect(shown.label + shown.description).not.toContain('\n');
    }
    expect(runTooltip(of).length).toBeLessThanOrEqual(5000);
    expect(nodeTooltip(of, long).length).toBeLessThanOrEqual(5000);
  });
});

describe('what is asked within a turn', () => {
  const turn = node('gen', '', { role: 'generator', agent: 'mine' });
  const inner = node('gen/permission-1', 'gen', { kind: 'question', role: 'generator', status: 'waiting' });

  test.each([['permission', 'needs your permission'], ['ask', 'needs your answer']] as const)('of kind %s: the turn %s', (kind, words) => {
    const asking = run({ nodes: [turn, inner], questions: [question('gen/permission-1', { kind })] });
    expect(nodeItem(asking, turn)).toMatchObject({ icon: 'bell-dot', description: `generator: mine · ${words}` });
    expect(stateOf(asking)).toBe('generator · needs you');
  });

  test('is not what another turn asks, nor what was answered', () => {
    const other = node('gen2', '', { role: 'generator' });
    const asking = run({ nodes: [turn, inner, other], questions: [question('gen/permission-1', { kind: 'permission' })] });
    expect(nodeItem(asking, other).description).toContain('running');
    expect(nodeItem(run({ nodes: [turn, inner] }), turn).description).toContain('running');
  });
});
