/**
 * As much of VS Code's language models as we use. What came after 1.90 (parts of messages, tools) may not be there: the
 * types of 1.90 do not know it, so it is looked for by name.
 */

import * as vscode from 'vscode';

export interface Model {
  readonly id: string;
  readonly vendor: string;
  readonly family: string;
  readonly name: string;
  readonly version: string;
  readonly maxInputTokens: number;
  /** Said by newer versions only. */
  readonly capabilities?: { readonly supportsToolCalling?: boolean };
  sendRequest(messages: readonly vscode.LanguageModelChatMessage[], options: object, token: vscode.CancellationToken): Thenable<Response>;
  countTokens(text: string, token: vscode.CancellationToken): Thenable<number>;
}

export interface Response {
  readonly text: AsyncIterable<string>;
  /** Texts, tool calls, and what we do not know; since 1.95. */
  readonly stream?: AsyncIterable<unknown>;
}

interface TextPart {
  readonly value: string;
}

interface ToolCallPart {
  readonly callId: string;
  readonly name: string;
  /** Some providers leave it out where a tool takes nothing. */
  readonly input: object | undefined;
}

export interface PartClasses {
  readonly LanguageModelTextPart: new (value: string) => TextPart;
  readonly LanguageModelToolCallPart: new (callId: string, name: string, input: object) => ToolCallPart;
  readonly LanguageModelToolResultPart: new (callId: string, content: readonly TextPart[]) => object;
}

/** The version from which models call tools. */
export const TOOLS_SINCE = '1.95';

/** Whether extensions are given models here at all. */
export function hasModels(): boolean {
  const { lm } = vscode as { readonly lm?: Partial<typeof vscode.lm> };
  return typeof lm?.selectChatModels === 'function';
}

/** Undefined where messages are texts only, and no tool is called. */
export function partClasses(): PartClasses | undefined {
  const found = vscode as unknown as Partial<PartClasses>;
  const { LanguageModelTextPart: text, LanguageModelToolCallPart: call, LanguageModelToolResultPart: result } = found;
  return text !== undefined && call !== undefined && result !== undefined
    ? { LanguageModelTextPart: text, LanguageModelToolCallPart: call, LanguageModelToolResultPart: result }
    : undefined;
}

/** Models that fit, in VS Code's order. An empty selector fits all. */
export function selectModels(selector: vscode.LanguageModelChatSelector): Thenable<readonly Model[]> {
  return vscode.lm.selectChatModels(selector);
}
