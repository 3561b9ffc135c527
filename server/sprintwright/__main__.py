"""``python -P -m sprintwright``: the terminal, with the current folder kept off the import path (X16)."""

import sys

if __name__ == "__main__":
    sys.path[:] = [entry for entry in sys.path if entry not in ("", ".")]
    from sprintwright.cli.main import main

    sys.exit(main())
