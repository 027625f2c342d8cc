"""Points at the controls of a page, step by step: the ring is where the next control is, or nowhere.

Where a dialog has nothing of the page, what comes first is to close it. A control that takes no click is not ringed,
nor one that is set already as it shall be. A step without controls is the person's: it counts as done once they have
clicked or typed in the program, and used none of its controls for that.
The ring goes when its window leaves the front, when the page is done or closed, and with a pause. Where the window may
not be read again so soon, a step waits for its ring.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from daemon.capture.gate import Gate
from daemon.capture.scene import contains
from daemon.help.grounding import LEAST, ground, is_all_of, is_opened_by, likeness, plain_name, tab_in_text
from daemon.help.guide import Guide
from daemon.help.moment import Lookup
from daemon.help.ports import Point, RequestElements
from storage.clock import NS_PER_S, Clock
from storage.ports import HelpStep, PointedAt
from storage.records import (
    Box,
    ControlAct,
    ControlRole,
    ControlState,
    Element,
    Elements,
    EventKind,
    Focus,
    InputEvent,
    KeyClass,
    Record,
    WindowEvent,
)


class RingPlace:
    """The place of one ring: around a control in the window that was active when that was found."""

    def __init__(self, box: Box, window: Focus) -> None:
        """Take the control's box, and the window as it was then."""
        self._box = box
        self._window = window

    def after(self, focus: Focus) -> Box | None:
        """Return where the ring belongs now; None: nowhere.

        It moves with its window. While another window or none is active it leaves, and comes back with its own. A
        window of another size has laid its controls out anew, so the ring belongs nowhere until they are read again. A
        window of ours that gets the keyboard changes nothing.
        """
        own = self._window.geometry
        if focus.own:
            return self._box
        if (focus.app, focus.window) != (self._window.app, self._window.window) or focus.geometry[2:] != own[2:]:
            return None
        self._box = Box(
            self._box.x + focus.geometry.x - own.x, self._box.y + focus.geometry.y - own.y, self._box.w, self._box.h
        )
        self._window = focus
        return self._box


AGAIN_S = 1.0
"""After so long the controls are requested again where they could not be had."""

MAX_TRIES = 30
"""A program that nobody has asked before may need ten seconds until it says anything."""

OWN_S = 0.8
"""How much later than a click or a key the person is done with a step of theirs, unless more follows."""

PRESSED_S = 1.0
"""How much later than a click a program has said what was pressed, if it does."""

KEYS_S = 0.4
"""How much later than a shortcut a program shows what it has toggled."""

_OWN_KEYS = frozenset(
    {
        *(KeyClass.CHARACTER, KeyClass.ENTER, KeyClass.BACKSPACE, KeyClass.DELETE, KeyClass.NAVIGATION),
        *(KeyClass.PASTE, KeyClass.SELECT_ALL),
    }
)
_NOT_OWN = frozenset(
    {
        *(ControlRole.MENU, ControlRole.MENU_ITEM, ControlRole.BUTTON, ControlRole.TOGGLE, ControlRole.LINK),
        ControlRole.TAB,
    }
)
"""What is used on the way to something else, and is not the work itself."""

_PRESSED = frozenset(
    {
        *(ControlRole.MENU_ITEM, ControlRole.BUTTON, ControlRole.TOGGLE, ControlRole.CHECK_BOX, ControlRole.LINK),
        ControlRole.RADIO_BUTTON,
    }
)
"""What a click is all of the use of."""

GREYED_TRIES = 10
GREYED_AGAIN_S = 6.0
"""After so long it is looked whether a control takes clicks again: no program says so by itself."""

WAYS_OUT = ("cancel", "close", "abbrechen", "schließen")
"""What the button is called that closes a dialog and changes nothing; the languages of the interface."""

ENDS = frozenset({"ok", "apply", "save", "übernehmen", *WAYS_OUT})
"""What buttons are called that end the work in a dialog: never next while a tab is named that has the rest of it."""

FOLLOWED_NS = 300 * NS_PER_S
"""The longest time that a page is followed."""


@dataclass(slots=True, eq=False)
class _Followed:
    """The page that somebody follows.

    `place` is where the control to point at was found, and `step` the number of its step; `box` is where the ring is;
    `looks` counts requests for controls, and `asked` is whether an act of the person wants the last one; `in_menu` is
    whether the control is in a menu that stands open, and `opens_menu` whether it opens one, which was ringed at
    `opener`, and `ends` whether that is all that is left of the step; `about` is what the ring is around. `menu_look`
    is the number of the last look for a menu that came or went, `menu` what that has found, and `act_waits` whether
    somebody has used a control meanwhile. `tab` is the name of the tab that is ringed, if one is, and `name` that of
    what is pressed.
    `menu_closed` is whether a menu has gone since a control was used, and `own` ends a step of the person's. `opens` is
    whether a step was done since the window in front changed, so that the next dialog is of the page: `dialog` is its
    number. `shown` is the number of the step that was pointed at last. `ringed` is the name of what the ring is around,
    and `was` the ring before: where, around what, and when it went. `clicked` is the name of what somebody
    clicked on last in a ring; empty if that was elsewhere, or a key was pressed since.
    """

    offer_id: str
    app: str
    guide: Guide
    until_ns: int
    step: int
    place: RingPlace | None = None
    box: Box | None = None
    looks: int = 0
    in_menu: bool = False
    opens_menu: bool = False
    ends: bool = False
    opener: Box | None = None
    about: PointedAt = PointedAt.STEP
    asked: bool = False
    menu_look: int = -1
    menu: Elements | None = None
    act_waits: bool = False
    tab: str = ""
    name: str = ""
    menu_closed: bool = False
    opens: bool = False
    dialog: int = -1
    shown: int = -1
    ringed: str = ""
    clicked: str = ""
    was: tuple[Box, str, int] | None = None
    own: asyncio.TimerHandle | None = None


@dataclass(frozen=True, slots=True)
class _Target:
    """What to point at now, for which step."""

    step: int
    element: Element | None
    about: PointedAt = PointedAt.STEP

    @property
    def is_in_menu(self) -> bool:
        """Whether it is an item of a menu, which stands open then."""
        return self.element is not None and self.element.role == ControlRole.MENU_ITEM


class Pointing:
    """The ring of one session. Used in the core's thread."""

    def __init__(
        self,
        point: Point,
        request_elements: RequestElements,
        lookup: Lookup,
        gate: Gate,
        clock: Clock,
        *,
        on_done: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Point at nothing; `on_done` is called with an offer whose last step is done."""
        self._point = point
        self._on_done = on_done
        self._request_elements = request_elements
        self._lookup = lookup
        self._gate = gate
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._followed: _Followed | None = None
        self.window: Focus | None = None
        """The window in front, as it was seen last; one of ours changes nothing."""

        self._owner = ""
        """The program whose dialog that is, if it is one: the program that was in front before."""

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take the core's loop, in which everything but `hide` runs."""
        self._loop = loop

    def begin(self, offer_id: str, app: str, guide: Guide, place: RingPlace | None) -> None:
        """Follow somebody through a page; `place` is where its first control is, if that is known."""
        self.end()
        if guide.is_empty or not self._gate.is_open:
            return
        followed = _Followed(offer_id, app, guide, self._clock.now_ns() + FOLLOWED_NS, guide.step, place)
        self._followed = followed
        self._go_on(followed)

    def end(self, offer_id: str | None = None) -> None:
        """Point at nothing any more; with an offer only if it is the one that is followed."""
        followed = self._followed
        if followed is not None and offer_id in (None, followed.offer_id):
            self._followed = None
            self._wait_for_own(followed, None)
            self._ring(followed, None)

    def hide(self) -> None:
        """Take the ring away at once; in whichever thread closed the gate."""
        followed = self._followed
        if followed is not None:
            self._point(followed.offer_id, followed.step, None, PointedAt.STEP)

    def observe(self, row: Record) -> None:
        """Follow what happens on the screen."""
        if isinstance(row, Focus):
            if not row.own:
                self._take_focus(row)
        elif self._followed is None:
            return
        elif isinstance(row, ControlAct):
            self._take_act(self._followed, row)
        elif isinstance(row, InputEvent) and not row.own:
            self._take_input(self._followed, row)
        elif isinstance(row, WindowEvent) and row.popup:
            self._take_menu(self._followed, row)

    def _take_menu(self, followed: _Followed, menu: WindowEvent) -> None:
        self._wait_for_own(followed, None)
        followed.menu_closed = menu.gone
        if followed.ends and not menu.gone:
            self._use(followed, followed.ringed)
            return
        if followed.in_menu if menu.gone else followed.opens_menu:  # it went with its menu, or that is open now
            followed.opener = None if menu.gone else followed.box
            followed.place, followed.in_menu, followed.opens_menu = None, False, False
            self._ring(followed, None)
        self._look(followed)
        followed.menu_look = followed.looks

    def _take_input(self, followed: _Followed, event: InputEvent) -> None:
        """Note a click or a key: it may be all of a step of the person's, or the shortcut of what is wanted."""
        guide = followed.guide
        if event.kind is EventKind.BUTTON_DOWN:
            self._wait_for_own(followed, None)
            name = _clicked(followed, event)
            followed.clicked = name or (guide.next_control if _is_in(event, followed.box) else "")
            if name and self._loop is not None:
                self._loop.call_later(PRESSED_S, self._count_click, followed, guide.step, name)
        elif event.kind is EventKind.KEY:
            followed.clicked = ""
        is_own = event.kind is EventKind.BUTTON_UP or event.key_class in _OWN_KEYS
        if guide.is_yours and is_own and self.window is not None and self._is_in_front(followed):
            self._wait_for_own(followed, OWN_S)
        elif event.key_class is not None and guide.press(event.key_class):
            self._go_on(followed)
        elif event.key_class in (KeyClass.SHORTCUT, KeyClass.FUNCTION) and guide.may_toggle and self._loop is not None:
            self._loop.call_later(KEYS_S, self._look_again, followed, guide.step)

    def _count_click(self, followed: _Followed, step: int, name: str) -> None:
        """Count a click on what was ringed as its use: not every program says what was pressed."""
        if self._followed is followed and followed.guide.step == step:
            self._use(followed, name)

    def _look_again(self, followed: _Followed, step: int) -> None:
        if self._followed is followed and followed.guide.step == step:
            self._look(followed, asked=True)

    def _wait_for_own(self, followed: _Followed, seconds: float | None) -> None:
        """Count the person's own step as done after a while without more; with None it is not begun."""
        if followed.own is not None:
            followed.own.cancel()
        followed.own = None
        if seconds is not None and self._loop is not None:
            followed.own = self._loop.call_later(seconds, self._end_own, followed)

    def _end_own(self, followed: _Followed) -> None:
        if self._followed is followed and followed.guide.is_yours:
            followed.guide.finish(followed.guide.step)
            self._go_on(followed)

    def _go_on(self, followed: _Followed) -> None:
        """Point at what is next, as far as that is known, or look for it; say that it is done behind the last step."""
        guide = followed.guide
        is_dialog = self.window is not None and self.window.dialog
        followed.menu_closed = False
        if guide.is_done:
            self._followed, followed.step = None, guide.step
            self._ring(followed, None, PointedAt.DONE)
            self._on_done(followed.offer_id)
        elif guide.is_yours and not is_dialog:
            followed.step = guide.step
            self._ring(followed, None, PointedAt.YOURS)
        elif not guide.is_yours and followed.place is not None and (box := self._box_of(followed.place)) is not None:
            followed.step = guide.step
            followed.opens_menu = guide.wanted is not None and len(guide.wanted.controls) > 1
            self._ring(followed, box)  # a look is better used when a menu opens: there are few of them
        else:
            self._look(followed, asked=True)

    def _is_in_front(self, followed: _Followed) -> bool:
        """Return whether the window in front is of the program that is followed, or a dialog."""
        return self.window is None or self.window.app == followed.app or self.window.dialog

    def _box_of(self, place: RingPlace) -> Box | None:
        return place.after(self.window) if self.window is not None else None

    def _take_focus(self, focus: Focus) -> None:
        self.window = focus
        if focus.app and not focus.dialog:
            self._owner = focus.app
        followed = self._followed
        if followed is None:
            return
        wanted = followed.guide.wanted
        if wanted is not None and focus.dialog and is_all_of(wanted, self._title()):
            followed.guide.finish(followed.guide.step)  # however it was opened
            followed.place, followed.dialog = None, focus.window
            self._go_on(followed)
            return
        if focus.dialog and followed.opens:
            followed.dialog = focus.window
        followed.opens = False
        if followed.guide.is_yours and not focus.dialog:
            self._ring(followed, None, PointedAt.YOURS if focus.app == followed.app else PointedAt.STEP)
            return
        box = followed.place.after(focus) if followed.place is not None else None
        self._ring(followed, box, followed.about if box is not None else PointedAt.STEP)
        if box is None:
            self._look(followed)

    def _take_act(self, followed: _Followed, act: ControlAct) -> None:
        if act.role in _NOT_OWN:
            self._wait_for_own(followed, None)
        name = self._lookup(act.name_digest, self._clock.now_ns())
        by_itself = act.what == "toggled" and followed.clicked  # menus of GTK 4 set their marks as they open
        if name is not None and not (by_itself and likeness(followed.clicked, name) < LEAST):
            self._use(followed, name)

    def _use(self, followed: _Followed, name: str) -> None:
        """Note that a control was used."""
        step = followed.guide.step
        if followed.tab and likeness(followed.tab, name) >= LEAST:  # what is in it can be seen now
            followed.guide.finish(followed.step)
        elif not followed.guide.act(name):
            return
        followed.place, followed.menu_closed = None, False
        followed.opens = followed.guide.step != step
        guide, is_of_menu = followed.guide, followed.menu_look == followed.looks
        if guide.is_done or guide.is_yours:
            self._go_on(followed)
            return
        followed.step = guide.step
        if is_of_menu and followed.menu is not None:
            self._show_in_menu(followed, followed.menu)
            return
        self._ring(followed, None)
        if is_of_menu:
            followed.asked = followed.act_waits = True
        else:
            self._look(followed, asked=True)

    def _show_in_menu(self, followed: _Followed, menu: Elements) -> None:
        """Point at what is next among what was found when a menu came, or look anew.

        The program says only afterwards what was pressed to open it, and may not be read again so soon.
        """
        step = followed.guide.wanted
        if step is not None:
            self._point_at(followed, self._find(followed, step, menu))
        if followed.place is None:
            self._look(followed, asked=True)

    def _look(self, followed: _Followed, *, asked: bool = False) -> None:
        """Find the control of the step that is next on the screen; `asked`: for an act of the person that wants it."""
        followed.looks += 1
        followed.asked, followed.menu, followed.act_waits = asked, None, False
        if not self._is_in_front(followed):
            return  # what another program calls so is another control; its own comes to the front again
        self._request(followed, followed.looks, MAX_TRIES)

    def _request(self, followed: _Followed, look: int, tries: int) -> None:
        loop = self._loop

        def take(elements: Elements | None) -> None:
            with contextlib.suppress(RuntimeError):  # the core has stopped
                if loop is not None:
                    loop.call_soon_threadsafe(self._take_elements, followed, look, tries, elements)

        if self._is_current(followed, look):
            self._request_elements(take, asked=followed.asked)

    def _request_later(self, followed: _Followed, look: int, tries: int, seconds: float | None = None) -> None:
        if tries > 1 and self._loop is not None:
            seconds = AGAIN_S if seconds is None else seconds
            self._loop.call_later(seconds, self._request, followed, look, tries - 1)

    def _take_elements(self, followed: _Followed, look: int, tries: int, elements: Elements | None) -> None:
        step = followed.guide.wanted
        if step is None or not self._is_current(followed, look) or not self._is_in_front(followed):
            return
        if self._clock.now_ns() >= followed.until_ns:
            self.end()
        elif elements is None:
            self._request_later(followed, look, tries)
        elif followed.guide.see(elements.elements):
            followed.place = None
            self._go_on(followed)
        else:
            target = self._find(followed, step, elements)
            if target.element is None and target.about is PointedAt.STEP and followed.menu_closed:
                followed.guide.restart()
                target = self._find(followed, followed.guide.wanted or step, elements)
            if followed.guide.is_yours and target.is_in_menu:
                followed.guide.finish(followed.guide.step)  # somebody is on with the next step
            opener = followed.opener if look == followed.menu_look and not elements.complete else None
            if opener is not None and target.element is not None and target.element.box == opener and tries > 1:
                self._request_later(followed, look, tries)  # the look was cut off before it came to the open menu
                return
            self._point_at(followed, target)
            if look == followed.menu_look:
                followed.menu = elements
            if target.about is PointedAt.GREYED and tries > MAX_TRIES - GREYED_TRIES:
                followed.asked = False
                self._request_later(followed, look, tries, GREYED_AGAIN_S)
            elif followed.act_waits and target.element is None:
                self._look(followed, asked=True)

    def _point_at(self, followed: _Followed, target: _Target) -> None:
        element = target.element
        followed.step = target.step
        followed.place = (
            RingPlace(element.box, self.window) if element is not None and self.window is not None else None
        )
        followed.in_menu = target.is_in_menu
        is_last = element is not None and followed.guide.is_last(element.name or "")
        followed.opens_menu = element is not None and not is_last
        followed.ends = element is not None and is_last and element.role is ControlRole.MENU
        is_pressed = element is not None and (followed.ends or element.role in _PRESSED)
        followed.name = (element.name or "") if element is not None and is_pressed else ""
        followed.tab = (element.name or "") if element is not None and element.role == ControlRole.TAB else ""
        self._ring(followed, element.box if element is not None else None, target.about)

    def _find(self, followed: _Followed, wanted: HelpStep, elements: Elements) -> _Target:
        """Return what to point at: what is next, or in a dialog the first that is there, or the button that closes it.

        What led to a dialog is behind somebody who has it open, and cannot be reached from it.
        """
        guide, is_dialog = followed.guide, self.window is not None and self.window.dialog
        later = tuple(guide.later()) if is_dialog or guide.is_yours else ()
        steps = ((guide.step, wanted), *(later if is_dialog else later[:1]))
        end: _Target | None = None
        for number, step in steps:
            found = ground(step, elements.elements, opened=guide.opened if step is wanted else "")
            if (
                guide.is_yours
                and number == later[0][0]
                and (is_dialog or not _Target(number, found.element).is_in_menu)
            ):
                if found.greyed or found.element is not None:
                    return _Target(guide.step, None, PointedAt.YOURS)  # what comes next is here, and so is this
                continue
            if found.greyed:
                return _Target(number, None, PointedAt.GREYED)
            if found.element is not None:
                tab = tab_in_text(step, elements.elements) if is_dialog else None
                if tab is not None and found.element.role == ControlRole.TAB:
                    return _Target(number, tab)  # "Format > Page and select the Footer tab" means no tab "Page"
                if step is wanted or plain_name(found.element.name or "") not in ENDS:
                    return _Target(number, found.element)
                end = end or _Target(number, found.element)
        for number, step in steps if is_dialog else ():
            if (tab := tab_in_text(step, elements.elements)) is not None:
                return _Target(number, tab)
        if end is not None:
            return end
        is_of_page = is_opened_by(wanted, self._title())
        is_of_page |= self.window is not None and self.window.window == followed.dialog
        is_in_the_way = is_dialog and self._owner == followed.app and not is_of_page
        way_out = _way_out(elements) if is_in_the_way else None
        if way_out is not None:
            return _Target(guide.step, way_out, PointedAt.WAY_OUT)
        return _Target(guide.step, None, PointedAt.YOURS if guide.is_yours else PointedAt.STEP)

    def _title(self) -> str:
        """Return the title of the window in front, if it is still in memory."""
        window = self.window
        return self._lookup(window.title_digest, self._clock.now_ns()) or "" if window is not None else ""

    def _is_current(self, followed: _Followed, look: int) -> bool:
        return self._followed is followed and followed.looks == look and self._gate.is_open

    def _ring(self, followed: _Followed, box: Box | None, about: PointedAt = PointedAt.STEP) -> None:
        if box is not None and not self._gate.is_open:
            return
        if (box, about, followed.step) != (followed.box, followed.about, followed.shown):
            if followed.box is not None:
                followed.was = followed.box, followed.ringed, self._clock.now_ns()
            followed.ringed = followed.name
            followed.box, followed.about, followed.shown = box, about, followed.step
            self._point(followed.offer_id, followed.step, box, about)


def _clicked(followed: _Followed, event: InputEvent) -> str:
    """Return the name of what was ringed where somebody clicked, then: a click may be told after what it closed."""
    if followed.was is not None and event.t_ns < followed.was[2] and _is_in(event, followed.was[0]):
        return followed.was[1]
    return followed.name if _is_in(event, followed.box) else ""


def _is_in(event: InputEvent, box: Box | None) -> bool:
    """Return whether a click is in a box."""
    return box is not None and event.x is not None and event.y is not None and contains((box,), event.x, event.y)


def _way_out(elements: Elements) -> Element | None:
    """Return the button that closes a dialog, where all of it is known."""
    buttons = {
        plain_name(element.name or ""): element
        for element in elements.elements
        if elements.complete and element.role == ControlRole.BUTTON and element.state is not ControlState.DISABLED
    }
    return next((buttons[name] for name in WAYS_OUT if name in buttons), None)
