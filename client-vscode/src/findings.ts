/** Findings: gone to, one after the other, and given to agents. */

import { randomUUID } from 'node:crypto';

import * as vscode from 'vscode';

import type { Parts } from './parts';
import { Commands, type Finding, type Outcome, type RunStatus } from './protocol';
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

/** Each finding that the user picks gets a run of its own, one after the other. */
export async function fixAll(parts: Parts): Promise<void> {
  const run = await parts.verbs.any(undefined, t('Fix the findings of which run?'));
  if (run === undefined) {
    return;
  }
  const open = run.findings.filter((one: Finding) => one.status === 'open');
  if (open.length === 0) {
    void vscode.window.showInformationMessage(t('No finding is open.'));
    return;
  }
  const choices = open.map((one) => ({
    label: neutral(one.message, 100), description: neutral(`${one.path}:${one.line}`), finding: one, picked: true,
  }));
  const picked = await vscode.window.showQuickPick(choices, { title: t('Fix which findings?'), canPickMany: true });
  for (const [index, { finding }] of (picked ?? []).entries()) {
    const outcome = await parts.performer.perform<Outcome>(Commands.findingFix, {
      runId: run.head.runId, finding: finding.id, startToken: randomUUID(),
    });
    if (outcome === undefined || (await ended(parts.store, outcome.runId)) !== 'completed') {
      const left = (picked?.length ?? 0) - index - 1;
      if (left > 0) {
        void vscode.window.showInformationMessage(t('{0} findings were not begun.', left));
      }
      return;
    }
  }
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
