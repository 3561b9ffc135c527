/** The editor's models: asked for the server, piece by piece, only with the user's consent, refused in words. */

import { beforeEach, describe, expect, test, vi } from 'vitest';

import type { ModelReason } from '../../src/protocol';
import { Cancelled } from '../../src/models/cancelling';
import { asking, settled } from '../support/asking';
import { ScriptedModel, models as there, request, saying } from '../support/models';
import { LanguageModelError, parts, setParts, shown, workspace } from '../support/vscode';

vi.mock('vscode', () => import('../support/vscode.js'));

const { ask, refused } = asking;

beforeEach(() => {
  asking.reset();
  workspace['isTrusted'] = true;
});

const TOOLS = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }];
const call = (callId: string): object => new parts.ToolCallPart(callId, 'read', { path: 'a' });

describe('an answer', () => {
  test('comes piece by piece, in order, tool calls among texts, all before its end', async () => {
    const model = new ScriptedModel('gpt', () => saying('a', call('1'), '', 'b', { value: 'a thought' }, call('2')));
    there(model);
    const result = await ask({ tools: TOOLS });
    expect(asking.told).toEqual([
      { kind: 'text', text: 'a' }, { kind: 'toolCall', callId: '1', name: 'read', input: { path: 'a' } },
      { kind: 'text', text: 'b' }, { kind: 'toolCall', callId: '2', name: 'read', input: { path: 'a' } },
    ]);
    expect(result.model).toEqual({ id: 'gpt', vendor: 'maker', family: 'gpt', name: 'GPT', version: '2', maxInputTokens: 4096 });
    expect(model.sent[0]?.options).toEqual({ justification: request().title, tools: TOOLS });
  });

  test('waits for each piece to be taken before the next is read', async () => {
    let read = 0;
    there(new ScriptedModel('gpt', async function* () {
      for (const text of ['a', 'b']) {
        read += 1;
        yield await Promise.resolve(new parts.TextPart(text));
      }
    }));
    let take: () => void = () => undefined;
    const answered = asking.answer(() => new Promise((resolve) => { take = resolve; }));
    await settled();
    expect(read).toBe(1);
    take();
    await settled();
    expect(read).toBe(2);
    take();
    await answered;
  });

  test('a tool that takes nothing is called with an empty object', async () => {
    there(new ScriptedModel('gpt', () => saying(new parts.ToolCallPart('1', 'list', undefined))));
    await ask({ tools: TOOLS });
    expect(asking.told).toEqual([{ kind: 'toolCall', callId: '1', name: 'list', input: {} }]);
  });

  test('is to messages with roles, tool calls and their results, errors said in words', async () => {
    const model = new ScriptedModel('gpt');
    there(model);
    await ask({
      tools: TOOLS,
      messages: [
        { role: 'user', parts: [{ kind: 'text', text: 'Hel' }, { kind: 'text', text: 'lo' }] },
        { role: 'assistant', parts: [{ kind: 'text', text: 'I read.' }, { kind: 'toolCall', callId: '1', name: 'read', input: { path: 'a' } }] },
        {
          role: 'user',
          parts: [
            { kind: 'toolResult', callId: '1', text: 'x = 1', isError: false }, { kind: 'toolResult', callId: '2', text: 'no such file', isError: true },
            { kind: 'toolResult', callId: '3', text: 'Error: none', isError: true },
          ],
        },
      ],
    });
    const { TextPart, ToolCallPart, ToolResultPart } = parts;
    expect(model.sent[0]?.messages.map(({ role, content }) => [role, content])).toEqual([
      [1, 'Hello'],
      [2, [new TextPart('I read.'), new ToolCallPart('1', 'read', { path: 'a' })]],
      [1, [
        new ToolResultPart('1', [new TextPart('x = 1')]), new ToolResultPart('2', [new TextPart('Error: no such file')]),
        new ToolResultPart('3', [new TextPart('Error: none')]),
      ]],
    ]);
  });

  test('counts its tokens once each way, with the tools', async () => {
    const model = new ScriptedModel('gpt', () => saying('some', ' words', call('1')));
    there(model);
    const { inputTokens, outputTokens } = await ask({ tools: TOOLS });
    expect(model.counted).toEqual([`Hello\n${JSON.stringify(TOOLS)}`, 'some wordsread {"path":"a"}']);
    expect([inputTokens, outputTokens]).toEqual(model.counted.map((text) => text.length));
  });

  test.each<[string, () => Promise<number>]>([
    ['fails', () => Promise.reject(new Error('no'))], ['throws', () => { throw LanguageModelError.NotFound('x'); }],
    ['is nothing', () => Promise.resolve(0)], ['is no number', () => Promise.resolve(Number.NaN)],
  ])('stands without a count that %s', async (_what, counts) => {
    const model = new ScriptedModel('gpt', () => saying('a'));
    model.counts = counts;
    there(model);
    expect(Object.keys(await ask())).toEqual(['model']);
  });

  test('does not wait for a count that never comes', async () => {
    vi.useFakeTimers();
    try {
      const model = new ScriptedModel('gpt', () => saying('a'));
      model.counts = () => new Promise(() => undefined);
      there(model);
      const answered = ask();
      await vi.advanceTimersByTimeAsync(5000);
      expect(Object.keys(await answered)).toEqual(['model']);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a model', () => {
  test('is the one that was named, by what was said of it', async () => {
    const [one, two] = [new ScriptedModel('one'), new ScriptedModel('two', undefined, 'other', 'o3')];
    there(one, two);
    expect((await ask({ model: { id: 'two', vendor: '' } })).model.id).toBe('two');
    expect((await ask({ model: { vendor: 'other', family: 'o3' } })).model.id).toBe('two');
    expect((await ask({ model: {} })).model.id).toBe('one');
  });

  test('calls tools, where one that fits does', async () => {
    const [one, two] = [new ScriptedModel('one'), new ScriptedModel('two')];
    one.capabilities = { supportsToolCalling: false };
    there(one, two);
    expect((await ask({ tools: TOOLS })).model.id).toBe('two');
    expect((await ask()).model.id).toBe('one');
    expect(await refused({ tools: TOOLS, model: { id: 'one' } })).toMatchObject({ reason: 'notFound', message: expect.stringContaining('can’t call tools') as string });
  });

  test('of those that there are is named when none fits; and none at all means that nobody is signed in', async () => {
    there(new ScriptedModel('one'));
    const none = await refused({ model: { family: 'gpt-9' } });
    expect(none).toMatchObject({ reason: 'notFound', message: 'No language model of VS Code fits family gpt-9. There are: maker/one.' });
    there();
    for (const model of [{}, { family: 'gpt-9' }]) {
      const signedOut = await refused({ model });
      expect(signedOut.reason).toBe('notSignedIn');
      expect(signedOut.message).toMatch(/Sign in to .*Copilot.*“Chat: Manage Language Models”/);
    }
  });

  test('x002: is not asked without trust', async () => {
    const model = new ScriptedModel('gpt');
    there(model);
    workspace['isTrusted'] = false;
    expect((await refused()).reason).toBe('noPermissions');
    expect(model.sent).toEqual([]);
  });
});

describe('VS Code 1.90, without tools', () => {
  beforeEach(() => {
    setParts(false);
  });

  test('has texts both ways', async () => {
    const model = new ScriptedModel('gpt', () => saying('a', 'b'), 'maker', 'gpt', false);
    there(model);
    await ask();
    expect(asking.told).toEqual([{ kind: 'text', text: 'a' }, { kind: 'text', text: 'b' }]);
    expect(model.sent[0]?.messages[0]?.content).toBe('Hello');
  });

  test('says that it has no tools, and from when on there are', async () => {
    const model = new ScriptedModel('gpt');
    there(model);
    const parts = [{ kind: 'toolResult', callId: '1', text: 'x', isError: false }] as const;
    for (const given of [{ tools: TOOLS }, { messages: [{ role: 'user', parts }] as const }]) {
      const refusal = await refused(given);
      expect(refusal.reason).toBe('notFound'); // not one that is tried again
      expect(refusal.message).toMatch(/^In this VS Code \(version 1\.90\.0\) models can’t call tools.*1\.95/);
    }
    expect(model.sent).toEqual([]);
  });
});

describe('cancelled', () => {
  test('while the model says nothing, it ends at once, and the model is asking.told', async () => {
    const model = new ScriptedModel('gpt', async function* () {
      yield new parts.TextPart('a');
      await new Promise(() => undefined); // it listens to nothing
    });
    there(model);
    const answered = ask();
    await settled();
    asking.source.cancel();
    await expect(answered).rejects.toBeInstanceOf(Cancelled);
    expect(model.sent[0]?.token.isCancellationRequested).toBe(true);
  });

  test('nothing is told afterwards, whatever the model still says', async () => {
    let more: () => void = () => undefined;
    there(new ScriptedModel('gpt', async function* () {
      yield new parts.TextPart('a');
      await new Promise<void>((resolve) => { more = resolve; });
      yield new parts.TextPart('b');
    }));
    const answered = ask();
    await settled();
    asking.source.cancel();
    await expect(answered).rejects.toBeInstanceOf(Cancelled);
    more();
    await settled();
    expect(asking.told).toEqual([{ kind: 'text', text: 'a' }]);
  });

  test('a model’s error by being cancelled is no failure', async () => {
    there(new ScriptedModel('gpt', async function* (token) {
      yield new parts.TextPart('a');
      await new Promise<void>((resolve) => { token.onCancellationRequested(resolve); });
      throw new Error('Canceled');
    }));
    const answered = ask();
    await settled();
    asking.source.cancel();
    await expect(answered).rejects.toBeInstanceOf(Cancelled);
    expect(asking.logged).toEqual([]);
  });

  test('before it began, no model is asked', async () => {
    const model = new ScriptedModel('gpt');
    there(model);
    asking.allowed = undefined;
    asking.source.cancel();
    await expect(ask()).rejects.toBeInstanceOf(Cancelled);
    await settled();
    expect([model.sent, shown]).toEqual([[], []]);
  });

  test('all end with their server, and when the server can’t be told any more the model stops', async () => {
    const model = new ScriptedModel('gpt', async function* () {
      yield new parts.TextPart('a');
      await new Promise(() => undefined);
    });
    there(model);
    const answered = [ask(), ask()];
    await settled();
    asking.models.cancelAll();
    for (const one of answered) {
      await expect(one).rejects.toBeInstanceOf(Cancelled);
    }
    await expect(asking.answer(() => Promise.reject(new Error('gone')))).rejects.toThrow();
    expect(model.sent.map((one) => one.token.isCancellationRequested)).toEqual([true, true, true]);
  });
});

describe('a refusal', () => {
  const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });
  const errors: [ModelReason, string, Error, RegExp][] = [
    ['notFound', 'NotFound', LanguageModelError.NotFound('gone'), /not there any more.* It says: gone$/],
    ['noPermissions', 'NoPermissions', LanguageModelError.NoPermissions(), /may not use the model GPT.*“Manage Language Model Access”/],
    ['blocked', 'Blocked', LanguageModelError.Blocked('responsible use'), /blocked the request\. It says: responsible use/],
    ['offTopic', 'Blocked', new LanguageModelError('no', 'Blocked', new Error('off_topic')), /off-topic/],
    ['offTopic', '', new Error('no', { cause: new Error('off_topic') }), /off-topic/],
    ['quotaExceeded', 'Blocked', LanguageModelError.Blocked('Quota exceeded'), /quota for the model GPT is used up/],
    ['quotaExceeded', 'ChatQuotaExceeded', named('ChatQuotaExceeded', 'Come back'), /quota.* It says: Come back/],
    ['rateLimited', 'ChatRateLimited', named('ChatRateLimited', 'Slowly'), /too often/],
    ['rateLimited', 'Unknown', new LanguageModelError('x', 'Unknown', new Error('429 Too Many Requests')), /too often/],
    ['other', 'TypeError', new TypeError('x is\n\u202e not a function'), /^The model GPT failed\. It says: x is$/],
    ['other', '', 'just words' as unknown as Error, /It says: just words/],
  ];

  test.each(errors)('%s (%s) has words of its own, whether it comes at once or in the stream', async (reason, code, error, words) => {
    const early = new ScriptedModel('gpt');
    early.refuses = () => Promise.reject(error);
    const late = new ScriptedModel('gpt', async function* () {
      yield await Promise.resolve(new parts.TextPart('a'));
      throw error;
    });
    for (const model of [early, late]) {
      there(model);
      const refusal = await refused();
      expect(refusal).toMatchObject({ reason, code });
      expect(refusal.message).toMatch(words);
    }
    expect(asking.logged).toHaveLength(2);
    expect(asking.told).toEqual([{ kind: 'text', text: 'a' }]);
  });
});
