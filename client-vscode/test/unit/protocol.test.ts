/** Our names and shapes of the protocol against the golden messages that the server is held to as well. */

import * as fs from 'node:fs';
import * as path from 'node:path';

import { describe, expect, test } from 'vitest';

import { Commands, Notifications, PROTOCOL, Requests } from '../../src/protocol';
import { requests } from '../support/requests';
import { Shapes } from '../support/shapes';

const SOURCES = path.join(__dirname, '..', '..', 'src');
const GOLDEN = path.join(__dirname, '..', '..', '..', 'tests', 'golden', 'protocol');
const shapes = new Shapes(path.join(SOURCES, 'protocol.ts'));

interface Names {
  readonly protocol: number;
  readonly commands: readonly string[];
  readonly notifications: readonly string[];
  readonly requests: readonly string[];
  readonly words: Readonly<Record<string, readonly string[]>>;
}

function golden(name: string): unknown {
  return JSON.parse(fs.readFileSync(path.join(GOLDEN, `${name}.json`), 'utf8'));
}

const names = golden('names') as Names;

/** What each command answers, by its name in `Commands`. */
const RESULTS: Readonly<Record<keyof typeof Commands, string>> = {
  workflowList: 'WorkflowsResult', workflowCreate: 'WorkflowFile', workflowStart: 'Outcome', workflowResume: 'Outcome', workflowEnd: 'Outcome',
  runContinue: 'Outcome', runAnswer: 'Outcome', runSay: 'Status', runPause: 'Status', runCancel: 'Status',
  runReconfigure: 'Reconfigured', runRerun: 'Outcome', runRestore: 'Restore', runDelete: 'Deleted', runList: 'RunsResult',
  runGet: 'RunResult', runChanges: 'Changes', runFileAt: 'FileAt', agentsList: 'AgentsResult', findingDismiss: 'Status', findingFix: 'Outcome',
  demoStart: 'Outcome',
};

/** Golden files that are not a command's argument or result. */
const OTHERS: Readonly<Record<string, string>> = {
  'run.didChange.params': 'DidChange', 'run.didDelete.params': 'DidDelete', 'run.didOutput.params': 'DidOutput',
  'question.ask.params': 'AskParams', 'permission.request.params': 'AskParams', 'run.rerun.preview': 'Preview',
  'workflow.resume.preview': 'Preview', 'languageModel.request.params': 'ModelParams', 'languageModel.request.result': 'ModelResult',
};

const results = Object.entries(RESULTS).map(([key, shape]): [string, string] => [
  `${Commands[key as keyof typeof Commands].replace('sprintwright.', '')}.result`, shape,
]);

describe('names', () => {
  test('the protocol is the one that the server speaks', () => {
    expect(PROTOCOL).toBe(names.protocol);
  });

  test('every command, notification and request is known, and no other', () => {
    expect(Object.values(Commands).sort()).toEqual([...names.commands].sort());
    expect(Object.values(Notifications).sort()).toEqual([...names.notifications].sort());
    expect(Object.values(Requests).sort()).toEqual([...names.requests].sort());
  });

  test.each(['Effect', 'RunStatus', 'NodeStatus', 'NodeKind', 'QuestionKind'])('the words of %s are the server’s', (alias) => {
    expect(shapes.words(alias).sort()).toEqual([...(names.words[alias] ?? [])].sort());
  });
});

describe('shapes', () => {
  test.each([...results, ...Object.entries(OTHERS)])('%s has the fields of %s to the letter', (file, shape) => {
    expect(shapes.misfits(golden(file), shape)).toEqual([]);
  });

  test('no golden message is left out', () => {
    const known = new Set([...results.map(([file]) => file), ...Object.keys(OTHERS), 'names']);
    const files = fs.readdirSync(GOLDEN).map((name) => name.replace(/\.json$/, ''));
    const left = files.filter((name) => !known.has(name) && !name.endsWith('.argument'));
    expect(left).toEqual(['permission.request.result', 'question.ask.result']); // never sent: see Questions.asked
  });

  test('a field too many, too few, or of another type is a misfit', () => {
    const { runId, ...less } = golden('run.list.result') as Record<string, unknown>;
    expect(runId).toBeUndefined();
    expect(shapes.misfits({ ...less, extra: 1 }, 'RunsResult')).toEqual(['RunsResult.extra: not declared']);
    expect(shapes.misfits({ runs: [] }, 'RunsResult')).toEqual(['RunsResult.more: not sent']);
    expect(shapes.misfits({ runId: 1, status: 'running' }, 'Status')).toEqual(['Status.runId: no string']);
    expect(shapes.misfits({ runId: '', status: 'sleeping' }, 'Status')).toHaveLength(1);
  });
});

describe('what our sources send', () => {
  const sent = requests(SOURCES);

  test.each(Object.keys(Commands).filter((one) => one !== 'findingDismiss'))('%s is used', (command) => {
    expect(sent.filter((one) => one.command === command)).not.toEqual([]);
  });

  test.each(sent.map((one): [string, string, typeof one] => [one.where, one.command, one]))(
    '%s: %s has fields that the server knows, and awaits what it answers',
    (_where, command, { fields, result }) => {
      const id = Commands[command as keyof typeof Commands];
      const argument = golden(`${id.replace('sprintwright.', '')}.argument`) as object;
      expect(fields.filter((field) => !(field in argument))).toEqual([]);
      const awaited = fields.includes('preview') ? 'Preview' : RESULTS[command as keyof typeof Commands];
      expect(['', awaited]).toContain(result);
    },
  );
});
