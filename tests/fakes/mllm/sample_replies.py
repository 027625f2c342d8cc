"""Replies as the vendors' types and sources describe them, one a dialect, to the questions of `sample_queries`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TEXT = '{"state":{"answer":"B","sure":80},"need":{"answer":"no","sure":90}}'
_STORED: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_COMPLETIONS = dict.fromkeys(("openai_chat", "openai_plain", "openai"), _STORED["llama_server"])
SAMPLES: Mapping[str, Mapping[str, object]] = {"llama_server": _STORED["llama_server"], **_COMPLETIONS, **_STORED}


def sample(name: str) -> bytes:
    return json.dumps(SAMPLES[name]).encode()
