// What the editor shows around runs: trust, workflow files, themes.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FROM_CHECKOUT, VSIX } from '../support/harness.mjs';
import { withWorkbench } from '../support/workbench.mjs';

const vsix = VSIX;
const settings = FROM_CHECKOUT;
const BROKEN = 'name: mine\nroles: [w]\nstages:\n  - id: a\n    kind: agent_tun\n    role: w\n    prompt: go\n';

test('X1 X2 X4 in Restricted Mode nothing runs and it is said why; trust given later works without a reload', async () => {
  const prepare = (project) => {
    project.write('.sprintwright/workflows/mine.yaml', BROKEN);
  };
  await withWorkbench({ vsix, settings, trust: true, prepare }, async (bench, project) => {
    await bench.openView();
    await bench.page.getByText('This folder is in Restricted Mode').waitFor({ timeout: 60_000 });
    await bench.screen('untrusted');
    await bench.open('mine.yaml');
    await bench.page.locator('.squiggly-error').first().waitFor({ timeout: 60_000 }); // language features are there
    assert.deepEqual(project.runs(), []);
    await bench.page.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    await bench.page.getByRole('button', { name: 'Trust', exact: true }).first().click();
    await bench.page.getByText('No run here yet').waitFor({ timeout: 60_000 });
    await bench.screen('trusted');
  });
});

test('a workflow file shows its error, completes its keys and says what they mean', async () => {
  const prepare = (project) => {
    project.write('.sprintwright/workflows/mine.yaml', BROKEN);
  };
  await withWorkbench({ vsix, settings, prepare }, async (bench) => {
    await bench.ready();
    await bench.open('mine.yaml');
    await bench.page.locator('.squiggly-error').first().waitFor({ timeout: 60_000 });
    await bench.goTo(5, 13);
    await bench.pressFor('Control+.', bench.page.locator('.action-widget').getByText('agent_turn'));
    await bench.screen('definition-fix');
    await bench.page.keyboard.press('Enter');
    await bench.page.locator('.squiggly-error').first().waitFor({ state: 'detached', timeout: 30_000 });
    await bench.goTo(7, 15);
    await bench.page.keyboard.press('End');
    await bench.page.keyboard.press('Enter');
    await bench.pressFor('Control+Space', bench.page.locator('.suggest-widget.visible .monaco-list-row').filter({ hasText: 'save_as' }));
    await bench.screen('definition-completion');
    await bench.page.keyboard.press('Escape');
    await bench.page.locator('.codelens-decoration').getByText('Run').first().waitFor();
  });
});

for (const [name, theme] of [['dark', 'Default Dark Modern'], ['contrast', 'Default High Contrast'], ['contrast-light', 'Default High Contrast Light']]) {
  test(`the views can be read in the theme ${theme}`, async () => {
    await withWorkbench({ vsix, settings: { ...settings, 'workbench.colorTheme': theme } }, async (bench) => {
      await bench.openView();
      await bench.page.getByText('No run here yet').waitFor({ timeout: 60_000 });
      await bench.command('Sprintwright: Run Demo');
      await bench.see('Make parse() read', 'completed');
      await bench.screen(`theme-${name}`);
    });
  });
}
