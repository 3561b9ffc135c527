"""Makes the environment of the language server from what the extension carries: `python -I -X utf8 set_up.py TO FROM`.

TO gets a folder of packages for this Python (`cp311`, ...); FROM has wheels, and `requirements.txt` with their hashes.
Nothing is fetched. An environment is there whole or not at all; one that is whole is left as it is, unless `again`
follows. Several at once wait for each other. Must be readable by old Pythons. Exit codes: see environment.ts.
"""

import os
import runpy
import shutil
import sys
import tempfile

TOO_OLD, REFUSED = 90, 93


def main():
    if sys.version_info < (3, 11):
        version = "%d.%d" % sys.version_info[:2]
        sys.stderr.write("%s is Python %s; Sprintwright needs 3.11 or newer.\n" % (sys.executable, version))
        return TOO_OLD
    to, wheels = sys.argv[1:3]
    final = os.path.join(to, "cp%d%d" % sys.version_info[:2])
    os.makedirs(to, exist_ok=True)
    with open(final + ".lock", "a") as lock:
        hold(lock)
        if os.path.isfile(os.path.join(final, "complete")) and sys.argv[3:] != ["again"]:
            return 0
        making = final + ".making"
        shutil.rmtree(making, ignore_errors=True)  # of one that was killed: who holds the lock is alone
        os.mkdir(making)
        try:
            return make(final, making, wheels)
        finally:
            shutil.rmtree(making, ignore_errors=True)


def make(final, making, wheels):
    packages = os.path.join(making, "packages")
    if install(packages, making, wheels) != 0:
        return REFUSED
    with open(os.path.join(packages, "complete"), "w") as file:
        file.write(sys.version + "\n")
    if os.path.exists(final):
        os.replace(final, os.path.join(making, "former"))
    os.replace(packages, final)
    return 0


def install(packages, temporary, wheels):
    """With the pip that is carried, so that a Python without pip and venv will do. No settings of pip's count."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        del os.environ[name]
    os.environ["PIP_CONFIG_FILE"] = os.devnull  # the only way to leave out the system's
    tempfile.tempdir = temporary
    pip = [name for name in os.listdir(wheels) if name.startswith("pip-")][0]
    sys.path.insert(0, os.path.join(wheels, pip))
    sys.argv = [
        "pip", "install", "--isolated", "--disable-pip-version-check", "--no-input", "--root-user-action", "ignore",
        "--no-cache-dir", "--no-warn-script-location", "--no-index", "--find-links", wheels, "--require-hashes",
        "--only-binary", ":all:", "--no-deps", "--target", packages,
        "--requirement", os.path.join(wheels, "requirements.txt"),
    ]  # fmt: skip
    try:
        runpy.run_module("pip", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def hold(lock):
    """Until this process ends, however it ends."""
    if os.name != "nt":
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX)
        return
    import msvcrt

    while True:
        try:
            msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)  # tries for ten seconds
            return
        except OSError:
            pass


if __name__ == "__main__":
    sys.exit(main())
