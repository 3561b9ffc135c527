"""The `model` agent: a model endpoint behind a small agent of ours, which speaks the Agent Client Protocol.

`launch`, `endpoints` and `conversation` belong to the engine's process; everything else runs in the agent's own, which
begins in `main`, and may load pydantic-ai. There the agent reaches files, permissions and tools as any other agent
does: by asking the engine.
"""
