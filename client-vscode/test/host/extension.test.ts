/** The extension in its real host: activation, a long run, every command, the demo. */

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';

import * as vscode from 'vscode';

import { Commands } from '../../src/protocol';
import { escaping, extension, findings, labels, project, ready, runOf, surface, until } from './around';

const LIMITED = `
name: limited
roles: [w]
vars: {plan: "## Item 1: one\\n## Item 2: two"}
limits: {items: 1}
stages:
  - id: all
    kind: loop
    over: Item
    from: plan
    body: [{id: ask, kind: user_checkpoint, prompt: "Go on?"}]
`;

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

/** The window has come up: what it is asked is answered at once. */
async function quiet(): Promise<void> {
  for (let fast = 0; fast < 5; ) {
    const began = performance.now();
    await vscode.commands.getCommands();
    fast = performance.now() - began < 50 ? fast + 1 : 0;
  }
}

describe('the extension', () => {
  it('is not active in a folder that has nothing of ours, and then at once, without waiting for its server', async () => {
    assert.equal(extension().isActive, false);
    fs.renameSync(project('aside').fsPath, project('.sprintwright').fsPath); // with a run of 500 turns
    await quiet();
    const began = performance.now();
    await extension().activate();
    const taken = performance.now() - began;
    console.log(`sw: activated in ${Math.round(taken)} ms`);
    assert.ok(taken < 1000, `activation took ${taken} ms`);
    assert.equal(surface().server.state.kind, 'starting');
    await ready();
    console.log(`sw: ready in ${Math.round(performance.now() - began)} ms`);
  });

  it('shows a run of 500 turns and 2,000 findings in a tree that answers at once', async () => {
    const { view } = surface();
    await until('the run is listed', () => runOf('long') !== undefined);
    const runId = runOf('long')?.head.runId ?? '';
    const before = process.memoryUsage().heapUsed;
    const began = performance.now();
    const passes = await view.getChildren(view.element(runId, ''));
    let turns = 0;
    for (const pass of passes) {
      for (const turn of await view.getChildren(pass)) {
        assert.ok(view.getTreeItem(turn).label);
        assert.equal(view.getParent(turn), pass);
        turns += 1;
      }
    }
    const taken = performance.now() - began;
    const grown = (process.memoryUsage().heapUsed - before) / 1e6;
    console.log(`sw: ${turns} turns shown in ${Math.round(taken)} ms, ${grown.toFixed(1)} MB more`);
    assert.equal(passes.length, 249);
    assert.equal(turns, 500);
    assert.equal(runOf('long')?.openFindings, 2000);
    assert.ok(taken < 5000, `${taken} ms`);
    assert.ok(grown < 100, `${grown} MB`);
    await until('the findings are diagnostics', () => findings().length === 2000);
  });

  it('x002: has no command that throws when it is called with nothing', async () => {
    const { commands } = (extension().packageJSON as Manifest).contributes;
    const known = new Set(await vscode.commands.getCommands(true));
    const others = ['restartServer', 'runDemo', 'setUp'].map((one) => `sprintwright.${one}`); // have tests of their own
    const once = ['showLog', 'copyDiagnostics', 'choosePython', 'validateWorkflow', 'selectAgents', 'runDoctor'];
    const called = commands.map((one) => one.command).filter((one) => !others.includes(one));
    const odd = [null, { runId: 'none', id: 'x', name: 'none' }, { workflow: null }];
    const said = await escaping(async () => {
      for (const command of called) {
        assert.ok(known.has(command), `${command} is not registered`);
        await vscode.commands.executeCommand(command);
      }
      for (const command of called.filter((one) => !once.includes(one.replace('sprintwright.', '')))) {
        for (const given of odd) {
          await vscode.commands.executeCommand(command, given);
        }
      }
    });
    const errors = said.filter((one) => one.kind === 'showErrorMessage').map((one) => one.message);
    console.log(`sw: ${said.length} questions and messages, errors: ${JSON.stringify([...new Set(errors)])}`);
    assert.deepEqual(errors.filter((one) => !/no workflow none/.test(one)), []);
    assert.equal(surface().store.runs().length, 1);
    assert.equal(runOf('long')?.head.status, 'completed');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await ready();
  });

  it('runs the demo to its end, and shows it line by line', async () => {
    await vscode.commands.executeCommand('sprintwright.runDemo');
    await until('the demo is done', () => runOf('dev')?.head.status === 'completed');
    const lines = await labels(runOf('dev')?.head.runId ?? '');
    assert.deepEqual(lines.map((line) => line.split(':')[0]), [
      'designer', 'Sprint 1', 'Pass 1', 'generator', 'evaluator', 'Pass 2', 'generator', 'evaluator', 'Sprint 2', 'Pass 1',
      'generator', 'evaluator',
    ]);
  });

  it('b119: asks for a higher limit where a run has reached one, and goes on with it', async () => {
    fs.mkdirSync(project('.sprintwright', 'workflows').fsPath, { recursive: true });
    fs.writeFileSync(project('.sprintwright', 'workflows', 'limited.yaml').fsPath, LIMITED);
    const { server } = surface();
    await server.command(Commands.workflowStart, { workflow: 'limited', task: 'x', folder: project().fsPath });
    await until('it has reached its limit', () => runOf('limited')?.head.status === 'paused');
    const runId = runOf('limited')?.head.runId ?? '';
    const { window } = vscode;
    const kept = window.showInputBox;
    const asked: vscode.InputBoxOptions[] = [];
    window.showInputBox = (options?: vscode.InputBoxOptions): Promise<string> => {
      asked.push(options ?? {});
      return Promise.resolve('2');
    };
    try {
      await vscode.commands.executeCommand('sprintwright.continueRun', { runId, id: '' });
    } finally {
      window.showInputBox = kept;
    }
    assert.match(asked[0]?.prompt ?? '', /would go over 2 items.*limit is 1 items\.$/);
    await until('it asks its question', () => runOf('limited')?.head.status === 'waiting');
    await server.command(Commands.runCancel, { runId });
    await until('it is cancelled', () => runOf('limited')?.head.status === 'cancelled');
  });
});
