"""What our tools take, in the words that agents read. The texts and schemas are constants (faults.md X59)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, TypeAlias, cast

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from sprintwright.engine.ports import Tool
from sprintwright.model.value import Json

MOST_CHOICES = 20
MOST_LINKS = 100
_MOST_SHOWN = 5


class Arguments(BaseModel):
    """Arguments of one call. What is not known is left out: agents add what they like."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


_Name = Annotated[str, Field(description="Name of the artifact, such as `notes.md`; no folders.")]
_Severity = Annotated[
    str,
    # Other words, such as `major`, are understood, too.
    Field(description="How bad it is.", json_schema_extra={"enum": ["error", "warning", "info", "hint"]}),
]


class GiveVerdict(Arguments):
    """Give your verdict on what you reviewed. The last call counts."""

    verdict: str = Field(description="The verdict, one of the keys that you were told.")


class ReportFinding(Arguments):
    """Report one remark about a place in the folder, or about the whole. Call it once for each remark."""

    message: str = Field(description="What is wrong, or worth knowing, in a sentence or two.")
    severity: _Severity = "warning"
    path: str = Field(default="", description="File, relative to the folder; empty for a remark about the whole.")
    line: int = Field(default=0, description="Line, from 1; 0 when it is not known.")
    column: int = Field(default=0, description="Column, from 1; 0 when it is not known.")
    end_line: int = Field(default=0, description="Last line, when the place is more than one.")
    snippet: str = Field(default="", description="The text of that line: it finds the place again after edits.")
    suggestion: str = Field(default="", description="What to do about it.")
    code: str = Field(default="", description="Name of the rule that is broken, if it has one.")


class AskUser(Arguments):
    """Ask the user one question and wait for the answer. Ask only what you cannot find out or decide yourself."""

    question: str = Field(description="The question, with all that is needed to answer it.")
    choices: tuple[str, ...] = Field(
        default=(), max_length=MOST_CHOICES, description="Answers to choose from; none for a free answer."
    )


class SaveArtifact(Arguments):
    """Save a text for later turns of this run. Saving under the same name makes a new version."""

    name: _Name
    content: str = Field(description="The whole text.")


class LoadArtifact(Arguments):
    """Read the latest version of an artifact of this run."""

    name: _Name


class ListArtifacts(Arguments):
    """List the artifacts of this run, with their sizes."""


class ExitLoop(Arguments):
    """End the loop that you are in: its goal is met. This pass is finished as usual, and no other follows."""


class FinishWorkflow(Arguments):
    """Report the outcome of the whole workflow. The last call counts; it ends nothing by itself."""

    summary: str = Field(
        description="What was achieved, in one to three sentences.",
        validation_alias=AliasChoices("summary", "description"),
    )
    links: tuple[str, ...] = Field(
        default=(),
        max_length=MOST_LINKS,
        description="Every pull request, issue or other link that came of it.",
        validation_alias=AliasChoices("links", "artifacts"),
    )


MODELS: Mapping[Tool, type[Arguments]] = {
    "give_verdict": GiveVerdict,
    "report_finding": ReportFinding,
    "ask_user": AskUser,
    "save_artifact": SaveArtifact,
    "load_artifact": LoadArtifact,
    "list_artifacts": ListArtifacts,
    "exit_loop": ExitLoop,
    "finish_workflow": FinishWorkflow,
}
Schema: TypeAlias = "dict[str, Json]"


@cache
def schemas() -> Mapping[Tool, tuple[str, Schema]]:
    """Description and JSON Schema of each tool; always the same. Built at first use: most commands offer none."""
    return {name: ((model.__doc__ or "").strip(), _plain(model.model_json_schema())) for name, model in MODELS.items()}


def schema_for(tool: Tool, verdicts: tuple[str, ...]) -> tuple[str, Schema]:
    """What an agent is shown of a tool: the constant, and for `give_verdict` the keys that this turn may give."""
    words, schema = schemas()[tool]
    if tool != "give_verdict" or not verdicts:
        return words, schema
    properties = cast("dict[str, dict[str, Json]]", schema["properties"])
    keys = cast("Json", list(verdicts))
    return words, {**schema, "properties": cast("Json", {"verdict": {**properties["verdict"], "enum": keys}})}


def read_arguments(tool: Tool, arguments: Mapping[str, Json]) -> Arguments | str:
    """The arguments, or a sentence for the agent that says what is wrong with them."""
    try:
        return MODELS[tool].model_validate(arguments)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        wrong = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found[:_MOST_SHOWN]]
        return f"{tool} was not called right. {'; '.join(wrong)}."


def _plain(schema: dict[str, Any]) -> Schema:
    """A schema without what only programs of ours would read."""
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    kept: dict[str, Json] = {}
    for name, one in properties.items():
        kept[name] = {word: value for word, value in one.items() if word != "title"}
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"type": "object", "properties": kept, **required}
