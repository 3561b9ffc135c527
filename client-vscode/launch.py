"""Starts the language server for the VS Code extension: `python -I -X utf8 launch.py ENVIRONMENTS`.

ENVIRONMENTS has one folder of packages for each Python version (`cp311`, ...), or `-` for the packages of
the interpreter itself. Must be readable by old Pythons, which it tells off. Exit codes: see src/server/launch.ts.
"""

import os
import sys

TOO_OLD, NOT_SET_UP, BROKEN = 90, 91, 92


def leave(code, text):
    sys.stderr.write(text + "\n")
    sys.exit(code)


def main():
    version = "%d.%d" % sys.version_info[:2]
    if sys.version_info < (3, 11):
        leave(TOO_OLD, "%s is Python %s; Sprintwright needs 3.11 or newer." % (sys.executable, version))
    environments = sys.argv[1]
    if environments != "-":
        packages = os.path.join(environments, "cp%d%d" % sys.version_info[:2])
        if not os.path.isfile(os.path.join(packages, "complete")):
            leave(NOT_SET_UP, "Sprintwright is not set up for Python %s yet." % version)
        sys.path.insert(0, packages)
    try:
        from sprintwright.lsp.entry import main as serve
    except ImportError as error:
        leave(BROKEN, "Sprintwright can't be loaded by %s: %s" % (sys.executable, error))
    sys.exit(serve())


if __name__ == "__main__":
    main()
