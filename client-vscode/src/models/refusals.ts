/** Why a model did not answer: in words for the user, and by the wire's reasons (docs/protocol.md). */

import * as vscode from 'vscode';

import type { ModelReason } from '../protocol';
import { firstLine } from '../text';
import { TOOLS_SINCE, type Model } from './api';

const { t } = vscode.l10n;

/** A request that a model did not answer. `code` is VS Code's own, where it gave one. */
export class ModelRefusal extends Error {
  constructor(
    readonly reason: ModelReason,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Signs by which providers say more than VS Code's codes do: names of errors first, then their words. */
const SIGNS: readonly (readonly [ModelReason, RegExp])[] = [
  ['offTopic', /off[ _-]?topic/i],
  ['quotaExceeded', /quota|premium requests?|insufficient (credits?|funds)|payment required|\b402\b/i],
  ['rateLimited', /rate[ _-]?limit|too many requests|\b429\b/i],
];

const WORDS: Readonly<Record<Exclude<ModelReason, 'other' | 'notSignedIn'>, (model: string) => string>> = {
  notFound: (model) => t('The model {0} is not there any more. Choose another one for this agent.', model),
  noPermissions: (model) => t('Sprintwright may not use the model {0}. Allow it with the command “Manage Language Model Access” (menu Accounts), or when you are asked.', model),
  blocked: (model) => t('The provider of the model {0} blocked the request.', model),
  offTopic: (model) => t('The model {0} took the request for off-topic: this one answers questions about programming only.', model),
  quotaExceeded: (model) => t('Your quota for the model {0} is used up. Wait until it is renewed, or choose another model for this agent.', model),
  rateLimited: (model) => t('The model {0} was asked too often just now. Go on later.', model),
};

/** Any error of a request as a refusal. */
export function refusalOf(error: unknown, model?: Model): ModelRefusal {
  if (error instanceof ModelRefusal) {
    return error;
  }
  const name = model === undefined ? t('of the editor') : nameOf(model);
  const said = firstLine(error instanceof Error ? error.message : String(error), 500);
  const reason = reasonOf(error);
  const words = reason === 'other' || reason === 'notSignedIn' ? t('The model {0} failed.', name) : WORDS[reason](name);
  return new ModelRefusal(reason, codeOf(error), said === '' ? words : t('{0} It says: {1}', words, said));
}

/** The error's own code, as `NoPermissions`; of errors without one their name. */
export function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' && error.code !== '') {
    return error.code;
  }
  return error instanceof Error && error.name !== 'Error' ? error.name : '';
}

function reasonOf(error: unknown): ModelReason {
  switch (codeOf(error)) {
    case vscode.LanguageModelError.NotFound.name:
      return 'notFound';
    case vscode.LanguageModelError.NoPermissions.name:
      return 'noPermissions';
    case vscode.LanguageModelError.Blocked.name:
      return signOf(error) ?? 'blocked';
    default:
      return signOf(error) ?? 'other';
  }
}

/** What the error, or one that caused it, says of itself. */
function signOf(error: unknown): ModelReason | undefined {
  const said: string[] = [];
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth += 1) {
    said.push(one.name, codeOf(one), one.message);
  }
  return SIGNS.find(([, sign]) => said.some((text) => sign.test(text)))?.[0];
}

/** No model at all: nobody is signed in. */
export function notSignedIn(): ModelRefusal {
  return new ModelRefusal('notSignedIn', '', t(
    'VS Code has no language model. Sign in to a provider of models, such as GitHub Copilot: menu Accounts, or the command “Chat: Manage Language Models”. Then go on with the run.',
  ));
}

/** No model that fits, among others. */
export function noneFits(selector: Readonly<Record<string, string>>, there: readonly Model[]): ModelRefusal {
  const wanted = Object.entries(selector).map(([field, value]) => `${field} ${value}`).join(', ');
  const names = [...new Set(there.map((one) => `${one.vendor}/${one.id}`))];
  const more = names.length > 12 ? ', …' : '';
  return new ModelRefusal('notFound', '', t(
    'No language model of VS Code fits {0}. There are: {1}.', firstLine(wanted, 200), `${firstLine(names.slice(0, 12).join(', '), 600)}${more}`,
  ));
}

/** Models are not given to extensions here. As the next two no fault that passes: `other` would be tried again. */
export function noModels(): ModelRefusal {
  return new ModelRefusal('notFound', '', t('This editor (version {0}) gives extensions no language models.', vscode.version));
}

/** Tools are wanted, and VS Code is too old for them. */
export function noTools(): ModelRefusal {
  return new ModelRefusal('notFound', '', t(
    'In this VS Code (version {0}) models can’t call tools, which this agent needs. Update VS Code to {1} or newer, or choose an agent of another kind.',
    vscode.version, TOOLS_SINCE,
  ));
}

/** Tools are wanted, and the model has said that it calls none. */
export function callsNoTools(model: Model): ModelRefusal {
  return new ModelRefusal('notFound', '', t('The model {0} can’t call tools, which this agent needs. Choose another model for it.', nameOf(model)));
}

/** The user did not say yes. */
export function notAllowed(model: Model): ModelRefusal {
  return new ModelRefusal('noPermissions', vscode.LanguageModelError.NoPermissions.name, t(
    'You did not allow Sprintwright to use the model {0}. Go on with the run to be asked again, or choose another agent.', nameOf(model),
  ));
}

/** Nothing is asked for in Restricted Mode. */
export function notTrusted(): ModelRefusal {
  return new ModelRefusal('noPermissions', '', t('This folder is not trusted: no model is asked.'));
}

export function nameOf(model: Model): string {
  return firstLine(model.name === '' ? model.id : model.name, 80);
}
