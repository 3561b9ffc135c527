/** Between the wire's messages and VS Code's. */

import * as vscode from 'vscode';

import type { ModelMessage, ModelMessagePart, ModelPart } from '../protocol';
import { partClasses, type PartClasses, type Response } from './api';
import { noTools } from './refusals';

/**
 * Messages as VS Code takes them. Those of texts only are plain strings, which all versions take.
 *
 * @throws ModelRefusal tool calls are among them, and this version has none.
 */
export function messagesOf(messages: readonly ModelMessage[]): vscode.LanguageModelChatMessage[] {
  const classes = partClasses();
  return messages.map(({ role, parts }) => {
    const as = role === 'assistant' ? vscode.LanguageModelChatMessageRole.Assistant : vscode.LanguageModelChatMessageRole.User;
    if (parts.every((part) => part.kind === 'text')) {
      return new vscode.LanguageModelChatMessage(as, parts.map((part) => part.text ?? '').join(''));
    }
    if (classes === undefined) {
      throw noTools();
    }
    // The types of 1.90 know strings only.
    return new vscode.LanguageModelChatMessage(as, parts.map((part) => asPart(part, classes)) as unknown as string);
  });
}

function asPart({ kind, text = '', callId = '', name = '', input = {}, isError = false }: ModelMessagePart, classes: PartClasses): object {
  switch (kind) {
    case 'text':
      return new classes.LanguageModelTextPart(text);
    case 'toolCall':
      return new classes.LanguageModelToolCallPart(callId, name, input);
    case 'toolResult': {
      // VS Code's public parts have no sign for an error: it is in the words.
      const said = isError && !/^\W*error/i.test(text) ? `Error: ${text}` : text;
      return new classes.LanguageModelToolResultPart(callId, [new classes.LanguageModelTextPart(said)]);
    }
  }
}

/** What a model says, piece by piece; what is neither text nor a tool call (thoughts, pictures) is left out. */
export async function* piecesOf(response: Response): AsyncGenerator<ModelPart> {
  const classes = partClasses();
  const { stream } = response;
  if (stream === undefined || classes === undefined) {
    for await (const text of response.text) {
      if (text !== '') {
        yield { kind: 'text', text };
      }
    }
    return;
  }
  for await (const one of stream) {
    if (one instanceof classes.LanguageModelTextPart) {
      if (one.value !== '') {
        yield { kind: 'text', text: one.value };
      }
    } else if (one instanceof classes.LanguageModelToolCallPart) {
      yield { kind: 'toolCall', callId: one.callId, name: one.name, input: one.input ?? {} };
    }
  }
}

/** What is counted of a part. */
export function countable({ kind, text = '', name = '', input = {} }: ModelMessagePart): string {
  return kind === 'toolCall' ? `${name} ${JSON.stringify(input)}` : text;
}
