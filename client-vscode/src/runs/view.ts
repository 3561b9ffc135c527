/** The tree *Runs*: elements with lasting ids over the store; only what changed is drawn anew, at most five times a second. */

import * as vscode from 'vscode';

import { neutral } from '../text';
import { nodeItem, nodeTooltip, runItem, runTooltip, type Shown } from './labels';
import { isLive, needsUser, type Change, type Run, type RunStore } from './store';

const REFRESH_MILLISECONDS = 200;
/** Of more siblings none is shown opened at first. */
const MOST_EXPANDED = 20;

/** A run (`id` is empty) or a node of it. One object for each, for as long as it is known. */
export interface Element {
  readonly runId: string;
  readonly id: string;
  readonly collapsible: vscode.TreeItemCollapsibleState;
}

export type Filter = 'all' | 'live' | 'needsUser' | 'over';

export class RunsView implements vscode.TreeDataProvider<Element>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Element | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly elements = new Map<string, Element>();
  private readonly drawn = new Map<string, string>();
  private readonly dirty = new Map<string, Change>();
  private timer: NodeJS.Timeout | undefined;
  private readonly listening: { dispose(): void };
  filter: Filter = 'all';

  /**
   * @param look asks for all of a run of which only the head is known.
   */
  constructor(
    private readonly store: RunStore,
    private readonly look: (runId: string) => Promise<void>,
    private readonly limit: () => number,
  ) {
    this.listening = store.onDidChange((change) => {
      this.note(change);
    });
  }

  dispose(): void {
    this.listening.dispose();
    clearTimeout(this.timer);
    this.changed.dispose();
  }

  /** Draw everything anew: the filter or a setting changed. */
  redraw(): void {
    this.changed.fire(undefined);
  }

  getTreeItem(element: Element): vscode.TreeItem {
    const run = this.store.get(element.runId);
    const node = element.id === '' ? undefined : run?.nodes.get(element.id);
    if (run === undefined || (element.id !== '' && node === undefined)) {
      return new vscode.TreeItem('');
    }
    const shown = node === undefined ? runItem(run) : nodeItem(run, node);
    if (node === undefined) {
      this.drawn.set(element.runId, shown.description);
    }
    const item = toItem(shown, element.collapsible);
    item.id = keyOf(element.runId, element.id);
    item.command = {
      command: 'sprintwright.openNode',
      title: vscode.l10n.t('Open'),
      arguments: [element],
    };
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, element: Element): vscode.TreeItem {
    const run = this.store.get(element.runId);
    const node = run?.nodes.get(element.id);
    if (run !== undefined) {
      item.tooltip = node === undefined ? runTooltip(run) : nodeTooltip(run, node);
    }
    return item;
  }

  async getChildren(element?: Element): Promise<Element[]> {
    if (element === undefined) {
      return this.roots();
    }
    if (element.id === '' && this.store.get(element.runId)?.revision === 0) {
      await this.look(element.runId);
    }
    const below = this.store.below(element.runId, element.id);
    return below.map((id) => this.element(element.runId, id));
  }

  getParent(element: Element): Element | undefined {
    if (element.id === '') {
      return undefined;
    }
    const parent = this.store.node(element.runId, element.id)?.parent ?? '';
    return this.element(element.runId, this.store.shownAs(element.runId, parent));
  }

  /** The element of a run or a node, also for `reveal`. */
  element(runId: string, id: string): Element {
    const key = keyOf(runId, id);
    let element = this.elements.get(key);
    if (element === undefined) {
      element = { runId, id, collapsible: this.firstState(runId, id) };
      this.elements.set(key, element);
    }
    return element;
  }

  private roots(): Element[] {
    const shown = this.store.runs().filter((run) => this.passes(run)).slice(0, this.limit());
    return shown.map((run) => this.element(run.head.runId, ''));
  }

  private passes(run: Run): boolean {
    switch (this.filter) {
      case 'all': return true;
      case 'live': return isLive(run.head);
      case 'needsUser': return needsUser(run);
      case 'over': return !isLive(run.head);
    }
  }

  /** How an element is first shown; afterwards VS Code keeps what the user made of it. */
  private firstState(runId: string, id: string): vscode.TreeItemCollapsibleState {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const run = this.store.get(runId);
    const node = run?.nodes.get(id);
    if (id !== '' && (node === undefined || ['loop', 'turn', 'check', 'question'].includes(node.kind))) {
      return None;
    }
    const isWatched = run !== undefined && isLive(run.head);
    return isWatched && this.store.below(runId, node?.parent ?? '').length <= MOST_EXPANDED ? Expanded : Collapsed;
  }

  private note(change: Change): void {
    const known = this.dirty.get(change.runId);
    this.dirty.set(change.runId, known === undefined ? change : merged(known, change));
    this.timer ??= setTimeout(() => {
      this.drawNow();
    }, REFRESH_MILLISECONDS);
  }

  /** Draw what waits for it, now. */
  drawNow(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const changes = [...this.dirty.values()];
    this.dirty.clear();
    if (changes.some((change) => change.runId === '')) {
      this.forgetGone();
      this.changed.fire(undefined);
      return;
    }
    if (this.filter !== 'all' && changes.some((change) => change.nodes.includes(''))) {
      this.changed.fire(undefined);
      return;
    }
    for (const change of changes) {
      const shown = change.nodes.map((id) => this.store.shownAs(change.runId, id));
      const ids = [...new Set(this.looksNew(change.runId) ? ['', ...shown] : shown)];
      for (const id of outermost(ids, (node) => this.store.node(change.runId, node)?.parent)) {
        this.changed.fire(this.element(change.runId, id));
      }
    }
  }

  /** Whether a run's own line is not as it was drawn last: where it is changes with its nodes. */
  private looksNew(runId: string): boolean {
    const run = this.store.get(runId);
    return run !== undefined && this.drawn.get(runId) !== runItem(run).description;
  }

  private forgetGone(): void {
    for (const [key, element] of this.elements) {
      if (this.store.get(element.runId) === undefined) {
        this.elements.delete(key);
        this.drawn.delete(element.runId);
      }
    }
  }
}

function toItem(shown: Shown, state: vscode.TreeItemCollapsibleState): vscode.TreeItem {
  const item = new vscode.TreeItem(shown.label, state);
  item.description = shown.description;
  item.iconPath =
    shown.color === ''
      ? new vscode.ThemeIcon(shown.icon)
      : new vscode.ThemeIcon(shown.icon, new vscode.ThemeColor(shown.color));
  item.contextValue = shown.context;
  item.accessibilityInformation = { label: neutral(shown.spoken) };
  return item;
}

function keyOf(runId: string, id: string): string {
  return `${runId} ${id}`;
}

function merged(one: Change, other: Change): Change {
  return { runId: one.runId, nodes: [...new Set([...one.nodes, ...other.nodes])] };
}

/** Without those that are drawn anyway because something around them is. */
export function outermost(ids: readonly string[], parentOf: (id: string) => string | undefined): string[] {
  const all = new Set(ids);
  const isCovered = (id: string): boolean => {
    for (let at = id; at !== ''; ) {
      const parent = parentOf(at);
      if (parent === undefined) {
        return false;
      }
      if (all.has(parent)) {
        return true;
      }
      at = parent;
    }
    return false;
  };
  return ids.filter((id) => !isCovered(id));
}
