/** Findings of a run at their places, and what can be done about one. */

import * as assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { escaping, findings, project, ready, runOf, surface, until } from './around';

const FILE = project('src', 'part0.py');

function here(): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(FILE).filter((one) => one.source === 'sprintwright');
}

/** The quick fix with a title, for a finding. */
async function fix(of: vscode.Diagnostic, title: string): Promise<vscode.Command> {
  const found = await vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', FILE, of.range);
  const action = found.find((one) => one.title.startsWith(title) && one.diagnostics?.some((other) => other.message === of.message) !== false);
  assert.ok(action?.command, `${title} is not among ${found.map((one) => one.title).join(', ')}`);
  return action.command;
}

async function choose(of: vscode.Diagnostic, title: string): Promise<void> {
  const { command, arguments: given } = await fix(of, title);
  await vscode.commands.executeCommand(command, ...((given ?? []) as unknown[]));
}

describe('a finding', () => {
  before(async () => {
    await ready();
    await vscode.window.showTextDocument(FILE);
    await until('findings are there', () => here().length === 100);
  });

  it('is at its place, in plain words, with a source of its own', () => {
    const one = here().find((other) => other.range.start.line === 3);
    assert.ok(one);
    assert.equal(one.severity, vscode.DiagnosticSeverity.Warning);
    assert.match(one.message, /^Finding \d+\./);
  });

  it('is dismissed by a quick fix, and gone', async () => {
    const [first] = here();
    assert.ok(first);
    const before = findings().length;
    await choose(first, 'Dismiss this finding');
    await until('it is gone', () => !here().some((one) => one.message === first.message));
    assert.equal(findings().length, before - 1);
    await until('the tree counts it', () => runOf('long')?.openFindings === before - 1);
  });

  it('is read in the report', async () => {
    const [first] = here();
    assert.ok(first);
    await choose(first, 'Open the findings report');
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.scheme, 'sprintwright');
    const { document } = editor;
    assert.match(document.getText(), /^# Findings of long\n/);
    await until('it says so', () => /1999 open:[^]*## 1 dismissed/.test(document.getText()));
  });

  it('is gone to, one after the other, from wherever one is', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const places: string[] = [];
    for (const command of ['nextFinding', 'nextFinding', 'previousFinding', 'previousFinding']) {
      await vscode.commands.executeCommand(`sprintwright.${command}`);
      const editor = vscode.window.activeTextEditor;
      places.push(`${editor?.document.uri.path.split('/').at(-1) ?? ''}:${editor?.selection.start.line ?? -1}`);
    }
    assert.deepEqual(places, ['part0.py:1', 'part0.py:2', 'part0.py:1', 'part9.py:99']);
  });

  it('is offered to be mended with all others of its file, and nothing is begun without a yes', async () => {
    const [first] = here();
    assert.ok(first);
    const { command, arguments: given } = await fix(first, `Fix all ${here().length} findings of this file`);
    const runs = surface().store.runs().length;
    const said = await escaping(async () => {
      await vscode.commands.executeCommand(command, ...((given ?? []) as unknown[]));
    });
    assert.deepEqual(said.map((one) => one.kind), ['showQuickPick']);
    assert.equal(surface().store.runs().length, runs);
  });

  it('is given to an agent by a quick fix: a run of its own', async () => {
    const [first] = here();
    assert.ok(first);
    await vscode.window.showTextDocument(FILE);
    await choose(first, 'Fix with an agent');
    await until('a run of the workflow fix is there', () => runOf('fix') !== undefined);
    await until('it stands', () => runOf('fix')?.head.owner === 'none');
    const run = runOf('fix');
    console.log(`sw: fix is ${run?.head.status ?? ''}: ${run?.head.reason ?? ''}`);
    assert.ok(surface().store.get(run?.head.runId ?? ''));
  });
});
