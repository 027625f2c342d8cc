"""What the tests with programs on a private bus share."""

import pytest

from daemon.capture.control_source import Access
from tests.fakes.accessibility.atspi import Limits


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Limits:
    def change(module: str, **values: object) -> None:
        for name, value in values.items():
            monkeypatch.setattr(f"daemon.capture.accessibility.atspi.{module}.{name}", value)

    return change


@pytest.fixture(autouse=True)
def loaded_machine(limits: Limits) -> None:
    """Give programs, which share this process, time to answer."""
    limits("connection", ANSWER_S=2.0, URGENT_S=5.0)
    limits("pointer", AT_POINT_S=5.0)
    limits("program", LABELS_S=5.0)
    limits("walk", WALK_S=10.0)


@pytest.fixture
def toolkit() -> str:
    """Return what the program is built with; tests say another one by a parameter."""
    return ""


@pytest.fixture
def access() -> Access:
    """Return what may be asked; tests say another by a parameter."""
    return Access.ALL
