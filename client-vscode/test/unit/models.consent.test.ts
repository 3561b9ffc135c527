/** Consent to a model: nothing is sent before a click, one question for all who wait, no is no. */

import { beforeEach, expect, test, vi } from 'vitest';

import { Cancelled } from '../../src/models/cancelling';
import { asking, settled } from '../support/asking';
import { ScriptedModel, models as there, saying } from '../support/models';
import { CancellationTokenSource, LanguageModelError, answers, shown, type Shown } from '../support/vscode';

vi.mock('vscode', () => import('../support/vscode.js'));

const { ask, refused } = asking;

let model: ScriptedModel;
let click: (button: string | undefined) => void;

beforeEach(() => {
  asking.reset();
  model = new ScriptedModel('gpt', () => saying('a'));
  there(model, new ScriptedModel('other'));
  asking.allowed = undefined;
  answers.push((one: Shown) => new Promise((resolve) => {
    click = (button) => { resolve(one.items.find((item) => item === button)); };
  }));
});

test('where it is there already, nothing is asked', async () => {
  asking.allowed = true;
  await ask();
  expect(shown).toEqual([]);
});

test.each([undefined, false])('nothing is sent (%s) until the user clicks; the question says who asks which model', async (state) => {
  asking.allowed = state;
  const answered = ask({ title: 'Workflow dev asks [x](command:y).' });
  await settled();
  expect(model.sent).toEqual([]);
  expect(shown.map((one) => one.message)).toEqual(['Workflow dev asks [x]\u2060(command:y). May Sprintwright use the model GPT (maker)?']);
  expect(shown[0]?.items).toEqual(['Allow…', 'Not Now']);
  click('Allow…');
  await answered;
  expect(model.sent).toHaveLength(1);
});

test.each(['Not Now', undefined])('%s: refused, in words; nothing was sent; the next one asks anew', async (button) => {
  const answered = refused();
  await settled();
  click(button);
  expect(await answered).toMatchObject({ reason: 'noPermissions', code: 'NoPermissions', message: expect.stringContaining('You did not allow') as string });
  expect(model.sent).toEqual([]);
  answers.push('Allow…');
  await ask();
  expect(shown).toHaveLength(2);
});

test('several requests for one model share a question; one for another model has its own', async () => {
  const answered = [ask(), ask(), ask()];
  await settled();
  answers.push('Not Now');
  expect((await refused({ model: { id: 'other' } })).reason).toBe('noPermissions');
  expect(shown).toHaveLength(2);
  click('Allow…');
  await Promise.all(answered);
  expect(model.sent).toHaveLength(3);
  expect(shown).toHaveLength(2);
});

test('VS Code asks one after the other; its no counts for all that waited, also past one that was cancelled', async () => {
  const given: (() => void)[] = [];
  model.refuses = () => new Promise((_, reject) => given.push(() => { reject(LanguageModelError.NoPermissions('no')); }));
  const second = new CancellationTokenSource();
  const answered = [refused(), ask({}, second), refused()];
  await settled();
  click('Allow…');
  await settled();
  expect(model.sent).toHaveLength(1);
  second.cancel();
  await expect(answered[1]).rejects.toBeInstanceOf(Cancelled);
  given[0]?.();
  expect([await answered[0], await answered[2]]).toMatchObject([{ reason: 'noPermissions' }, { reason: 'noPermissions' }]);
  expect(model.sent).toHaveLength(1);
});

test('a question that all who waited for it have left counts for nothing', async () => {
  const answered = ask();
  await settled();
  asking.source.cancel();
  await expect(answered).rejects.toBeInstanceOf(Cancelled);
  asking.source = new CancellationTokenSource();
  answers.push('Not Now');
  expect((await refused()).reason).toBe('noPermissions'); // asked by a message of its own
  expect(shown).toHaveLength(2);
  click('Allow…');
  await settled();
  expect(model.sent).toEqual([]);
});

test('a question that one has left still counts for the others', async () => {
  const left = new CancellationTokenSource();
  const answered = [ask({}, left), ask()];
  await settled();
  left.cancel();
  await expect(answered[0]).rejects.toBeInstanceOf(Cancelled);
  click('Allow…');
  await answered[1];
  expect(model.sent).toHaveLength(1);
  expect(shown).toHaveLength(1);
});
