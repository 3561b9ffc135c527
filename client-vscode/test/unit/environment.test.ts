import * as fs from 'node:fs';
import * as path from 'node:path';

import { expect, test } from 'vitest';

import { Environment, type Made } from '../../src/server/environment';
import { program, temporary } from './folders';

/** What set_up.py does when it goes well: its arguments follow `-I -X utf8`. */
const MAKES = 'mkdir -p "$5/cp311" && touch "$5/cp311/complete" && echo "$6 $7"';

interface Tried extends Made {
  readonly log: string;
}

async function make(texts: readonly string[], again = false, signal = new AbortController().signal): Promise<Tried> {
  const base = temporary();
  const pythons = texts.map((text, index) => ({ path: program(path.join(base, `python${index}`), text), from: 'a test' }));
  const environment = new Environment(path.join(base, 'storage', 'python'), '/extension/set_up.py', '/extension/bundled');
  const log: string[] = [];
  const made = await environment.make(pythons, again, (line) => log.push(line), signal);
  return { ...made, log: log.join('\n') };
}

test('it is made by the first Python, from what is carried', async () => {
  const made = await make([MAKES, 'echo second']);
  expect(made).toMatchObject({ ok: true, said: '/extension/bundled' });
  expect(made.log).not.toContain('second');
});

test('it is made again only when that is wished', async () => {
  expect((await make([MAKES], true)).said).toBe('/extension/bundled again');
});

test('r115: a Python that is too old, is none, or only looks like one is passed over, and the log has each', async () => {
  const made = await make(['echo too old >&2; exit 90', 'exit 49', 'echo Python 3.8.0', MAKES]);
  expect(made).toMatchObject({ ok: true, said: '/extension/bundled' });
  expect(made.log.match(/Trying .*python[0-3] \(from a test\)/g)).toHaveLength(4);
  expect(made.log).toContain('too old');
});

test('when none will do, the last one’s words are told', async () => {
  expect(await make(['exit 49', 'echo too old >&2; exit 90'])).toMatchObject({ ok: false, said: 'too old' });
  expect(await make([])).toMatchObject({ ok: false, said: '' });
});

test('x081: packages that are refused are not tried with another Python', async () => {
  const made = await make(['echo hashes differ >&2; exit 93', MAKES]);
  expect(made).toMatchObject({ ok: false, said: 'hashes differ' });
});

test('a Python that can’t be run is passed over', async () => {
  const base = temporary();
  const good = program(path.join(base, 'good'), MAKES);
  const environment = new Environment(path.join(base, 'python'), 's', 'b');
  const pythons = [path.join(base, 'gone'), good].map((one) => ({ path: one, from: 'a test' }));
  expect(await environment.make(pythons, false, () => undefined, new AbortController().signal)).toMatchObject({ ok: true });
});

test('cancelling ends it, and no other Python is tried', async () => {
  const abort = new AbortController();
  const base = temporary();
  const hangs = program(path.join(base, 'hangs'), 'echo begun; exec sleep 600');
  const good = program(path.join(base, 'good'), MAKES);
  const environment = new Environment(path.join(base, 'python'), 's', 'b');
  const pythons = [hangs, good].map((one) => ({ path: one, from: 'a test' }));
  const log: string[] = [];
  const made = await environment.make(pythons, false, (line) => {
    log.push(line);
    if (line === 'begun') {
      abort.abort();
    }
  }, abort.signal);
  expect(made.ok).toBe(false);
  expect(log).toEqual([`Trying ${hangs} (from a test).`, 'begun']);
});

test('a checkout carries nothing', () => {
  const base = temporary();
  const carried = path.join(base, 'bundled');
  expect(new Environment(base, 's', carried).isCarried).toBe(false);
  fs.mkdirSync(carried);
  fs.writeFileSync(path.join(carried, 'requirements.txt'), '');
  expect(new Environment(base, 's', carried).isCarried).toBe(true);
});
