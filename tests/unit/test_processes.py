"""`sprintwright.processes`: programs found, started, heard and ended."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sprintwright.errors import Operational
from sprintwright.processes import (
    LOGIN,
    Finished,
    boot_id,
    child_environment,
    find_command,
    find_program,
    process_start_time,
    run_bytes,
    run_process,
    start_child,
)
from sprintwright.processes.child import group_lives
from sprintwright.processes.run import OnOutput
from tests.support.waiting import until

ENV = child_environment(os.environ, {})


async def python(
    code: str,
    *,
    stdin: bytes | None = None,
    on_output: OnOutput | None = None,
    timeout: float | None = None,
    idle: float | None = None,
    output_cap: int = 1_000_000,
    grace: float = 3.0,
) -> Finished:
    return await run_process(
        [sys.executable, "-I", "-c", code], cwd=Path("/"), env=ENV, stdin=stdin, on_output=on_output, timeout=timeout,
        idle=idle, output_cap=output_cap, grace=grace,
    )  # fmt: skip


def open_descriptors() -> set[str]:
    return {fd for fd in os.listdir("/proc/self/fd") if Path(f"/proc/self/fd/{fd}").exists()}  # noqa: PTH208


@pytest.fixture(autouse=True)
async def nothing_is_left() -> AsyncIterator[None]:
    """No descriptor and no task outlives a run, however it ended."""
    before = open_descriptors()
    tasks = len(asyncio.all_tasks())
    yield
    assert open_descriptors() == before
    assert len(asyncio.all_tasks()) == tasks


async def test_a_program_comes_to_its_end() -> None:
    done = await python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert done == Finished(3, "out\n", "err\n", 0)


async def test_a_signal_is_a_negative_status() -> None:
    assert (await python("import os; os.kill(os.getpid(), 9)")).returncode == -9


async def test_input_arrives_whole_and_without_dead_lock() -> None:
    echo = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    done = await python(echo, stdin=b"x" * 3_000_000, output_cap=5_000_000)
    assert len(done.stdout) == 3_000_000


@pytest.mark.parametrize("code", ["pass", "import time; print('x', flush=True)"])
async def test_input_that_nobody_reads_is_no_error(code: str) -> None:
    assert (await python(code, stdin=b"x" * 5_000_000)).returncode == 0


async def test_without_input_the_child_reads_an_end() -> None:
    assert (await python("import sys; print(repr(sys.stdin.read()))")).stdout == "''\n"


async def test_split_characters_are_whole_and_broken_ones_are_shown() -> None:
    heard: list[str] = []
    code = (
        "import sys, time\n"
        "for byte in 'né€😀'.encode() + b'\\xb3!':\n"
        "    sys.stdout.buffer.write(bytes([byte])); sys.stdout.flush(); time.sleep(0.002)"
    )
    done = await python(code, on_output=lambda _stream, text: heard.append(text))
    assert done.stdout == "".join(heard) == "né€😀\ufffd!"


async def test_a_character_cut_off_at_the_end_is_shown() -> None:
    heard: list[str] = []
    done = await python(
        "import sys; sys.stdout.buffer.write(b'a\\xe2\\x82')", on_output=lambda _stream, text: heard.append(text)
    )
    assert done.stdout == "".join(heard) == "a\ufffd"


@pytest.mark.slow
async def test_a_flood_of_100_mb_keeps_its_end_and_counts_the_rest() -> None:
    code = "import sys\nfor i in range(100): sys.stdout.write('x' * 1_000_000)\nprint('the end')"
    done = await python(code, output_cap=1_000)
    assert done.stdout.endswith("xthe end\n")
    assert (len(done.stdout), done.dropped) == (1_000, 100_000_008 - 1_000)


async def test_a_line_of_5_mb_arrives_whole() -> None:
    assert len((await python("print('x' * 5_000_000)", output_cap=6_000_000)).stdout) == 5_000_001


async def test_what_an_exited_program_left_behind_is_ended() -> None:
    """The grandchild holds the pipes open and would sleep for ever (B095)."""
    code = "import os, time\nif os.fork() == 0: time.sleep(3600)\nprint(os.getpgid(0), flush=True)"
    done = await python(code, timeout=60)
    assert done.returncode == 0
    assert not group_lives(int(done.stdout))


async def test_a_grandchild_that_left_the_group_does_not_hang_the_run(tmp_path: Path) -> None:
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid(); print(os.getpid(), flush=True); time.sleep(3600)\n"
        "time.sleep(0.05)"
    )
    before = open_descriptors()
    done = await python(code, stdin=b"x" * 1_000_000, timeout=60)
    assert open_descriptors() == before
    os.kill(int(done.stdout), 9)


async def shell(code: str, heard: list[str], **limits: float) -> Finished:
    """A shell starts at once, also on a busy machine: what it prints is there before a short limit is over."""
    argv = ["/bin/sh", "-c", code]
    return await run_process(
        argv,
        cwd=Path("/"),
        env=ENV,
        on_output=lambda _stream, text: heard.append(text),
        timeout=limits.get("timeout"),
        idle=limits.get("idle"),
        grace=limits.get("grace", 3.0),
    )


@pytest.mark.parametrize(("limit", "words"), [("timeout", "finish"), ("idle", "wrote nothing")])
async def test_limits_end_the_whole_group(limit: str, words: str) -> None:
    heard: list[str] = []
    with pytest.raises(Operational, match=words) as caught:
        await shell("sleep 3600 & echo $$; sleep 3600", heard, **{limit: 0.5})
    assert caught.value.cause == "timeout"
    assert not group_lives(int(heard[0]))


async def test_output_puts_off_the_idle_limit() -> None:
    heard: list[str] = []
    done = await shell("for i in 1 2 3 4; do echo $i; sleep 0.3; done", heard, idle=1.0)
    assert done.stdout == "1\n2\n3\n4\n"


async def test_r053_noise_does_not_put_off_the_idle_limit() -> None:
    heard: list[str] = []
    with pytest.raises(Operational, match=r"nothing new, but \d+ pieces of noise, for 0\.5 seconds"):
        await shell("echo $$; while :; do printf '\\r|'; echo; sleep 0.05; done", heard, idle=0.5)
    assert not group_lives(int(heard[0].split()[0]))


async def test_a_program_that_ignores_sigterm_is_killed() -> None:
    heard: list[str] = []
    with pytest.raises(Operational):
        await shell("trap '' TERM; echo $$; while :; do sleep 1; done", heard, timeout=0.5, grace=0.1)
    assert not group_lives(int(heard[0]))


@pytest.mark.parametrize("cancels", [1, 2])
async def test_cancelling_ends_the_group_and_is_raised_again(cancels: int) -> None:
    started: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def heard(_stream: str, text: str) -> None:
        if not started.done():
            started.set_result(int(text))

    code = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(os.getpid(), flush=True); time.sleep(3600)"
    )
    run = asyncio.create_task(python(code, on_output=heard, grace=0.2 if cancels == 1 else 3600))
    group = await started
    for _ in range(cancels):
        run.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await run
    while group_lives(group):  # noqa: ASYNC110 - killed, and the system has no event for the end of a group
        await asyncio.sleep(0)


async def test_an_error_of_the_listener_ends_the_program_and_is_raised() -> None:
    def broken(_stream: str, _text: str) -> None:
        raise ValueError("listener")

    with pytest.raises(ValueError, match="listener"):
        await python("import time; print(1, flush=True); time.sleep(3600)", on_output=broken)


async def test_run_bytes_keeps_the_beginning_and_counts() -> None:
    argv = [sys.executable, "-I", "-c", "import sys; sys.stdout.buffer.write(bytes(range(256)) * 10)"]
    done = await run_bytes(argv, cwd=Path("/"), env=ENV, limit=300)
    assert (len(done.stdout), done.size) == (300, 2560)


def script(path: Path, content: str, mode: int = 0o755) -> Path:
    path.write_text(content, encoding="utf-8")
    path.chmod(mode)
    return path


async def test_what_cannot_be_started_says_why_in_words(tmp_path: Path) -> None:
    no_interpreter = script(tmp_path / "a", "#!/no/such/interpreter\n")
    not_executable = script(tmp_path / "b", "#!/bin/sh\n", 0o644)
    no_program = script(tmp_path / "c", "just text")
    echo = find_program("echo")
    for argv, cwd, words in (
        ([tmp_path / "missing"], tmp_path, "no such program"),
        ([no_interpreter], tmp_path, "interpreter"),
        ([not_executable], tmp_path, "chmod"),
        ([no_program], tmp_path, "#!"),
        ([echo, "x" * 1_000_000], tmp_path, "standard input"),
        ([echo, "a\0b"], tmp_path, "NUL"),
        ([echo], tmp_path / "missing", "folder"),
        (["echo"], tmp_path, "absolute"),
    ):
        with pytest.raises(Operational, match=words) as caught:
            await run_process([str(word) for word in argv], cwd=cwd, env=ENV)
        assert caught.value.cause == "spawn"


async def test_a_started_child_is_talked_to_and_closed() -> None:
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    cat = str(find_program("cat"))
    child = await start_child([cat], cwd=Path("/"), env=ENV, on_bytes=lambda _stream, data: heard.put_nowait(data))
    child.write(b"hello")
    assert await heard.get() == b"hello"
    child.close_stdin()
    assert await child.over == 0
    await child.close(1.0)
    child.write(b"nobody there")
    child.close_stdin()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_process_is_told_from_another_of_the_same_pid() -> None:
    assert process_start_time(os.getpid()) == process_start_time(os.getpid())
    assert process_start_time(os.getpid()) != process_start_time(1)
    assert process_start_time(2**22 + 1) is None
    assert len(boot_id()) == 36


def test_a_near_name_is_suggested_and_the_path_is_named(tmp_path: Path) -> None:
    script(tmp_path / "pytest", "#!/bin/sh\n")
    with pytest.raises(Operational, match=rf"Did you mean 'pytest'.*{tmp_path}"):
        find_program("pytset", path=str(tmp_path))


@pytest.fixture
def login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """``login(prints, then="")``: the user has a login shell whose files print something; returns where it counts calls."""

    def made(prints: str, then: str = "") -> Path:
        counts = tmp_path / "asked"
        lines = ["#!/bin/sh", f"echo asked >> '{counts}'", f"PATH='{prints}'; echo from the profile", then, 'eval "$4"']
        shell = script(tmp_path / "shell", "\n".join([*lines, "echo more"]))
        monkeypatch.setenv("SPRINTWRIGHT_LOGIN_SHELL", str(shell))
        return counts

    monkeypatch.setattr(LOGIN, "_told", None)
    return made


def test_b103_what_path_lacks_is_found_by_the_login_shell_which_is_asked_once_and_children_get_its_path(
    tmp_path: Path, login: Callable[..., Path]
) -> None:
    (tmp_path / "far").mkdir()
    tool = script(tmp_path / "far" / "tool", "#!/bin/sh\n")
    asked = login(f"relative:{tmp_path}/far")
    assert find_program("sh", path="/bin").name == "sh" and not asked.exists()
    assert child_environment({"PATH": "/bin"}, {})["PATH"] == "/bin"
    assert find_program("tool", path="/bin") == find_program("tool", path="/bin") == tool
    with pytest.raises(Operational):
        find_program("no such tool", path="/bin")
    assert asked.read_text() == "asked\n"
    assert child_environment({"PATH": "/bin"}, {})["PATH"] == f"/bin:{tmp_path}/far"


async def test_b103_x018_beside_a_loop_the_login_shell_leads_into_no_workspace_and_to_no_relative_folder(
    tmp_path: Path, login: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path / "tool", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    login(f"{tmp_path}:.::../{tmp_path.name}")
    with pytest.raises(Operational, match="only inside the workspace"):
        find_program("tool", path="/bin", folder=tmp_path)


@pytest.mark.parametrize("then", ["exit 1", "sleep 600"])
def test_b103_without_a_shell_that_answers_the_sentence_names_path_and_setting(
    login: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    monkeypatch.setattr("sprintwright.processes.login._SECONDS", 0.3)
    login("/usr/bin", then)
    with pytest.raises(Operational, match=r"absolute path in `command` of x\. PATH used: '/bin'\.$"):
        find_program("no such tool", path="/bin", setting="`command` of x")


def test_b103_a_real_shell_is_asked_by_words_that_it_understands(
    tmp_path: Path, login: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".profile").write_text(f"echo hello; PATH={tmp_path}")
    tool = script(tmp_path / "tool", "#!/bin/sh\n")
    monkeypatch.setenv("SPRINTWRIGHT_LOGIN_SHELL", "/bin/sh")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_program("tool", path="/bin") == tool


def test_this_program_is_started_wherever_it_is_and_never_one_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "sprintwright.py").write_text("raise SystemExit('planted')")
    command = find_command("{sprintwright}", path="", folder=tmp_path)
    ran = subprocess.run([*command, "--help"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout.startswith("usage: sprintwright")
    assert find_command("bin", path=str(script(tmp_path / "bin", "#!/bin/sh\n").parent)) == [str(tmp_path / "bin")]


def test_a_path_is_relative_to_the_folder(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program = script(tmp_path / "bin" / "tool", "#!/bin/sh\n")
    assert find_program("bin/tool", folder=tmp_path) == program
    assert find_program(str(program)) == program
    with pytest.raises(Operational, match="does not exist"):
        find_program("bin/none", folder=tmp_path)
    with pytest.raises(Operational, match="chmod"):
        find_program(str(script(tmp_path / "data", "", 0o644)))


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    "script", ["import time; time.sleep(600)", "import signal, time; signal.signal(15, 1); time.sleep(600)"]
)
def test_r077_agents_of_an_engine_that_was_killed_are_ended_at_once_and_others_are_not(
    tmp_path: Path, script: str
) -> None:
    engine = f"""
import secrets, subprocess, sys, time
from pathlib import Path
from sprintwright.processes import WARDEN, Leftovers
children = [
    subprocess.Popen([sys.executable, "-c", {script!r}], start_new_session=True,
                     env={{"SPRINTWRIGHT_CHILD": f":{{secrets.token_hex(16)}}"}})
    for _ in range(5)
]
leftovers = Leftovers(Path({str(tmp_path)!r}), WARDEN)
contexts = [leftovers.watch("r", child.pid) for child in children[:4]]
for context in contexts:
    context.__enter__()
contexts[3].__exit__(None, None, None)
print(*(child.pid for child in children), flush=True)
time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", engine], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pids = [int(word) for word in process.stdout.readline().split()]
    if "signal" in script:
        until(lambda: all(ignores_sigterm(pid) for pid in pids))
    process.kill()
    process.wait()
    process.stdout.close()
    try:
        until(lambda: not any(process_start_time(pid) for pid in pids[:3] if not is_zombie(pid)))
        assert all(process_start_time(pid) for pid in pids[3:])  # nobody's, or ended as the engine saw it
    finally:
        for pid in pids[3:]:
            os.kill(pid, signal.SIGKILL)


def ignores_sigterm(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(next(line for line in status.splitlines() if line.startswith("SigIgn")).split()[1], 16) & (1 << 14))


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


AGENT_ENV = {**ENV, "SPRINTWRIGHT_LEAF": "build"}


async def agent(code: str, timeout: float = 60) -> Finished:
    argv = ["/bin/sh", "-c", code]
    return await run_process(argv, cwd=Path("/"), env=AGENT_ENV, timeout=timeout)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows which processes an agent started")
async def test_x076_an_agent_with_more_than_500_processes_is_ended_with_all_of_them() -> None:
    code = "for i in $(seq 350); do sleep 600 & setsid sleep 600 & done 2>/dev/null >&2; wait"
    with pytest.raises(Operational, match="'sh' had more than 500 processes") as caught:
        await agent(code)
    assert caught.value.data["transient"] is False
    assert len(asyncio.all_tasks()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only there one process bounds another")
async def test_x076_what_an_agent_starts_has_limits_and_a_command_of_the_user_has_none() -> None:
    code = "sleep 0.2; sh -c 'ulimit -Hn; ulimit -Hf; ulimit -Hc'"
    files, blocks, core = (await agent(code)).stdout.split()
    assert int(files) <= 8192 and int(blocks) * 512 <= 10 * 1024**3 and core == "0"
    free = await run_process(["/bin/sh", "-c", "ulimit -Hf"], cwd=Path("/"), env=ENV, timeout=60)
    assert free.stdout == "unlimited\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only there one process bounds another")
async def test_x076_a_file_of_20_gb_is_not_written(tmp_path: Path) -> None:
    code = (
        "import errno,sys,time; time.sleep(0.2)\n"
        f"file = open({str(tmp_path / 'big')!r}, 'wb')\n"
        "try: file.truncate(20 * 1024**3)\n"
        "except OSError as error: print(errno.errorcode[error.errno])\n"
    )
    done = await run_process([sys.executable, "-c", code], cwd=tmp_path, env=AGENT_ENV, timeout=60)
    assert done.stdout == "EFBIG\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only there one process bounds another")
async def test_x076_what_an_agent_started_before_it_was_bound_is_bound_too() -> None:
    code = "sh -c 'sleep 0.5; ulimit -Hf' & wait"
    assert int((await agent(code)).stdout) * 512 <= 10 * 1024**3
