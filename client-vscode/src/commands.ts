/** The palette, and every other way in: each command works from nothing, or says what is missing. None throws. */

import * as vscode from 'vscode';

import { copyDiagnostics, runDoctor, selectAgents, setUp } from './care';
import { fixAll, fixFile, goToFinding } from './findings';
import { line } from './log';
import { element, hasName, hasRunId, isWorkflow, type Parts } from './parts';
import { Commands, type Outcome } from './protocol';
import { filterRuns, openNode, showPlan, showTranscript } from './runs/open';
import { refusedOf } from './server/refused';
import { copyWorkflow, newWorkflow, openWorkflow } from './workflows/files';

const { t } = vscode.l10n;

type Handler = (given?: unknown) => Promise<void>;

/** Commands that start, change or show runs: refused without trust, in code, by whatever way they come (X2). */
export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { verbs, starter, questions, documents, performer } = parts;
  const verb: Record<string, Handler> = {
    startWorkflow: async (given) => {
      await starter.start(isWorkflow(given) ? { workflow: given.workflow.name } : {});
    },
    runWorkflow: async (given) => {
      await starter.start(hasName(given) ? { workflow: given.name } : {});
    },
    runDemo: () => runDemo(parts),
    resumeRun: (given) => verbs.resume(element(given)),
    continueRun: (given) => verbs.continue(element(given)),
    answerQuestion: async (given) => {
      const run = await verbs.asking(element(given));
      if (run !== undefined) {
        await questions.answer(run);
      }
    },
    sayToRun: (given) => verbs.say(element(given)),
    pauseRun: (given) => verbs.pause(element(given)),
    endRun: (given) => verbs.end(element(given)),
    cancelRun: (given) => verbs.cancel(element(given)),
    reconfigureAgents: (given) => verbs.reconfigure(element(given)),
    rerunFromHere: (given) => verbs.rerun(element(given)),
    restoreFiles: (given) => verbs.restore(element(given)),
    deleteRun: (given) => verbs.delete(element(given)),
    showChanges: (given) => verbs.showChanges(element(given)),
    showPlan: (given) => showPlan(parts, element(given)),
    showFindings: async (given) => {
      const run = await verbs.any(element(given), t('Findings of which run?'));
      if (run !== undefined) {
        await documents.showFindings(run.head.runId);
      }
    },
    openFindings: async (given) => {
      if (hasRunId(given)) {
        await documents.showFindings(given.runId);
      }
    },
    showSummary: async (given) => {
      const run = await verbs.any(element(given), t('Summary of which run?'));
      if (run !== undefined) {
        await documents.showSummary(run.head.runId);
      }
    },
    showTranscript: (given) => showTranscript(parts, element(given)),
    openNode: (given) => openNode(parts, element(given)),
    copyNode: async (given) => {
      const one = element(given);
      if (one !== undefined) {
        await vscode.env.clipboard.writeText(one.id === '' ? one.runId : one.id);
      }
    },
    fixAllFindings: () => fixAll(parts),
    'finding.fixFile': (given) => fixFile(parts, given),
    nextFinding: () => goToFinding(parts, 1),
    previousFinding: () => goToFinding(parts, -1),
    filterRuns: () => filterRuns(parts),
    stopWaiting: () => {
      parts.server.giveUp();
      return Promise.resolve();
    },
    refresh: () => parts.list(),
    selectAgents: () => selectAgents(parts),
    runDoctor: () => runDoctor(parts),
    newWorkflow: () => newWorkflow(parts),
    copyWorkflow: (given) => copyWorkflow(parts, given),
    openWorkflow: async (given) => {
      if (isWorkflow(given)) {
        await openWorkflow(given);
      }
    },
  };
  const always: Record<string, Handler> = {
    validateWorkflow: async () => {
      await vscode.commands.executeCommand('workbench.actions.view.problems');
    },
    showLog: () => {
      parts.log.show();
      return Promise.resolve();
    },
    copyDiagnostics: () => copyDiagnostics(parts),
    restartServer: () => parts.server.restart(),
    setUp: () => setUp(parts),
    choosePython: async () => {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'sprintwright.python');
    },
  };
  const refuse: Handler = () => performer.tell(refusedOf({
    message: t('This workspace is not trusted, so Sprintwright starts, shows and changes no runs in it.'),
    data: { code: 'untrusted' },
  }));
  const guarded = (handler: Handler): Handler => (given) => (vscode.workspace.isTrusted ? handler(given) : refuse());
  return [
    ...Object.entries(verb).map(([name, handler]) => register(parts, name, guarded(handler))),
    ...Object.entries(always).map(([name, handler]) => register(parts, name, handler)),
  ];
}

async function runDemo(parts: Parts): Promise<void> {
  const outcome = await parts.performer.perform<Outcome>(Commands.demoStart, {});
  if (outcome !== undefined) {
    await parts.reveal(outcome.runId);
  }
}

function register(parts: Parts, name: string, handler: Handler): vscode.Disposable {
  return vscode.commands.registerCommand(`sprintwright.${name}`, async (given?: unknown) => {
    try {
      await handler(given);
    } catch (error) {
      const refused = refusedOf(error);
      parts.log.error(line(`${name}: ${refused.message}`));
      await parts.performer.tell(refused);
    }
  });
}
