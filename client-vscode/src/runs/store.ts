/**
 * What is known of the runs, folded from the server's answers and notifications. Pure: knows nothing of VS Code.
 *
 * The rules for revisions are those of docs/protocol.md: a change whose base is not ours is not taken in, and the whole
 * run is asked for instead.
 */

import type { DidChange, Finding, Gate, Question, RunHead, RunNode, RunResult, RunStatus } from '../protocol';

/** A run as far as it is known. `head` alone, until somebody looks closer. */
export interface Run {
  readonly head: RunHead;
  /** Number of the last record that is counted in; 0: only the head is known. */
  readonly revision: number;
  readonly nodes: ReadonlyMap<string, RunNode>;
  /** Ids of the nodes below a node, in their order; the stages of the run are below `''`. */
  readonly children: ReadonlyMap<string, readonly string[]>;
  readonly questions: readonly Question[];
  readonly openFindings: number;
  readonly findings: readonly Finding[];
  readonly gates: Readonly<Record<string, Gate>>;
  readonly roles: Readonly<Record<string, string>>;
  readonly turns: number;
}

/** What changed: a whole list (`''`), or of one run its nodes (`''` stands for the run itself). */
export interface Change {
  readonly runId: string;
  readonly nodes: readonly string[];
}

export type Listener = (change: Change) => void;

interface Entry {
  head: RunHead;
  revision: number;
  nodes: Map<string, RunNode>;
  children: Map<string, string[]>;
  questions: readonly Question[];
  openFindings: number;
  findings: readonly Finding[];
  gates: Readonly<Record<string, Gate>>;
  roles: Readonly<Record<string, string>>;
  turns: number;
}

const STANDS_FOR_USER: readonly RunStatus[] = ['paused', 'terminal_ready'];

export class RunStore {
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Set<Listener>();

  /** Whether older runs were left out of the list. */
  more = false;

  onDidChange(listener: Listener): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** Newest first. */
  runs(): readonly Run[] {
    return [...this.entries.values()].sort((a, b) => (a.head.runId < b.head.runId ? 1 : -1));
  }

  get(runId: string): Run | undefined {
    return this.entries.get(runId);
  }

  node(runId: string, id: string): RunNode | undefined {
    return this.entries.get(runId)?.nodes.get(id);
  }

  /**
   * Ids that are shown below a node (`''`: the run). A loop is no level of its own: its sprints or passes are; nor is
   * what is asked within a turn: the turn itself says that it needs somebody.
   */
  below(runId: string, id: string): readonly string[] {
    const entry = this.entries.get(runId);
    const ids = entry?.children.get(id) ?? [];
    return ids.flatMap((one) => (isHidden(entry, entry?.nodes.get(one)) ? this.below(runId, one) : [one]));
  }

  /** The id that a node is shown below, or as, if it is shown itself. */
  shownAs(runId: string, id: string): string {
    const entry = this.entries.get(runId);
    let at = id;
    for (let node = entry?.nodes.get(at); node !== undefined && isHidden(entry, node); node = entry?.nodes.get(at)) {
      at = node.parent;
    }
    return at;
  }

  /** Runs of this user that go on only when somebody does something. */
  waiting(): readonly Run[] {
    return this.runs().filter((run) => needsUser(run));
  }

  /** The server was started anew: what is shown stays until it is told again, but nothing is built upon it. */
  forgetRevisions(): void {
    for (const entry of this.entries.values()) {
      entry.revision = 0;
    }
  }

  clear(): void {
    this.entries.clear();
    this.more = false;
    this.tell({ runId: '', nodes: [] });
  }

  /** The list as the server has it; a run that is not in it any more is gone, unless this server tells of it. */
  setHeads(heads: readonly RunHead[], more: boolean): void {
    const listed = new Set(heads.map((head) => head.runId));
    for (const [runId, entry] of this.entries) {
      if (!listed.has(runId) && entry.revision === 0) {
        this.entries.delete(runId);
      }
    }
    for (const head of heads) {
      const known = this.entries.get(head.runId);
      if (known === undefined) {
        this.entries.set(head.runId, emptyEntry(head));
      } else if (known.revision === 0) {
        known.head = head;
      }
    }
    this.more = more;
    this.tell({ runId: '', nodes: [] });
  }

  /** A whole run, as `run.get` answers it. */
  replace(run: RunResult): void {
    const isNew = !this.entries.has(run.runId);
    const nodes = new Map(run.nodes.map((node) => [node.id, node]));
    const open = run.findings.filter((finding) => finding.status === 'open').length;
    this.entries.set(run.runId, {
      head: headOf(run),
      revision: run.revision,
      nodes,
      children: childrenOf(run.nodes),
      questions: run.questions,
      openFindings: open,
      findings: run.findings,
      gates: run.gates,
      roles: run.roles,
      turns: run.turns,
    });
    this.tell(isNew ? { runId: '', nodes: [] } : { runId: run.runId, nodes: [''] });
  }

  /** Take in a notification; false when the whole run must be asked for. What can be shown at once is shown. */
  take(change: DidChange): boolean {
    const entry = this.entries.get(change.runId);
    if (entry === undefined) {
      return false;
    }
    entry.head = {
      ...entry.head,
      folder: change.folder,
      status: change.status,
      reason: change.reason,
      owner: change.owner,
    };
    entry.questions = change.questions;
    entry.openFindings = change.openFindings;
    entry.turns = change.turns;
    if (change.base !== entry.revision && change.base !== 0) {
      this.tell({ runId: change.runId, nodes: [''] });
      return false;
    }
    if (change.base === 0) {
      entry.nodes.clear();
      entry.children.clear();
    }
    const changed = applyNodes(entry, change.nodes, change.removed);
    entry.revision = change.revision;
    this.tell({ runId: change.runId, nodes: change.base === 0 ? [''] : changed });
    return true;
  }

  remove(runId: string): void {
    if (this.entries.delete(runId)) {
      this.tell({ runId: '', nodes: [] });
    }
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) {
      listener(change);
    }
  }
}

function isHidden(entry: Entry | undefined, node: RunNode | undefined): boolean {
  if (node?.kind === 'question') {
    return entry?.nodes.get(node.parent)?.kind === 'turn';
  }
  return node?.kind === 'loop' && node.status !== 'not_started';
}

/** What is asked at a node, or within it when it is a turn. */
export function askedAt(run: Run, id: string): readonly Question[] {
  const isTurn = run.nodes.get(id)?.kind === 'turn';
  return run.questions.filter(({ key }) => key === id || (isTurn && run.nodes.get(key)?.parent === id));
}

/** Whether it is the user who has to do something next. A run that waits without a question waits for a limit. */
export function needsUser(run: Run): boolean {
  const { head, questions, revision } = run;
  const mayAsk = questions.length > 0 || (head.status === 'waiting' && revision === 0);
  return head.own && (mayAsk || STANDS_FOR_USER.includes(head.status)) && !isOver(head);
}

export function isOver(head: RunHead): boolean {
  return ['completed', 'failed', 'cancelled', 'not_converged', 'unreadable'].includes(head.status);
}

export function isLive(head: RunHead): boolean {
  return head.owner !== 'none' && (head.status === 'running' || head.status === 'waiting');
}

/** Ids from the outermost node at work, or cut off at work, to the innermost; of several, the last one. */
export function runningPath(run: Run): readonly string[] {
  const path: string[] = [];
  for (let at = ''; ; ) {
    const next = (run.children.get(at) ?? []).filter((id) => {
      const status = run.nodes.get(id)?.status;
      return status === 'running' || status === 'waiting' || status === 'interrupted';
    });
    const last = next.at(-1);
    if (last === undefined) {
      return path;
    }
    path.push(last);
    at = last;
  }
}

function emptyEntry(head: RunHead): Entry {
  return {
    head, revision: 0, nodes: new Map(), children: new Map(), questions: [], openFindings: 0, findings: [], gates: {},
    roles: {}, turns: 0,
  };
}

function headOf(run: RunResult): RunHead {
  const { runId, folder, workflow, task, status, reason, stage, began, lastActivity, own, owner } = run;
  return { runId, folder, workflow, task, status, reason, stage, began, lastActivity, own, owner };
}

function childrenOf(nodes: readonly RunNode[]): Map<string, string[]> {
  const children = new Map<string, string[]>();
  for (const node of nodes) {
    append(children, node.parent, node.id);
  }
  return children;
}

function append(children: Map<string, string[]>, parent: string, id: string): void {
  const below = children.get(parent);
  if (below === undefined) {
    children.set(parent, [id]);
  } else {
    below.push(id);
  }
}

/** Ids whose item changed; a parent whose children changed is one. `''` for the run itself. */
function applyNodes(entry: Entry, nodes: readonly RunNode[], removed: readonly string[]): string[] {
  const changed = new Set<string>();
  for (const id of removed) {
    const gone = entry.nodes.get(id);
    if (gone !== undefined) {
      entry.nodes.delete(id);
      entry.children.delete(id);
      entry.children.set(gone.parent, (entry.children.get(gone.parent) ?? []).filter((one) => one !== id));
      changed.add(gone.parent);
    }
  }
  for (const node of nodes) {
    if (entry.nodes.has(node.id)) {
      changed.add(node.id);
    } else {
      append(entry.children, node.parent, node.id);
      changed.add(node.parent);
    }
    entry.nodes.set(node.id, node);
  }
  return [...changed];
}
