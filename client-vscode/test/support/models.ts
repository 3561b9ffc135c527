/** Language models of a scripted VS Code: what they are asked is kept, what they say is said by the test. */

import type { ModelParams } from '../../src/protocol';
import { lm, parts } from './vscode';
import type { CancellationToken } from './vscode';

/** What a model does with a request: pieces to say, which may wait; an error ends it. */
type Says = (token: CancellationToken) => AsyncIterable<unknown>;

interface Sent {
  readonly messages: readonly { readonly role: number; readonly content: unknown }[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly token: CancellationToken;
}

export class ScriptedModel {
  readonly version = '2';
  readonly maxInputTokens = 4096;
  readonly sent: Sent[] = [];
  readonly counted: string[] = [];
  /** Thrown by the request itself, before anything is said. */
  refuses: (() => Promise<void>) | undefined;
  capabilities: { readonly supportsToolCalling?: boolean } | undefined;
  counts: (text: string) => Promise<number> = (text) => Promise.resolve(text.length);

  constructor(readonly id: string, public says: Says = () => saying(), readonly vendor = 'maker', readonly family = 'gpt', readonly hasStream = true) {}

  get name(): string {
    return this.id.toUpperCase();
  }

  async sendRequest(messages: Sent['messages'], options: Sent['options'], token: CancellationToken): Promise<object> {
    this.sent.push({ messages, options, token });
    await this.refuses?.();
    const said = this.says(token);
    return this.hasStream ? { stream: said, text: texts(said) } : { text: texts(said) };
  }

  countTokens(text: string): Promise<number> {
    this.counted.push(text);
    return this.counts(text);
  }
}

async function* texts(said: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const one of said) {
    if (one instanceof parts.TextPart) {
      yield one.value;
    }
  }
}

/** Pieces, one after the other; strings are texts. */
export async function* saying(...pieces: readonly unknown[]): AsyncGenerator {
  for (const one of pieces) {
    await Promise.resolve();
    yield typeof one === 'string' ? new parts.TextPart(one) : one;
  }
}

/** The models that there are, found as VS Code does. */
export function models(...all: readonly ScriptedModel[]): void {
  lm.selectChatModels = (selector) => Promise.resolve(
    all.filter((one) => Object.entries(selector).every(([field, value]) => one[field as 'id' | 'vendor' | 'family'] === value)),
  );
}

export function request(given: Partial<ModelParams> = {}): ModelParams {
  return {
    runId: 'r1', agent: 'mine', title: 'Sprintwright’s workflow dev asks the model gpt (role evaluator)', model: {},
    messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Hello' }] }], tools: [], partialResultToken: 't1', ...given,
  };
}
