/** Workflow files: made, copied, opened. */

import * as vscode from 'vscode';

import { isWorkflow, type Parts } from '../parts';
import { Commands, type Workflow, type WorkflowFile } from '../protocol';
import type { WorkflowElement } from './view';

const { t } = vscode.l10n;

/** From a template, or written by an agent with the workflow `author`. */
export async function newWorkflow(parts: Parts): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    void vscode.window.showInformationMessage(t('Open a folder first: workflows of a project are kept in it.'));
    return;
  }
  const template = { label: t('From a template'), detail: t('A small workflow that runs as it is.') };
  const author = { label: t('Written by an agent'), detail: t('You say what it is to do; the real validator judges it.') };
  const picked = await vscode.window.showQuickPick([template, author], { title: t('New Workflow') });
  if (picked === author) {
    await parts.starter.start({ workflow: 'author' });
    return;
  }
  if (picked !== template) {
    return;
  }
  const name = await vscode.window.showInputBox({ title: t('New Workflow'), prompt: t('Its name, as in my-review') });
  if (name !== undefined) {
    await create(parts, folder, name, false);
  }
}

export async function copyWorkflow(parts: Parts, given: unknown): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!isWorkflow(given) || folder === undefined) {
    void vscode.window.showInformationMessage(t('Choose a built-in workflow in the view Workflows, with a folder open.'));
    return;
  }
  await create(parts, folder, given.workflow.name, true);
}

/** The server writes the file: what may be written where is its to say. */
async function create(
  parts: Parts, { uri }: vscode.WorkspaceFolder, name: string, copyKnown: boolean,
): Promise<void> {
  const written = await parts.performer.perform<WorkflowFile>(Commands.workflowCreate, {
    folder: uri.fsPath, name, copyKnown,
  });
  if (written !== undefined) {
    await vscode.window.showTextDocument(vscode.Uri.parse(written.uri));
    await parts.list();
  }
}

export async function openWorkflow(given: Extract<WorkflowElement, { workflow: Workflow }>): Promise<void> {
  const problem = given.kind === 'problem' ? given.workflow.problems[given.index] : undefined;
  const place = new vscode.Position(problem?.line ?? 0, problem?.column ?? 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(given.workflow.uri), { selection: new vscode.Range(place, place), preview: true });
}
