/** *Start Workflow*: a wizard that asks one question at a time, and the start itself. */

import { randomUUID } from 'node:crypto';

import * as vscode from 'vscode';

import { Commands, type Agent, type AgentsResult, type Outcome, type Role, type Workflow, type WorkflowsResult } from '../protocol';
import type { Connection } from '../server/connection';
import { refusedOf } from '../server/refused';
import { cut, firstLine, neutral, visible } from '../text';
import type { Performer } from './perform';
import { pick, write, type Answer, type Choice } from './steps';

const { t } = vscode.l10n;

/** What is known before the wizard begins; what is given is not asked. */
export interface Wish {
  readonly workflow?: string;
  readonly task?: string;
  readonly folder?: string;
}

interface Draft {
  folder?: string;
  workflow?: Workflow;
  task?: string;
  roles: Record<string, string>;
  review?: boolean;
}

type Step = (place: { title: string; step: number; total: number }, draft: Draft) => Promise<Answer<unknown>>;

export class Starter {
  constructor(
    private readonly connection: Connection,
    private readonly performer: Performer,
    private readonly memory: vscode.Memento,
    private readonly reveal: (runId: string) => Promise<void>,
  ) {}

  /** Ask what is missing, then start. The run that began, if one did. */
  async start(wish: Wish = {}): Promise<string | undefined> {
    const known = await this.known();
    if (known === undefined) {
      return undefined;
    }
    const { workflows, agents } = known;
    const draft = await this.ask(wish, workflows, agents);
    if (draft?.workflow === undefined || draft.task === undefined) {
      return undefined;
    }
    const outcome = await this.performer.perform<Outcome>(Commands.workflowStart, {
      workflow: draft.workflow.name,
      task: draft.task,
      roles: draft.roles,
      ...(draft.folder === undefined ? {} : { folder: draft.folder }),
      pauseAfter: draft.review === true ? [draft.workflow.reviewAfter] : [],
      startToken: randomUUID(),
    });
    if (outcome === undefined) {
      return undefined;
    }
    await this.remember(draft);
    await this.reveal(outcome.runId);
    if (outcome.effect !== 'started' && outcome.message !== '') {
      void vscode.window.showInformationMessage(neutral(outcome.message));
    }
    return outcome.runId;
  }

  /** Workflows and agents; undefined when the server refused, which the user was told. */
  private async known(): Promise<{ workflows: readonly Workflow[]; agents: readonly Agent[] } | undefined> {
    try {
      const [listed, agents] = await Promise.all([
        this.connection.command<WorkflowsResult>(Commands.workflowList),
        this.connection.command<AgentsResult>(Commands.agentsList),
      ]);
      return { workflows: listed.workflows, agents: agents.agents };
    } catch (error) {
      await this.performer.tell(refusedOf(error));
      return undefined;
    }
  }

  private async ask(wish: Wish, workflows: readonly Workflow[], agents: readonly Agent[]): Promise<Draft | undefined> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const firstFolder = folders[0];
    if (firstFolder === undefined) {
      const open = t('Open Folder');
      const chosen = await vscode.window.showInformationMessage(t('A workflow works in a folder. Open one first.'), open);
      if (chosen === open) {
        await vscode.commands.executeCommand('workbench.action.files.openFolder');
      }
      return undefined;
    }
    const draft: Draft = { roles: {} };
    const steps: Step[] = [];
    if (folders.length > 1 && wish.folder === undefined) {
      steps.push((place, now) => askFolder(place, now, folders));
    } else {
      draft.folder = wish.folder ?? firstFolder.uri.fsPath;
    }
    if (wish.workflow !== undefined) {
      const named = workflows.find((one) => one.name === wish.workflow);
      if (named === undefined) {
        void vscode.window.showErrorMessage(t('There is no workflow {0}.', neutral(wish.workflow)));
        return undefined;
      }
      draft.workflow = named;
    } else {
      steps.push((place, now) => this.askWorkflow(place, now, workflows));
    }
    steps.push((place, now) => askTask(place, now, wish.task ?? selectedText()));
    return this.walk(draft, steps, agents);
  }

  /** The fixed steps, then one for each role of the workflow that was chosen, then the review. */
  private async walk(draft: Draft, fixed: readonly Step[], agents: readonly Agent[]): Promise<Draft | undefined> {
    for (let at = 0; ; ) {
      const roles = draft.workflow?.roles ?? [];
      const steps: Step[] = [
        ...fixed,
        ...roles.map((role): Step => (place, now) => this.askAgent(place, now, role, agents)),
        ...(draft.workflow?.reviewAfter ? [askReview] : []),
      ];
      const step = steps[at];
      if (step === undefined) {
        return draft;
      }
      const answer = await step({ title: t('Start Workflow'), step: at + 1, total: steps.length }, draft);
      if (answer.kind === 'end') {
        return undefined;
      }
      at += answer.kind === 'back' ? -1 : 1;
    }
  }

  private async askWorkflow(
    place: Parameters<Step>[0], draft: Draft, workflows: readonly Workflow[],
  ): Promise<Answer<unknown>> {
    const last = this.memory.get<string>('workflow');
    const choices = workflows
      .filter((one) => one.folder === '' || one.folder === draft.folder)
      .map((one): Choice<Workflow> => ({
        label: cut(visible(one.name), 60),
        description: isBroken(one) ? t('has errors') : neutral(one.title, 80),
        detail: neutral(one.description, 200),
        value: one,
      }));
    const active = choices.find((one) => one.value.name === (draft.workflow?.name ?? last))?.value;
    const answer = await pick(place, t('Which workflow?'), choices, active);
    if (answer.kind === 'value' && isBroken(answer.value)) {
      const open = t('Open');
      const message = t('The workflow {0} has errors and can’t be started.', neutral(answer.value.name));
      if ((await vscode.window.showErrorMessage(message, open)) === open) {
        await vscode.window.showTextDocument(vscode.Uri.parse(answer.value.uri));
      }
      return { kind: 'end' };
    }
    if (answer.kind === 'value') {
      draft.workflow = answer.value;
      draft.roles = {};
    }
    return answer;
  }

  private async askAgent(
    place: Parameters<Step>[0], draft: Draft, role: Role, agents: readonly Agent[],
  ): Promise<Answer<unknown>> {
    const usual = agents.find((one) => one.plays.includes(role.name)) ?? agents.find((one) => one.plays.includes('primary'));
    const last = this.memory.get<Readonly<Record<string, string>>>('agents', {})[role.name];
    const first = draft.roles[role.name] ?? last ?? usual?.name;
    const ordered = [...agents].sort((a, b) => Number(b.name === first) - Number(a.name === first));
    const choices = ordered.map((one): Choice<string> => ({
      label: cut(visible(one.name), 60),
      description: [one.kind, one.name === usual?.name ? t('usual') : '', neutral(one.problem, 100)].filter((part) => part !== '').join(' · '),
      detail: neutral(one.description, 200),
      value: one.name,
    }));
    const placeholder = role.description === ''
      ? t('Who plays {0}?', neutral(role.name))
      : t('Who plays {0}? {1}', neutral(role.name), neutral(role.description, 120));
    const answer = await pick(place, placeholder, choices, first);
    if (answer.kind === 'value') {
      draft.roles[role.name] = answer.value;
    }
    return answer;
  }

  private async remember(draft: Draft): Promise<void> {
    const agents = this.memory.get<Readonly<Record<string, string>>>('agents', {});
    await this.memory.update('agents', { ...agents, ...draft.roles });
    await this.memory.update('workflow', draft.workflow?.name);
  }
}

async function askFolder(
  place: Parameters<Step>[0], draft: Draft, folders: readonly vscode.WorkspaceFolder[],
): Promise<Answer<unknown>> {
  const choices = folders.map((one): Choice<string> => ({ label: one.name, description: one.uri.fsPath, value: one.uri.fsPath }));
  const answer = await pick(place, t('In which folder?'), choices, draft.folder);
  if (answer.kind === 'value') {
    draft.folder = answer.value;
  }
  return answer;
}

async function askTask(place: Parameters<Step>[0], draft: Draft, proposed: string): Promise<Answer<unknown>> {
  const answer = await write(place, t('What is to be done?'), draft.task ?? proposed);
  if (answer.kind === 'value') {
    draft.task = answer.value;
  }
  return answer;
}

async function askReview(place: Parameters<Step>[0], draft: Draft): Promise<Answer<unknown>> {
  const choices: Choice<boolean>[] = [
    { label: t('Yes'), detail: t('The run pauses after the first stage, so that you can read the plan and change it.'), value: true },
    { label: t('No'), detail: t('The run goes on by itself.'), value: false },
  ];
  const answer = await pick(place, t('Review the plan before anything is built?'), choices, draft.review ?? false);
  if (answer.kind === 'value') {
    draft.review = answer.value;
  }
  return answer;
}

function isBroken(workflow: Workflow): boolean {
  return workflow.problems.some((problem) => problem.severity === 'error');
}

function selectedText(): string {
  const editor = vscode.window.activeTextEditor;
  return editor === undefined || editor.selection.isEmpty ? '' : firstLine(editor.document.getText(editor.selection), 500);
}
