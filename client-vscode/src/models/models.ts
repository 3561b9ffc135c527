/**
 * The editor's language models, asked for agents of kind `editor`: what a model says goes to the server piece by piece,
 * in order, before the answer. No time limit is ours: who asks cancels.
 */

import * as vscode from 'vscode';

import { line } from '../log';
import type { ModelFacts, ModelParams, ModelPart, ModelResult } from '../protocol';
import { visible } from '../text';
import { hasModels, partClasses, selectModels, type Model } from './api';
import { Cancelled, unlessCancelled } from './cancelling';
import { Consent, type Access } from './consent';
import { countable, messagesOf, piecesOf } from './messages';
import { callsNoTools, noModels, noneFits, noTools, notSignedIn, notTrusted, refusalOf } from './refusals';

/** An answer does not wait longer for the count of its tokens, which nobody depends on. */
const COUNT_MILLISECONDS = 2000;

/** Takes a piece of the answer to the server. */
type Tell = (part: ModelPart) => Promise<void>;

export class Models implements vscode.Disposable {
  private readonly open = new Set<vscode.CancellationTokenSource>();
  private readonly consent: Consent;

  constructor(access: Access, private readonly log: (text: string) => void) {
    this.consent = new Consent(access);
  }

  /** End all requests: the server that made them is gone. */
  cancelAll(): void {
    this.open.forEach((source) => {
      source.cancel();
    });
  }

  dispose(): void {
    this.cancelAll();
  }

  /**
   * Ask a model.
   *
   * @param tell told of each piece; the next is read when it is done.
   * @throws ModelRefusal
   * @throws Cancelled by the token, or because the server is gone; nothing is told any more.
   */
  async answer(params: ModelParams, token: vscode.CancellationToken, tell: Tell): Promise<ModelResult> {
    const source = new vscode.CancellationTokenSource();
    const listening = token.onCancellationRequested(() => {
      source.cancel();
    });
    if (token.isCancellationRequested) {
      source.cancel();
    }
    this.open.add(source);
    try {
      return await unlessCancelled(this.ask(params, source.token, tell), source.token);
    } catch (error) {
      if (error instanceof Cancelled) {
        throw error;
      }
      source.cancel(); // also when it was the telling that failed: the model need not go on
      const refusal = refusalOf(error);
      this.log(line(`model for run ${params.runId}: ${refusal.reason} ${refusal.code}: ${refusal.message}`));
      throw refusal;
    } finally {
      this.open.delete(source);
      listening.dispose();
      source.dispose();
    }
  }

  private async ask(params: ModelParams, token: vscode.CancellationToken, tell: Tell): Promise<ModelResult> {
    if (!vscode.workspace.isTrusted) {
      throw notTrusted();
    }
    const { tools } = params;
    const model = await choose(params.model, tools.length > 0);
    try {
      const messages = messagesOf(params.messages);
      const options = { justification: visible(params.title), ...(tools.length > 0 ? { tools } : {}) };
      const response = await this.consent.send(model, params.title, token, () => model.sendRequest(messages, options, token));
      const asked = [...params.messages.flatMap((one) => one.parts).map(countable), ...(tools.length > 0 ? [JSON.stringify(tools)] : [])];
      const inputTokens = count(model, asked.join('\n'), token);
      const said: string[] = [];
      for await (const part of piecesOf(response)) {
        if (token.isCancellationRequested) {
          throw new Cancelled();
        }
        said.push(countable(part));
        await tell(part);
      }
      const outputTokens = count(model, said.join(''), token);
      return { model: factsOf(model), ...(await named('inputTokens', inputTokens)), ...(await named('outputTokens', outputTokens)) };
    } catch (error) {
      throw error instanceof Cancelled ? error : refusalOf(error, model);
    }
  }
}

/**
 * The first model that fits; of those that fit one that calls tools, if it has to.
 *
 * @throws ModelRefusal
 */
async function choose(wanted: ModelParams['model'], callsTools: boolean): Promise<Model> {
  if (!hasModels()) {
    throw noModels();
  }
  if (callsTools && partClasses() === undefined) {
    throw noTools();
  }
  const selector = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== ''));
  const fitting = await selectModels(selector);
  const [first] = fitting;
  if (first === undefined) {
    const all = Object.keys(selector).length === 0 ? [] : await selectModels({});
    throw all.length === 0 ? notSignedIn() : noneFits(selector, all);
  }
  const able = callsTools ? fitting.find((one) => one.capabilities?.supportsToolCalling !== false) : first;
  if (able === undefined) {
    throw callsNoTools(first);
  }
  return able;
}

function factsOf({ id, vendor, family, name, version, maxInputTokens }: Model): ModelFacts {
  return { id, vendor, family, name, version, maxInputTokens };
}

/** How many tokens a text is; undefined where the model does not say, or not soon. */
async function count(model: Model, text: string, token: vscode.CancellationToken): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, COUNT_MILLISECONDS, undefined);
  });
  try {
    const tokens = await Promise.race([late, model.countTokens(text, token)]);
    return tokens !== undefined && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
  } catch {
    return undefined; // a guess at best: the answer is worth more
  } finally {
    clearTimeout(timer);
  }
}

async function named<Name extends string>(name: Name, value: Promise<number | undefined>): Promise<Partial<Record<Name, number>>> {
  const known = await value;
  return known === undefined ? {} : { [name]: known } as Record<Name, number>;
}
