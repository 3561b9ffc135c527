"""A user of Neovim: the real editor, headless, with docs/neovim.lua as it is, and the real server. Driven over its own RPC."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.support import SECONDS, is_alive
from tests.support.terminal import PROGRAM, Place

CONFIGURATION = Path(__file__).parents[2] / "docs" / "neovim.lua"
INIT = """
vim.g.sprintwright_cmd = { %(program)s }
vim.g.sprintwright_trusted = { %(trusted)s }
dofile(%(configuration)s)

Progress = {} -- what $/progress said
local default = vim.lsp.handlers["$/progress"]
vim.lsp.handlers["$/progress"] = function(problem, params, ...)
  table.insert(Progress, params.value)
  return default(problem, params, ...)
end
vim.ui.select = function(items, options, choose) -- the user, who takes the item that begins with Choice
  for _, item in ipairs(items) do
    if vim.startswith((options.format_item or tostring)(item), Choice) then return choose(item) end
  end
end
function Tell(look) -- writes what it finds, once it does; beside all else, so that keys and messages go on as ever
  local timer = vim.loop.new_timer()
  timer:start(0, 10, vim.schedule_wrap(function()
    local found = not timer:is_closing() and look()
    if found then
      timer:close()
      io.stdout:write(vim.json.encode(found), "\\n")
      io.stdout:flush()
    end
  end))
end
"""
STORY = """
name: story
roles: [builder, judge]
stages:
  - {id: which, kind: user_checkpoint, prompt: "Which database?\\nBoth would do.", save_as: database}
  - id: rounds
    kind: loop
    max_iterations: 2
    iteration_var: pass
    body:
      - {id: build, kind: agent_turn, role: builder, prompt: "{{task}}: {{database}}"}
      - id: judge
        kind: agent_turn
        role: judge
        prompt: Judge.
        verdict: {good_to_go: {action: break}, needs_work: {action: retry}, unknown: {action: retry}}
"""
LONG = "name: long\nroles: [w]\nstages:\n  - {id: wait, kind: agent_turn, role: w, prompt: go}\n"


class Neovim:
    """The editor with one file open. What is asked of it is Lua; values come back as JSON."""

    def __init__(self, place: Place, init: Path, *files: str) -> None:
        self._address = str(place.base / "nvim")
        self._log = place.base / "nvim.log"
        argv = ["nvim", "--headless", "--clean", "-u", str(init), "--listen", self._address]
        argv += ["-c", "lua Tell(function() return 'up' end)", *files]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                argv, cwd=place.project, env=place.environment(), bufsize=0, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.pid = self._process.pid

    def comes_up(self) -> bool:
        """Wait until it has read its configuration; whether it took it without a word."""
        return self._told() == "up" and not self._log.read_bytes()

    def lua(self, expression: str) -> Any:
        """The value of an expression."""
        return json.loads(self._ask(f"vim.json.encode({expression})"))

    def wait_for(self, expression: str) -> Any:
        """Its value as soon as it is neither nil nor false."""
        self._ask(f"Tell(function() return {expression} end)")
        found = self._told()
        assert found is not None, f"{expression}: never; {self.messages()}; {self._log.read_text()[-2000:]}"
        return found

    def _told(self) -> Any:
        said = self._process.stdout
        assert said is not None
        return json.loads(said.readline() or "null") if select.select([said], [], [], SECONDS)[0] else None

    def _ask(self, expression: str) -> str:
        quoted = expression.replace("'", "''")
        argv = ["nvim", "--server", self._address, "--remote-expr", f"luaeval('{quoted}')"]
        asked = subprocess.run(argv, capture_output=True, text=True, timeout=SECONDS * 2)
        assert asked.returncode == 0, asked.stderr
        return asked.stdout or asked.stderr

    def type(self, keys: str) -> None:
        """As if it was typed."""
        argv = ["nvim", "--server", self._address, "--remote-send", keys]
        subprocess.run(argv, capture_output=True, timeout=SECONDS)  # when it quits, this has no good end

    def messages(self) -> str:
        """All that it has told its user and kept."""
        return self.lua("vim.fn.execute('messages')")

    def children(self) -> list[int]:
        """The programs that it started."""
        return [int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    def exit_code(self) -> int:
        """Wait until it has quit."""
        return self._process.wait(SECONDS)

    def close(self) -> None:
        """End it, whatever it does."""
        for child in self.children() if self._process.poll() is None else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, 9)
        self._process.kill()
        self._process.wait(SECONDS)
        if self._process.stdout is not None:
            self._process.stdout.close()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A folder with a workflow in which each step of the story waits for the one before it."""
    script: dict[str, list[dict[str, Any]]] = {
        "rounds[1]/build": [{"text": "built"}],
        "rounds[1]/judge": [{"text": "app.py:2: error: not good yet\napp.py:3: warning: dull\nVERDICT: needs_work"}],
        "rounds[2]/build": [{"text": "built", "wait_for": str(tmp_path / "go")}],
        "rounds[2]/judge": [{"text": "app.py:3: warning: dull\nVERDICT: good_to_go"}],
        "wait": [{"hang": True}, {"text": "done"}],
    }
    place = Place(tmp_path, script)
    place.define("story", STORY)
    place.define("long", LONG)
    (place.project / "app.py").write_text("import os\nprint(1)\nprint(2)\n")
    return place


@contextlib.contextmanager
def opened(place: Place, trusted: Path) -> Generator[Neovim]:
    """Neovim, with the file open that the findings are about, and one folder that its user trusts."""
    if shutil.which("nvim") is None:
        pytest.skip("Neovim is not installed (Debian: apt-get install neovim), so docs/neovim.lua is not tried.")
    init = place.base / "init.lua"
    program = ", ".join(map(json.dumps, (*PROGRAM, "lsp")))
    told = {"program": program, "trusted": json.dumps(str(trusted)), "configuration": json.dumps(str(CONFIGURATION))}
    init.write_text(INIT % told)
    with contextlib.closing(Neovim(place, init, "app.py")) as neovim:
        assert neovim.comes_up(), (place.base / "nvim.log").read_text()
        yield neovim


def test_a_user_of_neovim_starts_answers_and_judges_a_run_and_quits_within_one(place: Place) -> None:
    with opened(place, trusted=place.base) as neovim:
        assert not neovim.children()  # no server without a command, where there is no .sprintwright
        tells_what_is_wrong(neovim)
        neovim.type(":SprintwrightRun story Make it quick<CR>")
        asks_and_is_answered(place, neovim)
        shows_findings_and_dismisses_one(neovim)
        (place.base / "go").touch()
        neovim.wait_for("vim.fn.execute('messages'):find('the run is completed, open findings: 1', 1, true)")
        shows_progress(neovim)
        helps_with_a_workflow_file(place, neovim)
        leaves_nothing_behind(place, neovim)


@pytest.mark.exhaustive
@pytest.mark.parametrize("named", ["elsewhere", "proj"])
def test_x001_neovim_starts_nothing_in_a_folder_that_its_user_did_not_name(place: Place, named: str) -> None:
    with opened(place, trusted=place.base / named) as neovim:  # the beginning of a name is another name
        neovim.type(":SprintwrightRun long x<CR>")
        neovim.wait_for("vim.fn.execute('messages'):find('put this folder in vim.g.sprintwright_trusted', 1, true)")
        assert not place.prompts() and not (place.project / ".sprintwright").exists()


def tells_what_is_wrong(neovim: Neovim) -> None:
    """Errors are words that a user understands; a wrong workflow names the known ones."""
    neovim.type(":SprintwrightRun nosuch Make it quick<CR>")
    neovim.wait_for("vim.fn.execute('messages'):find(\"There is no workflow 'nosuch'\", 1, true)")
    assert "'story'" in neovim.messages() and "{" not in neovim.messages()
    neovim.type(":SprintwrightAnswer x<CR>")
    neovim.wait_for("vim.fn.execute('messages'):find('nothing is asked', 1, true)")


def asks_and_is_answered(place: Place, neovim: Neovim) -> None:
    """The question is told in one line, and the answer reaches the next agent."""
    neovim.wait_for("vim.fn.execute('messages'):find('asks (:SprintwrightAnswer): Which database? Both', 1, true)")
    neovim.type(':SprintwrightAnswer Use "SQLite"<CR>')
    neovim.wait_for("vim.diagnostic.get(0)[1]")
    assert place.prompts()[0]["prompt"] == 'Make it quick: Use "SQLite"'


def shows_findings_and_dismisses_one(neovim: Neovim) -> None:
    """Each finding stands at its line, and is gone from there when it is dismissed."""
    found = [(one["lnum"], one["message"], one["severity"]) for one in neovim.lua("vim.diagnostic.get(0)")]
    assert found == [(1, "not good yet", 1), (2, "dull", 2)]
    neovim.lua("vim.fn.cursor(2, 1)")
    neovim.type(":lua Choice = 'Dismiss this finding'; vim.lsp.buf.code_action()<CR>")
    left = neovim.wait_for("#vim.diagnostic.get(0) == 1 and vim.diagnostic.get(0)")
    assert [one["message"] for one in left] == ["dull"]


def shows_progress(neovim: Neovim) -> None:
    """The run's progress has a beginning, says where it is, and has an end."""
    neovim.wait_for("Progress[#Progress].kind == 'end'")
    progress = neovim.lua("Progress")
    assert progress[0]["kind"] == "begin" and progress[0]["title"] == "story: Make it quick"
    assert {"waits for your answer", "pass 2 · builder"} <= {one["message"] for one in progress[1:-1]}
    assert {one["kind"] for one in progress[1:-1]} == {"report"} and progress[-1]["message"] == "completed"
    assert "builder" not in neovim.messages()  # where a run is comes and goes in the last line; it is not kept


def helps_with_a_workflow_file(place: Place, neovim: Neovim) -> None:
    """A workflow file that is edited shows its problems and completes keys."""
    path = place.project / ".sprintwright" / "workflows" / "mine.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("name: mine\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: x, prompt: go}\n")
    neovim.type(f":edit {path}<CR>")
    problem = neovim.wait_for("vim.diagnostic.get(0)[1]")
    assert problem["lnum"] == 3 and problem["source"] == "sprintwright-definition" and "'x'" in problem["message"]
    neovim.type("Go  - id: b<CR>ki<C-X><C-O>")
    neovim.wait_for("vim.api.nvim_get_current_line():find('kind: *$')")
    neovim.type("<Esc>:edit! app.py<CR>")


def leaves_nothing_behind(place: Place, neovim: Neovim) -> None:
    """Quitting ends the server and the agents, and the run can be gone on with."""
    neovim.type(":SprintwrightRun long x<CR>")
    neovim.wait_for(f'vim.fn.join(vim.fn.readfile([[{place.counts}]])):find([["wait"]], 1, true)')
    agent, [server] = place.prompts()[-1]["pid"], neovim.children()
    assert is_alive(agent) and b"lsp" in Path(f"/proc/{server}/cmdline").read_bytes()
    neovim.type(":qa!<CR>")
    assert neovim.exit_code() == 0
    assert not is_alive(server) and not is_alive(agent)
    resumed = place.call("resume", "--interrupted", "redo")
    assert resumed.returncode == 0 and place.turns()["wait"] == 2, resumed.stderr
