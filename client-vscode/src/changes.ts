/** What a pass, a turn or a run changed, in VS Code's editor for several differences; files of then are documents of ours. */

import * as vscode from 'vscode';

import { Commands, type Changes, type FileAt } from './protocol';
import type { Connection } from './server/connection';
import { refusedOf } from './server/refused';
import { neutral, visible } from './text';

const { t } = vscode.l10n;

/** Of files as a snapshot of a run has them: `<scheme>:/<path>?run=…&tree=…`. Read-only. */
export const SNAPSHOT_SCHEME = 'sprintwright-snapshot';

/** The editor asks for both sides of each file at once. */
const MOST_FILES = 100;

export class ChangesEditor implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration: vscode.Disposable;

  constructor(private readonly connection: Pick<Connection, 'command'>) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SNAPSHOT_SCHEME, this);
  }

  dispose(): void {
    this.registration.dispose();
  }

  /** The file's text as it was then; what can't be shown says why, and is no error of the whole editor. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const asked = new URLSearchParams(uri.query);
    try {
      const { text } = await this.connection.command<FileAt>(Commands.runFileAt, {
        runId: asked.get('run') ?? '', tree: asked.get('tree') ?? '', path: uri.path.slice(1),
      });
      return text;
    } catch (error) {
      return t('Not shown: {0}', visible(refusedOf(error).message));
    }
  }

  /** Open the editor; says so where there is nothing to see in it, and what is not in it. */
  async show(title: string, folder: string, changes: Changes): Promise<void> {
    const shown = changes.files.filter((one) => ['added', 'modified', 'deleted'].includes(one.status) && isInside(one.path));
    const files = shown.slice(0, MOST_FILES);
    if (changes.files.length === 0) {
      void vscode.window.showInformationMessage(t('No file was changed there.'));
      return;
    }
    if (files.length > 0) {
      await vscode.commands.executeCommand('vscode.changes', neutral(title), files.map(({ path, status }) => {
        const now = vscode.Uri.joinPath(vscode.Uri.file(folder), path);
        const before = status === 'added' ? undefined : snapshotUri(changes, changes.before, path);
        const after = changes.after === '' ? now : snapshotUri(changes, changes.after, path);
        return [now, before, status === 'deleted' ? undefined : after];
      }));
    }
    tellOfOthers(changes, shown.length - files.length);
  }
}

function tellOfOthers(changes: Changes, cut: number): void {
  const modes = changes.files.filter((one) => one.status === 'mode').length;
  const more = changes.files.filter((one) => one.status === 'more').map((one) => neutral(one.path));
  const parts = [
    ...(modes > 0 ? [t('Only permissions changed: {0} files.', modes)] : []),
    ...(cut > 0 ? [t('Not shown: {0} more files.', cut)] : []),
    ...more.map((words) => t('Not shown: {0}.', words)),
  ];
  if (parts.length > 0) {
    void vscode.window.showInformationMessage(parts.join(' '));
  }
}

function snapshotUri(changes: Changes, tree: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SNAPSHOT_SCHEME, path: `/${path}`, query: new URLSearchParams({ run: changes.runId, tree }).toString() });
}

/** The names come from a folder that others may have made: none of them leads out of it (X29). */
function isInside(path: string): boolean {
  return !/^[/\\]|^[A-Za-z]:/.test(path) && !path.split(/[/\\]/).includes('..');
}
