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
}

export class CancellationTokenSource {
  readonly token = { isCancellationRequested: false };

  cancel(): void {
    this.token.isCancellationRequested = true;
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
  registerTextDocumentContentProvider: (): { dispose(): void } => ({ dispose: () => undefined }),
};

export class CodeAction {
  diagnostics: unknown;
  command: unknown;

  constructor(readonly title: string, readonly kind: unknown) {}
}

export const CodeActionKind = { QuickFix: 'quickfix' };
