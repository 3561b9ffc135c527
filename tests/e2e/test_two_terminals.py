"""Two programs answer the same question of a live run at once, through its real socket: one counts, one is told."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from sprintwright.app import owners
from sprintwright.app.compose import make_world, settings_of
from sprintwright.app.live import LiveRun
from sprintwright.app.places import Places
from sprintwright.app.start import StartRequest, start
from sprintwright.engine.ports import Answer, Question
from tests.support.terminal import Place

ROUNDS = 100


class Thinking:
    """Somebody at the owner's terminal who never comes to an answer."""

    async def ask(self, question: Question) -> Answer | None:
        await asyncio.Event().wait()
        return None


def both_answer(places: Places, run_id: str, key: str) -> list[dict[str, Any]]:
    barrier, replies = threading.Barrier(2), list[dict[str, Any]]()

    def answer(text: str) -> None:
        barrier.wait()
        reply = owners.send(places, run_id, {"verb": "answer", "question": key, "text": text})
        replies.append({"text": text, **(reply or {})})

    threads = [threading.Thread(target=answer, args=(word,)) for word in ("red", "blue")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return replies


@pytest.mark.slow
def test_r089_in_a_hundred_rounds_exactly_one_of_two_answers_counts_and_the_other_is_told(tmp_path: Path) -> None:
    place = Place(tmp_path)
    stages = "".join(
        f"  - {{id: q{n}, kind: user_checkpoint, prompt: 'Which {n}?', save_as: a{n}}}\n" for n in range(ROUNDS)
    )
    place.define("many", f"name: many\nroles: [w]\nstages:\n{stages}")
    environment = place.environment()
    places = Places.of(environment)

    async def play() -> None:
        told: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

        def told_of(kind: str, key: str) -> None:
            if kind in ("started", "finished"):
                told.put_nowait((kind, key))

        world = make_world(
            environment, place.project, settings_of(environment, place.project), Thinking(),
            on_record=lambda record, _d, _s: told_of(record.payload.kind, record.key),
        )  # fmt: skip
        live = await start(StartRequest("many", "x", place.project), world, settings_of(environment, place.project))
        assert isinstance(live, LiveRun)
        for number in range(ROUNDS):
            assert await told.get() == ("started", f"q{number}")
            replies = await asyncio.to_thread(both_answer, places, live.place.run_id, f"q{number}")
            (refused,) = [reply for reply in replies if not reply["ok"]]
            assert refused["code"] == "no_question" and "already answered" in refused["message"]
            counted = next(reply["text"] for reply in replies if reply["ok"])
            assert await told.get() == ("finished", f"q{number}")
            assert live.state.nodes[f"q{number}"].detail == f"answered: {counted}"
        await live.wait()
        assert live.state.status == "completed"

    asyncio.run(play())
