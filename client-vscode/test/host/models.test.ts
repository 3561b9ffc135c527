/** The editor's models in a real VS Code, with a provider of tests (test/support/fake-models). */

import * as assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { Commands, type ModelParams, type ModelPart, type ModelResult } from '../../src/protocol';
import type { ModelRefusal } from '../../src/models/refusals';
import { project, ready, runOf, surface, until } from './around';

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: number; readonly content: readonly object[] }[];
  readonly token: vscode.CancellationToken;
}

function asked(): Asked | undefined {
  return (globalThis as unknown as { readonly swFakeModels?: Asked[] }).swFakeModels?.at(-1);
}

let told: ModelPart[];

function ask(text: string, given: Partial<ModelParams> = {}, token = new vscode.CancellationTokenSource().token): Promise<ModelResult> {
  told = [];
  const params: ModelParams = {
    runId: 'r1', agent: 'mine', title: 'A test asks', model: { vendor: 'sw-fake' }, tools: [], partialResultToken: 't1',
    messages: [{ role: 'user', parts: [{ kind: 'text', text }] }], ...given,
  };
  return surface().models.answer(params, token, (part) => {
    told.push(part);
    return Promise.resolve();
  });
}

function refused(text: string, given: Partial<ModelParams> = {}): Promise<ModelRefusal> {
  return ask(text, given).then(() => assert.fail('it was answered'), (error: unknown) => error as ModelRefusal);
}

/** Pieces of text that came one after the other, as one: VS Code is free to put them together. */
function joined(): ModelPart[] {
  const found: ModelPart[] = [];
  for (const part of told) {
    const last = found.at(-1);
    if (last?.kind === 'text' && part.kind === 'text') {
      found[found.length - 1] = { kind: 'text', text: last.text + part.text };
    } else {
      found.push(part);
    }
  }
  return found;
}

const TOOLS = [{ name: 'read_file', description: 'Reads a file.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }];

describe('a language model', () => {
  before(ready);

  it('answers piece by piece, and its tokens are counted', async () => {
    const result = await ask('Hello', { model: { vendor: 'sw-fake', id: 'plain' } });
    console.log(`sw: a model answered: ${JSON.stringify(result)}`);
    assert.deepEqual(joined(), [{ kind: 'text', text: 'I read. Done.' }]);
    assert.deepEqual(result, {
      model: { id: 'plain', vendor: 'sw-fake', family: 'fake', name: 'Fake plain', version: '1', maxInputTokens: 1000 },
      inputTokens: 5, outputTokens: 13,
    });
  });

  it('calls tools, is one that can, and gets their results', async () => {
    const first = await ask('Read', { tools: TOOLS });
    assert.equal(first.model.id, 'able');
    const call = { kind: 'toolCall', callId: 'c1', name: 'read_file', input: { path: 'a.py' } } as const;
    assert.deepEqual(joined(), [{ kind: 'text', text: 'I read. ' }, call, { kind: 'text', text: 'Done.' }]);
    await ask('', {
      tools: TOOLS,
      messages: [
        { role: 'user', parts: [{ kind: 'text', text: 'Read' }] },
        { role: 'assistant', parts: [{ kind: 'text', text: 'I read.' }, call] },
        { role: 'user', parts: [{ kind: 'toolResult', callId: 'c1', text: 'x = 1' }] },
      ],
    });
    const contents = asked()?.messages.map((one) => [one.role, one.content.map((part) => part.constructor)]);
    const { LanguageModelTextPart: text, LanguageModelToolCallPart: toolCall, LanguageModelToolResultPart: result } =
      vscode as unknown as Record<string, unknown>;
    assert.deepEqual(contents, [[1, [text]], [2, [text, toolCall]], [1, [result]]]);
  });

  it('is ended at once by being cancelled, though it listens to nothing', async () => {
    const source = new vscode.CancellationTokenSource();
    const answered = ask('hang', {}, source.token);
    await until('it has begun', () => told.length > 0);
    source.cancel();
    await assert.rejects(answered, { name: 'Cancelled' });
    await until('the model is told', () => asked()?.token.isCancellationRequested === true);
  });

  it('refuses in words of VS Code’s own errors, and of those of providers', async () => {
    for (const [text, reason] of [['blocked', 'blocked'], ['quota', 'quotaExceeded']] as const) {
      const refusal = await refused(text);
      console.log(`sw: ${text}: ${refusal.reason} ${refusal.code}: ${refusal.message}`);
      assert.equal(refusal.reason, reason);
    }
    const none = await refused('Hello', { model: { vendor: 'sw-fake', family: 'none' } });
    assert.equal(none.reason, 'notFound');
    assert.match(none.message, /There are: .*sw-fake\/plain, sw-fake\/able/);
  });

  it('plays a role of a run: its tools are called, and their results come back to it', async () => {
    await vscode.commands.executeCommand(Commands.workflowStart, { workflow: 'talk', task: 'A task', folder: project().fsPath });
    await until('the run stands', () => runOf('talk')?.head.owner === 'none');
    const run = runOf('talk');
    console.log(`sw: talk is ${run?.head.status ?? ''}: ${run?.head.reason ?? ''}`);
    assert.equal(run?.head.status, 'completed');
    const results = asked()?.messages.at(-1)?.content.map((part) => JSON.stringify(part));
    assert.match(results?.join('') ?? '', /x = 1/);
  });
});
