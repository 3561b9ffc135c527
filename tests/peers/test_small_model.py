"""Turns with a real small model, SmolLM2 behind llama.cpp's own server.

What a model of this size says means nothing; that its stream arrives in pieces, is counted and recorded does.
"""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from sprintwright.agents.config import ModelAgentConfig
from sprintwright.errors import Operational
from tests.peers.agents import PYDANTIC
from tests.peers.case import ONE_STAGE, Case
from tests.support.fake_llm import FakeModel
from tests.unit.agents.model_case import ModelCase

QUESTION = "What is the capital of France? Answer in one sentence."


@pytest.fixture
def smollm() -> Generator[str]:
    """Where the model is served, without a path."""
    python = PYDANTIC.path()
    if python is None:
        pytest.skip("the small model is not installed; `make test-peers` installs it")
    program = Path(__file__).with_name("small_model.py")
    with subprocess.Popen(
        [python, program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = next((line.split()[1] for line in server.stdout if line.startswith("READY")), "")
            if not address and server.wait(10) == -signal.SIGILL:
                pytest.skip("the small model's server does not run on this processor")
            assert address, "it did not start"
            yield address.rstrip("/")
        finally:
            server.kill()


@pytest.fixture
async def case(tmp_path: Path) -> AsyncGenerator[ModelCase]:
    with FakeModel() as model:
        made = ModelCase(tmp_path, model)
        yield made
        await made.close()


def test_b127_a_real_agent_in_front_of_a_real_model_takes_a_turn_of_a_run(tmp_path: Path, smollm: str) -> None:
    real = Case(tmp_path)
    agents = {"worker": PYDANTIC.config(tmp_path / "home", smollm)}
    real.configure(agents=agents, roles={"worker": "worker"})
    real.define("one", ONE_STAGE.format(permissions="read_only"))
    done = real.call("run", "one", QUESTION)
    assert done.returncode == 0, done.stdout + done.stderr
    assert real.notes() == ""
    work, shown = real.results()["work"], real.show()
    assert shown["status"] == "completed" and work["text"]
    assert work["usage"]["input_tokens"] > 10 and work["usage"]["output_tokens"] > 0
    transcript = next((real.project / ".sprintwright" / "runs").glob("*/transcripts/*"))
    lines = list(map(json.loads, transcript.read_text(encoding="utf-8").splitlines()))
    pieces = [line["text"] for line in lines if line["stream"] == "text"]
    assert len(pieces) > 1 and "".join(pieces).strip() == work["text"]
    assert [line["text"] for line in lines if line["stream"] == "prompt"] == [QUESTION]
    assert real.alive() == []


async def test_a_real_model_takes_a_turn_in_pieces_goes_on_and_is_cut_off_at_its_limit(
    smollm: str, case: ModelCase
) -> None:
    config = ModelAgentConfig(
        kind="model", provider="llama.cpp", base_url=f"{smollm}/v1", model="smollm2", temperature=0, max_tokens=400
    )
    first = await case.turn(QUESTION, permissions="read_only", config=config)
    pieces = [text for stream, text in case.desk.said if stream == "text"]
    assert len(pieces) > 2 and "".join(pieces).strip() == first.text
    assert first.usage is not None and first.usage.input_tokens > 100 and first.usage.output_tokens >= len(pieces) - 1
    second = await case.turn("And of Italy?", session=first.session, permissions="read_only", config=config)
    assert second.usage is not None and second.usage.input_tokens > first.usage.input_tokens
    short = config.model_copy(update={"max_tokens": 3})
    with pytest.raises(Operational, match="limit of tokens") as caught:
        await case.turn("Write a long story.", permissions="read_only", config=short)
    assert caught.value.cause == "truncated"
