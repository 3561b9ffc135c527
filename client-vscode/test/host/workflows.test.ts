/** Help with workflow files, in the editor. */

import * as assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { project, ready, until } from './around';

const FILE = project('.sprintwright', 'workflows', 'mine.yaml');
const GOOD = 'name: mine\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: go}\n';

function problems(): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(FILE);
}

async function write(text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(FILE);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(FILE, new vscode.Range(0, 0, document.lineCount, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
  return document;
}

async function labelsAt(line: number, character: number): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.CompletionList>('vscode.executeCompletionItemProvider', FILE, new vscode.Position(line, character));
  return found.items.map((one) => (typeof one.label === 'string' ? one.label : one.label.label));
}

describe('a workflow file', () => {
  before(async () => {
    await ready();
    await vscode.workspace.fs.writeFile(FILE, new TextEncoder().encode(GOOD));
    await vscode.window.showTextDocument(FILE);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(FILE);
  });

  it('is completed: keys, kinds and its own roles', async () => {
    const bare = 'name: mine\nroles: [worker]\nstages:\n  - id: a\n    kind: \n    role: \n';
    await write(bare);
    assert.ok((await labelsAt(4, 10)).includes('agent_turn'));
    assert.ok((await labelsAt(5, 10)).includes('worker'));
  });

  it('has its errors marked while it is typed, and they go with what was wrong', async () => {
    await write(GOOD.replace('role: w', 'role: nobody'));
    await until('the error is there', () => problems().some((one) => one.severity === vscode.DiagnosticSeverity.Error));
    const [problem] = problems();
    assert.equal(problem?.source, 'sprintwright-definition');
    assert.equal(problem.range.start.line, 3);
    await write(GOOD);
    await until('it is gone', () => problems().length === 0);
  });

  it('has a hover, symbols and lenses; other files have none of ours', async () => {
    await write(GOOD);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', FILE, new vscode.Position(3, 14));
    assert.equal(hovers.length, 1);
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', FILE);
    assert.ok(symbols.length > 0);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', FILE, 5);
    assert.deepEqual(lenses.map((one) => one.command?.command).sort(), ['sprintwright.runWorkflow', 'sprintwright.validateWorkflow']);
    const other = project('src', 'part1.py');
    await vscode.workspace.openTextDocument(other);
    const elsewhere = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', other, new vscode.Position(0, 0));
    assert.deepEqual(elsewhere, []);
  });

  it('x049: no Markdown of the server is trusted', async () => {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', FILE, new vscode.Position(0, 2));
    assert.equal(hovers.length, 1);
    for (const content of hovers.flatMap((one) => one.contents)) {
      assert.ok(typeof content === 'string' || !('isTrusted' in content && content.isTrusted === true));
      assert.ok(typeof content === 'string' || !('supportHtml' in content) || !content.supportHtml);
    }
  });
});
