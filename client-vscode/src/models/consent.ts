/**
 * Whether a model may be asked. VS Code wants its own consent to come from something that the user does: until it is
 * there, a request waits for a click on our question, and nothing is sent in the background.
 */

import * as vscode from 'vscode';

import { neutral } from '../text';
import type { Model } from './api';
import { Cancelled, unlessCancelled } from './cancelling';
import { codeOf, nameOf, notAllowed } from './refusals';

const { t } = vscode.l10n;

/** VS Code's `languageModelAccessInformation`. */
export interface Access {
  /** False: no; undefined: not asked yet. */
  canSendRequest(model: Model): boolean | undefined;
}

/** One message to the user about one model, for all requests that wait for it. */
interface Question {
  readonly isYes: Promise<boolean>;
  waiting: number;
  /** Whether VS Code's own question was answered with no; each request waits for the one before it. */
  denied: Promise<boolean>;
}

export class Consent {
  private readonly questions = new Map<string, Question>();

  constructor(private readonly access: Access) {}

  /**
   * Send a request as soon as it may be sent.
   *
   * @param title what is asked for by whom, in one line.
   * @throws ModelRefusal the user did not allow it.
   * @throws Cancelled nobody waits for it any more: then the question counts for nothing, unless others wait for it.
   */
  async send<T>(model: Model, title: string, token: vscode.CancellationToken, request: () => PromiseLike<T>): Promise<T> {
    if (token.isCancellationRequested) {
      throw new Cancelled();
    }
    if (this.access.canSendRequest(model) === true) {
      return request();
    }
    const key = `${model.vendor}\n${model.id}`;
    const question = this.questions.get(key) ?? this.ask(key, model, title);
    question.waiting += 1;
    try {
      if (!(await unlessCancelled(question.isYes, token))) {
        throw notAllowed(model);
      }
      return await this.sendInTurn(question, model, token, request);
    } finally {
      question.waiting -= 1;
      if (question.waiting === 0 && this.questions.get(key) === question) {
        this.questions.delete(key); // who comes later asks anew
      }
    }
  }

  private ask(key: string, model: Model, title: string): Question {
    const allow = t('Allow…');
    const message = t('{0}. May Sprintwright use the model {1} ({2})?', neutral(title, 200).replace(/[.?!]+$/, ''), neutral(nameOf(model), 80), neutral(model.vendor, 40));
    const isYes = Promise.resolve(vscode.window.showInformationMessage(message, allow, t('Not Now')))
      .then((chosen) => chosen === allow, () => false);
    const question: Question = { isYes, waiting: 0, denied: Promise.resolve(false) };
    this.questions.set(key, question);
    return question;
  }

  /** One after the other, so that VS Code asks the user once. */
  private async sendInTurn<T>(question: Question, model: Model, token: vscode.CancellationToken, request: () => PromiseLike<T>): Promise<T> {
    const before = question.denied;
    const sent = unlessCancelled(before.then((denied) => {
      if (token.isCancellationRequested) {
        throw new Cancelled();
      }
      if (denied) {
        throw notAllowed(model);
      }
      return request();
    }), token);
    // One that was cancelled meanwhile does not undo the no before it.
    question.denied = sent.then(() => false, async (error: unknown) => (await before) || codeOf(error) === vscode.LanguageModelError.NoPermissions.name);
    return sent;
  }
}
