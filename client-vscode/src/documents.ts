/** Documents of ours: texts to read whole, reports and transcripts that follow their run. Read-only, plain text. */

import * as vscode from 'vscode';

import type { Run, RunStore } from './runs/store';
import { findingsReport, summaryReport } from './reports';
import { transcriptFile, transcriptText } from './transcripts';

export const SCHEME = 'sprintwright';

const MOST_TEXTS = 50;
const FOLLOW_MILLISECONDS = 700;

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly texts = new Map<string, string>();
  private readonly sizes = new Map<string, string>();
  private count = 0;
  private readonly timer: NodeJS.Timeout;
  private readonly stale = new Set<string>();
  private readonly registrations: { dispose(): void }[];

  constructor(
    private readonly store: RunStore,
    private readonly look: (runId: string) => Promise<Run | undefined>,
  ) {
    this.registrations = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      store.onDidChange((change) => this.stale.add(change.runId)),
    ];
    this.timer = setInterval(() => {
      void this.follow();
    }, FOLLOW_MILLISECONDS);
  }

  dispose(): void {
    clearInterval(this.timer);
    this.registrations.forEach((one) => {
      one.dispose();
    });
    this.changed.dispose();
  }

  /** Show a text to be read whole. */
  async showText(title: string, text: string, language = 'plaintext'): Promise<void> {
    this.count += 1;
    const extension = language === 'diff' ? 'diff' : 'txt';
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/text/${this.count}/${fileName(title)}.${extension}` });
    this.texts.set(uri.path, text);
    const [oldest] = this.texts.keys();
    if (this.texts.size > MOST_TEXTS && oldest !== undefined) {
      this.texts.delete(oldest);
    }
    await show(uri, language);
  }

  async showFindings(runId: string): Promise<void> {
    await show(runUri(runId, 'findings.md'), 'markdown');
  }

  async showSummary(runId: string): Promise<void> {
    await show(runUri(runId, 'summary.md'), 'markdown');
  }

  async showTranscript(runId: string, key: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/run/${runId}/transcript/${fileName(key)}.txt`, query: key });
    await show(uri, 'plaintext');
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const text = this.texts.get(uri.path);
    if (text !== undefined) {
      return text;
    }
    const [, kind, runId = '', what] = uri.path.split('/');
    if (kind !== 'run') {
      return vscode.l10n.t('This text is not kept any more.');
    }
    if (what === 'transcript') {
      return this.transcript(runId, uri.query);
    }
    const run = await this.look(runId);
    if (run === undefined) {
      return vscode.l10n.t('The run {0} is gone.', runId);
    }
    return what === 'findings.md' ? findingsReport(run) : summaryReport(run);
  }

  private async transcript(runId: string, key: string): Promise<string> {
    const run = this.store.get(runId);
    const file = run === undefined ? undefined : await transcriptFile(run.head.folder, runId, key);
    return file === undefined ? vscode.l10n.t('Nothing was written yet.') : transcriptText(file);
  }

  /** Read those anew that are open and not as they were. */
  private async follow(): Promise<void> {
    const stale = new Set(this.stale);
    this.stale.clear();
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme !== SCHEME) {
        continue;
      }
      const [, kind, runId = '', what] = uri.path.split('/');
      if (kind !== 'run') {
        continue;
      }
      const isStale = what === 'transcript' ? await this.grew(uri, runId) : stale.has(runId);
      if (isStale) {
        this.changed.fire(uri);
      }
    }
  }

  /** The folder is not watched: its files are looked at. */
  private async grew(uri: vscode.Uri, runId: string): Promise<boolean> {
    const folder = this.store.get(runId)?.head.folder;
    const file = folder === undefined ? undefined : await transcriptFile(folder, runId, uri.query);
    if (file === undefined) {
      return false;
    }
    const { size, mtime } = await vscode.workspace.fs.stat(vscode.Uri.file(file));
    const now = `${file} ${size} ${mtime}`;
    const before = this.sizes.get(uri.toString());
    this.sizes.set(uri.toString(), now);
    return before !== now;
  }
}

function runUri(runId: string, what: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/run/${runId}/${what}` });
}

async function show(uri: vscode.Uri, language: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.languages.setTextDocumentLanguage(document, language);
  await vscode.window.showTextDocument(document, { preview: true });
}

function fileName(title: string): string {
  return title.replace(/[^\p{L}\p{N}.-]+/gu, '-').slice(0, 60).replace(/^-+|-+$/g, '') || 'text';
}
