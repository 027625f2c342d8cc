"""Carries out the acts of a campaign on a virtual desktop with a real daemon, and keeps account of what was done.

The daemon's detector is always in doubt, so that a model is asked at every prefix and pictures are sent.
"""

import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from typing import Any

import numpy as np
import simplejpeg
from Xlib import XK, X
from Xlib.ext import xtest
from Xlib.protocol.event import ClientMessage

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, open_display
from detectors.protocol import Images, make_estimate
from lab.benchmarks.fence.cast import (
    DESKS,
    Cast,
    Client,
    Maker,
    RealPrograms,
    Slot,
    SlotKind,
    channels,
    in_quiet_colours,
    marker,
    model_server,
)
from lab.benchmarks.fence.client import MARKER_KEY
from lab.benchmarks.fence.plan import SCREEN, Act, Action
from lab.benchmarks.fence.screen_truth import ScreenSample, ScreenTruth
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box, Estimate, Prefix, State
from storage.settings import DetectorSettings

NAME = "lab.benchmarks.fence.campaign:detector"

_NEED = 0.3
_STATES = {state.value: float(state is State.FRUSTRATION) for state in State}


class DoubtfulDetector:
    """Gives the same estimate for every prefix."""

    name = "doubtful"
    version = "1"
    uses_images = False

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:  # noqa: ARG002  # a Detector
        """Return an estimate that leaves everything open."""
        return make_estimate(self, prefix, now_ns, state_probs=_STATES, help_need=_NEED)


def detector(settings: DetectorSettings) -> DoubtfulDetector:  # noqa: ARG001  # a factory
    """Make the detector."""
    return DoubtfulDetector()


ORDINARY_KEY = "a"

_PICOM = ("picom", "--backend", "xrender", "--config", "/dev/null")
_COMPOSITORS = {
    "plain": ("--no-fading-openclose",),
    "fading": ("--fading",),
    "translucent": ("--no-fading-openclose", "--active-opacity", "0.5"),
}
_SETTINGS = {
    "capture.store_width": str(SCREEN[0]),  # as it is on the screen: no excluded pixel hides in the scaling
    "policy.quiet_start_s": "0",
    "policy.name": "silent",
    "window.planned_s": "6",
    "detector.name": NAME,
    "local_model.preset": "llama-server",
    "local_model.model": "campaign",
    "local_model.on_battery": "true",
    "local_model.frames": "4",
    "fence.cover_unknown_browsers": "true",
}
_APPEAR_S = {Maker.CLIENT: 2.0, Maker.MOUSEPAD: 8.0, Maker.FIREFOX: 25.0, Maker.CHROMIUM: 25.0}
_FOCUS_S = 2.0
_KEY_S = 0.03
_AT_ONCE = 2
"""Steps, of five, that type into a window at once; the others wait `_SETTLE_S`, longer than the fence lingers."""

_SETTLE_S = 0.8
_LEFT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An act as it was carried out; `void` says why it could not be."""

    action: Action
    start_ns: int
    end_ns: int
    void: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """Keys typed into a window that had the keyboard before and after; `title` is the marker of its title then.

    `settled` is false where typing began at once, while a window before may still keep the keyboard closed.
    """

    action: int
    slot: str
    secret: bool
    start_ns: int
    end_ns: int
    count: int
    settled: bool
    title: str
    box: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicked:
    """A click at a place of the screen."""

    action: int
    t_ns: int
    x: int
    y: int


@dataclass(slots=True, kw_only=True)
class Account:
    """What was done and what could be seen: the reference for the search."""

    cast: Cast
    done: list[Done] = field(default_factory=list)
    typed: list[Typed] = field(default_factory=list)
    clicked: list[Clicked] = field(default_factory=list)
    titles: dict[str, Slot] = field(default_factory=dict)
    secret_titles: set[str] = field(default_factory=set)
    embedded: list[tuple[int, int, str]] = field(default_factory=list)
    """From when to when a slot was part of an excluded window, embedded in it or around it."""
    compositors: list[tuple[int, str]] = field(default_factory=list)
    samples: list[ScreenSample] = field(default_factory=list)
    folder: Path = Path()
    sessions: Path = Path()
    daemon_lines: list[str] = field(default_factory=list)


class _VoidError(Exception):
    """An act could not be carried out: a window was gone, or never came."""


def run_campaign(
    cast: Cast, actions: Sequence[Action], folder: Path, progress: Callable[[int, int], None] = lambda *_: None
) -> Account:
    """Carry out a plan; the daemon's data goes to `folder`.

    Raises:
        EnvironmentFault: the desktop or the daemon does not start.
    """
    account = Account(cast=cast, folder=folder)
    with ExitStack() as stack:
        wm = cast.desk or "openbox"
        desktop = stack.enter_context(VirtualDesktop(SCREEN, wm=wm, compositor=False, tray="none"))
        if cast.desk:
            desk = DESKS[cast.desk]
            in_quiet_colours(Path(desktop.env["XDG_CONFIG_HOME"]))
            desktop.spawn([desk.panel], "panel")
            desktop.spawn([desk.notifier], "notifier")
        url = stack.enter_context(model_server())
        settings = {**_SETTINGS, **cast.settings, "local_model.url": url}
        if cast.control:
            settings["fence.cover_unknown_browsers"] = "false"
        kairos = DaemonProcess(desktop, folder, settings=settings, headless=True, recording=True)
        stage = _Stage(desktop, account)
        stack.callback(stage.end)
        kairos.start()
        truth = ScreenTruth(desktop, stage.xids)
        try:
            for number, action in enumerate(actions):
                progress(number, len(actions))
                stage.perform(action)
            stage.clock.sleep_s(1.0)
        finally:
            account.samples = truth.stop()
            status = kairos.quit()
        account.daemon_lines = kairos.messages()
        account.sessions = kairos.sessions
        if status != 0:
            raise EnvironmentFault(f"Kairos ended with status {status}", remedy=f"its messages are in {kairos.log}")
    return account


class _Stage:
    """The desktop with everything on it, by the names of slots."""

    def __init__(self, desktop: VirtualDesktop, account: Account) -> None:
        self.clock = SystemClock()
        self._desktop = desktop
        self._account = account
        self._display = open_display(desktop.env)
        self._root = self._display.screen().root
        self._clients: dict[str, Client] = {}
        self._real = RealPrograms(desktop)
        self.xids: dict[str, int] = {}
        """The windows that should be there, by name: a slot, or a slot and what of it."""
        self._titles: dict[str, str] = {}
        self._turned: set[str] = set()
        self._guests: dict[str, tuple[str, int]] = {}
        self._numbers = 0
        self._picom: Popen[bytes] | None = None
        self._acts: dict[Act, Callable[[Action], None]] = {
            Act.OPEN: self._open,
            Act.OPEN_LATE_NAMED: self._open,
            Act.CLOSE: self._close,
            Act.BLINK: self._blink,
            Act.MOVE: self._move,
            Act.RAISE: self._raise,
            Act.MINIMISE: self._minimise,
            Act.RETITLE: self._retitle,
            Act.TURN: self._turn,
            Act.FADE: self._fade,
            Act.DIALOG: self._dialog,
            Act.POPUP: self._popup,
            Act.EMBED: self._embed,
            Act.FREE: self._free,
            Act.DESKTOP: self._switch_desktop,
            Act.SEND: self._send_to_desktop,
            Act.COMPOSITOR: self._switch_compositor,
            Act.TYPE: self._type,
            Act.CLICK: self._click,
            Act.PAINT: self._paint,
            Act.HANG: self._hang,
            Act.SWITCHER: self._switcher,
            Act.TIP: self._tip,
            Act.OVERVIEW: self._overview,
            Act.NOTIFY: self._notify,
        }

    def perform(self, action: Action) -> None:
        """Carry out one act, and note it."""
        start_ns = self.clock.now_ns()
        void = ""
        try:
            self._acts[action.act](action)
        except _VoidError as reason:
            void = str(reason)
        self._account.done.append(Done(action=action, start_ns=start_ns, end_ns=self.clock.now_ns(), void=void))
        self.clock.sleep_s(action.pause_s)

    def end(self) -> None:
        """End the clients."""
        for client in self._clients.values():
            client.end()
        for name in list(self._guests):
            self._note_apart(name)
        self._display.close()

    # ------------------------------------------------------------ windows

    def _open(self, action: Action) -> None:
        slot = self._slot(action)
        title = self._title(slot, secret=slot.is_excluded)
        if slot.maker is Maker.CLIENT:
            late_s = 0.15 if action.act is Act.OPEN_LATE_NAMED else 0.0
            answer = self._order(
                slot, "open", name=slot.name, box=action.box, colour=slot.colour, title=title, late_s=late_s
            )
            self.xids[slot.name] = int(answer["xid"])
            return
        self._real.open(slot, action.box, title)
        word = title.split()[-1]
        window = self._until(
            lambda: self._desktop.windows.find(title=word), _APPEAR_S[slot.maker], "its window never came"
        )
        self.xids[slot.name] = window.xid
        self._place(window.xid, action.box)
        if slot.is_browser:
            self._activate(window.xid)
            self._press_button(action.box.x + action.box.w // 2, action.box.y + action.box.h * 2 // 3)

    def _close(self, action: Action) -> None:
        slot = self._slot(action)
        xid = self._xid(slot.name)
        del self.xids[slot.name]
        self._turned.discard(slot.name)
        if slot.maker is Maker.CLIENT:
            if f"{slot.name}-dialog" in self.xids:
                del self.xids[f"{slot.name}-dialog"]
                self._order(slot, "close", name=f"{slot.name}-dialog")
            self._order(slot, "close", name=slot.name)
            return
        self._send(xid, "_NET_CLOSE_WINDOW", 0, 2)

    def _blink(self, action: Action) -> None:
        slot = self._slot(action)
        name = f"{slot.name}-blink"
        title = self._title(slot, secret=slot.is_excluded)
        popup = action.value % 2 == 0
        answer = self._order(slot, "open", name=name, box=action.box, colour=slot.colour, title=title, popup=popup)
        self._show_for(0.07 * action.value, slot, name, answer)

    def _move(self, action: Action) -> None:
        self._place(self._xid(action.slot), action.box)

    def _raise(self, action: Action) -> None:
        self._activate(self._xid(action.slot))

    def _minimise(self, action: Action) -> None:
        self._send(self._xid(action.slot), "WM_CHANGE_STATE", 3)

    def _retitle(self, action: Action) -> None:
        slot = self._slot(action)
        self._xid(slot.name)
        self._order(slot, "retitle", name=slot.name, title=self._title(slot, secret=slot.is_excluded))

    def _turn(self, action: Action) -> None:
        """Show something excluded in an ordinary window, by its title, or something ordinary again."""
        slot = self._slot(action)
        self._xid(slot.name)
        secret = action.other == "secret"
        self._turned = self._turned | {slot.name} if secret else self._turned - {slot.name}
        title = self._title(slot, secret=secret)
        if secret and not self._account.cast.control:
            title = f"confidential {title}"
        self._order(
            slot,
            "turn",
            name=slot.name,
            colour=slot.secret if secret else slot.colour,
            title=title,
            first="title" if secret and action.value < 3 else "paint",  # noqa: PLR2004  # now one first, now the other
            wait_s=0.15,
        )

    def _fade(self, action: Action) -> None:
        slot = self._slot(action)
        self._xid(slot.name)
        steps = (1.0, 0.75, 0.5, 0.5, 1.0)
        self._order(slot, "fade", name=slot.name, opacity=0.5 if slot.kind is SlotKind.VEIL else steps[action.value])

    def _dialog(self, action: Action) -> None:
        slot = self._slot(action)
        name = f"{slot.name}-dialog"
        if action.other == "close":
            if name in self.xids:
                del self.xids[name]
                self._order(slot, "close", name=name)
            return
        self._xid(slot.name)
        answer = self._order_dialog(slot, action, name, popup=False)
        self.xids[name] = int(answer["xid"])

    def _popup(self, action: Action) -> None:
        slot = self._slot(action)
        self._xid(slot.name)
        name = f"{slot.name}-popup"
        answer = self._order_dialog(slot, action, name, popup=True)
        self._show_for(0.12 * action.value, slot, name, answer)

    def _show_for(self, seconds: float, slot: Slot, name: str, answer: dict[str, Any]) -> None:
        self.xids[name] = int(answer["xid"])
        try:
            self.clock.sleep_s(seconds)
            self._order(slot, "close", name=name)
        finally:
            del self.xids[name]

    def _order_dialog(self, slot: Slot, action: Action, name: str, *, popup: bool) -> dict[str, Any]:
        box = Box(action.box.x, action.box.y, 160, 110)
        title = self._title(slot, secret=slot.is_excluded, plain_words=True)
        return self._order(
            slot, "open", name=name, box=box, colour=slot.colour, title=title, parent=slot.name, popup=popup
        )

    def _embed(self, action: Action) -> None:
        slot, host = self._slot(action), self._account.cast.slot(action.other)
        self._xid(slot.name)
        self._order(slot, "embed", name=slot.name, host=self._xid(host.name))
        self._guests[slot.name] = host.name, self.clock.now_ns()

    def _free(self, action: Action) -> None:
        slot = self._slot(action)
        if slot.name not in self._guests:
            raise _VoidError("was not embedded")
        self._order(slot, "free", name=slot.name, box=action.box)
        self._note_apart(slot.name)

    def _note_apart(self, name: str) -> None:
        host, since_ns = self._guests.pop(name)
        pair = (self._account.cast.slot(name), self._account.cast.slot(host))
        if any(slot.is_excluded for slot in pair):
            until_ns = self.clock.now_ns() + NS_PER_S
            self._account.embedded += [(since_ns, until_ns, slot.name) for slot in pair]

    def _hang(self, action: Action) -> None:
        """Close an excluded window above a program that does not paint for a while."""
        slot = self._slot(action)
        self._activate(self._xid(slot.name))
        cover = next(window for window in self._account.cast.slots if window.kind is SlotKind.EXCLUDED_APP)
        found = self._desktop.windows.refresh(_window(self._xid(slot.name)))
        box = found.box if found is not None else action.box
        client = self._client(slot)
        client.hold(still=True)
        try:
            title = self._title(cover, secret=True)
            inner = Box(box.x + 20, box.y + 20, max(40, box.w // 2), max(40, box.h // 2))
            self._order(cover, "open", name="cover", box=inner, colour=cover.colour, title=title, popup=True)
            self.clock.sleep_s(0.3)
            self._order(cover, "close", name="cover")
            self.clock.sleep_s(0.8 + 0.3 * action.value)
        finally:
            client.hold(still=False)

    # ------------------------------------------------------------ what shows windows of others

    def _switcher(self, action: Action) -> None:
        self._press_code("Alt_L", X.KeyPress)
        for _ in range(1 + action.value):
            self._press("Tab")
            self.clock.sleep_s(0.15)
        self.clock.sleep_s(0.3)
        self._press_code("Alt_L", X.KeyRelease)

    def _tip(self, action: Action) -> None:
        """Rest over the panel, at its top or bottom edge, where its list of windows is."""
        for y in (4, SCREEN[1] - 8):
            xtest.fake_input(self._display, X.MotionNotify, x=60 + 90 * action.value, y=y)
            self._display.sync()
            self.clock.sleep_s(0.9)

    def _overview(self, action: Action) -> None:
        """Show a picture of an excluded window as an overview does: over all the screen, by a program of its own."""
        slot = self._slot(action)
        self._xid(slot.name)
        client = self._clients.setdefault("skippy-xd", Client(self._desktop, "skippy-xd"))
        box = Box(0, 0, *SCREEN)
        client.do("open", name="overview", box=box, colour=slot.colour, title="", popup=True)
        self.clock.sleep_s(0.2 + 0.1 * action.value)
        client.do("close", name="overview")

    def _notify(self, action: Action) -> None:
        slot = self._slot(action)
        icon = self._desktop.directory / f"icon-{slot.colour:06x}.jpg"
        pixels = np.full((48, 48, 3), channels(slot.colour), np.uint8)
        icon.write_bytes(simplejpeg.encode_jpeg(pixels, quality=100, colorsubsampling="444"))
        title = self._title(slot, secret=True, plain_words=True)
        argv = ["notify-send", "-t", "900", "-i", str(icon), "Message", title]
        if self._desktop.spawn(argv, "notify").wait(5.0):
            raise _VoidError("nobody shows notifications")
        self.clock.sleep_s(0.5)

    # ------------------------------------------------------------ the desktop

    def _switch_desktop(self, action: Action) -> None:
        self._send(self._root.id, "_NET_CURRENT_DESKTOP", action.value)

    def _send_to_desktop(self, action: Action) -> None:
        self._send(self._xid(action.slot), "_NET_WM_DESKTOP", action.value % 2, 2)

    def _switch_compositor(self, action: Action) -> None:
        if self._picom is not None:
            self._desktop.stop(self._picom)
            self._picom = None
        if action.other != "off":
            self._picom = self._desktop.spawn([*_PICOM, *_COMPOSITORS[action.other]], "picom")
            owns = self._desktop.windows.owns_selection
            self._until(lambda: owns("_NET_WM_CM_S0") or None, 5.0, "the compositor never came")
        self._account.compositors.append((self.clock.now_ns(), action.other))

    # ------------------------------------------------------------ input

    def _type(self, action: Action) -> None:
        slot = self._slot(action)
        xid = self._xid(slot.name)
        self._activate(xid)
        client = self._client(slot) if slot.maker is Maker.CLIENT else None
        which = "marker" if slot.is_excluded else "other"
        before = client.do("keys") if client is not None else {}
        count, settled = 2 + action.value, action.value >= _AT_ONCE
        if slot.is_browser:
            count |= 1  # each key turns the mark of its page on or off: an odd number leaves it changed
        self.clock.sleep_s(_SETTLE_S if settled else 0.0)
        start_ns = self.clock.now_ns()
        for _ in range(count):
            self._press(MARKER_KEY if slot.is_excluded else ORDINARY_KEY)
            self.clock.sleep_s(_KEY_S)
        end_ns = self.clock.now_ns()
        if client is not None:
            if client.do("keys").get(which, 0) - before.get(which, 0) != count:
                raise _VoidError("the keys went elsewhere")
        elif self._active() != xid:
            raise _VoidError("the keyboard went elsewhere")
        found = self._desktop.windows.refresh(_window(xid))
        self._account.typed.append(
            Typed(
                action=action.number,
                slot=slot.name,
                secret=slot.is_excluded,
                start_ns=start_ns,
                end_ns=end_ns,
                count=count,
                settled=settled,
                title=self._titles[slot.name],
                box=found.box if found is not None else Box(0, 0, 0, 0),
            )
        )

    def _click(self, action: Action) -> None:
        window = self._desktop.windows.refresh(_window(self._xid(action.slot)))
        if window is None:
            raise _VoidError("is not on the screen")
        rng = random.Random(action.number)  # noqa: S311  # the same place in each run
        x = min(SCREEN[0] - 1, max(0, window.box.x + rng.randrange(4, max(5, window.box.w - 4))))
        y = min(SCREEN[1] - 1, max(0, window.box.y + rng.randrange(4, max(5, window.box.h - 4))))
        self._account.clicked.append(Clicked(action=action.number, t_ns=self.clock.now_ns(), x=x, y=y))
        self._press_button(x, y)

    def _paint(self, action: Action) -> None:
        slot = self._slot(action)
        self._xid(slot.name)
        self._order(slot, "mark", name=slot.name)

    # ------------------------------------------------------------ means

    def _slot(self, action: Action) -> Slot:
        return self._account.cast.slot(action.slot)

    def _xid(self, name: str) -> int:
        if name not in self.xids:
            raise _VoidError("is not there")
        return self.xids[name]

    def _client(self, slot: Slot) -> Client:
        if slot.app not in self._clients:
            self._clients[slot.app] = Client(self._desktop, slot.app)
        return self._clients[slot.app]

    def _order(self, slot: Slot, what: str, **facts: object) -> dict[str, Any]:
        answer = self._client(slot).do(what, **facts)
        if "error" in answer:
            raise _VoidError(f"could not {what}: {answer['error']}")
        return answer

    def _title(self, slot: Slot, *, secret: bool, plain_words: bool = False) -> str:
        """Return a new title for a window of a slot and remember it; `plain_words`: nothing in it is excluded."""
        self._numbers += 1
        word = marker(slot, self._numbers, secret=secret)
        self._account.titles[word] = slot
        if secret:
            self._account.secret_titles.add(word)
        if plain_words:
            return f"fieldwork {word}"
        self._titles[slot.name] = word
        return f"{slot.title} {word}"

    def _place(self, xid: int, box: Box) -> None:
        self._send(xid, "_NET_MOVERESIZE_WINDOW", 0xF << 8 | 2 << 12, *box)

    def _activate(self, xid: int) -> None:
        """Bring a window to the front; it need not get the keyboard."""
        self._send(xid, "_NET_ACTIVE_WINDOW", 2)
        end_ns = self.clock.now_ns() + int(_FOCUS_S * NS_PER_S)
        while self._active() != xid and self.clock.now_ns() < end_ns:
            self.clock.sleep_s(0.01)

    def _active(self) -> int:
        answer = self._root.get_full_property(self._display.intern_atom("_NET_ACTIVE_WINDOW"), X.AnyPropertyType)
        return int(answer.value[0]) if answer else 0

    def _send(self, xid: int, what: str, *numbers: int) -> None:
        data = (*numbers, 0, 0, 0, 0, 0)[:5]
        window = self._display.create_resource_object("window", xid)
        message = ClientMessage(window=window, client_type=self._display.intern_atom(what), data=(32, data))
        self._root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()

    def _press(self, name: str) -> None:
        self._press_code(name, X.KeyPress)
        self._press_code(name, X.KeyRelease)

    def _press_code(self, name: str, event: int) -> None:
        xtest.fake_input(self._display, event, self._display.keysym_to_keycode(XK.string_to_keysym(name)))
        self._display.sync()

    def _press_button(self, x: int, y: int) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        xtest.fake_input(self._display, X.ButtonPress, _LEFT)
        xtest.fake_input(self._display, X.ButtonRelease, _LEFT)
        self._display.sync()

    def _until(self, check: Callable[[], Any], timeout_s: float, otherwise: str) -> Any:
        end_ns = self.clock.now_ns() + int(timeout_s * NS_PER_S)
        while not (found := check()):
            if self.clock.now_ns() > end_ns:
                raise _VoidError(otherwise)
            self.clock.sleep_s(0.05)
        return found


def _window(xid: int) -> WindowInfo:
    """Return what is needed to look at a window of the window manager's."""
    return WindowInfo(xid=xid, app="", title="", pid=0, box=Box(0, 0, 0, 0), popup=False)
