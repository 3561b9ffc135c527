/** The commands on runs: each asks for what it was not given, and does its verb. */

import * as vscode from 'vscode';

import { Commands, type Changes, type Deleted, type Outcome, type Preview, type Reconfigured, type Restore, type RunNode, type RunResult, type Status } from '../protocol';
import { isLive, isOver, type Run, type RunStore } from '../runs/store';
import { runItem } from '../runs/labels';
import type { Element } from '../runs/view';
import { camelCase, cut, neutral, visible } from '../text';
import type { Performer } from './perform';

const { t } = vscode.l10n;

type Wanted = (run: Run) => boolean;

const own: Wanted = (run) => run.head.own;
const live: Wanted = (run) => own(run) && isLive(run.head);
const resumable: Wanted = (run) => own(run) && ['interrupted', 'cancelled', 'failed', 'not_converged', 'paused'].includes(run.head.status);
const paused: Wanted = (run) => own(run) && run.head.status === 'paused';
const asks: Wanted = (run) => own(run) && run.questions.length > 0;
const open: Wanted = (run) => own(run) && !isOver(run.head);
const still: Wanted = (run) => own(run) && !isLive(run.head);

/** What the commands need of the rest. */
export interface Around {
  readonly store: RunStore;
  readonly performer: Performer;
  /** Everything of a run, asked for if only its head is known. */
  look(runId: string): Promise<Run | undefined>;
  showChanges(title: string, folder: string, changes: Changes): Promise<void>;
  askAgents(run: Run): Promise<Readonly<Record<string, string>> | undefined>;
}

export class RunVerbs {
  constructor(private readonly around: Around) {}

  async resume(given?: Element): Promise<void> {
    const run = await this.choose(given, resumable, t('Resume which run?'), t('There is no run to resume.'));
    const limits = run === undefined ? undefined : await this.higherLimit(run);
    if (run !== undefined && limits !== undefined) {
      await this.act(Commands.workflowResume, { runId: run.head.runId, ...limits });
    }
  }

  async continue(given?: Element): Promise<void> {
    const run = await this.choose(given, paused, t('Continue which run?'), t('No run pauses.'));
    const limits = run === undefined ? undefined : await this.higherLimit(run);
    if (run === undefined || limits === undefined) {
      return;
    }
    if (limits.limits === undefined) {
      await this.act(Commands.runContinue, { runId: run.head.runId });
    } else {
      await this.act(Commands.workflowResume, { runId: run.head.runId, ...limits });
    }
  }

  async end(given?: Element): Promise<void> {
    const run = await this.choose(given, open, t('Close which run?'), t('There is no run to close.'));
    if (run !== undefined) {
      await this.act(Commands.workflowEnd, { runId: run.head.runId });
    }
  }

  async pause(given?: Element): Promise<void> {
    const run = await this.choose(given, live, t('Pause which run?'), t('No run is live.'));
    if (run !== undefined) {
      await this.around.performer.perform<Status>(Commands.runPause, { runId: run.head.runId });
    }
  }

  async cancel(given?: Element): Promise<void> {
    const run = await this.choose(given, open, t('Cancel which run?'), t('There is no run to cancel.'));
    if (run !== undefined) {
      await this.around.performer.perform<Status>(Commands.runCancel, { runId: run.head.runId });
    }
  }

  async say(given?: Element): Promise<void> {
    const run = await this.choose(given, open, t('Say something to which run?'), t('There is no run to say something to.'));
    if (run === undefined) {
      return;
    }
    const text = await vscode.window.showInputBox({
      title: t('Say to Run'),
      prompt: t('More for the next prompt of its agents.'),
      ignoreFocusOut: true,
    });
    if (text !== undefined && text.trim() !== '') {
      await this.around.performer.perform<Status>(Commands.runSay, { runId: run.head.runId, text });
    }
  }

  async reconfigure(given?: Element): Promise<void> {
    const run = await this.choose(given, still, t('Change the agents of which run?'), t('There is no run that stands still.'));
    const roles = run === undefined ? undefined : await this.around.askAgents(run);
    if (run !== undefined && roles !== undefined) {
      await this.around.performer.perform<Reconfigured>(Commands.runReconfigure, { runId: run.head.runId, roles });
    }
  }

  /** First shows what would be done again. */
  async rerun(given?: Element): Promise<void> {
    const run = await this.choose(given, still, t('Do part of which run again?'), t('There is no run that stands still.'));
    const leaf = run === undefined ? undefined : given?.id ? given.id : await this.chooseNode(run, t('From where?'));
    if (run === undefined || leaf === undefined) {
      return;
    }
    const argument = { runId: run.head.runId, leaf };
    const preview = await this.around.performer.perform<Preview>(Commands.runRerun, { ...argument, preview: true });
    if (preview === undefined) {
      return;
    }
    const yes = t('Do It Again');
    const detail = preview.again.map((key) => visible(key)).join('\n');
    const message = t('{0} finished steps would be done again.', preview.again.length);
    if ((await vscode.window.showWarningMessage(message, { modal: true, detail: cut(detail, 2000) }, yes)) === yes) {
      await this.act(Commands.runRerun, argument);
    }
  }

  /** First shows which files would change; says how it is undone. */
  async restore(given?: Element): Promise<void> {
    const run = await this.choose(given, still, t('Restore the files of which run?'), t('There is no run that stands still.'));
    if (run === undefined) {
      return;
    }
    const to = given?.id ? given.id : await this.chooseNode(run, t('Files as they were before …'), 'start');
    if (to === undefined) {
      return;
    }
    const argument = { runId: run.head.runId, to };
    const preview = await this.around.performer.perform<Restore>(Commands.runRestore, argument);
    if (preview === undefined) {
      return;
    }
    if (preview.changes.length === 0) {
      void vscode.window.showInformationMessage(t('The files are as they were then.'));
      return;
    }
    const yes = t('Restore');
    const detail = preview.changes.map((one) => `${one.status}: ${visible(one.path)}`).join('\n');
    const message = t('{0} files of your folder would change. It can be undone.', preview.changes.length);
    if ((await vscode.window.showWarningMessage(message, { modal: true, detail: cut(detail, 2000) }, yes)) !== yes) {
      return;
    }
    const done = await this.around.performer.perform<Restore>(Commands.runRestore, { ...argument, apply: true });
    if (done?.applied !== true) {
      return;
    }
    const undo = t('Undo');
    const chosen = await vscode.window.showInformationMessage(t('{0} files were restored.', done.changes.length), undo);
    if (chosen === undo) {
      await this.around.performer.perform<Restore>(Commands.runRestore, { runId: run.head.runId, to: done.undo, apply: true });
    }
  }

  async delete(given?: Element): Promise<void> {
    const run = await this.choose(given, still, t('Delete which run?'), t('There is no run that can be deleted.'));
    if (run === undefined) {
      return;
    }
    const yes = t('Delete');
    const detail = t('Its record, plan, reviews and transcripts are lost. The files of your folder stay as they are.');
    const message = t('Delete the run “{0}”?', neutral(runItem(run).label));
    if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, yes)) !== yes) {
      return;
    }
    const deleted = await this.around.performer.perform<Deleted>(Commands.runDelete, { runId: run.head.runId });
    if (deleted !== undefined) {
      this.around.store.remove(run.head.runId);
      for (const problem of deleted.problems) {
        void vscode.window.showWarningMessage(neutral(problem));
      }
    }
  }

  async showChanges(given?: Element): Promise<void> {
    const run = await this.choose(given, own, t('Show the changes of which run?'), t('There is no run yet.'));
    if (run === undefined) {
      return;
    }
    const leaf = given?.id ?? '';
    const argument = { runId: run.head.runId, leaf, diff: false };
    const changes = await this.around.performer.perform<Changes>(Commands.runChanges, argument);
    if (changes !== undefined) {
      const where = [run.nodes.get(leaf)?.label ?? leaf, runItem(run).label].filter((part) => part !== '').join(' · ');
      await this.around.showChanges(t('Changes of {0}', where), run.head.folder, changes);
    }
  }

  /** The run that waits for an answer. */
  asking(given?: Element): Promise<Run | undefined> {
    return this.choose(given, asks, t('Answer which run?'), t('No question is open.'));
  }

  any(given: Element | undefined, title: string): Promise<Run | undefined> {
    return this.choose(given, () => true, title, t('There is no run yet.'));
  }

  /** The run that is meant: the element's, the only one, or the one that is chosen. */
  private async choose(given: Element | undefined, wanted: Wanted, title: string, none: string): Promise<Run | undefined> {
    if (given !== undefined) {
      return this.around.look(given.runId);
    }
    const runs = this.around.store.runs().filter(wanted);
    const [first] = runs;
    if (first === undefined) {
      void vscode.window.showInformationMessage(none);
      return undefined;
    }
    if (runs.length === 1) {
      return this.around.look(first.head.runId);
    }
    const choices = runs.map((run) => {
      const { label, description } = runItem(run);
      return { label: neutral(label), description: neutral(description), run };
    });
    const picked = await vscode.window.showQuickPick(choices, { title, matchOnDescription: true });
    return picked === undefined ? undefined : this.around.look(picked.run.head.runId);
  }

  /** What a run that has reached a limit needs to go on; nothing of any other; undefined where the user leaves it. */
  private async higherLimit(run: Run): Promise<{ limits?: Readonly<Record<string, number>> } | undefined> {
    if (run.head.status !== 'paused') {
      return {};
    }
    const state = await this.around.performer.perform<RunResult>(Commands.runGet, { runId: run.head.runId });
    if (state?.code !== 'limit') {
      return state === undefined ? undefined : {};
    }
    const limit = camelCase(state.missing);
    const given = await vscode.window.showInputBox({
      title: t('A Limit Is Reached'),
      prompt: neutral(state.reason.replace(/ To go on: .*$/s, ''), 600),
      placeHolder: t('New limit: {0}', limit),
      ignoreFocusOut: true,
      validateInput: (text) => (Number(text) > 0 ? undefined : t('Please give a number above 0.')),
    });
    return given === undefined ? undefined : { limits: { [limit]: Number(given) } };
  }

  private async chooseNode(run: Run, title: string, first?: string): Promise<string | undefined> {
    const nodes = [...run.nodes.values()].filter((node) => ['turn', 'check', 'pass', 'entry', 'question'].includes(node.kind) && node.status !== 'not_started');
    const choices = nodes.map((node: RunNode) => ({ label: neutral(node.label), description: neutral(node.id), id: node.id }));
    const all = first === undefined ? choices : [{ label: t('The whole run'), description: '', id: first }, ...choices];
    const picked = await vscode.window.showQuickPick(all, { title, matchOnDescription: true });
    return picked?.id;
  }

  /** A verb with an effect; what it says is shown where the tree does not. */
  private async act(command: string, argument: object): Promise<void> {
    const outcome = await this.around.performer.perform<Outcome>(command, argument);
    if (outcome !== undefined && !['started', 'advanced', 'closed'].includes(outcome.effect) && outcome.message !== '') {
      void vscode.window.showInformationMessage(neutral(outcome.message, 600));
    }
  }
}
