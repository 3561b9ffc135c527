"""Plays a known command line: player.py FOLDER. FOLDER/plays.json: one entry a call, the last for all further ones.

An entry: {"file", "text", "stderr", "exit", "kill", "spin", "look"}; what spins is printed again and again for ever. Each
call is written to FOLDER/calls.jsonl: arguments, prompt, variables, and with "look" the arguments of all processes.
"""

import contextlib
import json
import os
import sys
import time
from pathlib import Path

folder = Path(sys.argv[1])
calls = folder / "calls.jsonl"
done = len(calls.read_text("utf-8").splitlines()) if calls.exists() else 0
prompt = sys.stdin.buffer.read().decode("utf-8")
plays = json.loads((folder / "plays.json").read_text("utf-8"))
play = plays[min(done, len(plays) - 1)]
call = {"arguments": sys.argv[2:], "prompt": prompt, "env": {n: v for n, v in os.environ.items() if "OPENCODE" in n}}
if "look" in play:
    call["seen"] = ""
    for arguments in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            call["seen"] += arguments.read_text("utf-8", "replace")
with calls.open("a", encoding="utf-8") as file:
    file.write(json.dumps(call) + "\n")
sys.stderr.write(play.get("stderr", ""))
sys.stdout.write(Path(play["file"]).read_text("utf-8") if "file" in play else play.get("text", ""))
sys.stdout.flush()
while "spin" in play:
    for text in play["spin"]:
        os.write(1, text.encode())
        time.sleep(0.1)
if "kill" in play:
    os.kill(os.getpid(), play["kill"])
sys.exit(play.get("exit", 0))
