// Takes the pictures of the walkthrough and the README in a real VS Code: `node test/support/pictures.mjs`.
import fs from 'node:fs';
import path from 'node:path';

import { EXTENSION, FROM_CHECKOUT, VSIX } from './harness.mjs';
import { withWorkbench } from './workbench.mjs';

const THEMES = { light: 'Default Light Modern', dark: 'Default Dark Modern', hc: 'Default High Contrast' };
const SIDE = { x: 0, y: 36, width: 348, height: 380 };
const QUESTION = { x: 340, y: 0, width: 604, height: 400 };
const WORKFLOW = 'name: mine\nroles: [w]\nstages:\n  - id: a\n    kind: agent_turn\n    role: w\n    prompt: go\n    \n';

for (const [name, theme] of Object.entries(THEMES)) {
  const settings = { ...FROM_CHECKOUT, 'workbench.colorTheme': theme };
  const prepare = (project) => project.write('.sprintwright/workflows/mine.yaml', WORKFLOW);
  await withWorkbench({ vsix: VSIX, settings, prepare }, async (bench) => {
    const picture = (step, clip) =>
      bench.page.screenshot({ path: path.join(EXTENSION, 'media', `walkthrough-${step}-${name}.png`), clip });
    await bench.openView();
    await bench.page.getByText('No run here yet').waitFor({ timeout: 60_000 });
    await picture('setUp', SIDE);
    await bench.command('Sprintwright: Run Demo');
    await bench.see('Make parse() read', 'completed');
    await bench.page.mouse.move(800, 600);
    await picture('demo', SIDE);
    if (name === 'light') {
      fs.mkdirSync(path.join(EXTENSION, 'media'), { recursive: true });
      await bench.page.screenshot({ path: path.join(EXTENSION, 'media', 'run.png') });
    }
    await bench.command('Sprintwright: Select Agents');
    await bench.asked('Configure agents');
    await picture('agents', QUESTION);
    await bench.page.keyboard.press('Escape');
    await bench.command('Sprintwright: Start Workflow');
    await bench.asked('Which workflow?');
    await picture('start', QUESTION);
    await bench.page.keyboard.press('Escape');
    await bench.open('mine.yaml');
    await bench.goTo(8, 5);
    await bench.page.keyboard.press('Control+Space');
    await bench.page.locator('.suggest-widget.visible .monaco-list-row').filter({ hasText: 'save_as' }).first().waitFor({ timeout: 30_000 });
    await picture('own', { x: 352, y: 36, width: 604, height: 400 });
  });
}
