/** Findings: gone to, one after the other, and given to agents. */

import * as vscode from 'vscode';

import type { Parts } from './parts';
import { Commands, type Finding, type Outcome } from './protocol';
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

/** Each open finding of a run gets a run of its own, one after the other is started by the user's word for all. */
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
  for (const { finding } of picked ?? []) {
    const outcome = await parts.performer.perform<Outcome>(Commands.findingFix, {
      runId: run.head.runId, finding: finding.id, concurrent: true,
    });
    if (outcome === undefined) {
      return;
    }
  }
}
