"""A process that is killed at a step of what it does, or finds the disk full there."""

import importlib
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from storage.errors import EnvironmentFault

REACHED_THE_END = 99


def killed_at(step: str, when: str, act: Callable[[], object]) -> bool:
    """Do something in a forked process that kills itself (signal 9) at a step; return whether it came to that.

    Args:
        step: a function or method, by the module that calls it and its name.
        when: "before" or "after" its first call.
        act: what to do.
    """
    child = os.fork()
    if child == 0:
        try:
            _plant(step, when)
            act()
        finally:
            os._exit(REACHED_THE_END)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


@contextmanager
def full_disk_at(step: str) -> Iterator[None]:
    """Have a function or method say within the block that the disk is full, which must come out of the block."""

    def full(*_: object, **__: object) -> None:
        raise EnvironmentFault("the disk is full")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step, full)
        with pytest.raises(EnvironmentFault, match="the disk is full"):
            yield


def _plant(step: str, when: str) -> None:
    owner_name, _, name = step.rpartition(".")
    owner: Any
    try:
        owner = importlib.import_module(owner_name)
    except ModuleNotFoundError:
        module, _, kind = owner_name.rpartition(".")
        owner = getattr(importlib.import_module(module), kind)
    real = getattr(owner, name)

    def kill(*arguments: object, **named: object) -> None:
        if when == "after":
            real(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, kill)
