/** Transcripts of turns: which file, and how much of it. */

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { MOST_BYTES, runFolder, slug, transcriptFile, transcriptText } from '../../src/transcripts';

let folder: string;
let transcripts: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sw-transcripts-'));
  transcripts = path.join(runFolder(folder, 'r1'), 'transcripts');
  fs.mkdirSync(transcripts, { recursive: true });
});

afterEach(() => {
  fs.rmSync(folder, { recursive: true });
});

function write(name: string, ...lines: (object | string)[]): string {
  const file = path.join(transcripts, name);
  fs.writeFileSync(file, lines.map((one) => (typeof one === 'string' ? one : `${JSON.stringify(one)}\n`)).join(''));
  return file;
}

const said = (text: string, stream = 'text'): object => ({ stream, text });

test('the newest try of a turn is read', async () => {
  write('000009-plan.jsonl');
  write('000123-plan.jsonl');
  write('000124-plan-b.jsonl');
  write('000125-a-plan.jsonl');
  write('000126-plan.jsonl.tmp');
  expect(await transcriptFile(folder, 'r1', 'plan')).toBe(path.join(transcripts, '000123-plan.jsonl'));
});

test('there is none yet', async () => {
  expect(await transcriptFile(folder, 'r1', 'plan')).toBeUndefined();
  expect(await transcriptFile(folder, 'r2', 'plan')).toBeUndefined();
});

test('a run of more than a million records is read too', async () => {
  write('999999-plan.jsonl');
  const last = write('1000000-plan.jsonl');
  expect(await transcriptFile(folder, 'r1', 'plan')).toBe(last);
});

test.each([
  ['sprints[1]/passes[2]/evaluator', 'sprints-1-passes-2-evaluator'], ['a b/ü', 'a-b'], ['..', '..'], ['x'.repeat(100), 'x'.repeat(80)],
  [`${'-'.repeat(30)}a[1]`, 'a-1'],
])('files are named as the server names them: %s', (key, name) => {
  expect(slug(key)).toBe(name);
});

test('streams have headings where they change', async () => {
  const file = write('000001-plan.jsonl', said('Plan it.\n', 'prompt'), said('I '), said('will.\n'), said('hm', 'error'));
  expect(await transcriptText(file)).toBe('──── prompt ────\nPlan it.\n\n\n──── text ────\nI will.\n\n\n──── error ────\nhm');
});

test('a line that is half written, and one that is none of ours, are left out', async () => {
  const file = write('000001-plan.jsonl', said('whole\n'), 'rubbish\n', '[]\n', '{"stream": 1}\n', '{"stream": "text", "text": "ha');
  expect(await transcriptText(file)).toBe('──── text ────\nwhole\n');
});

test('x051: what cannot be seen is written out', async () => {
  expect(await transcriptText(write('000001-plan.jsonl', said('a\u202eb\u001b[31m')))).toContain('a\\u{202e}b\\u{1b}[31m');
});

test('of a file of 100 MB only the end is read', async () => {
  const file = path.join(transcripts, '000001-plan.jsonl');
  const descriptor = fs.openSync(file, 'w');
  fs.ftruncateSync(descriptor, 100 * 1024 * 1024); // sparse: takes no room
  fs.writeSync(descriptor, `\n${JSON.stringify(said('😀'.repeat(1000)))}\n${JSON.stringify(said('the end'))}\n`, 100 * 1024 * 1024 - 4000);
  fs.closeSync(descriptor);
  const before = process.memoryUsage().rss;
  const text = await transcriptText(file);
  expect(text).toContain('the end');
  expect(text).toContain(`kB before this are in ${file}`);
  expect(text.length).toBeLessThan(MOST_BYTES);
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
});

test('where reading begins within a line, that line is left out, and no character is halved', async () => {
  const lines = Array.from({ length: 200 }, (_, index) => said(`${index} 😀ü\n`));
  const file = write('000001-plan.jsonl', ...lines);
  const { size } = fs.statSync(file);
  for (let most = 50; most < 200; most += 1) {
    const shown = (await transcriptText(file, most)).split('────\n')[1] ?? '';
    expect(shown).toMatch(/^(\d+ 😀ü\n)*$/);
  }
  expect((await transcriptText(file, size)).startsWith('────')).toBe(true);
});

test('one line that is longer than what is read is said to be there', async () => {
  const file = write('000001-plan.jsonl', said('x'.repeat(2000)));
  expect(await transcriptText(file, 1000)).toContain('kB before this are in');
});
