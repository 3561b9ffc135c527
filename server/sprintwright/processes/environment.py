"""What a child gets of our environment: a list of names, and nothing that makes programs load code."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from sprintwright.errors import Operational
from sprintwright.processes.login import LOGIN

_PASSED = re.compile(
    r"PATH|HOME|LANG|LC_[A-Z]+|TMPDIR|XDG_[A-Z_]+|SPRINTWRIGHT_(?:RUN|LEAF|ROLE|CHILD)"
    r"|(?:HTTP|HTTPS|FTP|ALL|NO)_PROXY"
    r"|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|AWS_CA_BUNDLE",
    re.IGNORECASE,
)
_PASSED_ON_WINDOWS = re.compile(
    r"SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERPROFILE|APPDATA|LOCALAPPDATA"
    r"|PROGRAMDATA|PROGRAMFILES(?:\(X86\))?",
    re.IGNORECASE,
)
_LOADER = re.compile(
    r"LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|GLIBC_TUNABLES|MALLOC_.*"
    r"|PYTHON.*|NODE_(?:OPTIONS|PATH|REPL_EXTERNAL_MODULE)|NPM_CONFIG_.*|ELECTRON_.*|DENO_.*|BUN_.*"
    r"|GIT_.*|SSH_ASKPASS|PAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|MANPAGER"
    r"|BASH_ENV|BASH_FUNC_.*|ENV|SHELLOPTS|BASHOPTS|PS4|IFS|PROMPT_COMMAND|ZDOTDIR|FPATH"
    r"|PERL5.*|PERLLIB|RUBY(?:OPT|LIB|SHELL)|GEM_.*|BUNDLE_.*|LUA_.*|PHPRC|PHP_INI_SCAN_DIR|R_PROFILE.*|R_ENVIRON.*"
    r"|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|CLASSPATH|MAVEN_OPTS|GRADLE_OPTS"
    r"|DOTNET_(?:STARTUP_HOOKS|ADDITIONAL_DEPS)|CORECLR_.*|COR_.*|RUSTC_WRAPPER|RUSTC|CARGO_.*",
    re.IGNORECASE,
)  # fmt: skip


def is_loader_name(name: str) -> bool:
    """Whether a variable of this name, in any case, can make some program load code or start another."""
    return _LOADER.fullmatch(name) is not None


def child_environment(
    parent: Mapping[str, str], extra: Mapping[str, str], *, listed: Iterable[str] = ()
) -> dict[str, str]:
    """The environment of a child: an allow-list, never a copy of ours.

    Args:
        parent: our environment.
        extra: what this child alone gets (the key of its own provider, `env` of its configuration); wins.
        listed: further names that the *user* lets through from ``parent``.

    Returns:
        A new mapping. PATH has absolute entries only: a child finds nothing in its own folder by accident. Those of the
        user's login shell stand behind them once it was asked: what was found there finds its interpreter, too.

    Raises:
        Operational: ``extra`` or ``listed`` names a variable that loads code; cause `spawn`.
    """
    wanted = frozenset(listed)
    for name in sorted({*extra, *wanted}):
        if is_loader_name(name):
            raise Operational("spawn", f"The variable {name!r} can make programs load code; take it out of `env`.")
    environment = {name: value for name, value in parent.items() if (_passes(name) or name in wanted)}
    environment["TERM"] = "dumb"
    if sys.platform == "win32":
        environment["NoDefaultCurrentDirectoryInExePath"] = "1"
    environment.update(extra)
    if "PATH" in environment:
        entries = absolute_entries(environment["PATH"]) + absolute_entries(LOGIN.known)
        environment["PATH"] = os.pathsep.join(dict.fromkeys(entries))
    return environment


def absolute_entries(path: str) -> list[str]:
    """The entries of a PATH that don't depend on where one stands."""
    return [entry for entry in path.split(os.pathsep) if PurePath(entry).is_absolute()]


def _passes(name: str) -> bool:
    if _PASSED.fullmatch(name):
        return True
    return sys.platform == "win32" and _PASSED_ON_WINDOWS.fullmatch(name) is not None
