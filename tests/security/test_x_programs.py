"""Programs, arguments, environment: rows X18 to X26 of the faults paper."""

import ast
import contextlib
import os
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.fake_llm import FakeModel
from tests.unit.agents.acp_case import Case, FakeDesk
from tests.unit.agents.model_case import KEY, ModelCase
from tests.unit.agents.test_cli_turn import RUNTIME, Stage, golden

from sprintwright.agents.acp.launch import launch_of
from sprintwright.agents.config import AcpAgentConfig
from sprintwright.engine.ports import Stream, ToolAnswer
from sprintwright.errors import Operational
from sprintwright.model.value import Json
from sprintwright.processes import child_environment, find_program, is_loader_name, run_process
from sprintwright.processes.windows import batch_refusal, find_on_windows

PACKAGE = Path(__file__).parents[2] / "server" / "sprintwright"


def plant(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\ntouch CANARY\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def test_x018_planted_programs_are_never_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, system = tmp_path / "w", tmp_path / "system"
    for planted in (workspace, workspace / "node_modules/.bin", workspace / ".venv/bin"):
        plant(planted, "git")
    real = plant(system, "git")
    monkeypatch.chdir(workspace)
    path = f".::node_modules/.bin:{workspace}:{workspace}/.venv/bin:{workspace}/../w:{system}"
    assert find_program("git", path=path, folder=workspace) == real


def test_x018_relative_entries_are_skipped_wherever_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path / "bin", "tool")
    plant(tmp_path, "tool")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Operational, match="not found"):
        find_program("tool", path=".::bin:./bin:../" + tmp_path.name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root enters every folder")
def test_x018_entries_that_cannot_be_entered_are_skipped(tmp_path: Path) -> None:
    plant(tmp_path / "locked", "tool")
    real = plant(tmp_path / "open", "tool")
    (tmp_path / "locked").chmod(0)
    assert find_program("tool", path=f"{tmp_path}/locked:{tmp_path}/open") == real
    (tmp_path / "locked").chmod(0o700)


def test_x018_links_into_and_out_of_the_workspace_do_not_help(tmp_path: Path) -> None:
    workspace, system = tmp_path / "w", tmp_path / "system"
    plant(workspace / "bin", "tool")
    system.mkdir()
    (system / "tool").symlink_to(workspace / "bin/tool")
    (workspace / "out").symlink_to(plant(tmp_path / "elsewhere", "other").parent)
    (tmp_path / "alias").symlink_to(workspace / "bin")
    for name, entry in (("tool", system), ("tool", tmp_path / "alias")):
        with pytest.raises(Operational, match="only inside the workspace"):
            find_program(name, path=str(entry), folder=workspace)


def test_x018_a_prefix_twin_of_the_workspace_is_not_inside_it(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    twin = plant(tmp_path / "app-tools", "tool")
    assert find_program("tool", path=str(twin.parent), folder=tmp_path / "app") == twin


def test_x018_a_program_named_by_its_path_is_meant(tmp_path: Path) -> None:
    program = plant(tmp_path / ".venv/bin", "pytest")
    assert find_program(".venv/bin/pytest", path="", folder=tmp_path) == program


FILES = {
    *(r"C:\w\git.exe", r"C:\tools\git.cmd", r"C:\tools\git", r"D:\real\git.exe", r"C:\a\agent", r"C:\a\agent.cmd"),
    *(r"C:\a\agent.ps1", r"C:\b\x.exe", r"C:\b\x.com", r"C:\b\x.bat"),
}


@pytest.mark.parametrize(
    ("name", "path", "found"),
    [
        ("git", r".;;tools;\tools;C:tools;C:\w;D:\real", r"D:\real\git.exe"),
        ("git", r"c:\W\.;C:\w\..\w\;D:\real", r"D:\real\git.exe"),
        ("git", r"C:\tools;D:\real", r"C:\tools\git.cmd"),
        ("git", r'"C:\tools"', r"C:\tools\git.cmd"),
        ("agent", r"C:\a", r"C:\a\agent.cmd"),
        ("x", r"C:\b", r"C:\b\x.exe"),
        ("x.com", r"C:\b", r"C:\b\x.com"),
        ("git", r"C:\w", None),
        (r"sub\git", r"C:\tools", None),
        ("C:git", r"C:\tools", None),
        ("", r"C:\tools", None),
    ],
)
def test_x019_b099_windows_look_up(name: str, path: str, found: str | None) -> None:
    assert find_on_windows(name, path, FILES.__contains__, folder=r"C:\w") == found


UNSAFE = ['"', "%PATH%", "a^b", "a&b", "a|b", "<a", ">a", "!a!", "(a", "a)", "a\nb", "a\rb", 'x" & calc "', "%CD:~,1%"]
SAFE = ["a", "a b", "--x=y", "/c", "a;b", "a,b", "é", "'", "`", "$x", "C:\\a\\", "*", "?", "~", "#", ""]


@pytest.mark.parametrize("program", [r"C:\a\x.cmd", r"C:\a\X.BAT", "C:\\a\\x.bat. ", r"C:\a\x.cmd."])
def test_x020_batch_files_get_no_argument_that_cmd_would_read(program: str) -> None:
    assert all(batch_refusal(program, ["ok", argument]) for argument in UNSAFE)
    assert not any(batch_refusal(program, [argument]) for argument in SAFE)
    assert not any(batch_refusal(r"C:\a\x.exe", [argument]) for argument in UNSAFE)


@pytest.mark.parametrize("text", ["--dangerously-skip-permissions", "-c core.sshCommand=x", "-oProxyCommand=x"])
def test_x021_an_agent_of_the_protocol_is_started_by_its_configured_words_alone(tmp_path: Path, text: str) -> None:
    config = AcpAgentConfig(kind="acp", command=("sh", "acp"), model=text, env={"A": text})
    launch = launch_of(text, config, {"PATH": "/bin"}, tmp_path)
    assert launch.argv == ("/bin/sh", "acp")


class Looking(FakeDesk):
    """While an agent is at work, reads the arguments of every process, and the secrets of our tools."""

    def __init__(self, runtime: Path) -> None:
        super().__init__()
        self._runtime = runtime
        self.seen, self.secrets = "", set[str]()

    def output(self, stream: Stream, text: str) -> None:
        self._look()
        super().output(stream, text)

    async def call(self, tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        self._look()
        return await super().call(tool, arguments)

    def _look(self) -> None:
        self.secrets |= {file.read_text().split("\n")[1] for file in self._runtime.glob("*.secret")}
        for arguments in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                self.seen += arguments.read_text("utf-8", "replace")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
async def test_x025_no_prompt_and_no_secret_is_an_argument_of_a_command_line(tmp_path: Path) -> None:
    stage, prompt = Stage(tmp_path), f"Prompt {uuid.uuid4()}"
    stage.desk = desk = Looking(RUNTIME)
    await stage.turn("claude", golden("claude-turn") | {"look": True}, tools=("give_verdict",), prompt=prompt)
    (call,) = stage.calls
    assert call["prompt"] == prompt and desk.secrets
    assert str(tmp_path) in call["seen"] and ".secret" in call["seen"]
    assert not [text for text in (prompt, *desk.secrets) if text in call["seen"] + desk.seen]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
async def test_x025_no_prompt_and_no_secret_is_an_argument_of_an_agent_of_the_protocol(tmp_path: Path) -> None:
    case, prompt = Case(tmp_path), f"Prompt {uuid.uuid4()}"
    case.desk = desk = Looking(case.runtime)
    await case.turn([["mcp", "give_verdict", {"verdict": "good_to_go"}]], tools=("give_verdict",), prompt=prompt)
    await case.pool.leave("r1")
    assert desk.calls and desk.secrets and "acp_agent.py" in desk.seen and "pipe.py" in desk.seen
    assert not [text for text in (prompt, *desk.secrets) if text in desk.seen]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
async def test_x025_no_prompt_no_key_and_no_secret_is_an_argument_of_a_model_agent(tmp_path: Path) -> None:
    with FakeModel() as model:
        case, prompt = ModelCase(tmp_path, model), f"Prompt {uuid.uuid4()}"
        case.desk = desk = Looking(case.runtime)
        model.script(
            {"tools": [("run_command", {"command": "true"}), ("give_verdict", {"verdict": "good_to_go"})]},
            {"text": "Done."},
        )
        await case.turn(prompt, tools=("give_verdict",))
        await case.close()
    assert desk.calls and desk.secrets and "main.py" in desk.seen
    assert prompt in str(case.bodies()) and KEY in str(model.requests)
    assert not [text for text in (prompt, KEY, *desk.secrets) if text in desk.seen]


def test_x022_no_shell_anywhere() -> None:
    banned = {"system", "popen", "create_subprocess_shell", "subprocess_shell", "getoutput", "getstatusoutput"}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                assert called not in banned, f"{path}:{node.lineno}"
                assert not any(keyword.arg == "shell" for keyword in node.keywords), f"{path}:{node.lineno}"


def test_x022_programs_are_started_in_one_place() -> None:
    starts = {"subprocess_exec", "create_subprocess_exec", "Popen", "posix_spawn", "execv", "execve", "spawnv"}
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if called in starts or "subprocess" in imported:
                found.add(str(path.relative_to(PACKAGE)))
    assert found == {"processes/child.py", "processes/ward.py"}


PASSED = {
    "PATH": "/usr/bin",
    "HOME": "/h",
    "LANG": "C.UTF-8",
    "LC_ALL": "C",
    "LC_CTYPE": "C",
    "TMPDIR": "/t",
    "XDG_CONFIG_HOME": "/x",
    "HTTP_PROXY": "p",
    "https_proxy": "p",
    "no_proxy": "n",
    "SSL_CERT_FILE": "c",
}
KEPT_BACK = [
    *("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "CLAUDECODE", "SSH_AUTH_SOCK"),
    *("LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PYTHONPATH", "PYTHONSTARTUP", "NODE_OPTIONS"),
    *("GIT_DIR", "GIT_SSH_COMMAND", "BASH_ENV", "ENV", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "VIRTUAL_ENV"),
    *("ELECTRON_RUN_AS_NODE", "BASH_FUNC_x%%", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "VSCODE_IPC_HOOK", "TMUX"),
]


def test_x023_b097_children_get_exactly_the_list() -> None:
    parent = PASSED | dict.fromkeys(KEPT_BACK, "x") | {"MY_SETTING": "m", "TERM": "xterm"}
    got = child_environment(parent, {"OPENAI_API_KEY": "its own"}, listed=["MY_SETTING"])
    assert got == PASSED | {"TERM": "dumb", "OPENAI_API_KEY": "its own", "MY_SETTING": "m"}


def test_x023_a_childs_path_has_absolute_entries_only() -> None:
    assert child_environment({"PATH": ".::bin:/usr/bin:../x:/bin"}, {})["PATH"] == "/usr/bin:/bin"


async def test_x023_a_real_child_sees_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("NODE_OPTIONS", "--require ./x.js")
    environment = child_environment(os.environ, {"ONE": "1"})
    done = await run_process([str(find_program("env"))], cwd=Path("/"), env=environment)
    assert dict(line.split("=", 1) for line in done.stdout.splitlines()) == environment


@pytest.mark.parametrize(
    "name",
    [
        *(
            "LD_PRELOAD",
            "ld_preload",
            "LD_AUDIT",
            "DYLD_INSERT_LIBRARIES",
            "PYTHONPATH",
            "PythonStartup",
            "NODE_OPTIONS",
        ),
        *("GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "BASH_ENV", "ENV", "PERL5LIB", "PERL5OPT", "RUBYOPT", "RUBYLIB"),
        *("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "ELECTRON_RUN_AS_NODE", "BASH_FUNC_ls%%", "PROMPT_COMMAND", "ZDOTDIR"),
    ],
)
def test_x024_names_that_load_code_are_refused(name: str) -> None:
    assert is_loader_name(name)
    with pytest.raises(Operational, match="load code"):
        child_environment({}, {name: "./x.so"})
    with pytest.raises(Operational, match="load code"):
        child_environment({name: "x"}, {}, listed=[name])


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "MY_ENV", "ENVIRONMENT", "CI", "OLD_PATH", "DIGIT_X", "BUILD_ID"])
def test_x024_other_names_are_allowed(name: str) -> None:
    assert child_environment({}, {name: "v"})[name] == "v"


async def test_x026_a_child_has_three_descriptors_and_no_terminal(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "print(sorted(os.listdir('/proc/self/fd'), key=int))\n"
        "try: os.open('/dev/tty', os.O_RDWR)\n"
        "except OSError: print('no terminal')\n"
        "print(os.getsid(0) == os.getpid())"
    )
    with (tmp_path / "journal").open("w") as journal:
        os.set_inheritable(journal.fileno(), True)
        done = await run_process([sys.executable, "-I", "-c", code], cwd=Path("/"), env={})
    assert done.stdout == "['0', '1', '2', '3']\nno terminal\nTrue\n"  # 3 is the listing itself


async def test_x020_a_batch_file_is_not_started_with_such_an_argument(tmp_path: Path) -> None:
    program = tmp_path / "agent.cmd"
    program.write_text("#!/bin/sh\necho ran $1\n")
    program.chmod(0o755)
    done = await run_process([str(program), "--fine"], cwd=tmp_path, env={"PATH": "/bin"}, timeout=60)
    assert done.stdout == "ran --fine\n"
    with pytest.raises(Operational, match="is a batch file"):
        await run_process([str(program), "a&b"], cwd=tmp_path, env={"PATH": "/bin"}, timeout=60)
