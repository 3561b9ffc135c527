/** One verb, with what the server asks back. */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { LogOutputChannel } from 'vscode';

import type { Connection } from '../../src/server/connection';
import { GIVEN_UP, Refused } from '../../src/server/refused';
import { Performer } from '../../src/verbs/perform';
import { answers, executed, reset, shown } from '../support/vscode';

vi.mock('vscode', () => import('../support/vscode.js'));

let sent: object[];
let replies: (Error | object)[];
let documents: [string, string][];
let logged: string[];
let performer: Performer;

beforeEach(() => {
  reset();
  sent = [];
  replies = [];
  documents = [];
  logged = [];
  const connection = {
    command: (_name: string, argument: object): Promise<unknown> => {
      sent.push(argument);
      const reply = replies.shift() ?? { effect: 'advanced' };
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
    },
  };
  const log = { warn: (text: string) => logged.push(text) };
  performer = new Performer(connection as unknown as Connection, log as unknown as LogOutputChannel, (title, text) => {
    documents.push([title, text]);
    return Promise.resolve();
  });
});

const perform = (): Promise<unknown> => performer.perform('sprintwright.workflow.start', { workflow: 'dev' });

test('what is done at once is answered', async () => {
  expect(await perform()).toEqual({ effect: 'advanced' });
  expect(shown).toEqual([]);
});

describe('consent', () => {
  const needed = (...items: string[]): Refused => new Refused('consent_needed', 'Agree first.', { items, hash: 'h1' });

  test('x052: shows all that would run, and sends the hash of just that', async () => {
    replies = [needed('make test', 'rm -rf \u202ebuild')];
    answers.push('Allow');
    expect(await perform()).toBeDefined();
    expect(sent[1]).toEqual({ workflow: 'dev', consent: 'h1' });
    expect(shown[0]?.options).toEqual({ modal: true, detail: 'make test\n\nrm -rf \\u{202e}build' });
  });

  test('x052: nothing is sent when the user does not agree', async () => {
    replies = [needed('make test')];
    expect(await perform()).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  test('x052: what does not fit is shown whole before it can be allowed, and says so', async () => {
    replies = [needed('x'.repeat(3000), 'the dangerous end')];
    answers.push('Show All', 'Allow');
    await perform();
    expect(shown[0]?.items[0]).toBe('Show All');
    expect(String(shown[0]?.options['detail'])).toContain('This is not all of it.');
    expect(documents[0]?.[1]).toContain('the dangerous end');
    expect(sent[1]).toMatchObject({ consent: 'h1' });
  });

  test('x052: to have seen it is not to have agreed', async () => {
    replies = [needed('x'.repeat(3000))];
    answers.push('Show All');
    expect(await perform()).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  test('x052: another thing to agree to is asked anew', async () => {
    replies = [needed('make test'), new Refused('consent_needed', '', { items: ['make all'], hash: 'h2' })];
    answers.push('Allow', 'Allow');
    await perform();
    expect(sent.map((one) => (one as { consent?: string }).consent)).toEqual([undefined, 'h1', 'h2']);
  });
});

describe('choices', () => {
  test.each<[string, string, object]>([
    ['already_active', 'Start All the Same', { concurrent: true }],
    ['journal_shortened', 'Go On', { acceptShorter: true }],
  ])('%s is confirmed', async (code, button, more) => {
    replies = [new Refused(code, 'Sure? [x](command:y)')];
    answers.push(button);
    await perform();
    expect(sent[1]).toEqual({ workflow: 'dev', ...more });
    expect(shown[0]?.message).not.toContain('](');
  });

  test('turns that were cut off: what may be done with them, in words', async () => {
    const interrupted = [{ key: 'a', choices: ['redo', 'stop'] }, { key: 'b', choices: ['redo', 'keep'] }];
    replies = [new Refused('needs_choice', '', { interrupted })];
    answers.push('Keep what it did, and go on');
    await perform();
    expect(shown[0]?.items.map((one) => (one as { label: string }).label)).toEqual(['Do it again', 'Stop here', 'Keep what it did, and go on']);
    expect(sent[1]).toEqual({ workflow: 'dev', interrupted: 'keep' });
  });

  test('changed files: what is different can be seen first', async () => {
    replies = [new Refused('needs_choice', '', { artifacts: ['plan.md'], diffs: { 'plan.md': '-a\n+b' } })];
    answers.push('Show what is different', 'Put the recorded one back');
    await perform();
    expect(documents).toEqual([['What is different', '-a\n+b']]);
    expect(sent[1]).toEqual({ workflow: 'dev', artifacts: 'back' });
  });

  test.each([{ interrupted: [{ key: 'a', choices: ['redo'] }] }, { artifacts: ['plan.md'] }])('given up on: nothing is sent (%j)', async (data) => {
    replies = [new Refused('needs_choice', '', data)];
    expect(await perform()).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  test('one question leads to the next, and all answers are sent', async () => {
    replies = [new Refused('already_active', ''), new Refused('consent_needed', '', { items: ['x'], hash: 'h1' })];
    answers.push('Start All the Same', 'Allow');
    await perform();
    expect(sent[2]).toEqual({ workflow: 'dev', concurrent: true, consent: 'h1' });
  });
});

describe('a refusal', () => {
  test.each<[string, string, string]>([
    ['untrusted', 'Manage Workspace Trust', 'workbench.trust.manage'],
    ['no_server', 'Restart Server', 'sprintwright.restartServer'],
    ['agent_missing', 'Select Agents', 'sprintwright.selectAgents'],
    ['unknown_agent', 'Select Agents', 'sprintwright.selectAgents'],
    ['config_invalid', 'Run Doctor', 'sprintwright.runDoctor'],
    ['within_turn', 'Show Log', 'sprintwright.showLog'],
  ])('%s is told once, with “%s”', async (code, button, command) => {
    replies = [new Refused(code, 'Not so.')];
    answers.push(button);
    expect(await perform()).toBeUndefined();
    expect(shown.map((one) => [one.kind, one.message])).toEqual([['error', 'Not so.']]);
    expect(executed).toEqual([[command]]);
  });

  test('x048, x055: its words make no link, no icon and no second line of the log', async () => {
    replies = [new Refused('bad_argument', '[x](command:y) $(bug)\n2026 ERROR forged')];
    await perform();
    expect(shown[0]?.message).not.toMatch(/\]\(|\$\(|\n/);
    expect(logged[0]).not.toContain('\n');
  });

  test('what the user gave up is not told to them', async () => {
    replies = [new Refused(GIVEN_UP, 'It was given up.')];
    expect(await perform()).toBeUndefined();
    expect(shown).toEqual([]);
  });

  test('an error of the library is a refusal too', async () => {
    replies = [new Error('Connection got disposed.')];
    expect(await perform()).toBeUndefined();
    expect(shown[0]?.message).toBe('Connection got disposed.');
  });
});
