/** Findings: gone to, one after the other, and given to agents. */

import { randomUUID } from 'node:crypto';

import * as vscode from 'vscode';

import type { Parts } from './parts';
import { Commands, type Outcome, type RunStatus } from './protocol';
import type { RunStore } from './runs/store';
import { neutral } from './text';

const { t } = vscode.l10n;

export async function goToFinding(parts: Parts, way: 1 | -1): Promise<void> {
  const found = parts.diagnostics.list();
  if (found.length === 0) {
    void vscode.window.showInformationMessage(t('No finding is open.'));
    return;
  }
  const editor = vscode.window.activeTextEditor;
  const from = way === 1 ? 0 : -1;
  const at = editor === undefined ? from : nearest(found, editor.document.uri, editor.selection.start, way);
  const next = found.at(at);
  if (next !== undefined) {
    await vscode.window.showTextDocument(next.uri, { selection: next.range, preview: true });
  }
}

/** Index of the next one from a place on; the list is sorted by path, then by place. */
function nearest(
  found: readonly { readonly uri: vscode.Uri; readonly range: vscode.Range }[], uri: vscode.Uri, place: vscode.Position,
  way: 1 | -1,
): number {
  const compare = (one: { readonly uri: vscode.Uri; readonly range: vscode.Range }): number =>
    one.uri.path.localeCompare(uri.path) || one.range.start.compareTo(place);
  if (way === 1) {
    const next = found.findIndex((one) => compare(one) > 0);
    return next === -1 ? 0 : next;
  }
  return found.findLastIndex((one) => compare(one) < 0);
}

/** *Fix Findings with an Agent…*: the open ones of a run. */
export async function fixAll(parts: Parts): Promise<void> {
  const run = await parts.verbs.any(undefined, t('Fix the findings of which run?'));
  if (run !== undefined) {
    const open = run.findings.filter((one) => one.status === 'open');
    await fixChosen(parts, open.map((one) => ({
      label: neutral(one.message, 100), description: neutral(`${one.path}:${one.line}`), runId: run.head.runId, finding: one.id, picked: true,
    })));
  }
}

/** The quick fix for all findings that are shown in a file; offered at any of them, where there are several. */
export function fixFileAction(uri: vscode.Uri, about: readonly vscode.Diagnostic[], count: number): vscode.CodeAction[] {
  if (about.length === 0 || count < 2) {
    return [];
  }
  const title = t('Fix all {0} findings of this file', count);
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [...about];
  action.command = { title, command: 'sprintwright.finding.fixFile', arguments: [uri] };
  return [action];
}

/** *Fix All Findings of This File…*: of whichever runs they are. Without a file it is the one in the editor. */
export async function fixFile(parts: Parts, given: unknown): Promise<void> {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  const shown = uri === undefined ? [] : parts.diagnostics.inFile(uri);
  await fixChosen(parts, shown.map(({ runId, finding, message, line }) => ({
    label: neutral(message, 100), description: neutral(t('line {0}', line)), runId, finding, picked: true,
  })));
}

interface Offer extends vscode.QuickPickItem {
  readonly runId: string;
  readonly finding: string;
}

/** Each finding that the user picks gets a run of its own, one after the other. */
async function fixChosen(parts: Parts, offers: readonly Offer[]): Promise<void> {
  if (offers.length === 0) {
    void vscode.window.showInformationMessage(t('No finding is open.'));
    return;
  }
  const picked = (await vscode.window.showQuickPick(offers, { title: t('Fix which findings?'), canPickMany: true })) ?? [];
  for (const [index, { runId, finding }] of picked.entries()) {
    if (index > 0 && !(await isOpen(parts, runId, finding))) {
      continue; // what was done for one before has settled it
    }
    const outcome = await parts.performer.perform<Outcome>(Commands.findingFix, { runId, finding, startToken: randomUUID() });
    if (outcome === undefined || (await ended(parts.store, outcome.runId)) !== 'completed') {
      const left = picked.length - index - 1;
      if (left > 0) {
        void vscode.window.showInformationMessage(left === 1 ? t('1 finding was not begun.') : t('{0} findings were not begun.', left));
      }
      return;
    }
  }
}

async function isOpen(parts: Parts, runId: string, finding: string): Promise<boolean> {
  const run = await parts.look(runId);
  return run === undefined || run.findings.some((one) => one.id === finding && one.status === 'open');
}

/** How a run stands when nobody carries it on any more. Two agents that write at once would be in each other's way. */
export function ended(store: RunStore, runId: string): Promise<RunStatus> {
  return new Promise((resolve) => {
    const look = (): boolean => {
      const head = store.get(runId)?.head;
      const isOver = head !== undefined && head.owner === 'none' && head.status !== 'running';
      if (isOver) {
        resolve(head.status);
      }
      return isOver;
    };
    if (!look()) {
      const listening = store.onDidChange(() => {
        if (look()) {
          listening.dispose();
        }
      });
    }
  });
}
