"""``python -P -m sprintwright``: the terminal, with the current folder kept off the import path (X16).

Also run as a file, by its path, where the package is in no folder of the interpreter's own: in the environment that the
VS Code extension makes.
"""

import os
import sys

if __name__ == "__main__":
    sys.path[:] = [entry for entry in sys.path if entry not in ("", ".")]
    try:
        current = os.getcwd()  # noqa: PTH109 - no import before this
    except OSError:  # it was removed under us
        current = ""
    if __package__ and not sys.flags.safe_path and sys.path[0] == current:
        del sys.path[0]
    if not __package__:
        from pathlib import Path

        sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from sprintwright.cli.main import main

    sys.exit(main())
