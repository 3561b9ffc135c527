/** Brings a run into view. */

import type * as vscode from 'vscode';

import type { Element, RunsView } from './view';

const TRIES = 5;
const BETWEEN_MILLISECONDS = 250;

/** Best effort: while VS Code draws the tree anew it does not find the new lines yet, and there is no event for the end of that. */
export async function reveal(
  tree: vscode.TreeView<Element>, view: RunsView, runId: string,
  options: { readonly expand?: number; readonly select: boolean; readonly focus: boolean },
): Promise<void> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    view.drawNow();
    try {
      await tree.reveal(view.element(runId, ''), options);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MILLISECONDS));
    }
  }
}
