/** What commands work with, and what they may be given. */

import type * as vscode from 'vscode';

import type { Documents } from './documents';
import type { Diagnostics } from './middleware';
import type { Workflow } from './protocol';
import type { Questions } from './questions';
import type { Run, RunStore } from './runs/store';
import type { Element, RunsView } from './runs/view';
import type { Connection } from './server/connection';
import type { Environment } from './server/environment';
import type { Performer } from './verbs/perform';
import type { RunVerbs } from './verbs/runs';
import type { Starter } from './verbs/start';
import type { WorkflowElement } from './workflows/view';

/** What the commands work with. */
export interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly store: RunStore;
  readonly server: Connection;
  readonly environment: Environment;
  readonly performer: Performer;
  readonly verbs: RunVerbs;
  readonly starter: Starter;
  readonly questions: Questions;
  readonly documents: Documents;
  readonly diagnostics: Diagnostics;
  readonly view: RunsView;
  readonly tree: vscode.TreeView<Element>;
  look(runId: string): Promise<Run | undefined>;
  /** Ask for runs and workflows anew. */
  list(): Promise<void>;
  reveal(runId: string): Promise<void>;
}

export function element(given: unknown): Element | undefined {
  return hasRunId(given) && 'id' in given && typeof given.id === 'string' ? (given as unknown as Element) : undefined;
}

export function hasRunId(given: unknown): given is { readonly runId: string } {
  return typeof given === 'object' && given !== null && 'runId' in given && typeof given.runId === 'string';
}

export function hasName(given: unknown): given is { readonly name: string } {
  return typeof given === 'object' && given !== null && 'name' in given && typeof given.name === 'string';
}

export function isWorkflow(given: unknown): given is Extract<WorkflowElement, { workflow: Workflow }> {
  return typeof given === 'object' && given !== null && 'workflow' in given && hasName(given.workflow);
}

/** The extension's own version. */
export function versionOf(context: vscode.ExtensionContext): string {
  return (context.extension.packageJSON as { readonly version: string }).version;
}
