"""Whole pieces to begin with: a workflow, and a stage of each kind. They are snippets."""

from __future__ import annotations

from sprintwright.language.docs import stage_models

WORKFLOW = """\
name: ${1:my-workflow}
title: ${2:What it is for}
roles:
  builder: {description: Builds., permissions: workspace_write\\}
  reviewer: {description: Judges., permissions: read_only\\}
stages:
  - id: rounds
    kind: loop
    max_iterations: 3
    iteration_var: pass
    body:
      - id: build
        kind: agent_turn
        role: builder
        save_as: account
        prompt: |-
          You are the builder, pass {{pass\\}\\}. Do this in the folder: {{task\\}\\}
          {{- if gt pass 1\\}\\}
          Mend what the reviewer found: {{remarks\\}\\}
          {{- end\\}\\}
      - id: review
        kind: agent_turn
        role: reviewer
        save_as: remarks
        prompt: |-
          You are the reviewer. Change no files. Asked for: {{task\\}\\}
          The builder says: {{account\\}\\}
          The last line of your answer is one of these two, alone:
          VERDICT: good_to_go
          VERDICT: needs_refinement
        verdict:
          good_to_go: {action: break\\}
          needs_refinement: {action: retry\\}
          unknown: {action: retry, warn: true\\}
$0"""

JSON_WORKFLOW = """\
{
  "name": "${1:my-workflow}",
  "roles": {"builder": {"permissions": "workspace_write"\\}\\},
  "stages": [
    {"id": "build", "kind": "agent_turn", "role": "builder", "prompt": "Do this in the folder: {{task\\}\\}$0"\\}
  ]
\\}
"""

_STAGES = {
    "agent_turn": "id: ${1:work}\nkind: agent_turn\nrole: ${2:builder}\nprompt: |-\n  $0",
    "check": "id: ${1:tests}\nkind: check\ncommands: [[${2:python3, -m, pytest, -q}]]\nsave_as: ${3:tested}$0",
    "loop": "id: ${1:rounds}\nkind: loop\nmax_iterations: ${2:3}\niteration_var: ${3:pass}\nbody:\n  - $0",
    "parallel_group": "id: ${1:items}\nkind: parallel_group\nover: ${2:Item}\nfrom: ${3:plan}\n"
    "save_as: ${4:results}\nbody:\n  - $0",
    "user_checkpoint": "id: ${1:approval}\nkind: user_checkpoint\nprompt: ${2:Is this good?}\nsave_as: ${3:answer}$0",
    "board_seed": "id: ${1:board}\nkind: board_seed\nover: ${2:Item}\nfrom: ${3:plan}$0",
}
_FLOW = {
    "agent_turn": "{id: ${1:work}, kind: agent_turn, role: ${2:builder}, prompt: '$0'\\}",
    "check": "{id: ${1:tests}, kind: check, commands: [[${2:python3, -m, pytest, -q}]]$0\\}",
    "loop": "{id: ${1:rounds}, kind: loop, max_iterations: ${2:3}, body: [$0]\\}",
    "parallel_group": "{id: ${1:items}, kind: parallel_group, over: ${2:Item}, from: ${3:plan}, body: [$0]\\}",
    "user_checkpoint": "{id: ${1:approval}, kind: user_checkpoint, prompt: '${2:Is this good?}'$0\\}",
    "board_seed": "{id: ${1:board}, kind: board_seed, over: ${2:Item}, from: ${3:plan}$0\\}",
}


def stage_skeletons(deeper: str) -> dict[str, str]:
    """The beginning of a stage by kind, its lines but the first indented by ``deeper``."""
    return {kind: _STAGES[kind].replace("\n", "\n" + deeper) for kind in stage_models() if kind in _STAGES}


def flow_skeletons(*, json: bool) -> dict[str, str]:
    """The beginning of a stage by kind on one line."""
    if json:
        return {kind: f'{{"id": "$1", "kind": "{kind}"$0\\}}' for kind in stage_models()}
    return {kind: _FLOW[kind] for kind in stage_models() if kind in _FLOW}
