/** Puts the extension together. Activation starts the language server and nothing else, and does not wait for it. */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { Attention, wants } from './attention';
import { ChangesEditor } from './changes';
import { registerCommands } from './commands';
import { Documents } from './documents';
import { line } from './log';
import { versionOf } from './parts';
import { offerInterrupted } from './offers';
import { Diagnostics, middleware } from './middleware';
import { listenForModels } from './models/listen';
import { Models } from './models/models';
import {
  Commands, Notifications, Requests,
  type AskParams, type DidChange, type DidDelete, type WorkflowsResult,
} from './protocol';
import { Questions } from './questions';
import { reveal } from './runs/reveal';
import { RunSource } from './runs/source';
import { RunStore, isLive, type Run } from './runs/store';
import { RunsView } from './runs/view';
import { Connection } from './server/connection';
import { Environment } from './server/environment';
import { pythons } from './server/pythons';
import { Performer } from './verbs/perform';
import { RunVerbs } from './verbs/runs';
import { Starter } from './verbs/start';
import { WorkflowsView } from './workflows/view';
import { askAgents } from './verbs/agents';

let connection: Connection | undefined;

/** What tests within the extension host look at; other extensions get nothing. */
export interface TestSurface {
  readonly server: Connection;
  readonly store: RunStore;
  readonly view: RunsView;
  readonly models: Models;
}

export function activate(context: vscode.ExtensionContext): TestSurface | undefined {
  const log = vscode.window.createOutputChannel('Sprintwright', { log: true });
  const store = new RunStore();
  const diagnostics = new Diagnostics();
  const environment = new Environment(
    vscode.Uri.joinPath(context.globalStorageUri, 'python', versionOf(context)).fsPath,
    context.asAbsolutePath('set_up.py'),
    context.asAbsolutePath('bundled'),
  );
  const server: Connection = new Connection({
    script: context.asAbsolutePath('launch.py'),
    environments: () => (usesOwnPackages(environment) ? '-' : environment.folder),
    interpreters: () => pythons(log),
    middleware: middleware(diagnostics, (name, argument) => performer.perform(name, argument ?? {})),
    watcher: vscode.workspace.createFileSystemWatcher('**/*', true, true, false),
    log,
    waiting: (count) => {
      showWaiting(tree, count);
    },
    connect: (client) => {
      listen(client);
    },
  });
  connection = server;

  const source = new RunSource(
    store, (command, argument) => server.command(command, argument), (text) => {
      log.warn(line(text));
    },
  );
  const look = (runId: string): Promise<Run | undefined> => source.look(runId);
  const documents = new Documents(store, look);
  const changes = new ChangesEditor(server);
  const performer: Performer = new Performer(server, log, (title, text) => documents.showText(title, text));
  const view = new RunsView(store, (runId) => source.ask(runId), () => setting('runs.historyLimit', 50));
  const tree = vscode.window.createTreeView('sprintwright.runs', { treeDataProvider: view, showCollapseAll: true });
  const workflows = new WorkflowsView();
  const show = async (runId: string): Promise<void> => {
    if ((await look(runId)) !== undefined) {
      await vscode.commands.executeCommand('sprintwright.runs.focus');
      await reveal(tree, view, runId, { expand: 1, select: true, focus: false });
    }
  };
  const attention = new Attention(store, tree, show);
  const questions = new Questions(store, performer, (title, text, language) => documents.showText(title, text, language), () => wants('needsYou'));
  const verbs = new RunVerbs({
    store, performer, look,
    showChanges: (title, folder, changed) => changes.show(title, folder, changed),
    askAgents: (run) => askAgents(server, performer, run),
  });
  const models = new Models(context.languageModelAccessInformation, (text) => {
    log.warn(text);
  });
  const starter = new Starter(server, performer, context.workspaceState, show);

  /** A new run is shown to whoever looks at the view. */
  const take = async (change: DidChange): Promise<void> => {
    if ((await source.took(change)) && tree.visible && store.get(change.runId) !== undefined) {
      await reveal(tree, view, change.runId, { select: false, focus: false });
    }
  };

  const listen = (client: LanguageClient): void => {
    client.onNotification(Notifications.didChange, (change: DidChange) => {
      void take(change);
    });
    client.onNotification(Notifications.didDelete, ({ runId }: DidDelete) => {
      store.remove(runId);
    });
    client.onRequest(Requests.question, (params: AskParams) => questions.asked(params));
    client.onRequest(Requests.permission, (params: AskParams) => questions.asked(params));
    listenForModels(client, models);
  };

  const list = async (): Promise<void> => {
    try {
      await source.list();
      workflows.set((await server.command<WorkflowsResult>(Commands.workflowList)).workflows);
    } catch (error) {
      log.warn(line(`list: ${String(error)}`));
    }
  };

  context.subscriptions.push(
    log, server, diagnostics, documents, changes, view, tree, workflows, attention, questions, models,
    vscode.window.registerTreeDataProvider('sprintwright.workflows', workflows),
    server.onDidChangeState((state) => {
      attention.setServer(state);
      void vscode.commands.executeCommand('setContext', 'sprintwright.server', state.kind === 'failed' ? state.failure : state.kind);
      if (state.kind === 'ready') {
        store.forgetRevisions();
        if (vscode.workspace.isTrusted) {
          void list().then(() => offerInterrupted(store, context.workspaceState, look, (run) => verbs.resume(view.element(run.head.runId, '')), show));
        }
      } else {
        diagnostics.clear();
        models.cancelAll();
      }
    }),
    store.onDidChange(() => {
      showProgress(store);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('sprintwright.python') || event.affectsConfiguration('sprintwright.importStrategy')) {
        void server.restart();
      }
      if (event.affectsConfiguration('sprintwright.runs')) {
        view.redraw();
      }
    }),
    ...registerCommands({
      context, log, store, server, environment, performer, verbs, starter, questions, documents, diagnostics, view, tree,
      look, list, reveal: show,
    }),
  );
  void server.start();
  return context.extensionMode === vscode.ExtensionMode.Test ? { server, store, view, models } : undefined;
}

/** VS Code gives this a few seconds: the server needs them to leave its runs resumable and to end its agents. */
export async function deactivate(): Promise<void> {
  await connection?.stop();
}

function setting<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration('sprintwright').get<T>(name, otherwise);
}

/** Whether the interpreter's own packages are used: by the user's wish, or because none are carried (a checkout). */
function usesOwnPackages(environment: Environment): boolean {
  return setting<string>('importStrategy', 'useBundled') === 'fromEnvironment' || !environment.isCarried;
}

let waiting: (() => void) | undefined;

/** While commands wait for the server the view says so, with a button to give it up. */
function showWaiting(tree: vscode.TreeView<unknown>, count: number): void {
  void vscode.commands.executeCommand('setContext', 'sprintwright.waiting', count > 0);
  tree.message = count > 0 ? vscode.l10n.t('The server is starting. What you asked for waits for it, unless you stop waiting (the button above).') : '';
  if (count > 0) {
    waiting ??= viewProgress();
  } else {
    waiting?.();
    waiting = undefined;
  }
}

/** The bar at the top of our view, until it is called. */
function viewProgress(): () => void {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  void vscode.window.withProgress({ location: { viewId: 'sprintwright.runs' } }, () => ended);
  return end;
}

let progress: (() => void) | undefined;

/** The bar at the top of our view, for as long as a run is live. */
function showProgress(store: RunStore): void {
  const isAtWork = store.runs().some((run) => isLive(run.head) && run.head.status === 'running');
  if (isAtWork && progress === undefined) {
    progress = viewProgress();
  } else if (!isAtWork && progress !== undefined) {
    progress();
    progress = undefined;
  }
}
