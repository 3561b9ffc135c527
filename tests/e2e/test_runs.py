"""Runs seen and acted on by other processes, and runs that must not be believed."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.support.terminal import PROGRAM, Place, dev_script, swarm_script
from tests.support.waiting import until, wardens_of


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, dev_script())


def hanging(place: Place, key: str, *more: str) -> subprocess.Popen[str]:
    """A live run whose agent is at work in a turn, for certain; nobody reads what it prints."""
    pipe = place.base / "pipe"
    os.mkfifo(pipe)
    place.script[key] = [{"tell": str(pipe), "hang": True}, *place.script[key]]
    place.configure()
    process = place.start("run", "dev", "x", *more)
    small(process)
    small(process)
    assert pipe.read_text() == "here"
    return process


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not collected by its parent does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(") ")[2][0] != "Z"


def newest(place: Place) -> Path:
    return sorted((place.project / ".sprintwright" / "runs").iterdir())[-1]


def test_another_terminal_sees_a_live_run_and_cancels_it(place: Place) -> None:
    process = hanging(place, "sprints[1]/passes[1]/evaluator")
    shown = place.show()
    assert shown["status"] == "running"
    refused = place.call("resume")
    assert refused.returncode == 2 and "carried on by another program" in refused.stderr
    cancelled = place.call("cancel")
    assert cancelled.returncode == 0 and "resume" in cancelled.stdout
    process.communicate(timeout=30)
    assert process.returncode == 130 and place.show()["status"] == "cancelled"
    again = place.call("cancel")
    assert again.returncode == 2 and "not being carried on" in again.stderr


def test_b053_r059_a_run_whose_owner_was_killed_is_interrupted_and_its_agent_is_gone(place: Place) -> None:
    process = hanging(place, "sprints[1]/passes[1]/generator")
    process.kill()
    process.communicate()
    shown = place.show()
    assert shown["status"] == "interrupted"
    assert {n["id"]: n["status"] for n in shown["nodes"]}["sprints[1]/passes[1]/generator"] == "interrupted"
    os.kill(place.prompts()[-1]["pid"], signal.SIGKILL)
    assert place.call("resume").returncode == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_r041_r058_signals_end_in_order_with_their_own_code_and_leave_no_agent(
    place: Place, number: int, code: int
) -> None:
    process = hanging(place, "sprints[1]/passes[1]/generator")
    agent = place.prompts()[-1]["pid"]
    for _ in range(3):
        process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code and "Traceback" not in err
    assert not Path(f"/proc/{agent}").exists()
    kinds = [json.loads(line) for line in (newest(place) / "journal.jsonl").read_text().splitlines()]
    assert [k["data"]["status"] for k in kinds if k["kind"] == "ended"] == ["cancelled"]
    assert place.call("resume").returncode == 0


def small(process: subprocess.Popen[str]) -> None:
    """Let the program's output stall after few records, as long as nobody reads it."""
    assert process.stdout is not None
    fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)


def test_r058_a_reader_that_stops_does_not_stall_the_run_and_misses_nothing_when_it_reads_again(place: Place) -> None:
    process = place.start("run", "dev", "x", "--json")
    small(process)
    until(lambda: any(kind_of(line) == "ended" for line in journal_of(place)))
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert [json.loads(line)["seq"] for line in out.splitlines()] == [
        json.loads(line)["seq"] for line in journal_of(place)
    ]


def test_r058_a_signal_ends_a_run_whose_reader_has_stopped(place: Place) -> None:
    process = hanging(place, "sprints[3]/passes[1]/generator", "--json")
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143
    assert process.communicate()[1] == "Cancelling. The same again ends it at once.\n"


def test_r058_a_signal_ends_a_run_whose_readers_have_both_stopped(place: Place) -> None:
    process = hanging(place, "sprints[1]/passes[1]/generator", "--json")
    assert process.stderr is not None
    with Path(f"/proc/{process.pid}/fd/2").open("wb", buffering=0) as full:
        os.set_blocking(full.fileno(), False)
        fcntl.fcntl(process.stderr, fcntl.F_SETPIPE_SZ, 4096)
        while full.write(b"." * 4096):
            pass
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143
    process.communicate()


def test_r058_a_reader_that_is_gone_ends_nothing_and_is_no_traceback(place: Place) -> None:
    process = place.start("run", "dev", "x", "--json")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    with process.stderr as errors:
        assert (errors.read(), process.wait(30)) == ("", 0)
    assert place.show()["status"] == "completed"


def journal_of(place: Place) -> list[str]:
    """Lines of the newest run's journal; none before there is one."""
    runs = sorted((place.project / ".sprintwright" / "runs").glob("*/journal.jsonl"))
    return [line for line in runs[-1].read_text().splitlines(keepends=True) if line.endswith("\n")] if runs else []


def kind_of(line: str) -> str:
    return json.loads(line)["kind"]


def test_r024_a_journal_older_than_what_was_seen_is_not_resumed_unasked(place: Place) -> None:
    place.script["sprints[2]/passes[1]/generator"] = [{"exit": 1}, {"text": "built"}]
    place.one_try("dev")
    place.configure()
    assert place.call("run", "dev", "x").returncode == 1
    journal = newest(place) / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-5]))
    refused = place.call("resume")
    assert refused.returncode == 2 and "--accept-shorter" in refused.stderr
    assert place.call("resume", "--accept-shorter").returncode == 0


def test_a_run_made_elsewhere_is_shown_and_never_acted_on(place: Place) -> None:
    place.script["sprints[2]/passes[1]/generator"] = [{"exit": 1}]
    place.one_try("dev")
    place.configure()
    place.call("run", "dev", "x")
    shutil.rmtree(place.base / "state")
    turns = place.turns()
    assert "made elsewhere" in place.call("list").stdout and "made elsewhere" in place.call("show").stdout
    refused = place.call("resume")
    assert refused.returncode == 2 and "not started by you" in refused.stderr and place.turns() == turns


def test_a_frozen_definition_that_was_changed_is_not_used(place: Place) -> None:
    place.script["sprints[2]/passes[1]/generator"] = [{"exit": 1}]
    place.one_try("dev")
    place.configure()
    place.call("run", "dev", "x")
    with (newest(place) / "definition.yaml").open("a") as file:
        file.write("# changed\n")
    refused = place.call("resume")
    assert refused.returncode == 1 and "changed" in refused.stderr


def test_r004_a_damaged_run_costs_nothing_but_itself(place: Place) -> None:
    place.script["sprints[2]/passes[1]/generator"] = [{"exit": 1}, {"exit": 1}, {"text": "built"}]
    place.one_try("dev")
    place.configure()
    for _ in range(2):
        place.call("run", "dev", "x")
    first, second = sorted((place.project / ".sprintwright" / "runs").iterdir())
    damaged = (second / "journal.jsonl").read_bytes().replace(b'"built 1.1"', b'"built 1.2"', 1)
    (second / "journal.jsonl").write_bytes(damaged)
    listed = place.call("list").stdout
    assert "unreadable" in listed and "failed" in listed
    shown = place.call("show", second.name)
    assert "checksum" in shown.stdout and "designer" in shown.stdout
    refused = place.call("resume", second.name)
    assert refused.returncode == 1 and "line" in refused.stderr
    assert (second / "journal.jsonl").read_bytes() == damaged
    assert place.call("resume", first.name).returncode == 0


def test_r009_a_journal_that_may_not_be_read_is_unreadable_and_the_others_load(place: Place) -> None:
    for _ in range(2):
        place.call("run", "dev", "x")
    newest(place).joinpath("journal.jsonl").chmod(0)
    place.base.chmod(0o755)
    listed = place.call("list")
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("as root, this needs setpriv")
        # mode bits stop nobody who is root: the program runs as another user
        for path in [place.base, *place.base.rglob("*")]:
            os.chown(path, 65534, 65534)
        for above in place.base.parents:
            if above == Path(tempfile.gettempdir()):
                break
            above.chmod(0o755)
        listed = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *PROGRAM, "list"],
            cwd=place.project, env=place.environment(), capture_output=True, text=True,
        )  # fmt: skip
    if "Permission denied" in listed.stderr:
        pytest.skip("another user may not run this Python")
    assert listed.returncode == 0, listed.stderr
    assert "unreadable" in listed.stdout and "completed" in listed.stdout


@pytest.mark.parametrize("name", [".sprintwright", ".sprintwright/runs"])
def test_r025_a_link_in_the_place_of_our_folders_is_refused(place: Place, name: str) -> None:
    elsewhere = place.base / "elsewhere"
    elsewhere.mkdir()
    target = place.project / name
    target.parent.mkdir(exist_ok=True)
    target.symlink_to(elsewhere)
    ran = place.call("run", "dev", "x")
    assert ran.returncode == 2 and "link" in ran.stderr and "Traceback" not in ran.stderr
    assert not list(elsewhere.iterdir()) and not place.turns()


def test_x035_what_a_run_leaves_is_for_the_user_alone(place: Place) -> None:
    place.call("run", "dev", "x")
    base = place.project / ".sprintwright"
    for path in (base, *base.rglob("*")):
        inside_the_store = "snapshots.git" in path.relative_to(base).parts[:-1]  # git's own files, in a folder of 0700
        assert inside_the_store or path.stat().st_mode & 0o077 == 0, path


def test_b101_a_prompt_goes_by_standard_input_and_never_by_an_argument(place: Place) -> None:
    task = "SECRETWORD " * 6_000
    (place.base / "task").write_text(task)
    process = hanging(place, "designer")
    process.kill()
    process.communicate()
    os.kill(place.prompts()[-1]["pid"], signal.SIGKILL)
    ran = place.call("run", "dev", "--task-file", str(place.base / "task"))
    assert ran.returncode == 0, ran.stderr
    first = next(t["prompt"] for t in reversed(place.prompts()) if t["key"] == "designer")
    assert "SECRETWORD" in first and "blobs/" in first


def test_what_a_killed_run_left_is_shown_and_its_agent_is_ended_before_the_turn_is_done_again(place: Place) -> None:
    key = "sprints[1]/passes[1]/generator"
    place.script[key][0]["writes"] = {"half.txt": "half\n"}
    pipe = place.base / "pipe"
    os.mkfifo(pipe)
    place.script[key] = [{**place.script[key][0], "tell": str(pipe), "hang": True}, *place.script[key]]
    place.configure()
    process = place.start("run", "dev", "x")
    assert pipe.read_text() == "here"
    for warden in wardens_of(process.pid):
        os.kill(warden, signal.SIGKILL)
    process.kill()
    process.communicate()
    agent = place.prompts()[-1]["pid"]
    assert alive(agent)
    shown = place.call("show").stdout
    assert f"{key} was cut off" in shown and "added half.txt" in shown
    assert "half.txt" in place.call("show", "--changes", key).stdout
    resumed = place.call("resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "Ended 1 agent process" in resumed.stdout and "added half.txt" in resumed.stdout
    assert not alive(agent)
    assert any("cut off" in note for note in place.show()["notes"])


def test_a_run_of_another_folder_is_meant_only_by_its_whole_id(place: Place) -> None:
    place.script["designer"] = [{"exit": 1}, *place.script["designer"]]
    place.one_try("dev")
    place.configure()
    place.call("run", "dev", "x")
    run_id = newest(place).name
    elsewhere = place.base / "elsewhere"
    elsewhere.mkdir()
    for words in (("resume",), ("show",), ("resume", run_id[-4:])):
        refused = place.call(*words, "--folder", str(elsewhere))
        assert refused.returncode == 2, words
    missing = place.call("show", "--folder", "/nowhere")
    assert missing.returncode == 2 and "/nowhere" in missing.stderr
    assert place.call("resume", run_id, "--folder", str(elsewhere)).returncode == 0


def test_an_agent_whose_program_is_missing_is_refused_before_anything_starts(place: Place) -> None:
    place.configure(agents={"gone": {"kind": "cli", "command": ["/nowhere/agent"]}})
    refused = place.call("run", "dev", "x", "--evaluator", "gone")
    assert refused.returncode == 2 and "'gone'" in refused.stderr and "/nowhere/agent" in refused.stderr
    assert not place.turns() and not (place.project / ".sprintwright").exists()
    assert "PROBLEM" in place.call("agents").stdout


def test_a_second_run_in_a_folder_with_a_live_one_is_refused_unless_it_is_wanted(place: Place) -> None:
    process = hanging(place, "sprints[1]/passes[1]/generator")
    refused = place.call("run", "dev", "y")
    assert refused.returncode == 2 and "--concurrent" in refused.stderr
    place.script["sprints[1]/passes[1]/generator"] = [{"text": "built"}]
    place.configure()
    assert place.call("run", "dev", "y", "--concurrent").returncode == 0
    place.call("cancel", newest_live(place))
    process.communicate(timeout=30)


def newest_live(place: Place) -> str:
    """Id of the run that is going on."""
    listed = place.call("list", "--json").stdout.splitlines()
    return next(run["runId"] for run in map(json.loads, listed) if run["status"] == "running")


def test_items_that_did_not_end_well_are_told_at_the_end_of_a_completed_run(tmp_path: Path) -> None:
    script = swarm_script()
    script["items[2]/passes[1]/worker"] = [{"exit": 4, "stderr": "boom"}]
    place = Place(tmp_path, script)
    place.one_try("swarm")
    ran = place.call("run", "swarm", "x")
    assert ran.returncode == 0 and "2 items did not end well" in ran.stdout
    assert "Item 2: i2" in ran.stdout and "boom" in ran.stdout and "Blocked by Item 2" in ran.stdout
    nodes = {node["id"]: node["status"] for node in place.show()["nodes"]}
    assert nodes["items[2]"] == nodes["items[2]/passes[1]"] == "failed" and nodes["items[4]"] == "blocked"


def test_x007_resume_asks_for_consent_when_the_folders_files_took_an_agents_place(place: Place) -> None:
    place.script["sprints[1]/passes[1]/evaluator"] = [{"exit": 1}]
    place.one_try("dev")
    place.configure()
    place.call("run", "dev", "x")
    canary = place.base / "canary"
    (place.project / ".sprintwright" / "config.yaml").write_text(
        f"agents:\n  scripted: {{kind: cli, command: [sh, -c, 'touch {canary}']}}\n"
    )
    refused = place.call("resume", "--yes")
    assert refused.returncode == 2 and "--consent" in refused.stderr and not canary.exists()


def test_resuming_a_run_that_can_only_end_as_before_keeps_its_status_and_exit(place: Place) -> None:
    place.script["*"] = [{"text": "s1.txt:1: error: bad\nVERDICT: needs_refinement"}]
    for key in [key for key in place.script if "evaluator" in key]:
        del place.script[key]
    place.configure()
    for words in (("run", "dev", "x"), ("resume",), ("resume",)):
        ran = place.call(*words)
        assert ran.returncode == 3 and "--max-passes" in ran.stdout
    assert place.show()["status"] == "not_converged" and set(place.turns().values()) == {1}


def test_the_state_folder_must_hold_that_a_run_is_ones_own(place: Place) -> None:
    refused = place.call("run", "dev", "x", XDG_STATE_HOME="/proc")
    assert refused.returncode == 2 and "/proc" in refused.stderr and not place.turns()


def test_a_runtime_folder_that_is_not_there_is_not_used(place: Place) -> None:
    assert place.call("run", "dev", "x", XDG_RUNTIME_DIR="/nowhere").returncode == 0


def test_a_live_run_is_seen_from_another_runtime_folder(place: Place) -> None:
    process = hanging(place, "sprints[1]/passes[1]/generator")
    listed = place.call("list", "--json", XDG_RUNTIME_DIR="/nowhere").stdout
    assert json.loads(listed)["status"] == "running"
    assert place.call("cancel", XDG_RUNTIME_DIR="/nowhere").returncode == 0
    process.communicate(timeout=30)


def test_without_git_the_changes_are_not_known_and_that_is_said(place: Place) -> None:
    tools = place.base / "tools"
    tools.mkdir()
    ran = place.call("run", "dev", "x", PATH=str(tools))
    assert ran.returncode == 0, ran.stderr
    assert "not all could be looked at" in ran.stdout and "git" in ran.stdout


def test_r058_output_that_cannot_be_written_is_no_traceback(place: Place) -> None:
    for shell in ("list >&-", "list > /dev/full", "show 2>&1 | true", "workflows | head -1", "agents >/dev/full"):
        ran = subprocess.run(
            ["sh", "-c", f"{' '.join(PROGRAM)} {shell}"],
            cwd=place.project,
            env=place.environment(),
            capture_output=True,
            text=True,
        )
        assert "Traceback" not in ran.stderr and "Exception ignored" not in ran.stderr, (shell, ran.stderr)


def test_a_folder_that_was_removed_under_us_is_said_in_words(place: Place) -> None:
    shell = f"mkdir gone; cd gone; rmdir ../gone; {' '.join(PROGRAM)} list"
    ran = subprocess.run(
        ["sh", "-c", shell], cwd=place.project, env=place.environment(), capture_output=True, text=True
    )
    assert ran.returncode != 0 and "Traceback" not in ran.stderr and "No such file" in ran.stderr
