"""The program of the agent: `python -I -X utf8 main.py SETTINGS`; see `settings`. Its key is in its environment.

Nothing is imported from where it is started, and no file of settings is read (faults.md X10, X16).
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))


def main(arguments: list[str]) -> int:
    """Speak the protocol until the input ends; 3 when a library is missing."""
    try:
        from sprintwright.agents.model.agent import serve
        from sprintwright.agents.model.settings import Settings
    except ImportError as error:
        print(f"{error.name or error} is not installed. Type: pip install 'sprintwright[models]'", file=sys.stderr)
        return 3
    try:
        serve(Settings.model_validate_json(arguments[0]))
    except ImportError as error:  # a provider's package that is there, but is too old, or has lost a part
        print(f"A package can't be used: {error} Type: pip install -U 'sprintwright[models]'", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
