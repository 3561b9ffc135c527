/** The user takes care of us: agents, doctor, a report's facts, the environment. */

import * as os from 'node:os';

import * as vscode from 'vscode';

import { line } from './log';
import { versionOf, type Parts } from './parts';
import { Commands, type AgentsResult } from './protocol';
import { isLive } from './runs/store';
import { pythons } from './server/pythons';
import { cut, neutral, visible } from './text';

const { t } = vscode.l10n;

/** The agents that there are, with what is wrong; then the setting that names them. */
export async function selectAgents(parts: Parts): Promise<void> {
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
export async function runDoctor(parts: Parts): Promise<void> {
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
export async function copyDiagnostics(parts: Parts): Promise<void> {
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
export async function setUp(parts: Parts): Promise<void> {
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
