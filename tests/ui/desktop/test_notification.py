"""A notification on a message bus: its words are no mark-up, and who does not answer ends nothing else."""

from collections.abc import Callable
from contextlib import ExitStack

import pytest
from PySide6.QtCore import QCoreApplication, QObject

from tests.fakes.accessibility.private_bus import Answers, FakeService
from tests.fakes.commands.background import in_a_thread
from ui.desktop.wayland import Notification

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def window(qapp: QCoreApplication) -> QObject:
    return QObject()


def serving(stack: ExitStack, address: str, *can: str) -> FakeService:
    answers: Answers = {
        (NAME, "GetCapabilities"): ("as", [list(can)]),
        (NAME, "Notify"): ("u", [7]),
        (NAME, "CloseNotification"): ("", []),
    }
    return stack.enter_context(in_a_thread(lambda: FakeService(address, NAME, answers)))


@pytest.mark.parametrize(
    ("can", "shown"),
    [(("actions", "body-markup"), "&lt;b&gt; &amp;"), (("actions",), "<b> &")],
    ids=["markup", "plain"],
)
def test_its_words_are_no_markup(bus: str, until: Until, window: QObject, can: tuple[str, ...], shown: str) -> None:
    """Escaped where a server reads mark-up, and left alone where it would show what escapes it."""
    with ExitStack() as stack:
        server = serving(stack, bus, *can)
        knock = Notification("<i>", "<b> &", [("yes", "Yes")], window)
        until(lambda: len(server.bodies) == 2)
        knock.close()
        assert [member for _, member in server.queries] == ["GetCapabilities", "Notify", "CloseNotification"]
        assert server.bodies[1][3:6] == ["<i>", shown, ["yes", "Yes"]]


def test_only_its_own_buttons_count(bus: str, until: Until, window: QObject) -> None:
    with ExitStack() as stack:
        server = serving(stack, bus, "actions")
        chosen: list[str] = []
        knock = Notification("a", "b", [], window)
        knock.chosen.connect(chosen.append)
        until(lambda: len(server.bodies) == 2)
        for number, key in ((6, "another"), (7, "mine")):
            server.say(PATH, NAME, "ActionInvoked", "us", [number, key])
        until(lambda: bool(chosen))
        knock.close()
    assert chosen == ["mine"]


@pytest.mark.usefixtures("bus")
def test_without_a_server_it_says_so(until: Until, window: QObject) -> None:
    failed: list[bool] = []
    knock = Notification("a", "b", [], window)
    knock.failed.connect(lambda: failed.append(True))
    until(lambda: bool(failed))
    knock.close()
