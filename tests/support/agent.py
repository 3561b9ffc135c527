"""AGENT: a scripted command-line agent. It counts its own turns in a file outside the run folder.

Usage: agent.py SCRIPT COUNTS. SCRIPT is JSON: {leaf key: [{text, writes, exit, stderr, tell, hang, wait_for, wait_after},
…]}; the
n-th turn of a key gets the n-th entry (the last one for all further turns); the key `*` stands for all others.
"""

import json
import os
import sys
import time
from pathlib import Path


def main() -> None:
    script = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    key, prompt = os.environ["SPRINTWRIGHT_LEAF"], sys.stdin.buffer.read().decode("utf-8", "replace")
    with Path(sys.argv[2]).open("a", encoding="utf-8") as counts:
        counts.write(json.dumps({"key": key, "prompt": prompt, "pid": os.getpid()}) + "\n")
    turns = Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()
    number = sum(json.loads(line)["key"] == key for line in turns)
    entries = script.get(key) or script["*"]
    entry = entries[min(number, len(entries)) - 1]
    for path, content in entry.get("writes", {}).items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(content, encoding="utf-8")
    while "wait_for" in entry and not Path(entry["wait_for"]).exists():
        time.sleep(0.01)
    if "tell" in entry:  # a named pipe: whoever reads it knows that this turn is at work
        Path(entry["tell"]).write_text("here", encoding="utf-8")
    while "wait_after" in entry and not Path(entry["wait_after"]).exists():
        time.sleep(0.01)
    while entry.get("hang"):
        time.sleep(3600)
    sys.stderr.write(entry.get("stderr", ""))
    sys.stdout.write(entry.get("text", "").replace("{{prompt}}", prompt))
    sys.stdout.flush()
    sys.exit(entry.get("exit", 0))


main()
