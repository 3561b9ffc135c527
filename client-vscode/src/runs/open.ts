/** What is opened of a run: transcripts, the plan, what a click means; and which runs are shown. */

import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Parts } from '../parts';
import type { RunNode } from '../protocol';
import { neutral } from '../text';
import { runFolder } from '../transcripts';
import { askedAt, type Run } from './store';
import type { Element, Filter } from './view';

const { t } = vscode.l10n;

/** What a click on a line of the tree opens: what was said there, or what there is to do. */
export async function openNode(parts: Parts, one: Element | undefined): Promise<void> {
  const run = one === undefined ? undefined : await parts.look(one.runId);
  if (one === undefined || run === undefined) {
    return;
  }
  const node = run.nodes.get(one.id);
  const asked = askedAt(run, one.id);
  if (asked.length > 0) {
    await parts.questions.answer(run, asked);
  } else if (node !== undefined && ['turn', 'check'].includes(node.kind)) {
    await parts.documents.showTranscript(one.runId, one.id);
  } else if (node === undefined) {
    await parts.documents.showSummary(one.runId);
  } else {
    await openArtifact(parts, run, node);
  }
}

async function openArtifact(parts: Parts, run: Run, node: RunNode): Promise<void> {
  const file = run.gates[node.id]?.file;
  if (file !== undefined) {
    const uri = vscode.Uri.file(path.join(runFolder(run.head.folder, run.head.runId), 'artifacts', path.basename(file)));
    await vscode.window.showTextDocument(uri, { preview: true });
    return;
  }
  await parts.documents.showSummary(run.head.runId);
}

export async function showTranscript(parts: Parts, given: Element | undefined): Promise<void> {
  if (given !== undefined && given.id !== '') {
    await parts.documents.showTranscript(given.runId, given.id);
    return;
  }
  const run = await parts.verbs.any(given, t('Transcript of which run?'));
  if (run === undefined) {
    return;
  }
  const turns = [...run.nodes.values()].filter((node) => ['turn', 'check'].includes(node.kind) && node.status !== 'not_started');
  const choices = turns.map((node) => ({ label: neutral(node.label), description: neutral(node.id), id: node.id })).reverse();
  const picked = await vscode.window.showQuickPick(choices, { title: t('Transcript of which turn?'), matchOnDescription: true });
  if (picked !== undefined) {
    await parts.documents.showTranscript(run.head.runId, picked.id);
  }
}

/** The plan is the artifact that is named so, else the first one. It is a real file: it can be edited in a pause. */
export async function showPlan(parts: Parts, given: Element | undefined): Promise<void> {
  const run = await parts.verbs.any(given, t('Plan of which run?'));
  if (run === undefined) {
    return;
  }
  const folder = vscode.Uri.file(path.join(runFolder(run.head.folder, run.head.runId), 'artifacts'));
  const files = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(() => []);
  const names = files.filter(([, kind]) => kind === vscode.FileType.File).map(([name]) => name).sort();
  const plan = names.find((name) => name.includes('plan')) ?? names[0];
  if (plan === undefined) {
    void vscode.window.showInformationMessage(t('The run has no plan yet.'));
    return;
  }
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, plan), { preview: true });
}

export async function filterRuns(parts: Parts): Promise<void> {
  const choices: readonly { label: string; value: Filter }[] = [
    { label: t('All'), value: 'all' },
    { label: t('Live'), value: 'live' },
    { label: t('Need You'), value: 'needsUser' },
    { label: t('Not Live'), value: 'over' },
  ];
  const picked = await vscode.window.showQuickPick(choices, { title: t('Show which runs?') });
  if (picked !== undefined) {
    parts.view.filter = picked.value;
    parts.tree.description = picked.value === 'all' ? '' : picked.label;
    parts.view.redraw();
  }
}
