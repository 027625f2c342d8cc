"""A folder that may not be entered, also for tests that run as root, whom permissions do not stop."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


def lock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let listing a folder, and looking at anything in it, fail as if it belonged to somebody else."""

    def refuse(path: Path) -> None:
        if path == folder or folder in path.parents:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    real_list, real_stat = Path.iterdir, Path.stat

    def iterdir(self: Path) -> Iterator[Path]:
        refuse(self)
        return iter(list(real_list(self)))

    def stat(self: Path, **options: Any) -> os.stat_result:
        if self != folder:
            refuse(self)
        return real_stat(self, **options)

    replacements: dict[str, Callable[..., Any]] = {"iterdir": iterdir, "stat": stat}
    for name, replacement in replacements.items():
        monkeypatch.setattr(Path, name, replacement)
