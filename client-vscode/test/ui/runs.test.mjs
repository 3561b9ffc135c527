// Runs from the first look to the last answer, in a real VS Code.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { FROM_CHECKOUT, VSIX } from '../support/harness.mjs';
import { processes, withWorkbench } from '../support/workbench.mjs';

const vsix = VSIX;
const settings = FROM_CHECKOUT;

const PAIR = `name: try
title: Build and judge
roles:
  builder: {description: Builds it., permissions: workspace_write}
  judge: {description: Judges it., permissions: read_only}
stages:
  - id: which
    kind: user_checkpoint
    prompt: Which store should it use?
    save_as: store
  - id: rounds
    kind: loop
    max_iterations: 3
    iteration_var: pass
    body:
      - {id: build, kind: agent_turn, role: builder, prompt: "{{task}} {{store}} {{pass}}"}
      - id: judge
        kind: agent_turn
        role: judge
        prompt: "Judge {{task}}"
        verdict: {good: {action: break}, again: {action: retry}, unknown: {action: retry}}
`;

const FOUND = JSON.stringify({
  verdict: 'again',
  findings: [{ severity: 'error', message: 'Division by zero is not handled.', path: 'calc.py', line: 2, snippet: 'return a / b' }],
});

test('a first start shows what there is to do, and the demo runs to its end in a growing tree', async () => {
  await withWorkbench({ vsix, settings }, async (bench) => {
    await bench.openView();
    await bench.page.getByText('No run here yet').waitFor({ timeout: 60_000 });
    await bench.screen('welcome');
    await bench.page.getByText('run the demo').click();
    await bench.see('Make parse() read', 'dev');
    await bench.see('designer', 'recorded');
    await bench.see('Pass 1', 'needs refinement');
    await bench.screen('demo-running');
    await bench.see('Make parse() read', 'completed');
    await bench.see('Sprint 2');
    await bench.screen('demo-done');
  });
});

test('the wizard asks one question at a time, a question is answered, and a finding is seen, mended and gone', async () => {
  const prepare = (project) => {
    project.write('calc.py', 'def divide(a, b):\n    return a / b\n');
    project.define('try', PAIR);
    project.script({
      'rounds[1]/judge': [{ text: FOUND }],
      'rounds[2]/build': [{ text: 'mended', wait_for: path.join(project.home, 'go') }],
      'rounds[2]/judge': [{ text: '{"verdict": "good", "findings": []}' }],
      '*': [{ text: 'ok' }],
    });
  };
  await withWorkbench({ vsix, settings, prepare }, async (bench, project) => {
    await bench.openView();
    await bench.ready();
    await bench.command('Sprintwright: Start Workflow');
    await bench.asked('Which workflow?');
    await bench.screen('wizard-workflow');
    await bench.choose('Which workflow?', 'try');
    await bench.fill('What is to be done?', 'Handle zero');
    await bench.choose('Who plays builder?', 'scripted');
    await bench.asked('Who plays judge?');
    await bench.screen('wizard-agent');
    await bench.quick.getByRole('button', { name: 'Back' }).click();
    await bench.choose('Who plays builder?', 'scripted');
    await bench.choose('Who plays judge?', 'scripted');

    await bench.toast('A run needs you').waitFor({ timeout: 30_000 });
    await bench.see('Handle zero', 'needs you');
    await bench.screen('question');
    await bench.toast('A run needs you').getByRole('button', { name: 'Answer' }).click();
    await bench.fill('Which store should it use?', 'SQLite');
    await bench.see('Pass 1', 'again');
    assert.match(project.prompts()[0].prompt, /SQLite/);

    await bench.open('calc.py');
    await bench.page.locator('.squiggly-error').first().waitFor({ timeout: 30_000 });
    await bench.goTo(2, 8);
    await bench.pressFor('Control+k Control+i', bench.page.locator('.monaco-hover').filter({ hasText: 'Division by zero' }));
    await bench.screen('finding-hover');
    await bench.page.keyboard.press('Escape');
    await bench.pressFor('Control+.', bench.page.locator('.action-widget').getByText('Fix with an agent'));
    await bench.page.locator('.action-widget').getByText('Dismiss this finding').waitFor();
    await bench.screen('finding-fixes');
    await bench.page.keyboard.press('Escape');

    fs.writeFileSync(path.join(project.home, 'go'), '');
    await bench.see('Handle zero', 'completed');
    await bench.page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
    await bench.screen('run-done');
  });
});

test('R112 a window that is loaded anew in the middle leaves no agent, offers the run, and resumes it once', async () => {
  const prepare = (project) => {
    project.define('one', 'name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: first}\n  - {id: b, kind: agent_turn, role: w, prompt: second}\n');
    project.script({ b: [{ text: 'never', hang: true }, { text: 'done' }], '*': [{ text: 'ok' }] });
  };
  await withWorkbench({ vsix, settings, prepare }, async (bench, project) => {
    await bench.openView();
    await bench.ready();
    await bench.command('Sprintwright: Start Workflow');
    await bench.choose('Which workflow?', 'one');
    await bench.fill('What is to be done?', 'Two steps');
    await bench.choose('Who plays w?', 'scripted');
    await bench.choose('Review the plan', 'No');
    await bench.see('Two steps', 'running');
    await bench.see('b', 'scripted', 'running');
    const agent = project.prompts().at(-1).pid;
    await bench.page.reload();
    await bench.toast('Resume run').waitFor({ timeout: 60_000 });
    assert.equal(processes(`${agent} `).filter((line) => line.trim().startsWith(`${agent} `)).length, 0);
    await bench.screen('offer');
    await bench.toast('Resume run').getByRole('button', { name: 'Resume' }).click();
    await bench.choose('What is to be done with the turn', 'Do it again');
    await bench.see('Two steps', 'completed');
    assert.deepEqual(project.prompts().map((one) => one.key), ['a', 'b', 'b']);
    await bench.screen('resumed');
  });
});

test('a live run is cancelled from its line in the tree', async () => {
  const prepare = (project) => {
    project.define('one', 'name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: first}\n');
    project.script({ '*': [{ text: 'never', hang: true }] });
  };
  await withWorkbench({ vsix, settings, prepare }, async (bench, project) => {
    await bench.openView();
    await bench.ready();
    await bench.command('Sprintwright: Start Workflow');
    await bench.choose('Which workflow?', 'one');
    await bench.fill('What is to be done?', 'Wait');
    await bench.choose('Who plays w?', 'scripted');
    await bench.see('a', 'scripted', 'running');
    await bench.line('Wait', 'one').first().hover();
    await bench.line('Wait', 'one').first().getByRole('button', { name: 'Cancel Run' }).click();
    await bench.see('Wait', 'cancelled');
    await bench.screen('cancelled');
    assert.equal(project.prompts().length, 1);
  });
});

test('X52 an agent asks for permission: its whole change is read, no comes first, and what is allowed is done', async () => {
  const diff = ['--- a/calc.py', '+++ b/calc.py', '@@ -1,2 +1,4 @@', ' def divide(a, b):', '+    if b == 0:', '+        raise ValueError(b)', '     return a / b'].join('\n');
  const choices = ['once', 'for this run', 'never'];
  const prepare = (project) => {
    project.define('one', 'name: one\nroles: [builder]\nstages:\n  - {id: mend, kind: agent_turn, role: builder, prompt: go}\n');
    project.record({
      mend: { asks: [{ kind: 'permission', text: `edit calc.py\n\n${diff}`, choices }, { kind: 'permission', text: 'execute make test', choices }], text: 'mended' },
    });
  };
  await withWorkbench({ vsix, settings, prepare }, async (bench, project) => {
    await bench.openView();
    await bench.ready();
    await bench.command('Sprintwright: Start Workflow');
    await bench.choose('Which workflow?', 'one');
    await bench.fill('What is to be done?', 'Handle zero');
    await bench.choose('Who plays builder?', 'recorded');
    await bench.toast('A run asks for permission').waitFor({ timeout: 30_000 });
    await bench.see('Handle zero', 'needs you');
    await bench.see('mend', 'builder: recorded', 'needs your permission');
    await bench.toast('A run asks for permission').getByRole('button', { name: 'Answer' }).click();
    await bench.asked('builder · recorded · Handle zero asks for permission');
    await bench.page.locator('.view-line', { hasText: 'ValueError' }).waitFor();
    const rows = await bench.quick.locator('.monaco-list-row').evaluateAll((all) => all.map((row) => row.querySelector('.label-name').textContent));
    assert.deepEqual(rows, ['Never in this run', 'Allow once', 'Allow for this run']);
    await bench.screen('permission');
    await bench.row('Allow once').first().click();

    await bench.toast('A run asks for permission').waitFor({ timeout: 30_000 }); // the next one
    await bench.see('mend', 'builder: recorded', 'needs your permission');
    await bench.line('mend', 'needs your permission').first().click(); // answered from its line as well
    await bench.asked('asks for permission');
    await bench.page.locator('.view-line', { hasText: 'execute' }).waitFor();
    await bench.screen('permission-command');
    await bench.page.keyboard.press('Enter'); // what is first
    await bench.see('Handle zero', 'completed');
    await bench.screen('permission-done');
    const [run] = project.runs();
    const transcripts = path.join(project.folder, '.sprintwright', 'runs', run, 'transcripts');
    const said = fs.readdirSync(transcripts).map((name) => fs.readFileSync(path.join(transcripts, name), 'utf8')).join('');
    assert.match(said, /answered: once\\n/);
    assert.match(said, /answered: never\\n/);
  });
});

test('what a turn changed is read file by file, as it was before and after, from its line in the tree', async () => {
  const prepare = (project) => {
    project.write('calc.py', 'def divide(a, b):\n    return a / b\n');
    project.write('old.py', 'gone = True\n');
    fs.writeFileSync(path.join(project.folder, 'picture.bin'), Buffer.from([0, 1, 2]));
    project.define('one', 'name: one\nroles: [builder]\nstages:\n  - {id: mend, kind: agent_turn, role: builder, prompt: go}\n  - {id: more, kind: agent_turn, role: builder, prompt: go}\n');
    project.record({
      mend: { text: 'mended', writes: { 'calc.py': 'def divide(a, b):\n    if b == 0:\n        raise ValueError(b)\n    return a / b\n', 'src/new.py': 'added = True\n', 'picture.bin': 'text now\n' }, deletes: ['old.py'] },
      more: { text: 'more', writes: { 'calc.py': 'nothing of then\n' } },
    });
  };
  await withWorkbench({ vsix, settings, prepare }, async (bench) => {
    await bench.openView();
    await bench.ready();
    await bench.command('Sprintwright: Start Workflow');
    await bench.choose('Which workflow?', 'one');
    await bench.fill('What is to be done?', 'Handle zero');
    await bench.choose('Who plays builder?', 'recorded');
    await bench.choose('Review the plan', 'No');
    await bench.see('Handle zero', 'completed');
    await bench.menu(bench.line('mend', 'recorded').first(), 'Show Changes');
    await bench.page.getByRole('tab', { name: /Changes of mend · Handle zero/ }).waitFor({ timeout: 30_000 });
    for (const word of ['raise', 'added', 'gone', 'Not']) {
      await bench.page.locator('.multiDiffEditor .view-line', { hasText: word }).first().waitFor();
    }
    assert.equal(await bench.page.locator('.multiDiffEditor .view-line', { hasText: 'nothing' }).count(), 0);
    await bench.screen('changes');
  });
});
