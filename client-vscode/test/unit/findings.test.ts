/** Findings that are given to agents, one after the other. */

import { describe, expect, test, vi } from 'vitest';

import { ended } from '../../src/findings';
import { RunStore } from '../../src/runs/store';
import { change, result } from '../support/runs';

vi.mock('vscode', () => import('../support/vscode.js'));

describe('a fixing run is waited for', () => {
  test('until nobody carries it on, and not while it only looks over', async () => {
    const store = new RunStore();
    const statuses: string[] = [];
    void ended(store, 'r1').then((status) => statuses.push(status));
    store.replace(result('r1', { revision: 1 }));
    store.take(change(1, 2, { status: 'completed', owner: 'here' }));
    await Promise.resolve();
    expect(statuses).toEqual([]);
    store.take(change(2, 2, { status: 'completed', owner: 'none' }));
    await vi.waitFor(() => {
      expect(statuses).toEqual(['completed']);
    });
  });

  test('one that is over already needs no change', async () => {
    const store = new RunStore();
    store.replace(result('r1', { status: 'failed', owner: 'none' }));
    expect(await ended(store, 'r1')).toBe('failed');
  });
});
