/** Commands that wait for the server: not for ever, and not against the user's will. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Patience } from '../../src/server/patience';

const LISTENING = new Set<() => void>();
let counts: number[];
let patience: Patience;

beforeEach(() => {
  vi.useFakeTimers();
  LISTENING.clear();
  counts = [];
  patience = new Patience((count) => counts.push(count), 1000);
});

afterEach(() => {
  vi.useRealTimers();
});

function wait(): Promise<string> {
  return patience.wait((settled) => {
    LISTENING.add(settled);
    return { dispose: () => LISTENING.delete(settled) };
  });
}

describe('it ends', () => {
  test('for all when the server is there', async () => {
    const all = Promise.all([wait(), wait()]);
    LISTENING.forEach((settled) => {
      settled();
    });
    expect(await all).toEqual(['settled', 'settled']);
    expect(counts).toEqual([1, 2, 1, 0]);
  });

  test('after its time, each by its own', async () => {
    const first = wait();
    await vi.advanceTimersByTimeAsync(600);
    const second = wait();
    await vi.advanceTimersByTimeAsync(400);
    expect(await first).toBe('late');
    expect(counts.at(-1)).toBe(1);
    await vi.advanceTimersByTimeAsync(600);
    expect(await second).toBe('late');
  });

  test('for all when the user gives up; later ones wait anew', async () => {
    const all = Promise.all([wait(), wait()]);
    patience.giveUp();
    expect(await all).toEqual(['givenUp', 'givenUp']);
    const later = wait();
    expect(counts.at(-1)).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await later).toBe('late');
  });

  test('at once where the server is there at once; nothing is left behind', async () => {
    const outcome = patience.wait((settled) => {
      settled();
      return { dispose: () => undefined };
    });
    expect(await outcome).toBe('settled');
    const last = wait();
    patience.giveUp();
    await last;
    expect(LISTENING.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(counts.at(-1)).toBe(0);
  });
});
