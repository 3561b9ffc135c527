/** How a request for permission is shown: answers in plain words with the safest first, and the language of its text. */

import * as vscode from 'vscode';

import { neutral } from './text';

const { t } = vscode.l10n;

/** What the server takes, to the letter (docs/protocol.md, sprintwright/permission/request). */
const PERMIT_ONCE = 'once';
const PERMIT_RUN = 'for this run';
const PERMIT_NEVER = 'never';

export interface Choice extends vscode.QuickPickItem {
  /** What is sent. */
  readonly choice: string;
}

const WORDS: Readonly<Record<string, () => { readonly label: string; readonly detail: string }>> = {
  [PERMIT_ONCE]: () => ({ label: t('Allow once'), detail: t('The same is asked about again.') }),
  [PERMIT_RUN]: () => ({ label: t('Allow for this run'), detail: t('The very same, for the same role, is not asked about again in this run.') }),
  [PERMIT_NEVER]: () => ({ label: t('Never in this run'), detail: t('It is not done, and the same is not asked about again in this run.') }),
};

/** What can be answered to a request for permission; no comes first, for it is what Enter takes (X52). */
export function permissionChoices(choices: readonly string[]): Choice[] {
  const shown = choices.map((choice) => ({ ...(Object.hasOwn(WORDS, choice) ? WORDS[choice]?.() : undefined) ?? { label: neutral(choice, 80) }, choice }));
  return shown.sort((a, b) => Number(isNo(b.choice)) - Number(isNo(a.choice)));
}

function isNo(choice: string): boolean {
  return /^(deny|never|no|reject|refuse)\b/i.test(choice);
}

/** Language of a document with the whole text: a difference has colours. */
export function languageOf(text: string): 'diff' | 'plaintext' {
  return /^(diff --git |@@ -\d+(,\d+)? \+\d+|--- [^\n]*\n\+\+\+ )/m.test(text) ? 'diff' : 'plaintext';
}
