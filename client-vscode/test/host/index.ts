/** Runs the tests within the extension host; the mechanism of VS Code's own tests (`extensionTestsPath`). */

import Mocha from 'mocha';

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, color: false });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  // Loaded now, in this order: `describe` and `it` are there only after the line above.
  await import('./extension.test.js');
  await import('./findings.test.js');
  await import('./workflows.test.js');
  await import('./models.test.js');
  await import('./restart.test.js');
  return new Promise((resolve, reject) => {
    const runner = mocha.run((failures) => {
      if (failures > 0) {
        reject(new Error(`${failures} tests failed`));
      } else {
        resolve();
      }
    });
    runner.on('pass', (test) => {
      console.log(`ok ${test.fullTitle()} (${test.duration ?? 0} ms)`);
    });
    runner.on('fail', (test, error: unknown) => {
      console.log(`FAIL ${test.fullTitle()} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    });
  });
}
