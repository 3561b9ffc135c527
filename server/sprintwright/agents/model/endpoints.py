"""Model services that are known by name: where they are, and whose key they take."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

Provider: TypeAlias = Literal[
    "openai", "anthropic", "google", "ollama", "llama.cpp", "lmstudio", "vllm", "openrouter"
]  # fmt: skip
Speech: TypeAlias = Literal["openai", "anthropic", "google"]


@dataclass(frozen=True, slots=True)
class Service:
    """What is known of one.

    Attributes:
        title: its name as its makers write it.
        base_url: where it is, if the configuration does not say.
        key_env: the variable that has its key; empty: it takes none.
        speaks: the form of its requests.
        module: what must be installed for it, beside pydantic-ai.
    """

    title: str
    base_url: str
    key_env: str = ""
    speaks: Speech = "openai"
    module: str = "openai"


SERVICES: Mapping[str, Service] = {
    "openai": Service("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": Service("Anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "anthropic", "anthropic"),
    "google": Service(
        "Gemini", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY", "google", "google.genai"
    ),
    "openrouter": Service("OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "ollama": Service("Ollama", "http://127.0.0.1:11434/v1"),
    "llama.cpp": Service("llama.cpp", "http://127.0.0.1:8080/v1"),
    "lmstudio": Service("LM Studio", "http://127.0.0.1:1234/v1"),
    "vllm": Service("vLLM", "http://127.0.0.1:8000/v1"),
}


def is_loopback(url: str) -> bool:
    """Whether a URL names this machine and no other."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def fault_of(url: str) -> str:
    """Why no request may go to a URL; empty when it may (faults.md X11)."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return f"{url!r} is no URL"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"{url!r} must begin with https://, or with http:// and name this machine"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "a `base_url` has no user, password, query or fragment; name the variable of the key in `key_env`"
    if parts.scheme == "http" and not is_loopback(url):
        return f"{url!r} would send prompts and keys unencrypted; plain http is for this machine only"
    return ""
