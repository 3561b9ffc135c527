/** How many runs need the user, and what is told when: badge, status bar item, notifications by kind. */

import * as vscode from 'vscode';

import type { ServerState } from './server/connection';
import type { RunStatus } from './protocol';
import { isLive, needsUser, type Run, type RunStore } from './runs/store';
import { runItem } from './runs/labels';
import { neutral } from './text';

const { t } = vscode.l10n;

export type Kind = 'needsYou' | 'finished' | 'failed';
type When = 'never' | 'whenUnfocused' | 'always';

const FINISHED: readonly RunStatus[] = ['completed', 'terminal_ready'];
const FAILED: readonly RunStatus[] = ['failed', 'not_converged', 'unreadable'];

/** Whether the user wants to be told of such a thing now. */
export function wants(kind: Kind): boolean {
  const when = vscode.workspace.getConfiguration('sprintwright.notifications').get<When>(kind, kind === 'needsYou' ? 'always' : 'never');
  return when === 'always' || (when === 'whenUnfocused' && !vscode.window.state.focused);
}

const WORKFLOW_FILES: vscode.DocumentSelector = ['yaml', 'yml', 'json'].map((ending) => (
  { scheme: 'file', pattern: `**/.sprintwright/workflows/*.${ending}` }
));

export class Attention implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  /** In the braces menu of a workflow file: whether it is helped with, and by what. */
  private readonly language: vscode.LanguageStatusItem;
  private readonly contexts = new Map<string, boolean>();
  private readonly statuses = new Map<string, RunStatus>();
  private readonly listening: { dispose(): void };
  private server: ServerState = { kind: 'stopped' };

  constructor(
    private readonly store: RunStore,
    private readonly view: vscode.TreeView<unknown>,
    private readonly reveal: (runId: string) => Promise<void>,
  ) {
    this.item = vscode.window.createStatusBarItem('sprintwright.status', vscode.StatusBarAlignment.Left, 0);
    this.item.name = 'Sprintwright';
    this.language = vscode.languages.createLanguageStatusItem('sprintwright.language', WORKFLOW_FILES);
    this.language.name = t('Sprintwright workflows');
    this.language.command = { command: 'sprintwright.showLog', title: t('Show Log') };
    this.listening = store.onDidChange((change) => {
      if (change.runId !== '') {
        this.notice(change.runId);
      }
      this.draw();
    });
    this.draw();
  }

  dispose(): void {
    this.listening.dispose();
    this.item.dispose();
    this.language.dispose();
  }

  setServer(state: ServerState): void {
    this.server = state;
    this.language.text = serverWords(state);
    this.language.busy = state.kind === 'starting';
    this.language.severity = state.kind === 'failed' ? vscode.LanguageStatusSeverity.Warning : vscode.LanguageStatusSeverity.Information;
    this.draw();
  }

  private draw(): void {
    const waiting = this.store.waiting();
    const live = this.store.runs().filter((run) => isLive(run.head));
    this.view.badge = waiting.length === 0 ? undefined : { value: waiting.length, tooltip: needWords(waiting.length) };
    this.setContext('sprintwright.runActive', live.length > 0);
    this.setContext('sprintwright.hasRuns', this.store.runs().length > 0);
    this.show(waiting, live);
  }

  /** Only what is new: each goes through all of VS Code's `when` clauses. */
  private setContext(name: string, value: boolean): void {
    if (this.contexts.get(name) !== value) {
      this.contexts.set(name, value);
      void vscode.commands.executeCommand('setContext', name, value);
    }
  }

  private show(waiting: readonly Run[], live: readonly Run[]): void {
    const { item, server } = this;
    item.backgroundColor = undefined;
    item.command = 'sprintwright.runs.focus';
    if (server.kind === 'failed' && server.failure !== 'notSetUp') {
      item.text = '$(error) Sprintwright';
      item.tooltip = neutral(server.message, 600);
      item.command = 'sprintwright.restartServer';
      item.backgroundColor = new vscode.ThemeColor('statusBarItem.errorBackground');
    } else if (waiting.length > 0) {
      item.text = `$(bell-dot) ${needWords(waiting.length)}`;
      item.tooltip = t('Answer, continue or close them.');
    } else if (live.length > 0) {
      item.text = `$(loading~spin) ${live.length === 1 ? t('1 run') : t('{0} runs', live.length)}`;
      item.tooltip = live.map((run) => neutral(`${runItem(run).label}: ${runItem(run).description}`)).join('\n');
    } else {
      item.text = server.kind === 'starting' ? '$(sync~spin) Sprintwright' : '$(list-tree) Sprintwright';
      item.tooltip = serverWords(server);
    }
    item.accessibilityInformation = { label: `Sprintwright: ${item.text.replace(/\$\([^)]*\)\s*/g, '')}` };
    item.show();
  }

  /** A run came to an end, or stopped for the user. */
  private notice(runId: string): void {
    const run = this.store.get(runId);
    if (run === undefined) {
      return;
    }
    const before = this.statuses.get(runId);
    this.statuses.set(runId, run.head.status);
    if (before === undefined || before === run.head.status || !run.head.own) {
      return;
    }
    const { label } = runItem(run);
    if (FAILED.includes(run.head.status) && wants('failed')) {
      void this.tell(runId, t('The run “{0}” did not come to its end: {1}', neutral(label, 80), neutral(run.head.reason)));
    } else if (FINISHED.includes(run.head.status) && wants('finished')) {
      void this.tell(runId, t('The run “{0}” is done.', neutral(label, 80)));
    } else if (run.head.status === 'paused' && needsUser(run) && wants('needsYou')) {
      void this.tell(runId, t('The run “{0}” pauses: {1}', neutral(label, 80), neutral(run.head.reason)));
    }
  }

  private async tell(runId: string, message: string): Promise<void> {
    const show = t('Show');
    if ((await vscode.window.showInformationMessage(message, show)) === show) {
      await this.reveal(runId);
    }
  }
}

function needWords(count: number): string {
  return count === 1 ? t('1 run needs you') : t('{0} runs need you', count);
}

function serverWords(server: ServerState): string {
  switch (server.kind) {
    case 'ready': return t('Ready ({0}, {1})', server.version, server.python);
    case 'starting': return t('Starting the server');
    case 'failed': return neutral(server.message, 600);
    case 'stopped': return t('The server is not running.');
  }
}
