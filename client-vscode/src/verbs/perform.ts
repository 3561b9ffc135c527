/** One way to do a verb: send it, and go on with what the server asks back (consent, choices), or say why it was refused. */

import * as vscode from 'vscode';

import { line } from '../log';
import type { Connection } from '../server/connection';
import { GIVEN_UP, Refused, refusedOf } from '../server/refused';
import { cut, neutral, visible } from '../text';

const { t } = vscode.l10n;

/** A cut-off turn that somebody has to decide on. */
interface Interrupted {
  readonly key: string;
  readonly choices: readonly string[];
}

const INTERRUPTED_WORDS: Readonly<Record<string, () => string>> = {
  redo: () => t('Do it again'),
  keep: () => t('Keep what it did, and go on'),
  stop: () => t('Stop here'),
};

export class Performer {
  constructor(
    private readonly connection: Connection,
    private readonly log: vscode.LogOutputChannel,
    private readonly showText: (title: string, text: string) => Promise<void>,
  ) {}

  /** Do it; undefined when the user gave up or it was refused, which they were told then. Never throws. */
  async perform<T>(command: string, argument: object): Promise<T | undefined> {
    for (let now = argument; ; ) {
      try {
        return await this.connection.command<T>(command, now);
      } catch (error) {
        const refused = refusedOf(error);
        this.log.warn(line(`${command}: ${refused.code}: ${refused.message}`));
        const more = await this.ask(refused);
        if (more === undefined) {
          return undefined;
        }
        now = { ...now, ...more };
      }
    }
  }

  /** What to send in addition; undefined: it ends here. */
  private async ask(refused: Refused): Promise<object | undefined> {
    switch (refused.code) {
      case 'consent_needed':
        return this.askConsent(refused);
      case 'already_active':
        return this.confirm(refused.message, t('Start All the Same'), { concurrent: true });
      case 'journal_shortened':
        return this.confirm(refused.message, t('Go On'), { acceptShorter: true });
      case 'needs_choice':
        return this.askChoice(refused);
      default:
        await this.tell(refused);
        return undefined;
    }
  }

  private async confirm(message: string, yes: string, more: object): Promise<object | undefined> {
    const chosen = await vscode.window.showWarningMessage(neutral(message, 1000), { modal: true }, yes);
    return chosen === yes ? more : undefined;
  }

  /** All that would run, word for word; what does not fit opens as a document first (X52). */
  private async askConsent(refused: Refused): Promise<object | undefined> {
    const text = strings(refused.data['items']).map(visible).join('\n\n');
    const allow = t('Allow');
    const whole = t('Show All');
    for (;;) {
      const fits = text.length <= 1500;
      const buttons = fits ? [allow] : [whole, allow];
      const detail = fits ? text : `${cut(text, 1500)}\n${t('This is not all of it.')}`;
      const title = t('This folder’s own files would run or allow the following. Allow it?');
      const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail }, ...buttons);
      if (chosen === whole) {
        await this.showText(t('What would run'), text);
        const after = await vscode.window.showWarningMessage(title, { modal: true, detail: t('It is shown in the editor.') }, allow);
        return after === allow ? { consent: refused.data['hash'] } : undefined;
      }
      return chosen === allow ? { consent: refused.data['hash'] } : undefined;
    }
  }

  private async askChoice(refused: Refused): Promise<object | undefined> {
    const cutOff = refused.data['interrupted'];
    if (Array.isArray(cutOff)) {
      const turns = cutOff as readonly Interrupted[];
      const choices = [...new Set(turns.flatMap((one) => one.choices))];
      const picked = await vscode.window.showQuickPick(
        choices.map((choice) => ({ label: INTERRUPTED_WORDS[choice]?.() ?? choice, choice })),
        {
          title: t('Interrupted: {0}', neutral(turns.map((one) => one.key).join(', '))),
          placeHolder: t('What is to be done with the turn that was cut off?'),
          ignoreFocusOut: true,
        },
      );
      return picked === undefined ? undefined : { interrupted: picked.choice };
    }
    return this.askArtifacts(strings(refused.data['artifacts']), refused.data['diffs']);
  }

  private async askArtifacts(names: readonly string[], diffs: unknown): Promise<object | undefined> {
    const show = { label: t('Show what is different'), detail: '', choice: '' };
    const picked = await vscode.window.showQuickPick(
      [
        { label: t('Mine counts'), detail: t('The file as it is now is what the run goes on with.'), choice: 'mine' },
        { label: t('Put the recorded one back'), detail: t('Yours is kept beside it.'), choice: 'back' },
        ...(isRecord(diffs) && Object.keys(diffs).length > 0 ? [show] : []),
      ],
      { title: t('Changed since the run wrote it: {0}', neutral(names.join(', '))), ignoreFocusOut: true },
    );
    if (picked === show && isRecord(diffs)) {
      await this.showText(t('What is different'), Object.values(diffs).map(String).join('\n'));
      return this.askArtifacts(names, {});
    }
    return picked === undefined ? undefined : { artifacts: picked.choice };
  }

  /** Say why not, with what can be done about it. */
  async tell(refused: Refused): Promise<void> {
    if (refused.code === GIVEN_UP) {
      return;
    }
    const [label, command] = remedy(refused.code);
    const chosen = await vscode.window.showErrorMessage(neutral(refused.message, 600), label);
    if (chosen === label) {
      await vscode.commands.executeCommand(command);
    }
  }
}

function remedy(code: string): readonly [string, string] {
  switch (code) {
    case 'untrusted':
      return [t('Manage Workspace Trust'), 'workbench.trust.manage'];
    case 'no_server':
      return [t('Restart Server'), 'sprintwright.restartServer'];
    case 'agent_missing':
    case 'unknown_agent':
      return [t('Select Agents'), 'sprintwright.selectAgents'];
    case 'config_invalid':
      return [t('Run Doctor'), 'sprintwright.runDoctor'];
    default:
      return [t('Show Log'), 'sprintwright.showLog'];
  }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
