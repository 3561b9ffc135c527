/** The interpreters to try, as VS Code knows of them. */

import * as os from 'node:os';

import * as vscode from 'vscode';

import { line } from '../log';
import { interpreters, type Interpreter } from './interpreters';

/** What we use of the Python extension's interface. */
interface PythonExtension {
  readonly environments?: { getActiveEnvironmentPath?(resource?: vscode.Uri): { readonly path?: string } };
}

export function pythons(log: vscode.LogOutputChannel): readonly Interpreter[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = interpreters(
    {
      setting: vscode.workspace.getConfiguration('sprintwright').get<string>('python', '').trim(),
      active: active(folders[0]?.uri),
      searchPath: process.env['PATH'] ?? '',
      platform: process.platform,
      home: os.homedir(),
      workspaceFolders: folders.map((folder) => folder.uri.fsPath),
    },
    (text) => {
      log.info(line(text));
    },
  );
  if (found.length === 0) {
    log.warn(line(`No Python on PATH: ${process.env['PATH'] ?? ''}`));
  }
  return found;
}

/** Only of an extension that runs already: ours starts none. */
function active(folder: vscode.Uri | undefined): string {
  const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
  if (extension?.isActive !== true) {
    return '';
  }
  return extension.exports.environments?.getActiveEnvironmentPath?.(folder).path ?? '';
}
