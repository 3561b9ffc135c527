/** A server that dies: started again, with the runs as they stand, and given up when it dies again and again. */

import * as assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { Commands, type Outcome, type RunsResult } from '../../src/protocol';
import { needsUser } from '../../src/runs/store';
import { escaping, findings, labels, project, ready, runOf, surface, until } from './around';

/** End the server that we started, as the system does when it has no memory left. */
async function kill(): Promise<void> {
  const { server } = surface();
  await ready();
  const { pid } = server;
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGKILL');
  await until('its end is noticed', () => server.pid !== pid);
}

function status(): string | undefined {
  return runOf('ask')?.head.status;
}

describe('the server', () => {
  before(async () => {
    await ready();
    await vscode.commands.executeCommand('sprintwright.restartServer'); // earlier ends do not count
    await ready();
  });

  it('x112: leaves a run that asks resumable when it is killed; its question is answered afterwards', async () => {
    const said = await escaping(async () => {
      await vscode.commands.executeCommand<Outcome>(Commands.workflowStart, { workflow: 'ask', task: 'A task', folder: project().fsPath });
      await until('it asks', () => (runOf('ask')?.questions.length ?? 0) === 1);
      const before = await labels(runOf('ask')?.head.runId ?? '');
      await kill();
      await ready();
      await until('it is told to be cut off', () => runOf('ask')?.head.owner === 'none');
      const runId = runOf('ask')?.head.runId ?? '';
      assert.deepEqual(await labels(runId), before);
      const run = runOf('ask');
      assert.ok(run && needsUser(run), `${run?.head.status ?? ''} with ${run?.questions.length ?? 0} questions`);
      await vscode.commands.executeCommand(Commands.runAnswer, { runId, text: 'Blue' });
      await until('it goes on to its end', () => status() === 'completed');
    });
    assert.deepEqual(said.filter((one) => one.kind === 'showErrorMessage'), []);
  });

  it('x112: lets commands wait that are given before it is started again, and what is given up is not done', async () => {
    const { server, store } = surface();
    const folder = project().fsPath;
    await kill();
    const started = server.command<Outcome>(Commands.workflowStart, { workflow: 'ask', task: 'Waited for', folder });
    const said = await escaping(async () => {
      const { runId } = await started;
      await until('it asks', () => (store.get(runId)?.questions.length ?? 0) === 1);
      await vscode.commands.executeCommand(Commands.runCancel, { runId });
      await until('it stands', () => store.get(runId)?.head.owner === 'none');
      await kill();
      const runs = store.runs().length;
      const acted = vscode.commands.executeCommand('sprintwright.runDemo');
      const refused = assert.rejects(server.command(Commands.runList), { code: 'given_up' });
      await vscode.commands.executeCommand('sprintwright.stopWaiting');
      await refused;
      await acted;
      await ready();
      assert.equal((await server.command<RunsResult>(Commands.runList)).runs.length, runs);
    });
    assert.deepEqual(said.filter((one) => one.kind === 'showErrorMessage'), []);
  });

  it('x115: is started three times after its end; then the user is told, and starts it', async () => {
    const { server, store } = surface();
    const runs = store.runs().map((run) => run.head.runId);
    const began = server.pid;
    await vscode.commands.executeCommand('sprintwright.restartServer');
    await ready();
    assert.notEqual(server.pid, began);
    for (let times = 1; times <= 4; times += 1) {
      await kill();
    }
    await until('it is given up', () => server.state.kind === 'failed');
    assert.deepEqual(findings(), []);
    assert.ok(server.state.kind === 'failed' && server.state.failure === 'ended' && server.state.message.includes('4 times'));
    await assert.rejects(server.command(Commands.runList), { code: 'no_server' });
    const said = await escaping(async () => {
      await vscode.commands.executeCommand('sprintwright.resumeRun', { runId: runs[0], id: '' });
    });
    assert.ok(said.some((one) => one.kind === 'showErrorMessage' && one.message.includes('4 times')));
    await vscode.commands.executeCommand('sprintwright.restartServer');
    await ready();
    await until('the findings are there again', () => findings().length === 1999);
    assert.ok(store.runs().some((run) => run.head.workflow === 'long' && run.head.status === 'completed'));
  });
});
