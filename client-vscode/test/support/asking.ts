/** The editor's models, asked by a test as the server would: whether they may be, what is told, how it ends. */

import { expect } from 'vitest';

import type { ModelParams, ModelPart, ModelResult } from '../../src/protocol';
import { Models } from '../../src/models/models';
import type { ModelRefusal } from '../../src/models/refusals';
import { request } from './models';
import { CancellationTokenSource, reset, setParts } from './vscode';

type Tell = Parameters<Models['answer']>[2];
type Token = Parameters<Models['answer']>[1];

/** Everything that can go on without the test has gone on. */
export const settled = (): Promise<void> => new Promise(setImmediate);

class Asking {
  /** What VS Code says to whether a model may be asked. */
  allowed: boolean | undefined;
  told: ModelPart[] = [];
  logged: string[] = [];
  source = new CancellationTokenSource();
  models = this.newModels();

  reset(): void {
    reset();
    setParts(true);
    this.allowed = true;
    this.told = [];
    this.logged = [];
    this.source = new CancellationTokenSource();
    this.models = this.newModels();
  }

  readonly ask = (given: Partial<ModelParams> = {}, by = this.source): Promise<ModelResult> => this.answer((part) => {
    this.told.push(part);
    return Promise.resolve();
  }, given, by);

  readonly refused = (given: Partial<ModelParams> = {}): Promise<ModelRefusal> =>
    this.ask(given).then(() => expect.fail('it was answered'), (error: unknown) => error as ModelRefusal);

  answer(tell: Tell, given: Partial<ModelParams> = {}, by = this.source): Promise<ModelResult> {
    return this.models.answer(request(given), by.token as unknown as Token, tell);
  }

  private newModels(): Models {
    return new Models({ canSendRequest: () => this.allowed }, (text) => this.logged.push(text));
  }
}

export const asking = new Asking();
