/** The tree *Workflows*: definitions by origin, with their roles and problems. */

import * as vscode from 'vscode';

import type { Origin, Workflow } from '../protocol';
import { cut, neutral, visible } from '../text';

const { t } = vscode.l10n;

type Part =
  | { readonly kind: 'origin'; readonly origin: Origin }
  | { readonly kind: 'workflow'; readonly workflow: Workflow }
  | { readonly kind: 'role'; readonly workflow: Workflow; readonly index: number }
  | { readonly kind: 'problem'; readonly workflow: Workflow; readonly index: number };

export type WorkflowElement = Part;

const ORIGINS: readonly Origin[] = ['workspace', 'user', 'builtin'];

export class WorkflowsView implements vscode.TreeDataProvider<Part>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private workflows: readonly Workflow[] = [];

  dispose(): void {
    this.changed.dispose();
  }

  set(workflows: readonly Workflow[]): void {
    this.workflows = workflows;
    this.changed.fire(undefined);
  }

  getChildren(part?: Part): Part[] {
    if (part === undefined) {
      return ORIGINS.filter((origin) => this.workflows.some((one) => one.origin === origin)).map((origin) => ({ kind: 'origin', origin }));
    }
    switch (part.kind) {
      case 'origin':
        return this.workflows.filter((one) => one.origin === part.origin).map((workflow) => ({ kind: 'workflow', workflow }));
      case 'workflow': {
        const { workflow } = part;
        return [
          ...workflow.problems.map((_, index): Part => ({ kind: 'problem', workflow, index })),
          ...workflow.roles.map((_, index): Part => ({ kind: 'role', workflow, index })),
        ];
      }
      default:
        return [];
    }
  }

  getTreeItem(part: Part): vscode.TreeItem {
    switch (part.kind) {
      case 'origin': return originItem(part.origin);
      case 'workflow': return workflowItem(part.workflow);
      case 'role': return roleItem(part.workflow, part.index);
      case 'problem': return problemItem(part.workflow, part.index);
    }
  }
}

function originItem(origin: Origin): vscode.TreeItem {
  const names: Readonly<Record<Origin, string>> = {
    workspace: t('This Folder'), user: t('Yours'), builtin: t('Built In'),
  };
  const item = new vscode.TreeItem(names[origin], vscode.TreeItemCollapsibleState.Expanded);
  item.id = origin;
  item.contextValue = ';origin;';
  return item;
}

function workflowItem(workflow: Workflow): vscode.TreeItem {
  const item = new vscode.TreeItem(cut(visible(workflow.name), 60), vscode.TreeItemCollapsibleState.Collapsed);
  const isBroken = workflow.problems.some((one) => one.severity === 'error');
  const replaces = workflow.replaces === '' ? '' : t('in place of the built-in one');
  item.id = `${workflow.origin} ${workflow.folder} ${workflow.name}`;
  item.description = [isBroken ? t('has errors') : '', cut(visible(workflow.title), 80), replaces].filter((part) => part !== '').join(' · ');
  item.iconPath = new vscode.ThemeIcon(isBroken ? 'warning' : 'list-tree');
  item.contextValue = `;workflow;${workflow.origin};${isBroken ? 'broken' : 'whole'};`;
  item.tooltip = visible(workflow.description);
  item.accessibilityInformation = { label: neutral(`${workflow.name}, ${item.description}`) };
  item.command = { command: 'sprintwright.openWorkflow', title: t('Open'), arguments: [{ kind: 'workflow', workflow }] };
  return item;
}

function roleItem(workflow: Workflow, index: number): vscode.TreeItem {
  const role = workflow.roles[index];
  const item = new vscode.TreeItem(cut(visible(role?.name ?? ''), 60));
  item.id = `${workflow.origin} ${workflow.folder} ${workflow.name} role ${index}`;
  item.description = [role?.permissions === 'read_only' ? t('only reads') : t('may write'), cut(visible(role?.description ?? ''), 100)].filter((part) => part !== '').join(' · ');
  item.iconPath = new vscode.ThemeIcon('account');
  item.contextValue = ';role;';
  return item;
}

function problemItem(workflow: Workflow, index: number): vscode.TreeItem {
  const problem = workflow.problems[index];
  const item = new vscode.TreeItem(cut(visible(problem?.message ?? ''), 200));
  item.id = `${workflow.origin} ${workflow.folder} ${workflow.name} problem ${index}`;
  item.description = t('line {0}', (problem?.line ?? 0) + 1);
  item.iconPath = new vscode.ThemeIcon(problem?.severity === 'error' ? 'error' : 'info');
  item.contextValue = ';problem;';
  item.command = {
    command: 'sprintwright.openWorkflow', title: t('Open'), arguments: [{ kind: 'problem', workflow, index }],
  };
  return item;
}
