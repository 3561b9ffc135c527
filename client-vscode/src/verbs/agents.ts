/** Who plays which role: asked role by role, the usual one first. */

import * as vscode from 'vscode';

import { Commands, type AgentsResult } from '../protocol';
import type { Run } from '../runs/store';
import type { Connection } from '../server/connection';
import { refusedOf } from '../server/refused';
import { cut, neutral, visible } from '../text';
import type { Performer } from './perform';
import { pick, type Choice } from './steps';

const { t } = vscode.l10n;

/** New agents for roles of a run; undefined when the user gave up, or nothing was changed. */
export async function askAgents(
  connection: Connection, performer: Performer, run: Run,
): Promise<Readonly<Record<string, string>> | undefined> {
  let known: AgentsResult;
  try {
    known = await connection.command<AgentsResult>(Commands.agentsList);
  } catch (error) {
    await performer.tell(refusedOf(error));
    return undefined;
  }
  const roles = Object.entries(run.roles);
  const chosen: Record<string, string> = {};
  for (let at = 0; at < roles.length; ) {
    const [role = '', now = ''] = roles[at] ?? [];
    const choices = known.agents.map((one): Choice<string> => ({
      label: cut(visible(one.name), 60),
      description: [one.kind, one.name === now ? t('as now') : ''].filter((part) => part !== '').join(' · '),
      detail: neutral(one.problem, 150),
      value: one.name,
    }));
    const place = { title: t('Reconfigure Agents'), step: at + 1, total: roles.length };
    const answer = await pick(place, t('Who plays {0}?', neutral(role)), choices, chosen[role] ?? now);
    if (answer.kind === 'end') {
      return undefined;
    }
    if (answer.kind === 'value') {
      chosen[role] = answer.value;
    }
    at += answer.kind === 'back' ? -1 : 1;
  }
  const changed = roles.filter(([role, now]) => chosen[role] !== now).map(([role]) => [role, chosen[role] ?? ''] as const);
  if (changed.length === 0) {
    void vscode.window.showInformationMessage(t('Nothing was changed.'));
    return undefined;
  }
  return Object.fromEntries(changed);
}
