/**
 * The server's protocol (docs/protocol.md): names, and the shapes of what goes over the wire.
 *
 * `test/unit/protocol.test.ts` holds this file to the golden messages that the server's tests are held to.
 */

export const PROTOCOL = 1;

export const Commands = {
  workflowList: 'sprintwright.workflow.list',
  workflowCreate: 'sprintwright.workflow.create',
  workflowStart: 'sprintwright.workflow.start',
  workflowResume: 'sprintwright.workflow.resume',
  workflowEnd: 'sprintwright.workflow.end',
  runContinue: 'sprintwright.run.continue',
  runAnswer: 'sprintwright.run.answer',
  runSay: 'sprintwright.run.say',
  runPause: 'sprintwright.run.pause',
  runCancel: 'sprintwright.run.cancel',
  runReconfigure: 'sprintwright.run.reconfigure',
  runRerun: 'sprintwright.run.rerun',
  runRestore: 'sprintwright.run.restore',
  runDelete: 'sprintwright.run.delete',
  runList: 'sprintwright.run.list',
  runGet: 'sprintwright.run.get',
  runChanges: 'sprintwright.run.changes',
  runFileAt: 'sprintwright.run.fileAt',
  agentsList: 'sprintwright.agents.list',
  findingDismiss: 'sprintwright.finding.dismiss',
  findingFix: 'sprintwright.finding.fix',
  demoStart: 'sprintwright.demo.start',
} as const;

export const Notifications = {
  didChange: 'sprintwright/run/didChange',
  didDelete: 'sprintwright/run/didDelete',
  didOutput: 'sprintwright/run/didOutput',
} as const;

export const Requests = {
  question: 'sprintwright/question/ask',
  permission: 'sprintwright/permission/request',
  languageModel: 'sprintwright/languageModel/request',
} as const;

export type RunStatus =
  | 'running' | 'waiting' | 'paused' | 'interrupted' | 'cancelled' | 'failed'
  | 'not_converged' | 'terminal_ready' | 'completed' | 'unreadable';
export type NodeStatus =
  | 'not_started' | 'running' | 'waiting' | 'done' | 'skipped' | 'failed' | 'blocked' | 'interrupted' | 'cancelled';
export type NodeKind = 'stage' | 'loop' | 'group' | 'entry' | 'pass' | 'turn' | 'check' | 'question';
export type QuestionKind = 'checkpoint' | 'questions' | 'exhausted' | 'turn' | 'pause' | 'ask' | 'permission' | 'programs';
export type Owner = 'here' | 'elsewhere' | 'none';
export type Origin = 'builtin' | 'user' | 'workspace';
export type Effect =
  | 'started' | 'alreadyActive' | 'advanced' | 'blocked' | 'terminalNeedsArtifacts' | 'terminalReady'
  | 'closed' | 'endBlocked' | 'idle' | 'noOp';

export interface RunNode {
  readonly id: string;
  readonly parent: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly status: NodeStatus;
  readonly role: string;
  readonly agent: string;
  readonly verdict: string;
  readonly action: string;
  readonly findings: number;
  readonly since: string;
  readonly lastActivity: string;
  readonly waitingFor: string;
  readonly until: string;
  readonly seconds: number;
  readonly limit: number;
  readonly detail: string;
  readonly changed: string;
  readonly usage: Usage | null;
}

export interface Usage {
  readonly tokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly cost: number | null;
  readonly precision: 'exact' | 'lower_bound';
}

export interface Question {
  readonly key: string;
  readonly kind: QuestionKind;
  readonly text: string;
  readonly choices: readonly string[];
}

export interface Finding {
  readonly id: string;
  readonly number: number;
  readonly status: 'open' | 'fixed' | 'dismissed';
  readonly key: string;
  readonly severity: string;
  readonly message: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly code: string;
  readonly suggestion: string;
}

export interface RunHead {
  readonly runId: string;
  readonly folder: string;
  readonly workflow: string;
  readonly task: string;
  readonly status: RunStatus;
  readonly reason: string;
  readonly stage: string;
  readonly began: string;
  readonly lastActivity: string;
  readonly own: boolean;
  readonly owner: Owner;
}

export interface Gate {
  readonly file?: string;
  readonly status?: string;
  readonly reason?: string;
}

export interface RunResult extends RunHead {
  readonly revision: number;
  readonly code: string;
  readonly missing: string;
  readonly seconds: number;
  readonly turns: number;
  readonly roles: Readonly<Record<string, string>>;
  readonly nodes: readonly RunNode[];
  readonly gates: Readonly<Record<string, Gate>>;
  readonly questions: readonly Question[];
  readonly findings: readonly Finding[];
  readonly changedFiles: Readonly<Record<string, string>>;
  readonly changesUnknown: string;
  readonly notes: readonly string[];
  readonly usage: Usage | null;
  readonly usageByRole: Readonly<Record<string, Usage>>;
  readonly report: Report | null;
}

export interface Report {
  readonly summary: string;
  readonly links: readonly string[];
}

export interface RunsResult {
  readonly runs: readonly RunHead[];
  readonly more: boolean;
}

export interface DidChange {
  readonly runId: string;
  readonly folder: string;
  readonly revision: number;
  readonly base: number;
  readonly status: RunStatus;
  readonly reason: string;
  readonly owner: Owner;
  readonly turns: number;
  readonly openFindings: number;
  readonly questions: readonly Question[];
  readonly nodes: readonly RunNode[];
  readonly removed: readonly string[];
}

export interface DidDelete {
  readonly runId: string;
}

export interface DidOutput {
  readonly runId: string;
  readonly pieces: readonly { readonly key: string; readonly stream: string; readonly text: string }[];
  readonly dropped: number;
}

export interface Role {
  readonly name: string;
  readonly description: string;
  readonly permissions: string;
}

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly severity: string;
  readonly line: number;
  readonly column: number;
}

export interface Workflow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly origin: Origin;
  readonly replaces: string;
  readonly uri: string;
  readonly folder: string;
  readonly roles: readonly Role[];
  readonly vars: Readonly<Record<string, string>>;
  /** Stage after which there is a plan to read; empty where there is none, or the workflow pauses there anyway. */
  readonly reviewAfter: string;
  readonly problems: readonly Problem[];
}

export interface WorkflowsResult {
  readonly workflows: readonly Workflow[];
}

export interface WorkflowFile {
  readonly uri: string;
}

export interface Agent {
  readonly name: string;
  readonly kind: string;
  readonly origin: string;
  readonly description: string;
  readonly plays: readonly string[];
  readonly version: string;
  readonly problem: string;
}

export interface AgentsResult {
  readonly agents: readonly Agent[];
  readonly problems: readonly string[];
}

export interface Outcome {
  readonly effect: Effect;
  readonly runId: string;
  readonly phase: string;
  readonly step: number;
  readonly total: number;
  readonly missing: string;
  readonly reason: string;
  readonly skipped: string;
  readonly message: string;
}

export interface Preview {
  readonly runId: string;
  readonly again: readonly string[];
}

export interface Status {
  readonly runId: string;
  readonly status: RunStatus;
}

export interface Reconfigured extends Status {
  readonly roles: Readonly<Record<string, string>>;
}

export interface FileChange {
  readonly path: string;
  readonly status: string;
}

export interface Restore extends Status {
  readonly applied: boolean;
  readonly to: string;
  readonly changes: readonly FileChange[];
  readonly left: readonly string[];
  readonly conflicts: readonly string[];
  readonly undo: string;
}

export interface Changes {
  readonly runId: string;
  readonly leaf: string;
  /** Trees that `run.fileAt` takes; no `after`: the files as they are now. */
  readonly before: string;
  readonly after: string;
  readonly files: readonly FileChange[];
  readonly diff: string;
}

export interface FileAt {
  readonly runId: string;
  readonly tree: string;
  readonly path: string;
  readonly text: string;
}

export interface Deleted {
  readonly runId: string;
  readonly problems: readonly string[];
}

export interface AskParams {
  readonly runId: string;
  readonly workflow: string;
  readonly folder: string;
  readonly key: string;
  readonly kind: QuestionKind;
  readonly text: string;
  /** Role and agent, where an agent asks. */
  readonly by: string;
  readonly choices: readonly string[];
}

export type ModelReason =
  | 'notFound' | 'noPermissions' | 'blocked' | 'offTopic' | 'quotaExceeded' | 'rateLimited' | 'notSignedIn' | 'other';

/** What a model says: sent by `$/progress`, in order. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly callId: string; readonly name: string; readonly input: object };

/** A part of a message to a model; what is empty is not sent. */
export interface ModelMessagePart {
  readonly kind: 'text' | 'toolCall' | 'toolResult';
  readonly text?: string;
  readonly callId?: string;
  readonly name?: string;
  readonly input?: object;
  readonly isError?: boolean;
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly ModelMessagePart[];
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

export interface ModelParams {
  readonly runId: string;
  readonly agent: string;
  /** One line for the question whether the model may be used. */
  readonly title: string;
  /** All empty: the client's choice. */
  readonly model: { readonly vendor?: string; readonly family?: string; readonly id?: string };
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly partialResultToken: string;
}

export interface ModelFacts {
  readonly id: string;
  readonly vendor: string;
  readonly family: string;
  readonly name: string;
  readonly version: string;
  readonly maxInputTokens: number;
}

export interface ModelResult {
  readonly model: ModelFacts;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** `data` of the error by which a request is refused. */
export interface ModelRefusalData {
  readonly reason: ModelReason;
  /** VS Code's own, as `NoPermissions`; empty: it gave none. */
  readonly code: string;
}
