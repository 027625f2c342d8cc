"""The service `kairos-input` over its socket: who hears what, and what nobody ever hears."""

import fcntl
import os
import re
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from daemon.capture.evdev import service as service_module
from daemon.capture.evdev.xkb import XkbKeyboard
from daemon.capture.gate import Gate
from daemon.capture.input import InputQueue
from daemon.capture.keys import Fallback
from daemon.capture.wayland import input_service
from daemon.capture.wayland.input_service import InputService
from demo.virtual_desktop.input_devices import (
    CLICK,
    KEYBOARD,
    MOUSE,
    SWITCH,
    TOUCHPAD,
    InputDevices,
    input_devices,
    tapped,
)
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_MS, SystemClock
from storage.errors import EnvironmentFault
from storage.records import EventKind, InputEvent, KeyClass

TYPED = "hunterqwertyxyz"
SAID = re.compile(
    r"devices [01] [01]|\d+ (key [a-z_]+ [a-z_]+ [01]|button (left|middle|right|other) [01]|wheel -?\d+ -?\d+)"
)


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[InputDevices]:
    monkeypatch.setattr(service_module, "AGAIN_S", 0.05)
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
        with suppress(BrokenPipeError, ConnectionResetError):  # sent away before it has spoken
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


@pytest.mark.parametrize(
    "layout", ["pc+us", "pc+lv(fkey)", "pc+in(ori)", "pc+cn(tib)", "pc+hu(def_common)", "pc+de(neo)"]
)
@pytest.mark.parametrize("held", [(), ("shift",), ("altgr",)])
def test_no_layout_tells_letters_or_digits_apart(
    devices: InputDevices, listener: Listener, layout: str, held: tuple[str, ...]
) -> None:
    """Who listens chooses it; on some a letter is a modifier or nothing, or locks what the next key is."""
    listener.say(f"layout {layout}\n")
    devices.send("event0", *tapped("esc"))
    listener.hear("key")
    for code in (*range(2, 12), *range(16, 26), *range(30, 39), *range(44, 51)):
        devices.send("event0", *tapped(*held, code), *tapped("up"))
    devices.send("event0", *tapped("esc"))
    heard = [line for line in listener.hear() if "modifier" not in line]
    assert set(heard[:-1:2]) == {"key character character 0"}
    assert len(set(heard[1:-1:2])) == 1


@pytest.mark.parametrize(("option", "expected"), [("+ctrl(nocaps)", "undo"), ("", "character")])
def test_caps_lock_makes_shortcuts_where_it_is_ctrl(
    devices: InputDevices, listener: Listener, option: str, expected: str
) -> None:
    listener.say(f"layout pc+us+inet(evdev){option}\n")
    devices.send("event0", *tapped("esc"))
    listener.hear("key")
    devices.send("event0", *tapped("z"), *tapped("caps", "z"), *tapped("z"), *tapped("esc"))
    heard = [line.split()[1] for line in listener.hear()]
    assert heard == ["character", "modifier", expected, "character", "escape"]


def test_a_key_that_is_let_go_unseen_is_held_no_longer(devices: InputDevices, listener: Listener) -> None:
    """Its keyboard was pulled out, or the kernel dropped what it said."""
    devices.send("event0", (1, 29, 1), (0, 3, 0), *tapped("z"), (1, 29, 1))
    listener.hear("character")
    devices.unplug("event0")
    devices.plug("event5", KEYBOARD)
    listener.hear("devices")
    devices.send("event5", *tapped("z"), *tapped("esc"))
    assert listener.hear()[-2:] == ["key character character 0", "key escape escape 0"]


@pytest.mark.parametrize("is_on", [True, False])
def test_digits_of_the_keypad_go_by_the_light(
    devices: InputDevices, monkeypatch: pytest.MonkeyPatch, *, is_on: bool
) -> None:
    def read(_device: int, _request: int, into: bytearray) -> None:
        into[0] = int(is_on)

    monkeypatch.setattr(fcntl, "ioctl", read)
    decoder = service_module.Decoder(XkbKeyboard())
    for _ in range(2):  # a second keyboard changes nothing
        decoder.note_lights(0)
    expected = "character" if is_on else "navigation"
    assert list(decoder.lines(tapped("keypad_4"))) == [f"key {expected} {expected} 0"]


def test_a_device_of_another_seat_is_not_opened(devices: InputDevices) -> None:
    devices.plug("event8", KEYBOARD, seat="seat1")
    assert devices.devices.look() == []
    devices.plug("event9", KEYBOARD, seat="seat0")
    assert len(devices.devices.look()) == 1, "what was refused is not looked at again"
    for device in list(devices.devices.open):
        devices.devices.close(device)


def test_repeats_buttons_and_wheel(devices: InputDevices, listener: Listener) -> None:
    devices.send("event0", (1, 30, 1), (1, 30, 2), (1, 30, 2), (1, 30, 0), (1, 29, 1), (1, 29, 2), (1, 29, 0))
    devices.send("event0", *tapped("ctrl", "enter"), *tapped("enter"), *tapped("esc"))
    modifier = "key modifier modifier 0"
    assert listener.hear() == [
        *["key character character 0"] * 3,
        *(modifier, modifier, "key enter enter 0", "key enter enter 1", "key escape escape 0"),
    ]
    devices.send("event1", (1, 0x110, 1), (2, 0, 5), (1, 0x110, 0), (1, 0x114, 1), (2, 8, -1), (2, 8, -1), (2, 6, 1))
    expected = ["button left 1", "button left 0", "button other 1", "wheel 0 -1", "wheel 0 -1", "wheel 1 0"]
    assert listener.hear("wheel 1") == expected


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
    devices.user, devices.asked = os.getuid() + 1, 0
    devices.send("event0", (1, 29, 1), (1, 44, 1), (1, 44, 0))
    poll(lambda: devices.asked == 1, what="asking who is there")
    refused = Listener(devices)
    assert refused.hear() == []
    refused.close()
    devices.user = os.getuid()
    devices.send("event0", *tapped("z"), *tapped("esc"))
    assert listener.hear() == ["key character character 0", "key escape escape 0"]


def test_devices_are_closed_with_the_last_listener(devices: InputDevices, listener: Listener) -> None:
    second = Listener(devices)
    assert second.hear("devices") == ["devices 1 0"]
    devices.send("event0", *tapped("esc"))
    assert second.hear() == listener.hear() == ["key escape escape 0"]
    second.close()
    devices.send("event0", *tapped("esc"))
    assert listener.hear() == ["key escape escape 0"]
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


def test_devices_come_and_go(devices: InputDevices, listener: Listener) -> None:
    devices.unplug("event1")
    devices.plug("event7", TOUCHPAD)
    devices.send("event0", *tapped("esc"))
    listener.hear("devices 0 1")
    devices.unplug("event0")
    devices.plug("event9", KEYBOARD)
    listener.hear("devices 0 1")
    devices.send("event9", *tapped("esc"))
    assert listener.hear()[-1] == "key escape escape 0"


def test_a_descriptor_that_another_uses_now_is_not_taken_for_what_it_was(
    devices: InputDevices, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything, (number,) = devices.service._all, devices.service._listeners
    known, select_all = everything.get_key(number), everything.select
    gone = known._replace(data=devices.service._pass_on)  # of a device that was closed before this
    monkeypatch.setattr(everything, "select", lambda timeout: [(gone, 1), *select_all(timeout)])
    for _ in range(2):
        devices.send("event0", *tapped("esc"))
        assert listener.hear() == ["key escape escape 0"]


# ------------------------------------------------------------ in Kairos


def queue() -> tuple[InputQueue, Gate]:
    gate = Gate()
    made = InputQueue(SystemClock(), gate, lambda: None)
    gate.open()
    made.accept_from(gate.epoch, 1)
    return made, gate


class Kairos:
    """What Kairos makes of the service."""

    def __init__(self, path: str) -> None:
        self.pointer: tuple[int, int] | None = None
        self.queue, self.gate = queue()
        self.service = InputService(lambda: self.pointer, path)
        self.service.start(self.queue)

    def taken(self, count: int) -> list[InputEvent]:
        found: list[InputEvent] = []

        def has_come() -> bool:
            found.extend(self.queue.drain()[0])
            return len(found) >= count

        poll(has_come, what="input")
        return found


@pytest.fixture
def kairos(devices: InputDevices) -> Iterator[Kairos]:
    made = Kairos(devices.socket)
    assert made.service.is_there
    yield made
    made.service.close()


def test_kairos_records_classes_and_buttons_with_their_place_if_known(devices: InputDevices, kairos: Kairos) -> None:
    devices.send("event0", *tapped("ctrl", "z"))
    devices.send("event0", *tapped("a"))
    keys = [event.key_class for event in kairos.taken(3)]
    assert keys == [KeyClass.MODIFIER, KeyClass.UNDO, KeyClass.CHARACTER]
    kairos.queue.has_moved = False
    for place in (None, (7, 9)):
        kairos.pointer = place
        devices.send("event1", *CLICK, (2, 8, 1))
        told = kairos.taken(3)
        assert [event.kind for event in told] == [EventKind.BUTTON_DOWN, EventKind.BUTTON_UP, EventKind.SCROLL]
        assert {(event.x, event.y) for event in told} == {place or (None, None)}
    assert kairos.queue.has_moved


def test_what_was_pressed_before_a_pause_ended_is_not_taken(kairos: Kairos) -> None:
    now_ms = SystemClock().now_ns() // NS_PER_MS
    kairos.queue.accept_from(kairos.gate.epoch, now_ms)
    told = (f"{now_ms + late} key {name} {name} 0\n" for late, name in enumerate(("undo", "character")))
    kairos.service._take_lines("".join(told).encode())
    assert [event.key_class for event in kairos.queue.drain()[0]] == [KeyClass.CHARACTER]


def test_programs_differ_in_what_a_key_is_for(devices: InputDevices, kairos: Kairos) -> None:
    kairos.service.tell_layout("pc+ru+de:2+inet(evdev)")
    kairos.queue.fallback = Fallback.US

    def is_undo() -> bool:
        devices.send("event0", *tapped("ctrl", "z"))
        return KeyClass.UNDO in {event.key_class for event in kairos.taken(2)}

    poll(is_undo, what="the layout")


def test_a_service_that_ends_or_comes_is_told(devices: InputDevices, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sensed is another then, so the desktop is opened anew."""
    monkeypatch.setattr(input_service, "AGAIN_S", 0.05)
    with closing(InputService(lambda: None, devices.socket + "-not")) as absent:
        assert not absent.is_there
        absent.check()
        Path(devices.socket + "-not").symlink_to(devices.socket)
        assert select.select([absent], [], [], 20)[0]
        with pytest.raises(EnvironmentFault, match="another way"):
            absent.check()
    with closing(InputService(lambda: None, devices.socket)) as present:
        present._say("nothing that it knows\n")
        assert select.select([present], [], [], 20)[0]
        with pytest.raises(EnvironmentFault, match="another way"):
            present.check()
    devices.user = os.getuid() + 1
    with closing(InputService(lambda: None, devices.socket)) as refused:
        assert not refused.is_there


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
                is_over.wait()

        is_asked, is_over = threading.Event(), threading.Event()
        answering = threading.Thread(target=answer, daemon=True)
        answering.start()
        kairos = Kairos(f"{folder}/s")
        is_asked.set()
        if not words:
            is_over.set()
        told = select.select([kairos.service], [], [], 20)[0]
        is_over.set()
        answering.join()
        kairos.service.close()
        assert told
