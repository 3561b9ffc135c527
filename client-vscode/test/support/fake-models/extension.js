// A provider of language models for tests in the extension host: it says what the last message asks it to.
const vscode = require('vscode');

/** What the provider was asked, for the test, which is in the same process. */
const asked = (globalThis.swFakeModels = []);

function info(id, toolCalling) {
  return { id, name: `Fake ${id}`, family: 'fake', version: '1', maxInputTokens: 1000, maxOutputTokens: 1000, capabilities: { toolCalling } };
}

async function respond(model, messages, options, progress, token) {
  asked.push({ model: model.id, messages, options, token });
  const parts = messages.at(-1).content;
  const text = parts.filter((part) => part instanceof vscode.LanguageModelTextPart).map((part) => part.value).join('');
  if (text === 'quota') {
    throw Object.assign(new Error('No more today'), { name: 'ChatQuotaExceeded' });
  }
  if (text === 'blocked') {
    throw vscode.LanguageModelError.Blocked('Not you');
  }
  progress.report(new vscode.LanguageModelTextPart('I '));
  if (text === 'hang') {
    await new Promise(() => undefined);
  }
  progress.report(new vscode.LanguageModelTextPart('read. '));
  const tool = options.tools?.find((one) => one.name === 'read_file');
  if (tool !== undefined && !parts.some((part) => part instanceof vscode.LanguageModelToolResultPart)) {
    progress.report(new vscode.LanguageModelToolCallPart('c1', tool.name, { path: 'a.py' }));
  }
  progress.report(new vscode.LanguageModelTextPart('Done.'));
}

exports.activate = (context) => {
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('sw-fake', {
    provideLanguageModelChatInformation: () => [info('plain', false), info('able', true)],
    provideLanguageModelChatResponse: respond,
    provideTokenCount: (_model, text) => Promise.resolve(typeof text === 'string' ? text.length : 1),
  }));
};
