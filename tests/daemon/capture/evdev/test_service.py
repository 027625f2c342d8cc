"""The service `kairos-input` over its socket: who hears what, and what nobody ever hears."""

import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from daemon.capture.evdev import service as service_module
from daemon.capture.gate import Gate
from daemon.capture.input import InputQueue
from daemon.capture.keys import Fallback
from daemon.capture.wayland.input_service import InputService
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import EventKind, InputEvent, KeyClass
from tests.fakes.desktop.input_devices import KEYBOARD, MOUSE, SWITCH, TOUCHPAD, InputDevices, input_devices, tapped

TYPED = "hunterqwertyxyz"
SAID = re.compile(
    r"devices [01] [01]|\d+ (key [a-z_]+ [a-z_]+ [01]|button (left|middle|right|other) [01]|wheel -?\d+ -?\d+)"
)


@pytest.fixture
def devices() -> Iterator[InputDevices]:
    with TemporaryDirectory(prefix="k") as folder, input_devices(Path(folder)) as made:
        made.plug("event0", KEYBOARD)
        made.plug("event1", MOUSE)
        made.plug("event2", SWITCH)
        yield made


class Listener:
    """What hears the service, word by word."""

    def __init__(self, devices: InputDevices, layout: str = "pc+us+inet(evdev)") -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(10)
        self._socket.connect(devices.socket)
        self.say(f"layout {layout}\n")

    def say(self, words: str) -> None:
        self._socket.sendall(words.encode())

    def hear(self, end: str = "key esc") -> list[str]:
        """Return the lines up to one, or to the end, without times."""
        said = ""
        with suppress(ConnectionResetError):  # sent away before all was read
            while end not in said and (new := self._socket.recv(4096).decode()):
                said += new
        lines = said.splitlines()
        assert [line for line in lines if not SAID.fullmatch(line)] == []
        return [line.partition(" ")[2] if line[0].isdigit() else line for line in lines]

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def listener(devices: InputDevices) -> Iterator[Listener]:
    made = Listener(devices)
    assert made.hear("devices") == ["devices 1 0"]
    yield made
    made.close()


def test_which_key_it_was_is_never_said(devices: InputDevices, listener: Listener) -> None:
    """Each letter is the same line; a control shows that other keys are other lines."""
    for letter in TYPED:
        devices.send("event0", *tapped(letter))
    devices.send("event0", *tapped("ctrl", "z"), *tapped("backspace"), *tapped("esc"))
    heard = listener.hear()
    assert heard[: len(TYPED)] == ["key character character 0"] * len(TYPED)
    assert heard[len(TYPED) :] == [
        *("key modifier modifier 0", "key undo undo 0", "key backspace backspace 0", "key escape escape 0")
    ]


def test_repeats_buttons_and_wheel(devices: InputDevices, listener: Listener) -> None:
    devices.send("event0", (1, 30, 1), (1, 30, 2), (1, 30, 2), (1, 30, 0), (1, 29, 1), (1, 29, 2), (1, 29, 0))
    devices.send("event0", *tapped("ctrl", "enter"), *tapped("enter"), *tapped("esc"))
    modifier = "key modifier modifier 0"
    assert listener.hear() == [
        *["key character character 0"] * 3,
        *(modifier, modifier, "key enter enter 0", "key enter enter 1", "key escape escape 0"),
    ]
    devices.send("event1", (1, 0x110, 1), (2, 0, 5), (1, 0x110, 0), (1, 0x114, 1), (2, 8, -1), (2, 8, -1), (2, 6, 1))
    assert listener.hear("wheel") == ["button left 1", "button left 0", "button other 1", "wheel 1 -2"]


def test_layout_and_group_are_the_listeners(devices: InputDevices, listener: Listener) -> None:
    listener.say("layout pc+us+de:2+inet(evdev)\ngroup 1\n")
    poll_for_layout(devices, listener, "key undo undo 0")
    listener.say("group 0\n")
    poll_for_layout(devices, listener, "key redo redo 0")
    listener.say("layout /tmp/mine\n")
    devices.send("event0", *tapped("esc"))
    listener.hear()


def poll_for_layout(devices: InputDevices, listener: Listener, line: str) -> None:
    """Press Ctrl and Y until it is what is expected: keys and what a listener says come on two ways."""

    def is_heard() -> bool:
        devices.send("event0", *tapped("ctrl", "y"), *tapped("esc"))
        return line in listener.hear()

    poll(is_heard, what=line)


def test_only_the_user_whose_session_is_on_the_screen_hears(devices: InputDevices, listener: Listener) -> None:
    """While another is there nothing is said, and no key of theirs counts as held afterwards."""
    devices.user = os.getuid() + 1
    devices.send("event0", (1, 29, 1), (1, 44, 1), (1, 44, 0))
    refused = Listener(devices)
    assert refused.hear() == []
    refused.close()
    devices.user = os.getuid()
    devices.send("event0", *tapped("z"), *tapped("esc"))
    assert listener.hear() == ["key character character 0", "key escape escape 0"]


def test_the_newest_listener_is_heard_and_devices_are_closed_with_the_last(
    devices: InputDevices, listener: Listener
) -> None:
    second = Listener(devices)
    assert second.hear("devices") == ["devices 1 0"]
    assert listener.hear() == []
    second.close()
    listener.close()
    poll(lambda: not devices.devices.open, what="closed devices")


@pytest.mark.parametrize("words", ["who are you\n", "keys\n", "group 1", "x" * 300])
def test_who_says_anything_else_is_sent_away(devices: InputDevices, listener: Listener, words: str) -> None:
    if words == "group 1":  # not a whole line: nothing yet
        listener.say(words)
        devices.send("event0", *tapped("esc"))
        assert listener.hear() == ["key escape escape 0"]
    else:
        listener.say(words)
        assert listener.hear() == []


def test_devices_come_and_go(devices: InputDevices, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "AGAIN_S", 0.05)
    devices.unplug("event1")
    devices.plug("event7", TOUCHPAD)
    devices.send("event0", *tapped("esc"))
    assert "devices 0 1" in listener.hear("devices 0 1")
    devices.unplug("event0")
    devices.plug("event9", KEYBOARD)
    listener.hear("devices 0 1")
    devices.send("event9", *tapped("esc"))
    assert listener.hear() == ["key escape escape 0"]


# ------------------------------------------------------------ in Kairos


def queue() -> tuple[InputQueue, Gate]:
    gate = Gate()
    made = InputQueue(SystemClock(), gate, lambda: None)
    gate.open()
    made.accept_from(gate.epoch, 1)
    return made, gate


@pytest.fixture
def service(devices: InputDevices) -> Iterator[InputService]:
    made = InputService(devices.socket)
    yield made
    made.close()


def taken(service: InputService, into: InputQueue, count: int, pointer: tuple[int, int] | None) -> list[InputEvent]:
    found: list[InputEvent] = []

    def has_come() -> bool:
        service.read(pointer)
        found.extend(into.drain()[0])
        return len(found) >= count

    poll(has_come, what="input")
    return found


def test_kairos_records_classes_and_buttons_where_the_pointer_is_known(
    devices: InputDevices, service: InputService
) -> None:
    into, gate = queue()
    service.start(into)
    devices.send("event0", *tapped("ctrl", "z"))
    devices.send("event0", *tapped("a"))
    keys = taken(service, into, 3, None)
    assert [event.key_class for event in keys] == [KeyClass.MODIFIER, KeyClass.UNDO, KeyClass.CHARACTER]
    into.has_moved = False
    devices.send("event1", (1, 0x110, 1), (1, 0x110, 0), (2, 8, 1))
    devices.send("event0", *tapped("a"))
    assert [event.kind for event in taken(service, into, 1, None)] == [EventKind.KEY]
    devices.send("event1", (1, 0x110, 1), (1, 0x110, 0), (2, 8, 1))
    placed = taken(service, into, 3, (7, 9))
    assert [event.kind for event in placed] == [EventKind.BUTTON_DOWN, EventKind.BUTTON_UP, EventKind.SCROLL]
    assert {(event.x, event.y) for event in placed} == {(7, 9)}
    gate.close()
    devices.send("event0", *tapped("a"))
    gate.open()
    into.accept_from(gate.epoch, SystemClock().now_ns() // 1_000_000 + 60_000)
    devices.send("event0", *tapped("a"))
    SystemClock().sleep_s(0.3)
    service.read(None)
    assert into.drain()[0] == []


def test_a_click_without_a_place_says_that_the_keyboard_may_have_moved(
    devices: InputDevices, service: InputService
) -> None:
    into, _ = queue()
    service.start(into)
    into.has_moved = False
    devices.send("event1", (1, 0x110, 1))

    def has_moved() -> bool:
        service.read(None)
        return into.has_moved

    poll(has_moved, what="a click")


def test_programs_differ_in_what_a_key_is_for(devices: InputDevices, service: InputService) -> None:
    service.tell_layout("pc+ru+de:2+inet(evdev)")
    into, _ = queue()
    service.start(into)
    into.fallback = Fallback.US

    def is_undo() -> bool:
        devices.send("event0", *tapped("ctrl", "z"))
        return KeyClass.UNDO in {event.key_class for event in taken(service, into, 2, None)}

    poll(is_undo, what="the layout")


def test_without_the_service_there_is_none(devices: InputDevices) -> None:
    with pytest.raises(EnvironmentFault, match="kairos-input does not answer"):
        InputService(devices.socket + "-not")
    devices.user = os.getuid() + 1
    with pytest.raises(EnvironmentFault, match="kairos-input does not answer"):
        InputService(devices.socket)


@pytest.mark.parametrize(
    "words", [b"", b"hello\n", b"1 key\n", b"1 key q q 0\n", b"x key tab tab 0\n", b"1 dance 1 2\n", b"\xff\n"]
)
def test_what_is_no_such_service_ends_the_connection(words: bytes) -> None:
    with TemporaryDirectory(prefix="k") as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/s")
        listening.listen()

        def answer() -> None:
            other, _ = listening.accept()
            with other:
                other.sendall(b"devices 1 0\n")
                is_asked.wait()
                other.sendall(words)

        is_asked = threading.Event()
        answering = threading.Thread(target=answer, daemon=True)
        answering.start()
        with closing(InputService(f"{folder}/s")) as service:
            service.start(queue()[0])
            is_asked.set()
            answering.join()
            with pytest.raises(EnvironmentFault, match="kairos-input does not answer"):
                service.read(None)
