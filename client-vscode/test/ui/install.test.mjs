// The package in a VS Code that has never seen it, on a machine with Python and git only, and no network.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import { test } from 'node:test';

import { VSIX } from '../support/harness.mjs';
import { withWorkbench } from '../support/workbench.mjs';

test('from the installed package to a finished demo run, by what the views say', async () => {
  const outside = Object.keys(os.networkInterfaces()).filter((name) => name !== 'lo');
  assert.deepEqual(process.env.SPRINTWRIGHT_OFFLINE === '1' ? outside : [], [], 'this test is to be run without a network');
  const env = { PATH: '/usr/bin:/bin', PIP_INDEX_URL: 'http://127.0.0.1:9/' };
  await withWorkbench({ vsix: VSIX, env }, async (bench, project) => {
    await bench.openView();
    await bench.page.getByText('One step is left').waitFor({ timeout: 60_000 });
    await bench.screen('set-up');
    assert.ok(!fs.existsSync(`${project.home}/code/user/User/globalStorage/sprintwright.sprintwright/python`), 'nothing is made unasked');
    await bench.page.getByRole('button', { name: 'Set Up' }).click();
    await bench.page.getByText('No run here yet').waitFor({ timeout: 120_000 });
    await bench.page.getByText('run the demo').click();
    await bench.see('Make parse() read', 'completed');
    await bench.screen('installed-demo');
  });
});
