// Bundles the extension into dist/extension.js; with --watch again after each change.
import { build, context } from 'esbuild';

const options = {
  entryPoints: ['src/extension.ts'],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  outfile: 'dist/extension.js',
  minify: !process.argv.includes('--debug'),
  sourcemap: process.argv.includes('--debug'),
  legalComments: 'none',
  logLevel: 'warning',
};

if (process.argv.includes('--watch')) {
  await (await context(options)).watch();
} else {
  await build(options);
}
