"""Every name of ours on the wire, once (design.md section 7); golden files tie the client's list to this one."""

from __future__ import annotations

PROTOCOL = 1
"""Number of this protocol; another one at the other end is refused in words, not half understood."""

WORKFLOW_LIST = "sprintwright.workflow.list"
WORKFLOW_CREATE = "sprintwright.workflow.create"
WORKFLOW_START = "sprintwright.workflow.start"
WORKFLOW_RESUME = "sprintwright.workflow.resume"
WORKFLOW_END = "sprintwright.workflow.end"
RUN_CONTINUE = "sprintwright.run.continue"
RUN_ANSWER = "sprintwright.run.answer"
RUN_SAY = "sprintwright.run.say"
RUN_PAUSE = "sprintwright.run.pause"
RUN_CANCEL = "sprintwright.run.cancel"
RUN_RECONFIGURE = "sprintwright.run.reconfigure"
RUN_RERUN = "sprintwright.run.rerun"
RUN_RESTORE = "sprintwright.run.restore"
RUN_DELETE = "sprintwright.run.delete"
RUN_LIST = "sprintwright.run.list"
RUN_GET = "sprintwright.run.get"
RUN_CHANGES = "sprintwright.run.changes"
RUN_FILE_AT = "sprintwright.run.fileAt"
AGENTS_LIST = "sprintwright.agents.list"
FINDING_DISMISS = "sprintwright.finding.dismiss"
FINDING_FIX = "sprintwright.finding.fix"
DEMO_START = "sprintwright.demo.start"

RUN_DID_CHANGE = "sprintwright/run/didChange"
RUN_DID_DELETE = "sprintwright/run/didDelete"
RUN_DID_OUTPUT = "sprintwright/run/didOutput"
QUESTION_ASK = "sprintwright/question/ask"
PERMISSION_REQUEST = "sprintwright/permission/request"
LANGUAGE_MODEL_REQUEST = "sprintwright/languageModel/request"

SECTION = "sprintwright"
"""What `workspace/configuration` is asked for."""
