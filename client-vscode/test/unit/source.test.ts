/** Keeping the store true: when the whole run is asked for, and when it is not. */

import { beforeEach, expect, test } from 'vitest';

import type { RunResult } from '../../src/protocol';
import { RunSource } from '../../src/runs/source';
import { RunStore } from '../../src/runs/store';
import { Refused } from '../../src/server/refused';
import { change, head, node, result } from '../support/runs';

/** A server whose answers come when the test says so. */
class Server {
  readonly asked: { command: string; argument: object; answer(value: unknown): void; refuse(error: Error): void }[] = [];

  readonly command = <T>(command: string, argument: object): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      this.asked.push({ command, argument, answer: (value) => { resolve(value as T); }, refuse: reject });
    });

  answer(value: unknown): void {
    this.asked.shift()?.answer(value);
  }
}

let store: RunStore;
let server: Server;
let logged: string[];
let source: RunSource;

beforeEach(() => {
  store = new RunStore();
  server = new Server();
  logged = [];
  source = new RunSource(store, server.command, (text) => logged.push(text));
});

test('a change that builds on what is known asks for nothing', async () => {
  store.replace(result('r1', { revision: 3 }));
  expect(await source.took(change(3, 4))).toBe(false);
  expect(server.asked).toEqual([]);
});

test('a run that is not known is asked for, and told to be new', async () => {
  const took = source.took(change(0, 4));
  expect(server.asked).toMatchObject([{ command: 'sprintwright.run.get', argument: { runId: 'r1' } }]);
  server.answer(result('r1', { revision: 4 }));
  expect(await took).toBe(true);
  expect(store.get('r1')?.revision).toBe(4);
});

test('many changes that do not fit make one request', async () => {
  store.replace(result('r1', { revision: 3 }));
  const took = [source.took(change(7, 8)), source.took(change(8, 9)), source.took(change(9, 10))];
  expect(server.asked).toHaveLength(1);
  server.answer(result('r1', { revision: 10 }));
  await Promise.all(took);
  expect(server.asked).toEqual([]);
  expect(store.get('r1')?.revision).toBe(10);
});

test('an answer from before the last change is not the last word', async () => {
  store.replace(result('r1', { revision: 3 }));
  const took = [source.took(change(7, 8)), source.took(change(8, 9, { status: 'completed' }))];
  server.answer(result('r1', { revision: 8 }));
  await took[0];
  expect(server.asked).toHaveLength(1);
  server.answer(result('r1', { revision: 9, status: 'completed' }));
  await Promise.all(took);
  expect(store.get('r1')).toMatchObject({ revision: 9, head: { status: 'completed' } });
  expect(server.asked).toEqual([]);
});

test('a run that was asked for before its first record is asked for again', async () => {
  store.replace(result('r1', { revision: 0, workflow: '' }));
  const took = source.took(change(0, 1, { nodes: [node('a')] }));
  expect(server.asked).toHaveLength(1);
  server.answer(result('r1', { revision: 1, workflow: 'dev' }));
  expect(await took).toBe(false);
  expect(store.get('r1')?.head.workflow).toBe('dev');
});

test('findings are asked for when somebody looks, and only when changes came since', async () => {
  store.replace(result('r1', { revision: 3 }));
  expect(await source.look('r1')).toBeDefined();
  expect(server.asked).toEqual([]);
  await source.took(change(3, 4));
  const looked = source.look('r1');
  expect(server.asked).toHaveLength(1);
  server.answer(result('r1', { revision: 4 }));
  await looked;
  await source.look('r1');
  expect(server.asked).toEqual([]);
});

test('a change that comes while a look is answered makes the next look ask again', async () => {
  store.setHeads([head('r1')], false);
  const looked = source.look('r1');
  const took = source.took(change(3, 4));
  server.answer(result('r1', { revision: 4 }));
  await Promise.all([looked, took]);
  void source.look('r1');
  expect(server.asked).toHaveLength(1);
});

test('a refusal is logged and leaves what is known', async () => {
  store.setHeads([head('r1')], false);
  const looked = source.look('r1');
  server.asked.shift()?.refuse(new Refused('run_unreadable', 'Line 3 is damaged.'));
  expect((await looked)?.head.runId).toBe('r1');
  expect(logged).toEqual(['run.get r1: run_unreadable: Line 3 is damaged.']);
});

test('a run that is gone is taken out', async () => {
  store.setHeads([head('r1')], false);
  const looked = source.look('r1');
  server.asked.shift()?.refuse(Object.assign(new Error('No run r1.'), { data: { code: 'unknown_run' } }));
  expect(await looked).toBeUndefined();
  expect(store.runs()).toEqual([]);
});

test('the list comes whole, and throws what the server refuses', async () => {
  const listed = source.list();
  server.answer({ runs: [head('r1')], more: true });
  await listed;
  expect(store.runs()).toHaveLength(1);
  const again = source.list();
  server.asked.shift()?.refuse(new Refused('no_server', 'gone'));
  await expect(again).rejects.toThrow('gone');
});

test('what is shown ends at the server’s, whatever order answers and changes come in', async () => {
  let revision = 1;
  store.replace(result('r1', { revision }));
  const tooks: Promise<boolean>[] = [];
  const waiting: RunResult[] = [];
  for (let step = 0; step < 200; step += 1) {
    const base = revision;
    revision += 1;
    if (step % 3 !== 0) {
      tooks.push(source.took(change(base, revision)));
    }
    while (waiting.length < server.asked.length) {
      waiting.push(result('r1', { revision }));
    }
    if (step % 4 === 0 && waiting.length > 0) {
      server.answer(waiting.shift());
      await new Promise(setImmediate);
    }
  }
  while (server.asked.length > 0) {
    waiting.shift();
    server.answer(result('r1', { revision }));
    await new Promise(setImmediate);
  }
  await Promise.all(tooks);
  expect(store.get('r1')?.revision).toBe(revision);
});
