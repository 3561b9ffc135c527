/** Where our client differs from the library's: features for workflow files only, findings apart, progress in our view. */

import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

import { fixFileAction } from './findings';

const DEFINITION = /[/\\]\.?sprintwright[/\\]workflows[/\\][^/\\]+\.(ya?ml|json)$/;

/** Whether a document is a workflow file: only for those is the server asked for language features. */
export function isDefinition(document: vscode.TextDocument): boolean {
  return DEFINITION.test(document.uri.path);
}

/** A finding where it is shown. */
export interface ShownFinding {
  readonly runId: string;
  readonly finding: string;
  readonly message: string;
  /** From 1. */
  readonly line: number;
}

function isFindingData(data: unknown): data is { readonly runId: string; readonly finding: string } {
  return typeof data === 'object' && data !== null && 'runId' in data && typeof data.runId === 'string'
    && 'finding' in data && typeof data.finding === 'string';
}

/** The two kinds of diagnostics, so that one can be cleared alone. */
export class Diagnostics implements vscode.Disposable {
  private readonly findings = vscode.languages.createDiagnosticCollection('sprintwright');
  private readonly definitions = vscode.languages.createDiagnosticCollection('sprintwright-definition');

  set(uri: vscode.Uri, all: readonly vscode.Diagnostic[]): void {
    const isFinding = (one: vscode.Diagnostic): boolean => one.source === 'sprintwright';
    this.findings.set(uri, all.filter(isFinding));
    this.definitions.set(uri, all.filter((one) => !isFinding(one)));
  }

  /** All findings that are shown, by file and place. */
  list(): { readonly uri: vscode.Uri; readonly range: vscode.Range }[] {
    const found: { uri: vscode.Uri; range: vscode.Range }[] = [];
    this.findings.forEach((uri, all) => {
      all.forEach((one) => found.push({ uri, range: one.range }));
    });
    return found.sort((a, b) => a.uri.path.localeCompare(b.uri.path) || a.range.start.compareTo(b.range.start));
  }

  /** The findings that are shown in a file, as the commands for findings take them. */
  inFile(uri: vscode.Uri): ShownFinding[] {
    return (this.findings.get(uri) ?? []).flatMap((one) => {
      const { data } = one as { readonly data?: unknown };
      return isFindingData(data) ? [{ runId: data.runId, finding: data.finding, message: one.message, line: one.range.start.line + 1 }] : [];
    });
  }

  clear(): void {
    this.findings.clear();
    this.definitions.clear();
  }

  dispose(): void {
    this.findings.dispose();
    this.definitions.dispose();
  }
}

/**
 * @param command does a command of the server's that a code action or another extension asked for.
 */
export function middleware(
  diagnostics: Diagnostics, command: (name: string, argument: unknown) => Promise<unknown>,
): Middleware {
  return {
    handleDiagnostics: (uri, all) => {
      diagnostics.set(uri, all);
    },
    // Long runs belong into the view, not into a notification that stands for hours.
    handleWorkDoneProgress: () => undefined,
    executeCommand: (name, given) => command(name, (given as unknown[])[0]),
    provideCompletionItem: (document, position, context, token, next) =>
      isDefinition(document) ? next(document, position, context, token) : undefined,
    provideHover: (document, position, token, next) => (isDefinition(document) ? next(document, position, token) : undefined),
    provideDefinition: (document, position, token, next) =>
      isDefinition(document) ? next(document, position, token) : undefined,
    provideReferences: (document, position, options, token, next) =>
      isDefinition(document) ? next(document, position, options, token) : undefined,
    provideDocumentSymbols: (document, token, next) => (isDefinition(document) ? next(document, token) : undefined),
    provideCodeLenses: (document, token, next) => (isDefinition(document) ? next(document, token) : undefined),
    provideRenameEdits: (document, position, name, token, next) =>
      isDefinition(document) ? next(document, position, name, token) : undefined,
    prepareRename: (document, position, token, next) =>
      isDefinition(document) ? next(document, position, token) : Promise.reject(new Error(vscode.l10n.t('Nothing of a workflow is here.'))),
    provideCodeActions: async (document, range, context, token, next) => {
      const about = context.diagnostics.filter((one) => one.source === 'sprintwright');
      if (!isDefinition(document) && about.length === 0) {
        return undefined;
      }
      const actions = await next(document, range, context, token);
      return [...(actions ?? []), ...fixFileAction(document.uri, about, diagnostics.inFile(document.uri).length)];
    },
  };
}
