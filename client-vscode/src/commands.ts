/** The palette, and every other way in: each command works from nothing, or says what is missing. None throws. */

import * as os from 'node:os';
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Documents } from './documents';
import { line } from './log';
import type { Diagnostics } from './middleware';
import { Commands, type AgentsResult, type Finding, type Outcome, type RunNode, type Workflow } from './protocol';
import type { Questions } from './questions';
import { isLive, type Run, type RunStore } from './runs/store';
import type { Element, Filter, RunsView } from './runs/view';
import type { Connection } from './server/connection';
import type { Environment } from './server/environment';
import { pythons } from './server/pythons';
import { refusedOf } from './server/refused';
import { cut, neutral, visible } from './text';
import { runFolder } from './transcripts';
import type { Performer } from './verbs/perform';
import type { RunVerbs } from './verbs/runs';
import type { Starter } from './verbs/start';
import type { WorkflowElement } from './workflows/view';

const { t } = vscode.l10n;

/** What the commands work with. */
export interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly store: RunStore;
  readonly server: Connection;
  readonly environment: Environment;
  readonly performer: Performer;
  readonly verbs: RunVerbs;
  readonly starter: Starter;
  readonly questions: Questions;
  readonly documents: Documents;
  readonly diagnostics: Diagnostics;
  readonly view: RunsView;
  readonly tree: vscode.TreeView<Element>;
  look(runId: string): Promise<Run | undefined>;
  /** Ask for runs and workflows anew. */
  list(): Promise<void>;
  reveal(runId: string): Promise<void>;
}

type Handler = (given?: unknown) => Promise<void>;

/** Commands that start, change or show runs: refused without trust, in code, by whatever way they come (X2). */
export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { verbs, starter, questions, documents, performer } = parts;
  const verb: Record<string, Handler> = {
    startWorkflow: async (given) => {
      await starter.start(isWorkflow(given) ? { workflow: given.workflow.name } : {});
    },
    runWorkflow: async (given) => {
      await starter.start(hasName(given) ? { workflow: given.name } : {});
    },
    runDemo: () => runDemo(parts),
    resumeRun: (given) => verbs.resume(element(given)),
    continueRun: (given) => verbs.continue(element(given)),
    answerQuestion: async (given) => {
      const run = await verbs.asking(element(given));
      if (run !== undefined) {
        await questions.answer(run);
      }
    },
    sayToRun: (given) => verbs.say(element(given)),
    pauseRun: (given) => verbs.pause(element(given)),
    endRun: (given) => verbs.end(element(given)),
    cancelRun: (given) => verbs.cancel(element(given)),
    reconfigureAgents: (given) => verbs.reconfigure(element(given)),
    rerunFromHere: (given) => verbs.rerun(element(given)),
    restoreFiles: (given) => verbs.restore(element(given)),
    deleteRun: (given) => verbs.delete(element(given)),
    showChanges: (given) => verbs.showChanges(element(given)),
    showPlan: (given) => showPlan(parts, element(given)),
    showFindings: async (given) => {
      const run = await verbs.any(element(given), t('Findings of which run?'));
      if (run !== undefined) {
        await documents.showFindings(run.head.runId);
      }
    },
    openFindings: async (given) => {
      if (hasRunId(given)) {
        await documents.showFindings(given.runId);
      }
    },
    showSummary: async (given) => {
      const run = await verbs.any(element(given), t('Summary of which run?'));
      if (run !== undefined) {
        await documents.showSummary(run.head.runId);
      }
    },
    showTranscript: (given) => showTranscript(parts, element(given)),
    openNode: (given) => openNode(parts, element(given)),
    copyNode: async (given) => {
      const one = element(given);
      if (one !== undefined) {
        await vscode.env.clipboard.writeText(one.id === '' ? one.runId : one.id);
      }
    },
    fixAllFindings: () => fixAll(parts),
    nextFinding: () => goToFinding(parts, 1),
    previousFinding: () => goToFinding(parts, -1),
    filterRuns: () => filterRuns(parts),
    refresh: () => parts.list(),
    selectAgents: () => selectAgents(parts),
    runDoctor: () => runDoctor(parts),
    newWorkflow: () => newWorkflow(parts),
    copyWorkflow: (given) => copyWorkflow(parts, given),
    openWorkflow: async (given) => {
      if (isWorkflow(given)) {
        await openWorkflow(given);
      }
    },
  };
  const always: Record<string, Handler> = {
    validateWorkflow: async () => {
      await vscode.commands.executeCommand('workbench.actions.view.problems');
    },
    showLog: () => {
      parts.log.show();
      return Promise.resolve();
    },
    copyDiagnostics: () => copyDiagnostics(parts),
    restartServer: () => parts.server.restart(),
    setUp: () => setUp(parts),
    choosePython: async () => {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'sprintwright.python');
    },
  };
  const refuse: Handler = () => performer.tell(refusedOf({
    message: t('This workspace is not trusted, so Sprintwright starts, shows and changes no runs in it.'),
    data: { code: 'untrusted' },
  }));
  const guarded = (handler: Handler): Handler => (given) => (vscode.workspace.isTrusted ? handler(given) : refuse());
  return [
    ...Object.entries(verb).map(([name, handler]) => register(parts, name, guarded(handler))),
    ...Object.entries(always).map(([name, handler]) => register(parts, name, handler)),
  ];
}

function register(parts: Parts, name: string, handler: Handler): vscode.Disposable {
  return vscode.commands.registerCommand(`sprintwright.${name}`, async (given?: unknown) => {
    try {
      await handler(given);
    } catch (error) {
      const refused = refusedOf(error);
      parts.log.error(line(`${name}: ${refused.message}`));
      await parts.performer.tell(refused);
    }
  });
}

function element(given: unknown): Element | undefined {
  return hasRunId(given) && 'id' in given && typeof given.id === 'string' ? (given as unknown as Element) : undefined;
}

function hasRunId(given: unknown): given is { readonly runId: string } {
  return typeof given === 'object' && given !== null && 'runId' in given && typeof given.runId === 'string';
}

function hasName(given: unknown): given is { readonly name: string } {
  return typeof given === 'object' && given !== null && 'name' in given && typeof given.name === 'string';
}

function isWorkflow(given: unknown): given is Extract<WorkflowElement, { workflow: Workflow }> {
  return typeof given === 'object' && given !== null && 'workflow' in given && hasName(given.workflow);
}

/** The extension's own version. */
export function versionOf(context: vscode.ExtensionContext): string {
  return (context.extension.packageJSON as { readonly version: string }).version;
}

/** What a click on a line of the tree opens: what was said there, or what there is to do. */
async function openNode(parts: Parts, one: Element | undefined): Promise<void> {
  const run = one === undefined ? undefined : await parts.look(one.runId);
  if (one === undefined || run === undefined) {
    return;
  }
  const node = run.nodes.get(one.id);
  if (run.questions.some((question) => question.key === one.id)) {
    await parts.questions.answer(run);
  } else if (node !== undefined && ['turn', 'check'].includes(node.kind)) {
    await parts.documents.showTranscript(one.runId, one.id);
  } else if (node === undefined) {
    await parts.documents.showSummary(one.runId);
  } else {
    await openArtifact(parts, run, node);
  }
}

async function openArtifact(parts: Parts, run: Run, node: RunNode): Promise<void> {
  const file = run.gates[node.id]?.file;
  if (file !== undefined) {
    const uri = vscode.Uri.file(path.join(runFolder(run.head.folder, run.head.runId), 'artifacts', path.basename(file)));
    await vscode.window.showTextDocument(uri, { preview: true });
    return;
  }
  await parts.documents.showSummary(run.head.runId);
}

async function showTranscript(parts: Parts, given: Element | undefined): Promise<void> {
  if (given !== undefined && given.id !== '') {
    await parts.documents.showTranscript(given.runId, given.id);
    return;
  }
  const run = await parts.verbs.any(given, t('Transcript of which run?'));
  if (run === undefined) {
    return;
  }
  const turns = [...run.nodes.values()].filter((node) => ['turn', 'check'].includes(node.kind) && node.status !== 'not_started');
  const choices = turns.map((node) => ({ label: neutral(node.label), description: neutral(node.id), id: node.id })).reverse();
  const picked = await vscode.window.showQuickPick(choices, { title: t('Transcript of which turn?'), matchOnDescription: true });
  if (picked !== undefined) {
    await parts.documents.showTranscript(run.head.runId, picked.id);
  }
}

/** The plan is the artifact that is named so, else the first one. It is a real file: it can be edited in a pause. */
async function showPlan(parts: Parts, given: Element | undefined): Promise<void> {
  const run = await parts.verbs.any(given, t('Plan of which run?'));
  if (run === undefined) {
    return;
  }
  const folder = vscode.Uri.file(path.join(runFolder(run.head.folder, run.head.runId), 'artifacts'));
  const files = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(() => []);
  const names = files.filter(([, kind]) => kind === vscode.FileType.File).map(([name]) => name).sort();
  const plan = names.find((name) => name.includes('plan')) ?? names[0];
  if (plan === undefined) {
    void vscode.window.showInformationMessage(t('The run has no plan yet.'));
    return;
  }
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, plan), { preview: true });
}

async function goToFinding(parts: Parts, way: 1 | -1): Promise<void> {
  const found = parts.diagnostics.list();
  if (found.length === 0) {
    void vscode.window.showInformationMessage(t('No finding is open.'));
    return;
  }
  const editor = vscode.window.activeTextEditor;
  const from = way === 1 ? 0 : -1;
  const at = editor === undefined ? from : nearest(found, editor.document.uri, editor.selection.start, way);
  const next = found.at(at);
  if (next !== undefined) {
    await vscode.window.showTextDocument(next.uri, { selection: next.range, preview: true });
  }
}

/** Index of the next one from a place on; the list is sorted by path, then by place. */
function nearest(
  found: readonly { readonly uri: vscode.Uri; readonly range: vscode.Range }[], uri: vscode.Uri, place: vscode.Position,
  way: 1 | -1,
): number {
  const compare = (one: { readonly uri: vscode.Uri; readonly range: vscode.Range }): number =>
    one.uri.path.localeCompare(uri.path) || one.range.start.compareTo(place);
  if (way === 1) {
    const next = found.findIndex((one) => compare(one) > 0);
    return next === -1 ? 0 : next;
  }
  return found.findLastIndex((one) => compare(one) < 0);
}

/** Each open finding of a run gets a run of its own, one after the other is started by the user's word for all. */
async function fixAll(parts: Parts): Promise<void> {
  const run = await parts.verbs.any(undefined, t('Fix the findings of which run?'));
  if (run === undefined) {
    return;
  }
  const open = run.findings.filter((one: Finding) => one.status === 'open');
  if (open.length === 0) {
    void vscode.window.showInformationMessage(t('No finding is open.'));
    return;
  }
  const choices = open.map((one) => ({
    label: neutral(one.message, 100), description: neutral(`${one.path}:${one.line}`), finding: one, picked: true,
  }));
  const picked = await vscode.window.showQuickPick(choices, { title: t('Fix which findings?'), canPickMany: true });
  for (const { finding } of picked ?? []) {
    const outcome = await parts.performer.perform<Outcome>(Commands.findingFix, {
      runId: run.head.runId, finding: finding.id, concurrent: true,
    });
    if (outcome === undefined) {
      return;
    }
  }
}

async function filterRuns(parts: Parts): Promise<void> {
  const choices: readonly { label: string; value: Filter }[] = [
    { label: t('All'), value: 'all' },
    { label: t('Live'), value: 'live' },
    { label: t('Need You'), value: 'needsUser' },
    { label: t('Not Live'), value: 'over' },
  ];
  const picked = await vscode.window.showQuickPick(choices, { title: t('Show which runs?') });
  if (picked !== undefined) {
    parts.view.filter = picked.value;
    parts.tree.description = picked.value === 'all' ? '' : picked.label;
    parts.view.redraw();
  }
}

/** The configuration that names agents is a file of the user's: it is opened, with what is wrong said first. */
async function selectAgents(parts: Parts): Promise<void> {
  const known = await parts.server.command<AgentsResult>(Commands.agentsList);
  const choices = known.agents.map((one) => ({
    label: `$(${one.problem === '' ? 'pass' : 'warning'}) ${cut(visible(one.name), 60)}`,
    description: [one.kind, one.version, one.plays.join(', ')].filter((part) => part !== '').map((part) => neutral(part, 80)).join(' · '),
    detail: neutral(one.problem === '' ? one.description : one.problem, 200),
  }));
  const configure = { label: `$(gear) ${t('Configure agents…')}`, description: '', detail: t('The settings sprintwright.agents, sprintwright.primary and sprintwright.roles') };
  const picked = await vscode.window.showQuickPick([...choices, configure], { title: t('Agents') });
  if (picked !== undefined) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'sprintwright.agents');
  }
}

/** What is there, and what is wrong with it, as one text. */
async function runDoctor(parts: Parts): Promise<void> {
  const state = parts.server.state;
  const lines = [
    `Sprintwright ${versionOf(parts.context)}`,
    `Server: ${state.kind}${state.kind === 'ready' ? ` ${state.version}, ${state.python}` : ''}${state.kind === 'failed' ? `: ${state.message}` : ''}`,
    '',
  ];
  if (state.kind === 'ready') {
    const { agents, problems } = await parts.server.command<AgentsResult>(Commands.agentsList);
    lines.push('Agents:');
    for (const one of agents) {
      const plays = one.plays.length === 0 ? '' : `, plays ${one.plays.join(', ')}`;
      lines.push(`  ${one.name} (${one.kind}, ${one.origin}${one.version === '' ? '' : `, ${one.version}`}${plays}): ${one.problem === '' ? 'ready' : one.problem}`);
    }
    lines.push(...(problems.length === 0 ? [] : ['', 'To mend:', ...problems.map((one) => `  ${one}`)]));
  }
  await parts.documents.showText(t('Doctor'), lines.map((one) => visible(one)).join('\n'));
}

/** For a report: no prompts, no tasks, no keys; home shortened (X79). */
async function copyDiagnostics(parts: Parts): Promise<void> {
  const { server, context } = parts;
  const state = server.state;
  const lines = [
    `Sprintwright ${versionOf(context)}, VS Code ${vscode.version}, ${process.platform} ${os.release()}`,
    `server: ${JSON.stringify(state)}`,
    `runs: ${parts.store.runs().map((run) => run.head.status).join(', ') || 'none'}; live: ${parts.store.runs().filter((run) => isLive(run.head)).length}`,
  ];
  if (state.kind === 'ready' && vscode.workspace.isTrusted) {
    const { agents } = await server.command<AgentsResult>(Commands.agentsList);
    lines.push(...agents.map((one) => `agent ${one.name}: ${one.kind} ${one.version} ${one.problem}`));
  }
  await vscode.env.clipboard.writeText(lines.join('\n').replaceAll(os.homedir(), '~'));
  void vscode.window.showInformationMessage(t('Copied: versions, the server’s state and the agents. No tasks and no prompts are in it.'));
}

/** Make the managed environment, with progress, from what the extension carries. */
async function setUp(parts: Parts): Promise<void> {
  const found = pythons(parts.log);
  if (found.length === 0) {
    void vscode.window.showErrorMessage(t('No Python was found. Install Python 3.11 or newer, or name one in the setting sprintwright.python.'));
    return;
  }
  if (!parts.environment.isCarried) {
    void vscode.window.showErrorMessage(t('This build of the extension carries no packages. Set sprintwright.importStrategy to fromEnvironment.'));
    return;
  }
  const { state } = parts.server;
  const isBroken = state.kind === 'failed' && (state.failure === 'broken' || state.failure === 'ended');
  const made = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t('Setting up Sprintwright'), cancellable: true },
    (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => {
        abort.abort();
      });
      return parts.environment.make(found, isBroken, (said) => {
        progress.report({ message: neutral(said, 80) });
        parts.log.info(line(`set-up: ${said}`));
      }, abort.signal);
    },
  );
  if (made.ok) {
    await parts.server.restart();
  } else {
    const log = t('Show Log');
    const message = t('Sprintwright could not be set up: {0}', neutral(made.said.split('\n').at(-1) ?? '', 300));
    if ((await vscode.window.showErrorMessage(message, log)) === log) {
      parts.log.show();
    }
  }
}

async function runDemo(parts: Parts): Promise<void> {
  const outcome = await parts.performer.perform<Outcome>(Commands.demoStart, {});
  if (outcome !== undefined) {
    await parts.reveal(outcome.runId);
  }
}

/** From a template, or written by an agent with the workflow `author`. */
async function newWorkflow(parts: Parts): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    void vscode.window.showInformationMessage(t('Open a folder first: workflows of a project are kept in it.'));
    return;
  }
  const template = { label: t('From a template'), detail: t('A small workflow that runs as it is.') };
  const author = { label: t('Written by an agent'), detail: t('You say what it is to do; the real validator judges it.') };
  const picked = await vscode.window.showQuickPick([template, author], { title: t('New Workflow') });
  if (picked === author) {
    await parts.starter.start({ workflow: 'author' });
    return;
  }
  if (picked !== template) {
    return;
  }
  const name = await vscode.window.showInputBox({
    title: t('New Workflow'),
    prompt: t('Its name'),
    validateInput: (value) => (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(value) ? undefined : t('Use a-z, 0-9, - and _, as in my-review.')),
  });
  if (name !== undefined) {
    await writeWorkflow(vscode.Uri.joinPath(folder.uri, '.sprintwright', 'workflows', `${name}.yaml`), templateOf(name));
  }
}

async function copyWorkflow(parts: Parts, given: unknown): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!isWorkflow(given) || folder === undefined) {
    void vscode.window.showInformationMessage(t('Choose a built-in workflow in the view Workflows, with a folder open.'));
    return;
  }
  const text = await vscode.workspace.fs.readFile(vscode.Uri.parse(given.workflow.uri));
  await writeWorkflow(vscode.Uri.joinPath(folder.uri, '.sprintwright', 'workflows', `${given.workflow.name}.yaml`), text);
  await parts.list();
}

async function writeWorkflow(uri: vscode.Uri, text: Uint8Array | string): Promise<void> {
  const exists = await Promise.resolve(vscode.workspace.fs.stat(uri)).then(() => true, () => false);
  if (!exists) {
    await vscode.workspace.fs.writeFile(uri, typeof text === 'string' ? new TextEncoder().encode(text) : text);
  }
  await vscode.window.showTextDocument(uri);
}

async function openWorkflow(given: Extract<WorkflowElement, { workflow: Workflow }>): Promise<void> {
  const problem = given.kind === 'problem' ? given.workflow.problems[given.index] : undefined;
  const place = new vscode.Position(problem?.line ?? 0, problem?.column ?? 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(given.workflow.uri), { selection: new vscode.Range(place, place), preview: true });
}

function templateOf(name: string): string {
  return `name: ${name}
title: Plan, then build and review until it is good
roles:
  planner: {description: Says how it is to be done., permissions: read_only}
  builder: {description: Does it., permissions: workspace_write}
  reviewer: {description: Judges what was built., permissions: read_only}
stages:
  - id: plan
    kind: agent_turn
    role: planner
    save_as: plan
    artifact: {file: plan.md}
    prompt: "Plan this task in a few steps:\\n{{task}}"
  - id: rounds
    kind: loop
    max_iterations: 3
    iteration_var: pass
    body:
      - id: build
        kind: agent_turn
        role: builder
        prompt: "{{task}}\\nThe plan:\\n{{plan}}\\nPass {{pass}}. Remarks so far:\\n{{remarks}}"
      - id: review
        kind: agent_turn
        role: reviewer
        save_as: remarks
        prompt: "Review what was built for:\\n{{task}}\\nLast line: VERDICT: good or VERDICT: again"
        verdict: {good: {action: break}, again: {action: retry}, unknown: {action: retry}}
`;
}
