/** Runs of the protocol in few words. */

import type { DidChange, Finding, Question, RunHead, RunNode, RunResult } from '../../src/protocol';

export function node(id: string, parent = '', more: Partial<RunNode> = {}): RunNode {
  return {
    id, parent, kind: 'turn', label: id, status: 'running', role: '', agent: '', verdict: '', action: '', findings: 0, since: '',
    lastActivity: '', waitingFor: '', until: '', seconds: 0, limit: 0, detail: '', changed: '', usage: null, ...more,
  };
}

export function head(runId = 'r1', more: Partial<RunHead> = {}): RunHead {
  return {
    runId, folder: '/home/ada/report', workflow: 'dev', task: 'Add a flag', status: 'running', reason: '', stage: '',
    began: '2026-05-01T09:30:15.123Z', lastActivity: '2026-05-01T09:31:40.004Z', own: true, owner: 'here', ...more,
  };
}

export function result(runId = 'r1', more: Partial<RunResult> = {}): RunResult {
  return {
    ...head(runId), revision: 1, code: '', missing: '', seconds: 0, turns: 0, roles: {}, nodes: [], gates: {}, questions: [],
    findings: [], changedFiles: {}, changesUnknown: '', notes: [], usage: null, usageByRole: {}, report: null, ...more,
  };
}

export function change(base: number, revision: number, more: Partial<DidChange> = {}): DidChange {
  return {
    runId: 'r1', folder: '/home/ada/report', revision, base, status: 'running', reason: '', owner: 'here', turns: 0, openFindings: 0,
    questions: [], nodes: [], removed: [], ...more,
  };
}

export function question(key: string, more: Partial<Question> = {}): Question {
  return { key, kind: 'ask', text: `What of ${key}?`, choices: [], ...more };
}

export function finding(number: number, more: Partial<Finding> = {}): Finding {
  return {
    id: `f${number}`, number, status: 'open', key: 'judge', severity: 'error', message: `Finding ${number}`, path: 'src/a.py', line: number,
    column: 0, endLine: 0, endColumn: 0, code: '', suggestion: '', ...more,
  };
}
