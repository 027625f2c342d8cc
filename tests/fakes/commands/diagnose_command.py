"""`kairos diagnose --model` as tests run it: with a server of theirs, and data folders below one folder."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.commands.command_line import Answer

MODEL = "llama-server:m"

Diagnose = Callable[..., Answer]
"""Takes what stands behind `kairos diagnose`."""


def configure(folder: Path, url: str, preset: str = "llama-server") -> None:
    (folder / "CONFIG" / "kairos").mkdir(parents=True, exist_ok=True)
    (folder / "CONFIG" / "kairos" / "settings.toml").write_text(
        f'[local_model]\npreset = "{preset}"\nurl = "{url}"\non_battery = true\n'
    )
