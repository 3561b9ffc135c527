/** Requests to models on a real connection: pieces before the answer, refusals and cancellation by their codes. */

import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LanguageClient } from 'vscode-languageclient/node';
import {
  CancellationTokenSource, ProgressType, StreamMessageReader, StreamMessageWriter, createMessageConnection, type MessageConnection,
} from 'vscode-jsonrpc/node';

import { listenForModels } from '../../src/models/listen';
import { Models } from '../../src/models/models';
import { ScriptedModel, models as there, request, saying } from '../support/models';
import { LanguageModelError, parts, reset, setParts } from '../support/vscode';

vi.mock('vscode', () => import('../support/vscode.js'));
// The library itself wants all of VS Code; what goes over the wire is of the library below it.
vi.mock('vscode-languageclient/node', () => import('vscode-languageserver-protocol/node.js'));

const METHOD = 'sprintwright/languageModel/request';

let server: MessageConnection;
let client: MessageConnection;
let came: unknown[];

beforeEach(() => {
  reset();
  setParts(true);
  const [up, down] = [new PassThrough(), new PassThrough()];
  server = createMessageConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  client = createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  listenForModels({
    onRequest: client.onRequest.bind(client), sendProgress: client.sendProgress.bind(client),
  } as unknown as LanguageClient, new Models({ canSendRequest: () => true }, () => undefined));
  came = [];
  server.onProgress(new ProgressType(), 't1', (value) => came.push(value));
  server.listen();
  client.listen();
});

afterEach(() => {
  server.dispose();
  client.dispose();
});

test('pieces come before the answer, in their order', async () => {
  there(new ScriptedModel('gpt', () => saying(...Array.from({ length: 200 }, (_, n) => `${n}`))));
  const answered = server.sendRequest(METHOD, request()).then((result) => {
    came.push(result);
  });
  await answered;
  expect(came.slice(0, -1)).toEqual(Array.from({ length: 200 }, (_, n) => ({ kind: 'text', text: `${n}` })));
  expect(came.at(-1)).toMatchObject({ model: { id: 'gpt' }, inputTokens: 5 });
});

test('a refusal is RequestFailed, with its reason and VS Code’s code', async () => {
  const model = new ScriptedModel('gpt');
  model.refuses = () => Promise.reject(LanguageModelError.Blocked('no'));
  there(model);
  await expect(server.sendRequest(METHOD, request())).rejects.toMatchObject({
    code: -32803, data: { reason: 'blocked', code: 'Blocked' }, message: 'The provider of the model GPT blocked the request. It says: no',
  });
});

test('what the server cancels ends as cancelled, though the model hangs', async () => {
  there(new ScriptedModel('gpt', async function* () {
    yield new parts.TextPart('a');
    await new Promise(() => undefined);
  }));
  const source = new CancellationTokenSource();
  const answered = server.sendRequest(METHOD, request(), source.token);
  const outcome = expect(answered).rejects.toMatchObject({ code: -32800 });
  await vi.waitFor(() => {
    expect(came).toHaveLength(1);
  });
  source.cancel();
  await outcome;
});
