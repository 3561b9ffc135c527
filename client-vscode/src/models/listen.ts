/** The server's requests to models, and what they are answered with on the wire. */

import type * as vscode from 'vscode';
import { LSPErrorCodes, ProgressType, ResponseError, type LanguageClient } from 'vscode-languageclient/node';

import { Requests, type ModelParams, type ModelPart, type ModelRefusalData, type ModelResult } from '../protocol';
import { Cancelled } from './cancelling';
import type { Models } from './models';
import { refusalOf } from './refusals';

const PART = new ProgressType<ModelPart>();

export function listenForModels(client: LanguageClient, models: Models): void {
  client.onRequest(Requests.languageModel, async (params: ModelParams, token: vscode.CancellationToken): Promise<ModelResult | ResponseError<ModelRefusalData>> => {
    try {
      return await models.answer(params, token, (part) => client.sendProgress(PART, params.partialResultToken, part));
    } catch (error) {
      return errorOf(error);
    }
  });
}

function errorOf(error: unknown): ResponseError<ModelRefusalData> {
  if (error instanceof Cancelled) {
    return new ResponseError(LSPErrorCodes.RequestCancelled, 'The request was cancelled.');
  }
  const { reason, code, message } = refusalOf(error);
  return new ResponseError(LSPErrorCodes.RequestFailed, message, { reason, code });
}
