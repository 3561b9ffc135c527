/** How runs and their nodes are shown: label, words for the state, icon, context, spoken label. Pure. */

import type { RunNode, Usage } from '../protocol';
import { cut, duration, firstLine, visible, words } from '../text';
import { askedAt, isLive, isOver, needsUser, runningPath, type Run } from './store';

/** An item of the tree, in plain values. */
export interface Shown {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  /** Theme colour of the icon; empty: none. */
  readonly color: string;
  /** What `when` clauses of menus see. */
  readonly context: string;
  readonly spoken: string;
}

/** A newer server may have further words: those are shown as they are. */
const RUN_WORDS: Partial<Record<string, string>> = {
  running: 'running',
  paused: 'paused',
  interrupted: 'interrupted',
  cancelled: 'cancelled',
  failed: 'failed',
  not_converged: 'passes used up',
  terminal_ready: 'ready to be closed',
  completed: 'completed',
  unreadable: 'damaged record',
};

const ICONS: Partial<Record<string, readonly [string, string]>> = {
  running: ['loading~spin', 'progressBar.background'],
  waiting: ['bell-dot', 'notificationsWarningIcon.foreground'],
  paused: ['debug-pause', 'notificationsWarningIcon.foreground'],
  interrupted: ['debug-disconnect', 'notificationsWarningIcon.foreground'],
  cancelled: ['circle-slash', ''],
  failed: ['error', 'testing.iconFailed'],
  not_converged: ['sync-ignored', 'testing.iconFailed'],
  terminal_ready: ['check', 'notificationsWarningIcon.foreground'],
  completed: ['pass', 'testing.iconPassed'],
  unreadable: ['warning', 'testing.iconFailed'],
  not_started: ['circle-outline', ''],
  done: ['pass', 'testing.iconPassed'],
  skipped: ['debug-step-over', ''],
  blocked: ['circle-slash', 'testing.iconFailed'],
};

/** The state of a run in a few words: `pass 2 of 3 · needs refinement`. */
export function stateOf(run: Run): string {
  const parts = [...position(run), runWords(run)];
  if (run.openFindings > 0) {
    parts.push(findingsWord(run.openFindings));
  }
  return parts.map((part) => cut(visible(part), 60)).join(' · ');
}

function runWords(run: Run): string {
  if (isLive(run.head) && run.questions.length > 0) {
    return 'needs you';
  }
  if (run.head.status === 'waiting') {
    return needsUser(run) ? 'needs you' : 'waiting';
  }
  return RUN_WORDS[run.head.status] ?? words(run.head.status);
}

/** Where a live run is: `Sprint 2 of 3`, `pass 1 of 3`, the role at work. */
function position(run: Run): string[] {
  const found: string[] = [];
  for (const id of runningPath(run)) {
    const node = run.nodes.get(id);
    if (node?.kind === 'entry') {
      found.push(placeAmong(run, node));
    } else if (node?.kind === 'pass') {
      found.push(passOf(run, node));
    } else if (node !== undefined && ['turn', 'check', 'question'].includes(node.kind) && run.nodes.get(node.parent)?.kind !== 'turn') {
      found.push(node.role || node.label);
    }
  }
  return found;
}

function placeAmong(run: Run, node: RunNode): string {
  const among = run.children.get(node.parent) ?? [];
  const name = node.label.split(':')[0] ?? node.label;
  return `${cut(name, 40)} of ${among.length}`;
}

function passOf(run: Run, node: RunNode): string {
  const limit = run.nodes.get(node.parent)?.limit ?? 0;
  const name = node.label.toLowerCase();
  return limit > 0 ? `${name} of ${limit}` : name;
}

function findingsWord(count: number): string {
  return count === 1 ? '1 finding' : `${count} findings`;
}

/** A run as an item. */
export function runItem(run: Run): Shown {
  const { head } = run;
  const label = firstLine(head.task) || head.runId;
  const elsewhere = head.own ? (head.owner === 'elsewhere' ? 'in another program' : '') : 'made elsewhere';
  const state = stateOf(run);
  const description = [cut(visible(head.workflow), 40), state, elsewhere].filter((part) => part !== '').join(' · ');
  const [icon, color] = ICONS[needsUser(run) && head.status === 'running' ? 'waiting' : head.status] ?? ['question', ''];
  return { label, description, icon, color, context: runContext(run), spoken: `${label}, ${description}` };
}

/** Words that menus look for, each between blanks' stand-in `;`. */
function runContext(run: Run): string {
  const { head } = run;
  const tags = ['run', head.status, head.own ? 'own' : 'foreign'];
  if (isLive(head)) {
    tags.push('live');
  }
  if (isOver(head)) {
    tags.push('over');
  }
  if (run.questions.length > 0) {
    tags.push('asks');
  }
  if (['interrupted', 'cancelled', 'failed', 'not_converged'].includes(head.status)) {
    tags.push('resumable');
  }
  return `;${tags.join(';')};`;
}

/** A node as an item. */
export function nodeItem(run: Run, node: RunNode): Shown {
  const label = cut(visible(node.label).replace(/\s+/g, ' '), 120);
  const description = nodeState(run, node);
  const [icon, color] = iconOf(run, node);
  const context = `;node;${node.kind};${node.status};${run.head.own ? 'own' : 'foreign'};${isLive(run.head) ? 'live;' : ''}`;
  return { label, description, icon, color, context, spoken: description === '' ? label : `${label}, ${description}` };
}

function iconOf(run: Run, node: RunNode): readonly [string, string] {
  if (node.status === 'running' && askedAt(run, node.id).length > 0) {
    return ICONS['waiting'] ?? ['bell-dot', ''];
  }
  if (node.status === 'done' && node.action === 'retry') {
    return ['issue-reopened', 'notificationsWarningIcon.foreground'];
  }
  if (node.status === 'waiting' && node.waitingFor === 'limit') {
    return ['watch', ''];
  }
  return ICONS[node.status] ?? ['question', ''];
}

function nodeState(run: Run, node: RunNode): string {
  const parts: string[] = [];
  if (node.agent !== '') {
    parts.push(node.role !== '' && node.role !== node.label ? `${node.role}: ${node.agent}` : node.agent);
  }
  if (node.kind === 'pass' && run.nodes.get(node.parent)?.limit) {
    parts.push(`of ${run.nodes.get(node.parent)?.limit ?? 0}`);
  }
  parts.push(statusWords(run, node));
  if (node.verdict !== '') {
    parts.push(words(node.verdict));
  }
  if (node.findings > 0) {
    parts.push(findingsWord(node.findings));
  }
  if (node.seconds > 0) {
    parts.push(duration(node.seconds));
  }
  if (node.usage !== null) {
    parts.push(used(node.usage));
  }
  parts.push(node.changed);
  return parts.filter((part) => part !== '').map((part) => cut(visible(part), 60)).join(' · ');
}

/** Tokens and cost; `≥` where some of it is not counted. */
function used(usage: Usage): string {
  const least = usage.precision === 'lower_bound' ? '≥ ' : '';
  const cost = usage.cost === null || usage.cost === 0 ? '' : usage.cost < 0.01 ? ', under $0.01' : `, $${usage.cost.toFixed(2)}`;
  return `${least}${usage.tokens.toLocaleString('en')} tokens${cost}`;
}

function statusWords(run: Run, node: RunNode): string {
  const [asked] = node.status === 'running' ? askedAt(run, node.id) : [];
  if (asked !== undefined) {
    return asked.kind === 'permission' ? 'needs your permission' : 'needs your answer';
  }
  if (node.status === 'waiting') {
    return { answer: 'needs your answer', permission: 'needs your permission', limit: 'waits for a limit' }[
      node.waitingFor
    ] ?? 'waiting';
  }
  if (node.status === 'done') {
    return node.verdict === '' ? 'done' : ''; // the verdict says more
  }
  return words(node.status);
}

/** Lines of a run's tooltip. Plain text. */
export function runTooltip(run: Run): string {
  const { head } = run;
  const roles = Object.entries(run.roles).map(([role, agent]) => `${role}: ${agent}`);
  return [
    head.task,
    `${head.workflow} · ${stateOf(run)}`,
    head.reason,
    ...roles,
    `${head.runId} in ${head.folder}`,
  ].filter((line) => line !== '').map((line) => cut(visible(line), 1000)).join('\n');
}

/** Lines of a node's tooltip. Plain text. */
export function nodeTooltip(run: Run, node: RunNode): string {
  return [node.label, nodeState(run, node), node.detail, node.id]
    .filter((line) => line !== '').map((line) => cut(visible(line), 1000)).join('\n');
}
