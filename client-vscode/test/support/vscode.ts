/**
 * As much of VS Code as our own logic needs, without VS Code: `vi.mock('vscode', () => import('../support/vscode'))`.
 *
 * What is shown to the user is kept in `shown`; what the user chooses comes from `answers`, in its order; none is Escape.
 */

export interface Shown {
  readonly kind: string;
  readonly message: string;
  readonly items: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly token?: CancellationToken | undefined;
}

/** An answer: a button or a label, or a function that finds it. */
type Answer = string | ((shown: Shown) => unknown);

export const shown: Shown[] = [];
export const answers: Answer[] = [];
export const executed: unknown[][] = [];

export function reset(): void {
  shown.length = 0;
  answers.length = 0;
  executed.length = 0;
}

function labelOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'label' in item ? item.label : item;
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

async function respond(one: Shown): Promise<unknown> {
  shown.push(one);
  const answer = answers.shift();
  const value = typeof answer === 'function' ? await answer(one) : answer;
  return typeof value === 'string' && one.kind !== 'input' ? one.items.find((item) => labelOf(item) === value) : value;
}

function message(kind: string): (text: string, ...more: unknown[]) => Promise<unknown> {
  return (text, ...more) => {
    const [first] = more;
    const hasOptions = typeof first === 'object' && first !== null && !('title' in first);
    const options = hasOptions ? (first as Record<string, unknown>) : {};
    return respond({ kind, message: text, items: hasOptions ? more.slice(1) : more, options });
  };
}

export const window = {
  activeTextEditor: undefined as unknown,
  showInformationMessage: message('information'),
  showWarningMessage: message('warning'),
  showErrorMessage: message('error'),
  showQuickPick: (items: readonly unknown[], options: Record<string, unknown> = {}, token?: CancellationToken) =>
    respond({ kind: 'pick', message: wordsOf(options['placeHolder'] ?? options['title']), items, options, token }),
  showInputBox: (options: Record<string, unknown> = {}, token?: CancellationToken) =>
    respond({ kind: 'input', message: wordsOf(options['prompt']), items: [], options, token }),
};

export const commands = {
  executeCommand: (...given: unknown[]): Promise<void> => {
    executed.push(given);
    return Promise.resolve();
  },
};

export const l10n = {
  t: (text: string, ...values: readonly unknown[]): string => text.replace(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)])),
};

export class EventEmitter<T> {
  private readonly listeners = new Set<(value: T) => void>();

  readonly event = (listener: (value: T) => void): { dispose(): void } => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };

  fire(value: T): void {
    this.listeners.forEach((listener) => {
      listener(value);
    });
  }

  dispose(): void {
    this.listeners.clear();
  }
}

export interface CancellationToken {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: (listener: () => void) => { dispose(): void };
}

export class CancellationTokenSource {
  private readonly cancelled = new EventEmitter<undefined>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: (listener: () => void) => this.cancelled.event(listener) };

  cancel(): void {
    if (!this.token.isCancellationRequested) {
      this.token.isCancellationRequested = true;
      this.cancelled.fire(undefined);
    }
  }

  dispose(): void {
    // nothing is held
  }
}

export class TreeItem {
  constructor(readonly label: string, readonly collapsibleState?: number) {}
}

export class ThemeIcon {
  constructor(readonly id: string, readonly color?: ThemeColor) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };

/** As much of an address as a test needs. */
export class Uri {
  constructor(readonly path: string, readonly scheme = 'file', readonly query = '') {}

  static from({ scheme, path, query = '' }: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(path, scheme, query);
  }

  static file(path: string): Uri {
    return new Uri(path);
  }

  static joinPath(base: Uri, ...parts: string[]): Uri {
    return new Uri([base.path, ...parts].join('/'), base.scheme);
  }
}

export const workspace = {
  ['isTrusted']: true,
  registerTextDocumentContentProvider: (): { dispose(): void } => ({ dispose: () => undefined }),
};

export class CodeAction {
  diagnostics: unknown;
  command: unknown;

  constructor(readonly title: string, readonly kind: unknown) {}
}

export const CodeActionKind = { QuickFix: 'quickfix' };

export const version = '1.90.0';

/** Language models: `support/models.ts` scripts them. */
export const lm: { selectChatModels: (selector: Readonly<Record<string, string>>) => Promise<unknown[]> } = {
  selectChatModels: () => Promise.resolve([]),
};

export const LanguageModelChatMessageRole = { User: 1, Assistant: 2 };

export class LanguageModelChatMessage {
  constructor(readonly role: number, readonly content: unknown) {}
}

export class LanguageModelError extends Error {
  static NotFound(message?: string): LanguageModelError {
    return new LanguageModelError(message, 'NotFound');
  }

  static NoPermissions(message?: string): LanguageModelError {
    return new LanguageModelError(message, 'NoPermissions');
  }

  static Blocked(message?: string): LanguageModelError {
    return new LanguageModelError(message, 'Blocked');
  }

  constructor(message = '', readonly code = '', cause?: Error) {
    super(message, { cause });
    this.name = 'LanguageModelError';
  }
}

class TextPart {
  constructor(readonly value: string) {}
}

class ToolCallPart {
  constructor(readonly callId: string, readonly name: string, readonly input: object | undefined) {}
}

class ToolResultPart {
  constructor(readonly callId: string, readonly content: readonly TextPart[]) {}
}

// Not there in 1.90, which has messages of texts only.
export let LanguageModelTextPart: typeof TextPart | undefined = TextPart;
export let LanguageModelToolCallPart: typeof ToolCallPart | undefined = ToolCallPart;
export let LanguageModelToolResultPart: typeof ToolResultPart | undefined = ToolResultPart;

/** Whether models know parts and tools, as they do since 1.95. */
export function setParts(there: boolean): void {
  LanguageModelTextPart = there ? TextPart : undefined;
  LanguageModelToolCallPart = there ? ToolCallPart : undefined;
  LanguageModelToolResultPart = there ? ToolResultPart : undefined;
}

export const parts = { TextPart, ToolCallPart, ToolResultPart };
