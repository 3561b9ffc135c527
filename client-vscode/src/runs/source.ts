/** Keeps the store true: takes in what the server tells, and asks for the whole run where that is not enough. */

import { Commands, type DidChange, type RunResult, type RunsResult } from '../protocol';
import { refusedOf } from '../server/refused';
import type { Run, RunStore } from './store';

type Ask = <T>(command: string, argument: object) => Promise<T>;

export class RunSource {
  private readonly asking = new Map<string, Promise<void>>();
  /** Runs of which nodes are known, and findings only as they were. */
  private readonly partial = new Set<string>();

  constructor(
    private readonly store: RunStore,
    private readonly command: Ask,
    private readonly log: (text: string) => void,
  ) {}

  /** Everything of a run, as it is now; undefined when there is no such run. Never throws. */
  async look(runId: string): Promise<Run | undefined> {
    const known = this.store.get(runId);
    if (known === undefined || known.revision === 0 || this.partial.has(runId)) {
      await this.ask(runId);
    }
    return this.store.get(runId);
  }

  /** Take in a notification; resolves when the store is as new. True for a run that was not known before. */
  async took(change: DidChange): Promise<boolean> {
    const isNew = this.store.get(change.runId) === undefined;
    this.partial.add(change.runId);
    const isUnnamed = this.store.get(change.runId)?.head.workflow === ''; // it was asked for before its first record
    if (!this.store.take(change) || isUnnamed) {
      await this.ask(change.runId);
      if ((this.store.get(change.runId)?.revision ?? change.revision) < change.revision) {
        await this.ask(change.runId); // what was asked before this change was told may have been answered without it
      }
    }
    return isNew;
  }

  /** The list of runs. Throws what the command throws. */
  async list(): Promise<void> {
    const { runs, more } = await this.command<RunsResult>(Commands.runList, {});
    this.store.setHeads(runs, more);
  }

  /** One request at a time for each run. */
  ask(runId: string): Promise<void> {
    const running = this.asking.get(runId);
    if (running !== undefined) {
      return running;
    }
    this.partial.delete(runId);
    const answer = this.get(runId).finally(() => this.asking.delete(runId));
    this.asking.set(runId, answer);
    return answer;
  }

  private async get(runId: string): Promise<void> {
    try {
      this.store.replace(await this.command<RunResult>(Commands.runGet, { runId }));
    } catch (error) {
      const refused = refusedOf(error);
      this.log(`run.get ${runId}: ${refused.code}: ${refused.message}`);
      if (refused.code === 'unknown_run') {
        this.store.remove(runId);
      }
    }
  }
}
