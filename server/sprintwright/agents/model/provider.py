"""The model of pydantic-ai for an endpoint: nothing of it is taken from variables, and it tries nothing twice."""

from __future__ import annotations

import os

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from sprintwright.agents.model.editor import EditorModel
from sprintwright.agents.model.settings import Settings

_NO_KEY = "none"
"""Servers without keys ignore it; their libraries want one."""


def model_of(settings: Settings, client: httpx2.AsyncClient) -> Model:
    """The model that requests go to, by a client from `client_for`; it stays the caller's to close."""
    key = os.environ.get(settings.key_env, "") if settings.key_env else ""
    match settings.speaks:
        case "openai":
            return _openai(settings, key or _NO_KEY, client)
        case "anthropic":
            return _anthropic(settings, key or _NO_KEY, client)
        case "google":
            return _google(settings, key or _NO_KEY, client)
        case "editor":
            return EditorModel(settings.model)


def model_settings(settings: Settings) -> ModelSettings:
    """What goes with each request."""
    made = ModelSettings()
    if settings.max_tokens is not None:
        made["max_tokens"] = settings.max_tokens
    if settings.temperature is not None:
        made["temperature"] = settings.temperature
    return made


def _openai(settings: Settings, key: str, http: httpx2.AsyncClient) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    client = AsyncOpenAI(api_key=key, base_url=settings.base_url, max_retries=0, http_client=http)
    strict = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    if settings.is_official and settings.title == "OpenAI":
        return OpenAIChatModel(settings.model, provider=OpenAIProvider(openai_client=client), profile=strict)
    strict["openai_chat_supports_max_completion_tokens"] = False
    name = settings.title.lower().replace(" ", "-")
    provider = OpenAICompatibleProvider(name, openai_client=client)
    return OpenAIChatModel(settings.model, provider=provider, profile=strict)


def _anthropic(settings: Settings, key: str, http: httpx2.AsyncClient) -> Model:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(api_key=key, base_url=settings.base_url, max_retries=0, http_client=http)
    return AnthropicModel(settings.model, provider=AnthropicProvider(anthropic_client=client))


def _google(settings: Settings, key: str, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=key, base_url=settings.base_url, http_client=http)
    return GoogleModel(settings.model, provider=provider)
