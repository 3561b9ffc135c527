/** Transcripts of turns: the newest file of a leaf, and the end of it as text. Knows nothing of VS Code. */

import * as fs from 'node:fs/promises';
import * as path from 'node:path';

import { visible } from './text';

/** What is read of a transcript: more would only slow the editor down. The file has everything. */
export const MOST_BYTES = 512 * 1024;

/** The folder of a run's own files. */
export function runFolder(folder: string, runId: string): string {
  return path.join(folder, '.sprintwright', 'runs', runId);
}

/** The file of the leaf's last try; undefined when there is none yet. */
export async function transcriptFile(folder: string, runId: string, key: string): Promise<string | undefined> {
  const where = path.join(runFolder(folder, runId), 'transcripts');
  const ending = `-${slug(key)}.jsonl`;
  const names = await fs.readdir(where).catch(() => []);
  const tries = names.filter((name) => name.replace(/^\d+/, '') === ending).sort((a, b) => parseInt(a, 10) - parseInt(b, 10));
  const last = tries.at(-1);
  return last === undefined ? undefined : path.join(where, last);
}

/** As the server names them (`transcript_name` in app/files.py). */
export function slug(key: string): string {
  return key.replace(/[^A-Za-z0-9.-]+/g, '-').slice(-80).replace(/^-+|-+$/g, '');
}

/** The end of a transcript as text, at most `most` bytes of the file. */
export async function transcriptText(file: string, most = MOST_BYTES): Promise<string> {
  const handle = await fs.open(file, 'r');
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - most);
    const buffer = Buffer.alloc(size - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    const text = render(lines);
    return from > 0 ? `(${Math.round(from / 1024)} kB before this are in ${file})\n\n${text}` : text;
  } finally {
    await handle.close();
  }
}

/** Lines of JSON as text; a new heading where the stream changes. */
function render(lines: readonly string[]): string {
  let text = '';
  let last = '';
  for (const line of lines) {
    const piece = parse(line);
    if (piece === undefined) {
      continue;
    }
    if (piece.stream !== last) {
      text += `${text === '' ? '' : '\n\n'}──── ${piece.stream} ────\n`;
      last = piece.stream;
    }
    text += visible(piece.text);
  }
  return text;
}

function parse(line: string): { stream: string; text: string } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && 'stream' in value && 'text' in value) {
      return { stream: String(value.stream), text: String(value.text) };
    }
  } catch {
    // a line that is being written, or that began before what was read
  }
  return undefined;
}
