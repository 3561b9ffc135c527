/** Questions of runs: asked whole, answered once, taken down when answered elsewhere. */

import { beforeEach, describe, expect, test, vi } from 'vitest';

import type { AskParams, Question } from '../../src/protocol';
import { Questions } from '../../src/questions';
import { RunStore, type Run } from '../../src/runs/store';
import type { Performer } from '../../src/verbs/perform';
import { change, node, question, result } from '../support/runs';
import { answers, reset, shown, type Shown } from '../support/vscode';

vi.mock('vscode', () => import('../support/vscode.js'));

let store: RunStore;
let sent: unknown[];
let documents: string[][];
let wants: boolean;
let questions: Questions;

beforeEach(() => {
  reset();
  store = new RunStore();
  sent = [];
  documents = [];
  wants = true;
  const performer = {
    perform: (command: string, argument: object) => {
      sent.push({ command, ...argument });
      return Promise.resolve({ effect: 'idle', message: 'It waits. [x](command:y)' });
    },
  };
  questions = new Questions(store, performer as unknown as Performer, (title, text, language) => {
    documents.push([title, text, language]);
    return Promise.resolve();
  }, () => wants);
});

function run(...asked: Question[]): Run {
  store.replace(result('r1', { questions: asked, nodes: [node('gen/ask', '', { role: 'generator', agent: 'mine' })] }));
  return store.get('r1') as Run;
}

const params = (one: Question): AskParams => ({ ...one, runId: 'r1', workflow: 'dev', folder: '/f', by: '' });

describe('an answer', () => {
  test('is written, and sent for its question', async () => {
    answers.push('Blue');
    await questions.answer(run(question('gen/ask')));
    expect(sent).toEqual([{ command: 'sprintwright.run.answer', runId: 'r1', question: 'gen/ask', text: 'Blue' }]);
    expect(shown[0]?.options['title']).toBe('generator · mine asks'); // x056: who says it
    expect(shown[1]?.message).not.toContain('](');
  });

  test('is never made up', async () => {
    await questions.answer(run(question('q')));
    await questions.answer(run(question('q', { choices: ['yes', 'no'] })));
    await questions.answer(run());
    expect(sent).toEqual([]);
  });

  test('is one of the choices, sent as it was offered', async () => {
    const odd = 'yes\u200b $(pass)';
    answers.push((one: Shown) => one.items[1]);
    await questions.answer(run(question('q', { choices: ['no', odd] })));
    expect(sent).toMatchObject([{ text: odd }]);
    const labels = shown[0]?.items.map((one) => (one as { label: string }).label).join(' ');
    expect(labels).toContain('\\u{200b}');
    expect(labels).not.toContain('$(');
  });

  test('of several questions within one turn is for one of that turn', async () => {
    answers.push('Blue');
    const all = run(question('other'), question('gen/ask'));
    await questions.answer(all, all.questions.slice(1));
    expect(sent).toMatchObject([{ question: 'gen/ask', text: 'Blue' }]);
  });

  test('x048: long or many-lined questions are read in a document; short ones make no link', async () => {
    await questions.answer(run(question('q', { text: `[a](command:b)\n${'x'.repeat(900)}\u202e` })));
    expect(documents[0]?.[1]).toContain('\\u{202e}');
    expect(documents[0]?.[2]).toBe('plaintext');
    expect(shown[0]?.message.length).toBeLessThan(300);
    expect(shown[0]?.message).not.toContain('](');
  });

  test('of several questions is for the one that was chosen', async () => {
    answers.push((one: Shown) => one.items[1], 'Here');
    await questions.answer(run(question('gen/ask'), question('other')));
    expect(sent).toMatchObject([{ question: 'other', text: 'Here' }]);
  });
});

describe('a request for permission', () => {
  const CHOICES = ['once', 'for this run', 'never'];
  const DIFF = 'edit calc.py\n\n--- a/calc.py\n+++ b/calc.py\n@@ -1 +1 @@\n-a\n+b\u202e\n';

  function asking(text: string, choices: readonly string[] = CHOICES): Run {
    const turn = node('gen', '', { role: 'generator', agent: 'mine' });
    const inner = node('gen/permission-1', 'gen', { kind: 'question', role: 'generator', status: 'waiting' });
    store.replace(result('r1', { questions: [question('gen/permission-1', { kind: 'permission', text, choices })], nodes: [turn, inner] }));
    return store.get('r1') as Run;
  }

  const labels = (): string[] => (shown[0]?.items ?? []).map((one) => (one as { label: string }).label);

  test('x052: offers no first, in words, and sends what the server knows', async () => {
    for (const [label, word] of [['Never in this run', 'never'], ['Allow once', 'once'], ['Allow for this run', 'for this run']] as const) {
      answers.push(label);
      await questions.answer(asking('execute make install'));
      expect(labels()).toEqual(['Never in this run', 'Allow once', 'Allow for this run']);
      expect(sent.pop()).toMatchObject({ question: 'gen/permission-1', text: word });
      reset();
    }
  });

  test('x074: offers nothing that lasts where the server offers nothing that does', async () => {
    await questions.answer(asking('execute make install', ['once', 'never']));
    expect(labels()).toEqual(['Never in this run', 'Allow once']);
  });

  test('x056: says who asks: role, agent and run', async () => {
    await questions.answer(asking('execute make'));
    expect(shown[0]?.options['title']).toBe('generator · mine · Add a flag asks for permission');
    const text = `generator · mine · Add a flag asks for permission:${'\n'.repeat(9)}execute make`; // below the prompt
    expect(documents).toEqual([['Permission for generator · mine · Add a flag', text, 'plaintext']]);
  });

  test('x052: shows all of a difference, in its colours, with what cannot be seen written out', async () => {
    await questions.answer(asking(`${DIFF}${'+more\n'.repeat(900)}`));
    expect(documents[0]?.[1]?.endsWith(`${DIFF.replace('\u202e', '\\u{202e}')}${'+more\n'.repeat(900)}`)).toBe(true);
    expect(documents[0]?.[2]).toBe('diff');
  });

  test.each(['git diff --stat', 'echo --- a', 'ls\n--- \n@@'])('%j is no difference', async (text) => {
    await questions.answer(asking(text));
    expect(documents[0]?.[2]).toBe('plaintext');
  });

  test('x048: of other choices each is shown as it is, and whatever is a no comes first', async () => {
    await questions.answer(asking('x', ['allow $(pass)', 'nonsense', 'Reject it', 'constructor']));
    expect(labels()[0]).toBe('Reject it');
    expect(labels().join(' ')).toMatch(/nonsense constructor$/);
    expect(labels().join(' ')).not.toContain('$(');
  });

  test('is never answered by Escape', async () => {
    await questions.answer(asking('x'));
    expect(sent).toEqual([]);
  });

  test('is announced as one, and by who asks', async () => {
    const run = asking('execute make');
    questions.asked(params(run.questions[0] as Question));
    await vi.waitFor(() => {
      expect(shown[0]?.message).toBe('A run asks for permission (generator · mine · Add a flag).');
    });
  });
});

describe('asked by the server', () => {
  test('is not now, at once; the answer comes by a command', async () => {
    run(question('q'));
    answers.push('Answer…', 'Blue');
    expect(questions.asked(params(question('q')))).toEqual({});
    await vi.waitFor(() => {
      expect(sent).toMatchObject([{ question: 'q', text: 'Blue' }]);
    });
    expect(shown[0]?.message).toBe('A run needs you (dev).');
  });

  test('is not announced to who does not want to know', () => {
    wants = false;
    questions.asked(params(question('q')));
    expect(shown).toEqual([]);
  });

  test('is not asked any more when it was answered while the notification stood', async () => {
    run(question('q'));
    answers.push(() => {
      store.take(change(1, 2));
      return 'Answer…';
    });
    questions.asked(params(question('q')));
    await new Promise(setImmediate);
    expect(shown).toHaveLength(1);
  });
});

describe('taken down', () => {
  test('when somebody else answered', async () => {
    answers.push((one: Shown) => {
      store.take(change(1, 2, { questions: [question('q')] }));
      expect(one.token?.isCancellationRequested).toBe(false);
      store.take(change(2, 3));
      expect(one.token?.isCancellationRequested).toBe(true);
      return undefined;
    });
    await questions.answer(run(question('q')));
    expect(sent).toEqual([]);
  });

  test('not because the server was started anew, and is asked once at a time', async () => {
    let again = 0;
    answers.push(async (one: Shown) => {
      store.forgetRevisions();
      store.setHeads([], false);
      expect(one.token?.isCancellationRequested).toBe(false);
      await questions.answer(run(question('q')));
      again = shown.length;
      return undefined;
    });
    await questions.answer(run(question('q')));
    expect(again).toBe(1);
  });

  test('when the window goes', async () => {
    answers.push((one: Shown) => {
      questions.dispose();
      expect(one.token?.isCancellationRequested).toBe(true);
      return undefined;
    });
    await questions.answer(run(question('q')));
  });
});
