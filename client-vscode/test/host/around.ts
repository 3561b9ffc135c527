/** What the tests in the extension host share: the extension, its project, and what it says to the user. */

import * as assert from 'node:assert/strict';
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { TestSurface } from '../../src/extension';
import type { Run } from '../../src/runs/store';

/** A condition that comes true by itself; the time is for a machine that is busy, not for us. */
export async function until(what: string, holds: () => boolean, milliseconds = 30_000): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!holds()) {
    assert.ok(Date.now() < end, `not within ${milliseconds} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function extension(): vscode.Extension<TestSurface> {
  const found = vscode.extensions.getExtension<TestSurface>('sprintwright.sprintwright');
  assert.ok(found);
  return found;
}

export function surface(): TestSurface {
  return extension().exports;
}

export function project(...parts: string[]): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder);
  return vscode.Uri.file(path.join(folder.uri.fsPath, ...parts));
}

export async function ready(): Promise<void> {
  await until('the server is ready', () => surface().server.state.kind === 'ready');
}

/** The newest run of a workflow. */
export function runOf(workflow: string): Run | undefined {
  return surface().store.runs().find((run) => run.head.workflow === workflow);
}

/** Labels of all lines below a line, from above to below. */
export async function labels(runId: string, id = ''): Promise<string[]> {
  const { view } = surface();
  const found: string[] = [];
  for (const below of await view.getChildren(view.element(runId, id))) {
    const { label } = view.getTreeItem(below);
    found.push(typeof label === 'string' ? label : (label?.label ?? ''), ...(await labels(runId, below.id)));
  }
  return found;
}

export function findings(): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics().flatMap(([, all]) => all).filter((one) => one.source === 'sprintwright');
}

export interface Said {
  readonly kind: string;
  readonly message: string;
}

const ASKING = ['showInformationMessage', 'showWarningMessage', 'showErrorMessage', 'showQuickPick', 'showInputBox'];
const MAKING = ['createQuickPick', 'createInputBox'];

/** Press Escape in whatever is shown while something is done; what was shown. */
export async function escaping(act: () => Promise<void>): Promise<Said[]> {
  const window = vscode.window as unknown as Record<string, unknown>;
  const kept = new Map([...ASKING, ...MAKING].map((name): [string, unknown] => [name, window[name]]));
  const said: Said[] = [];
  for (const name of ASKING) {
    window[name] = (first: unknown): Promise<undefined> => {
      said.push({ kind: name, message: typeof first === 'string' ? first : '' });
      return Promise.resolve(undefined);
    };
  }
  for (const name of MAKING) {
    window[name] = (): vscode.QuickInput => {
      const input = (kept.get(name) as () => vscode.QuickInput)();
      const show = input.show.bind(input);
      input.show = (): void => {
        said.push({ kind: name, message: input.title ?? '' });
        show();
        setImmediate(() => {
          input.hide();
        });
      };
      return input;
    };
  }
  try {
    await act();
  } finally {
    kept.forEach((value, name) => {
      window[name] = value;
    });
  }
  return said;
}
