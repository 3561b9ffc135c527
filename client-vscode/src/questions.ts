/**
 * Questions of runs: asked where they can be read whole, answered once, taken down when somebody else answered.
 *
 * A question that nobody answers stays open; an answer is never made up.
 */

import * as vscode from 'vscode';

import { Commands, type AskParams, type Outcome, type Question } from './protocol';
import type { Run, RunStore } from './runs/store';
import { neutral, visible } from './text';
import type { Performer } from './verbs/perform';

const { t } = vscode.l10n;

/** More than this is opened as a document beside the question. */
const FITS = 280;

interface Asked {
  readonly runId: string;
  readonly question: Question;
  /** Who asks, for the title. */
  readonly from: string;
}

export class Questions implements vscode.Disposable {
  private readonly open = new Map<string, vscode.CancellationTokenSource>();
  private readonly listening: { dispose(): void };

  constructor(
    private readonly store: RunStore,
    private readonly performer: Performer,
    private readonly showText: (title: string, text: string) => Promise<void>,
    private readonly wantsToKnow: () => boolean,
  ) {
    this.listening = store.onDidChange(() => {
      this.takeDown();
    });
  }

  dispose(): void {
    this.listening.dispose();
    for (const source of this.open.values()) {
      source.cancel();
    }
  }

  /**
   * The server asks. The answer goes back at once as *not now*, and by `run.answer` when there is one: so the
   * question outlives this window, and a notification that nobody sees holds nothing up.
   */
  asked(params: AskParams): Record<string, never> {
    const { runId, key, kind, text, choices, workflow } = params;
    if (this.wantsToKnow()) {
      void this.announce({ runId, question: { key, kind, text, choices }, from: workflow });
    }
    return {};
  }

  /** *Answer Question…*: of several, the user chooses. */
  async answer(run: Run): Promise<void> {
    const [first] = run.questions;
    const question = run.questions.length < 2 ? first : await this.choose(run);
    if (question !== undefined) {
      await this.ask({ runId: run.head.runId, question, from: whoAsks(run, question) });
    }
  }

  private async choose(run: Run): Promise<Question | undefined> {
    const choices = run.questions.map((question) => ({
      label: neutral(whoAsks(run, question)),
      detail: neutral(question.text, 200),
      question,
    }));
    return (await vscode.window.showQuickPick(choices, { title: t('Answer which question?') }))?.question;
  }

  private async announce(asked: Asked): Promise<void> {
    const answer = t('Answer…');
    const message = t('A run needs you ({0}).', neutral(asked.from, 60));
    if ((await vscode.window.showInformationMessage(message, answer)) === answer && this.isOpen(asked)) {
      await this.ask(asked);
    }
  }

  /** One question at a time, each with its whole text to read. */
  private async ask(asked: Asked): Promise<void> {
    const name = nameOf(asked.runId, asked.question.key);
    if (this.open.has(name)) {
      return;
    }
    const source = new vscode.CancellationTokenSource();
    this.open.set(name, source);
    try {
      const { question } = asked;
      if (question.text.length > FITS || question.text.includes('\n') || question.kind === 'permission') {
        await this.showText(t('Question of {0}', asked.from), visible(question.text));
      }
      const text = question.choices.length > 0
        ? await this.chooseAnswer(asked, source.token)
        : await this.writeAnswer(asked, source.token);
      if (text !== undefined) {
        await this.send(asked, text);
      }
    } finally {
      this.open.delete(name);
      source.dispose();
    }
  }

  private async chooseAnswer(asked: Asked, token: vscode.CancellationToken): Promise<string | undefined> {
    const items = asked.question.choices.map((choice) => ({ label: neutral(choice, 80), choice }));
    const ordered = asked.question.kind === 'permission' ? denyFirst(items) : items;
    const options: vscode.QuickPickOptions = {
      title: neutral(t('{0} asks', asked.from)),
      placeHolder: neutral(asked.question.text, FITS),
      ignoreFocusOut: true,
    };
    return (await vscode.window.showQuickPick(ordered, options, token))?.choice;
  }

  private writeAnswer(asked: Asked, token: vscode.CancellationToken): Thenable<string | undefined> {
    const options: vscode.InputBoxOptions = {
      title: neutral(t('{0} asks', asked.from)),
      prompt: neutral(asked.question.text, FITS),
      ignoreFocusOut: true,
    };
    return vscode.window.showInputBox(options, token);
  }

  private async send(asked: Asked, text: string): Promise<void> {
    const outcome = await this.performer.perform<Outcome>(Commands.runAnswer, {
      runId: asked.runId,
      question: asked.question.key,
      text,
    });
    if (outcome !== undefined && !['advanced', 'started'].includes(outcome.effect) && outcome.message !== '') {
      void vscode.window.showInformationMessage(neutral(outcome.message, 600));
    }
  }

  private isOpen(asked: Asked): boolean {
    const run = this.store.get(asked.runId);
    return run === undefined || run.revision === 0 || run.questions.some((one) => one.key === asked.question.key);
  }

  /** A question that was answered elsewhere is not asked here any more. */
  private takeDown(): void {
    for (const [name, source] of this.open) {
      const [runId = '', key = ''] = name.split('\n');
      const run = this.store.get(runId);
      if (run !== undefined && run.revision > 0 && !run.questions.some((one) => one.key === key)) {
        source.cancel();
        this.open.delete(name);
      }
    }
  }
}

/** Role and agent of who asks, as they are known; agents do not speak for us (X56). */
function whoAsks(run: Run, question: Question): string {
  const node = run.nodes.get(question.key);
  const who = node === undefined ? '' : [node.role || node.label, node.agent].filter((part) => part !== '').join(' · ');
  return who === '' ? run.head.workflow : who;
}

function denyFirst<T extends { readonly choice: string }>(items: readonly T[]): T[] {
  const isDeny = (item: T): boolean => /deny|never|reject/i.test(item.choice);
  return [...items].sort((a, b) => Number(isDeny(b)) - Number(isDeny(a)));
}

function nameOf(runId: string, key: string): string {
  return `${runId}\n${key}`;
}
