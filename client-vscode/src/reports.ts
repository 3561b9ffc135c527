/** What is known of a run as a document: its findings, its summary. Pure. */

import type { Finding } from './protocol';
import { nodeItem, stateOf } from './runs/labels';
import type { Run } from './runs/store';
import { firstLine, visible, words } from './text';

/** All findings, open ones first. */
export function findingsReport(run: Run): string {
  const of = (status: Finding['status']): Finding[] => run.findings.filter((one) => one.status === status);
  const open = of('open');
  const lines = [`# Findings of ${firstLine(run.head.workflow)}`, '', indent(run.head.task), ''];
  lines.push(open.length === 0 ? 'No finding is open.' : `${open.length} open:`, '');
  open.forEach((one) => lines.push(...findingLines(one)));
  for (const status of ['fixed', 'dismissed'] as const) {
    const found = of(status);
    if (found.length > 0) {
      lines.push(`## ${found.length} ${status}`, '');
      found.forEach((one) => lines.push(...findingLines(one)));
    }
  }
  return lines.join('\n');
}

function findingLines(one: Finding): string[] {
  const place = one.path === '' ? '' : ` ${inLine(one.path)}${one.line > 0 ? `:${one.line}` : ''}`;
  const code = one.code === '' ? '' : ` (${inLine(one.code)})`;
  const lines = [`${one.number}. ${inLine(one.severity)}:${place}${code}`, indent(one.message)];
  if (one.suggestion !== '') {
    lines.push(indent(`Suggested: ${one.suggestion}`));
  }
  return [...lines, indent(`said by ${one.key}`), ''];
}

function inLine(text: string): string {
  return visible(text).replaceAll('\n', ' ');
}

/** What others wrote is indented: no line of it can pose as one of ours (X56). */
function indent(text: string): string {
  return visible(text).split('\n').map((line) => `   ${line}`).join('\n');
}

/** How the run went, step by step. */
export function summaryReport(run: Run): string {
  const { head } = run;
  const lines = [`# ${firstLine(head.workflow)}: ${inLine(stateOf(run))}`, '', indent(head.task), ''];
  if (head.reason !== '') {
    lines.push(indent(head.reason), '');
  }
  for (const [role, agent] of Object.entries(run.roles)) {
    lines.push(`- ${inLine(role)}: ${inLine(agent)}`);
  }
  lines.push('', ...tree(run, '', 0), '');
  const open = run.openFindings;
  lines.push(open === 0 ? 'No finding is open.' : open === 1 ? '1 finding is open.' : `${open} findings are open.`);
  lines.push('', inLine(`Run ${head.runId} in ${head.folder}, begun ${head.began}, ${words(head.status)}.`), '');
  return lines.join('\n');
}

function tree(run: Run, id: string, depth: number): string[] {
  return (run.children.get(id) ?? []).flatMap((below) => {
    const node = run.nodes.get(below);
    if (node === undefined) {
      return [];
    }
    const { label, description } = nodeItem(run, node);
    const own = `${'  '.repeat(depth)}- ${inLine(label)}${description === '' ? '' : `: ${inLine(description)}`}`;
    return [own, ...tree(run, below, depth + 1)];
  });
}
