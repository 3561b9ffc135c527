/**
 * Questions of runs: asked where they can be read whole, answered once, taken down when somebody else answered.
 *
 * A question that nobody answers stays open; an answer is never made up.
 */

import * as vscode from 'vscode';

import { languageOf, permissionChoices, type Choice } from './permissions';
import { Commands, type AskParams, type Outcome, type Question } from './protocol';
import type { Run, RunStore } from './runs/store';
import { firstLine, neutral, visible } from './text';
import type { Performer } from './verbs/perform';

const { t } = vscode.l10n;

/** More than this is opened as a document beside the question. */
const FITS = 280;
/** The prompt lies over the top of the document: its text begins below, so that all of it can be read (X52). */
const COVERED_LINES = 9;

interface Asked {
  readonly runId: string;
  readonly question: Question;
  readonly workflow: string;
}

export class Questions implements vscode.Disposable {
  private readonly open = new Map<string, vscode.CancellationTokenSource>();
  private readonly listening: { dispose(): void };

  constructor(
    private readonly store: RunStore,
    private readonly performer: Performer,
    private readonly showText: (title: string, text: string, language: string) => Promise<void>,
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
      void this.announce({ runId, question: { key, kind, text, choices }, workflow });
    }
    return {};
  }

  /** *Answer Question…*: of several, the user chooses; `within` are those that are meant, if not all. */
  async answer(run: Run, within = run.questions): Promise<void> {
    const [first] = within;
    const question = within.length < 2 ? first : await this.choose(run, within);
    if (question !== undefined) {
      await this.ask({ runId: run.head.runId, question, workflow: run.head.workflow });
    }
  }

  private async choose(run: Run, open: readonly Question[]): Promise<Question | undefined> {
    const choices = open.map((question) => ({
      label: neutral(whoAsks(run, question)),
      detail: neutral(question.text, 200),
      question,
    }));
    return (await vscode.window.showQuickPick(choices, { title: t('Answer which question?') }))?.question;
  }

  private async announce(asked: Asked): Promise<void> {
    const answer = t('Answer…');
    const from = neutral(this.from(asked), 120);
    const message = isPermission(asked) ? t('A run asks for permission ({0}).', from) : t('A run needs you ({0}).', from);
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
      if (question.text.length > FITS || question.text.includes('\n') || isPermission(asked)) {
        const title = isPermission(asked) ? t('Permission for {0}', this.from(asked)) : t('Question of {0}', this.from(asked));
        const text = `${this.title(asked)}:${'\n'.repeat(COVERED_LINES)}${visible(question.text)}`;
        await this.showText(title, text, isPermission(asked) ? languageOf(question.text) : 'plaintext');
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
    const { choices } = asked.question;
    const items: Choice[] = isPermission(asked)
      ? permissionChoices(choices)
      : choices.map((choice) => ({ label: neutral(choice, 80), choice }));
    const options: vscode.QuickPickOptions = {
      title: this.title(asked),
      placeHolder: neutral(asked.question.text, FITS),
      ignoreFocusOut: true,
    };
    return (await vscode.window.showQuickPick(items, options, token))?.choice;
  }

  private writeAnswer(asked: Asked, token: vscode.CancellationToken): Thenable<string | undefined> {
    const options: vscode.InputBoxOptions = {
      title: this.title(asked),
      prompt: neutral(asked.question.text, FITS),
      ignoreFocusOut: true,
    };
    return vscode.window.showInputBox(options, token);
  }

  private title(asked: Asked): string {
    return neutral(isPermission(asked) ? t('{0} asks for permission', this.from(asked)) : t('{0} asks', this.from(asked)));
  }

  private from(asked: Asked): string {
    const run = this.store.get(asked.runId);
    return run === undefined ? asked.workflow : whoAsks(run, asked.question);
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

/** Role and agent of who asks, as they are known, of a permission also the run; agents do not speak for us (X56). */
function whoAsks(run: Run, question: Question): string {
  const own = run.nodes.get(question.key);
  const node = question.kind === 'ask' || question.kind === 'permission' ? (run.nodes.get(own?.parent ?? '') ?? own) : own;
  const who = node === undefined ? [] : [node.role || node.label, node.agent];
  const parts = question.kind === 'permission' ? [...who, firstLine(run.head.task, 60)] : who;
  return parts.filter((part) => part !== '').join(' · ') || run.head.workflow;
}

function isPermission(asked: Asked): boolean {
  return asked.question.kind === 'permission';
}

function nameOf(runId: string, key: string): string {
  return `${runId}\n${key}`;
}
