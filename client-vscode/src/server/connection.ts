/**
 * The one server of the window: finds a Python, starts it, starts it again when it dies, and takes requests to it.
 *
 * Starting never blocks activation. What stands in the way of a start is a state, which views show and explain.
 */

import * as vscode from 'vscode';
import {
  CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State, type LanguageClientOptions, type Middleware,
} from 'vscode-languageclient/node';

import { line } from '../log';
import { hasModels } from '../models/api';
import { PROTOCOL } from '../protocol';
import type { Interpreter } from './interpreters';
import { launch, type Ending, type Failure, type Launched } from './launch';
import { Patience } from './patience';
import { GIVEN_UP, Refused, refusedOf } from './refused';

export type ServerState =
  | { readonly kind: 'stopped' | 'starting' }
  | { readonly kind: 'ready'; readonly version: string; readonly python: string }
  | { readonly kind: 'failed'; readonly failure: Failure | 'noPython'; readonly message: string };

/** What the connection is given by the rest of the extension. */
export interface Surroundings {
  readonly script: string;
  /** Folder of the environments, or `-`. */
  environments(): string;
  interpreters(): readonly Interpreter[];
  /** What goes in the folders, so that findings go with their files. */
  readonly watcher: vscode.FileSystemWatcher;
  readonly middleware: Middleware;
  readonly log: vscode.LogOutputChannel;
  /** Told how many commands wait for the server to be there. */
  waiting(count: number): void;
  /** Called when a client was made, before it starts: the place to listen to notifications. */
  connect(client: LanguageClient): void;
}

const START_MILLISECONDS = 30_000;
const WAIT_MILLISECONDS = 30_000;
const STOP_MILLISECONDS = 6_000;
const RESTARTS = 3;
const RESTART_WINDOW_MILLISECONDS = 180_000;
const FIRST_DELAY_MILLISECONDS = 300;

/** The library's own notifications say nothing that a user could act on: what went wrong is a state of ours. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Connection implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.changed.event;
  private current: ServerState = { kind: 'stopped' };
  private client: LanguageClient | undefined;
  private process: number | undefined;
  private crashes: number[] = [];
  private work: Promise<void> = Promise.resolve();
  private generation = 0;
  private readonly patience: Patience;

  constructor(private readonly surroundings: Surroundings) {
    this.patience = new Patience((count) => {
      surroundings.waiting(count);
    }, WAIT_MILLISECONDS);
  }

  get state(): ServerState {
    return this.current;
  }

  /** The server's process, while there is one. */
  get pid(): number | undefined {
    return this.process;
  }

  /** Start, or start again. Never throws: what failed is the state. */
  start(): Promise<void> {
    const mine = ++this.generation;
    this.work = this.work.then(async () => {
      if (mine === this.generation) {
        this.become({ kind: 'starting' }); // said first: ending the one before takes its time
        await this.end();
        await this.tryAll(mine);
      }
    });
    return this.work;
  }

  /** As `start`, by the user's wish: earlier crashes do not count. */
  restart(): Promise<void> {
    this.crashes = [];
    return this.start();
  }

  /** End the server and wait until it has left its runs. */
  stop(): Promise<void> {
    this.generation++;
    this.work = this.work.then(async () => {
      await this.end();
      this.become({ kind: 'stopped' });
    });
    return this.work;
  }

  dispose(): void {
    this.giveUp();
    void this.stop();
    this.changed.dispose();
  }

  /** Commands that wait for the server wait no longer, and are not done. */
  giveUp(): void {
    this.patience.giveUp();
  }

  /**
   * Run one of the server's commands. One that is given while the server starts, for the first time or after it died,
   * waits for it.
   *
   * @throws Refused, also when there is no server.
   */
  async command<T>(name: string, argument: object = {}): Promise<T> {
    const client = await this.ready();
    try {
      return await client.sendRequest<T>('workspace/executeCommand', { command: name, arguments: [argument] });
    } catch (error) {
      throw refusedOf(error);
    }
  }

  private async ready(): Promise<LanguageClient> {
    if (this.current.kind === 'starting') {
      await this.started();
    }
    if (this.current.kind === 'ready' && this.client !== undefined) {
      return this.client;
    }
    const message = this.current.kind === 'failed' ? this.current.message : vscode.l10n.t('The server is not running.');
    throw new Refused('no_server', message);
  }

  private async started(): Promise<void> {
    const outcome = await this.patience.wait((settled) => this.onDidChangeState((state) => {
      if (state.kind !== 'starting') {
        settled();
      }
    }));
    if (outcome === 'givenUp') {
      throw new Refused(GIVEN_UP, vscode.l10n.t('It was given up.'));
    }
    if (outcome === 'late') {
      throw new Refused('no_server', vscode.l10n.t('The server is not there after {0} seconds. Nothing was done.', WAIT_MILLISECONDS / 1000));
    }
  }

  private async tryAll(mine: number): Promise<void> {
    const { log } = this.surroundings;
    let last: { failure: Failure | 'noPython'; message: string } = {
      failure: 'noPython',
      message: vscode.l10n.t('No Python was found. Sprintwright needs Python 3.11 or newer.'),
    };
    for (const python of this.surroundings.interpreters()) {
      if (mine !== this.generation) {
        return;
      }
      log.info(line(`Trying ${python.path} (from ${python.from}).`));
      const ending = await this.tryOne(python);
      if (ending === undefined) {
        return;
      }
      log.warn(line(`${python.path}: ${ending.failure}. ${ending.said}`));
      last = { failure: ending.failure, message: explain(python, ending) };
      if (ending.failure === 'notSetUp') {
        break; // this one will do, once it is set up
      }
    }
    this.become({ kind: 'failed', ...last });
  }

  /** Undefined when the server runs; else how it ended. */
  private async tryOne(python: Interpreter): Promise<Ending | undefined> {
    const { script, log } = this.surroundings;
    const launched = launch(python, script, this.surroundings.environments(), (said) => {
      log.info(line(`server: ${said}`));
    });
    const client = new QuietClient('sprintwright', 'Sprintwright', () => Promise.resolve(launched.process), this.options());
    this.surroundings.connect(client);
    const started = client.start().then(() => undefined, (error: unknown) => refusedOf(error).message);
    const first = await Promise.race([launched.ended, started.then((problem) => problem ?? client), tooLate()]);
    if (first === client && client.state === State.Running) { // `start` also resolves when the connection was closed
      this.client = client;
      this.process = launched.process.pid;
      this.watch(launched, client);
      const version = client.initializeResult?.serverInfo?.version ?? '';
      this.become({ kind: 'ready', version, python: python.path });
      return undefined;
    }
    const ending = await launched.end();
    await dispose(client);
    return ending.said === '' && typeof first === 'string' ? { ...ending, said: first } : ending;
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file' }],
      initializationOptions: { trusted: vscode.workspace.isTrusted, questions: true, languageModel: hasModels(), protocol: PROTOCOL },
      outputChannel: this.surroundings.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: this.surroundings.middleware,
      synchronize: {
        fileEvents: this.surroundings.watcher,
      },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      connectionOptions: { maxRestartCount: 0 },
    };
  }

  private watch(launched: Launched, client: LanguageClient): void {
    void launched.ended.then(async (ending) => {
      if (this.client !== client) {
        return; // we ended it ourselves
      }
      this.client = undefined;
      this.process = undefined;
      const mine = this.generation;
      this.become({ kind: 'starting' }); // said first, so that what is asked for meanwhile waits
      this.surroundings.log.error(line(`The server ended by itself (code ${String(ending.code)}). ${ending.said}`));
      await dispose(client);
      if (mine === this.generation) { // else somebody started or stopped it meanwhile
        this.again();
      }
    });
  }

  private again(): void {
    const now = Date.now();
    this.crashes = [...this.crashes.filter((time) => now - time < RESTART_WINDOW_MILLISECONDS), now];
    if (this.crashes.length > RESTARTS) {
      const message = vscode.l10n.t('The server ended {0} times in a row and is not started again.', this.crashes.length);
      this.become({ kind: 'failed', failure: 'ended', message });
      return;
    }
    const mine = this.generation;
    setTimeout(() => {
      if (mine === this.generation) {
        void this.start();
      }
    }, FIRST_DELAY_MILLISECONDS * 2 ** this.crashes.length);
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client !== undefined) {
      await dispose(client);
    }
  }

  private become(state: ServerState): void {
    this.current = state;
    this.changed.fire(state);
  }
}

async function dispose(client: LanguageClient): Promise<void> {
  try {
    if (client.state === State.Running) {
      await client.stop(STOP_MILLISECONDS);
    }
    await client.dispose(STOP_MILLISECONDS);
  } catch {
    // It is gone already: that is what was wanted.
  }
}

/** Something that runs, and is no server of ours, may never end and never answer. */
function tooLate(): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(resolve, START_MILLISECONDS, `no answer within ${START_MILLISECONDS / 1000} seconds`).unref();
  });
}

function explain(python: Interpreter, ending: Ending): string {
  switch (ending.failure) {
    case 'tooOld':
      return vscode.l10n.t('{0} is too old. Sprintwright needs Python 3.11 or newer.', python.path);
    case 'notSetUp':
      return vscode.l10n.t('Sprintwright is not set up for {0} yet.', python.path);
    case 'broken':
      return vscode.l10n.t('Sprintwright can’t be loaded by {0}. Set it up again.', python.path);
    case 'cannotRun':
      return vscode.l10n.t('{0} can’t be run. Choose another Python.', python.path);
    case 'ended':
      return vscode.l10n.t('The server ended at its start (code {0}). The log says more.', String(ending.code));
  }
}
