"""R57: what is recorded may differ from what was answered; the live run goes on with the same value as a resumed one."""

from __future__ import annotations

import dataclasses
import unicodedata

import pytest

from sprintwright.engine.ports import TurnRequest
from sprintwright.engine.run import Run
from sprintwright.journal.blobs import inline
from sprintwright.journal.line import decode, encode
from sprintwright.journal.memory import InMemoryJournal
from sprintwright.model.records import Record
from sprintwright.secrets import Masker
from tests.unit.engine.support import JUDGE, Bench, define, turn

SECRET = "hunter2-of-this-test"
MASK = Masker({"MY_API_KEY": SECRET}).mask


class Masked(Bench):
    """A bench that masks a secret, and whose loaded records were on a disk."""

    def make(self) -> Run:
        blobs: dict[str, str] = {}
        written: list[Record] = []
        for record in self.records:
            line, texts = encode(record)
            blobs.update({name: data.decode() for name, data in texts.items()})
            written.append(decode(line))
        run = super().make()
        self.journal = InMemoryJournal(written, lambda value: inline(value, blobs.__getitem__))
        ports = dataclasses.replace(run.ports, journal=self.journal, mask=MASK)
        return Run(self.definition, self.started, ports, run.history.load(written))


@pytest.mark.parametrize(
    "said",
    [
        f"remarks\nVERDICT: good {SECRET}",
        f"remarks\nVERDICT: {SECRET}",
        f"{SECRET}\nVERDICT: good",
        "x" * 300_000 + "\nVERDICT: good",
        "ü" * 200_000 + "\nVERDICT: again",
        unicodedata.normalize("NFD", "Äußerst schön\nVERDICT: good"),
        "half \ud800 a sign\r\n\x00\x1b[31mVERDICT: good\x1b[0m",
    ],
    ids=[
        "secret behind the verdict",
        "secret in its place",
        "secret before it",
        "300 kB",
        "blob",
        "NFD",
        "not storable",
    ],
)
def test_r057_live_and_resumed_runs_go_on_with_the_recorded_value(said: str) -> None:
    def script(request: TurnRequest) -> str:
        return said if request.key.endswith("judge") else f"by {request.key}"

    loop = {
        "id": "l", "kind": "loop", "max_iterations": 2, "on_exhausted": "continue",
        "body": [turn("judge", save_as="said", verdict=JUDGE), turn("use", "{{said}}")],
    }  # fmt: skip
    bench = Masked(define(loop, turn("last", "{{said}}")), script)
    end = bench.run()
    prompts = {request.key: request.prompt for request in bench.agents.requests}
    assert SECRET not in str(prompts) and MASK(SECRET) != SECRET
    for cut in range(1, len(bench.records)):
        again = Masked(bench.definition, script, records=bench.records[:cut])
        assert (again.run().status, again.left()) == (end.status, bench.left())
        assert {request.key: request.prompt for request in again.agents.requests}.items() <= prompts.items()
