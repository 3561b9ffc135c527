/** A run that was cut off is offered once, and never resumed by itself. */

import * as vscode from 'vscode';

import type { Run, RunStore } from './runs/store';
import { ago, neutral } from './text';
import { runItem } from './runs/labels';

const { t } = vscode.l10n;

const OFFERED = 'offered';

/** Offer the newest interrupted run of this user, unless it was offered before. */
export async function offerInterrupted(
  store: RunStore, memory: vscode.Memento, look: (runId: string) => Promise<Run | undefined>,
  resume: (run: Run) => Promise<void>, reveal: (runId: string) => Promise<void>,
): Promise<void> {
  const cutOff = store.runs().filter((run) => run.head.own && run.head.owner === 'none' && run.head.status === 'interrupted');
  const [newest] = cutOff;
  const offered = memory.get<readonly string[]>(OFFERED, []);
  const mark = newest === undefined ? '' : `${newest.head.runId} ${newest.head.lastActivity}`;
  const run = newest === undefined || offered.includes(mark) ? undefined : await look(newest.head.runId);
  if (run === undefined) {
    return;
  }
  await memory.update(OFFERED, [...offered.slice(-50), mark]);
  const yes = t('Resume');
  const show = t('Show');
  const { label, description } = runItem(run);
  const more = cutOff.length > 1 ? ` ${t('{0} more were interrupted.', cutOff.length - 1)}` : '';
  const message = t(
    'Resume run “{0}”? ({1}, {2})', neutral(label, 80), neutral(description, 120), ago(run.head.lastActivity, Date.now()),
  ) + more;
  const chosen = await vscode.window.showInformationMessage(message, yes, show, t('Not Now'));
  if (chosen === yes) {
    await resume(run);
  } else if (chosen === show) {
    await reveal(run.head.runId);
  }
}
