"""The part of the sense that runs in the capture thread: what was observed becomes records, or nothing.

Everything is judged once more, by the fence as it is now and by the gate. Without consent to the recording names and
texts leave this module only as keyed digests and as classes.

A program is asked about everything only while the fence allows all of its windows, hidden ones too: which of them a
signal comes from is not always known. One with a window that may be private is only asked whether a password field has
the keyboard; one with nothing but excluded windows is not asked at all.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from daemon.capture.accessibility.browsers import BrowserProofs
from daemon.capture.accessibility.digests import ControlWords, Digests
from daemon.capture.accessibility.protection import HOLD_NS, FieldProtection
from daemon.capture.accessibility.sense import ControlSense
from daemon.capture.control_source import (
    Access,
    Acted,
    ActKind,
    CommandsListed,
    Control,
    ControlsListed,
    DialogOpened,
    FocusMoved,
    FocusMoving,
    FrontWindow,
    Lost,
    MessageShown,
    Observation,
    PageLoaded,
    Permit,
    PictureWanted,
    ProgramQuiet,
    UndoNamed,
    Working,
)
from daemon.capture.diff import Pixels
from daemon.capture.fence.rules import LINGER_NS, Fence, Proof, Visibility
from daemon.capture.gate import Gate
from daemon.capture.message_texts import class_of_dialog, class_of_message, is_error_role
from daemon.capture.scene import DesktopWindow, Scene, around
from storage.ports import SPOTLIGHT_TITLE
from storage.records import (
    CONTROLS_GONE,
    CONTROLS_UNANSWERED,
    Box,
    ControlAct,
    ControlRole,
    DialogSeen,
    DocumentLoaded,
    Dropped,
    Element,
    Elements,
    EventKind,
    InputEvent,
    KeyClass,
    MessageClass,
    MessageSeen,
    Problem,
    Record,
    Sense,
    UndoLabel,
)

MAX_STORED = 512
"""Longer names and texts are cut; their digests are not."""

STEP = 10
SENSE = "controls"
_SILENT = (Visibility.COVERED, Visibility.OWN)
_PRESSED_BY_ENTER = (ControlRole.BUTTON, ControlRole.TOGGLE, ControlRole.MENU_ITEM, ControlRole.LINK)


class ControlObserver:
    """Publishes what may be asked, and makes records of what was answered. Used in the capture thread."""

    hold_ns = HOLD_NS
    """How long pictures wait for what a field says of itself."""

    def __init__(
        self,
        sense: ControlSense,
        gate: Gate,
        *,
        key: bytes,
        record_names: bool,
        words: ControlWords,
        own_pid: int,
        picture: Callable[[Box], tuple[Pixels, Box] | None] = lambda _: None,
    ) -> None:
        """Take the session's key, whether names may be stored, and what returns the redacted picture of a part now."""
        self._sense = sense
        self._gate = gate
        self._digests = Digests(key)
        self._record_names = record_names
        self._words = words
        self._own_pid = own_pid
        self._picture = picture
        self._permit = Permit()
        self._observed: list[Observation] = []
        self._lost = 0
        self._focus: deque[tuple[int, int, Control | None]] = deque(maxlen=16)
        self._newest_focus = 0
        self._quiet: set[int] = set()
        self._fields = FieldProtection()
        self._browsers = BrowserProofs()

    def publish(self, fence: Fence, *, locked: bool) -> None:
        """Say what may be asked from now on."""
        self._permit = permit_of(fence, self._own_pid)
        self._fields.use_active(self._permit.active, fence.scene.t_ns)
        self._sense.publish(self._permit, locked=locked)

    @property
    def due_ns(self) -> int | None:
        """When `protect` should be called again for the input that it holds back."""
        return self._fields.due_ns

    def proofs(self, scene: Scene) -> Mapping[int, Proof]:
        """Return what is proven of browser windows."""
        return self._browsers.proofs(scene)

    def protect(self, events: Sequence[InputEvent], now_ns: int) -> list[InputEvent]:
        """Return the input that may be handed on by now: keys wait for where they went, a password's are dropped."""
        is_untold = self._sense.is_untold  # before what it has said is taken in
        self._fields.acted(events)
        self._collect(now_ns)
        if not self._sense.is_working:
            return self._fields.release(events, forget_fields=self._sense.is_off)
        return self._fields.apply(events, now_ns, is_untold=is_untold)

    def protected(self, scene: Scene, since_ns: int, now_ns: int) -> frozenset[Box]:
        """Return where password fields are that held something since then, or had the keyboard.

        Where a program does not say where one is, these are its windows.
        """
        self._collect(now_ns)
        self._fields.follow(scene, now_ns)
        from_ns = since_ns - LINGER_NS
        pids = self._fields.placeless(from_ns)
        return self._fields.covered(from_ns).union(window.box for window in scene.windows if window.pid in pids)

    def must_wait(self, now_ns: int) -> bool:
        """Return whether it is not known yet whether a password field has the keyboard."""
        self._collect(now_ns)
        return self._fields.is_waiting(now_ns)

    def _collect(self, now_ns: int) -> None:
        """Take in what was observed; where the keyboard is counts at once, the rest when records are made."""
        self._fields.use_active(self._permit.active, now_ns)
        if not self._sense.has_pending:
            return
        observed, lost = self._sense.take()
        self._lost += lost
        self._observed += observed
        now = [seen for seen in observed if self._gate.passed(seen.epoch)]
        self._fields.note(now)
        self._browsers.note(now)

    @property
    def has_pending(self) -> bool:
        """Whether anything was observed that is not judged yet."""
        return bool(self._observed) or self._sense.has_pending

    def records(self, fence: Fence, events: Sequence[InputEvent], now_ns: int, *, locked: bool) -> list[Record]:
        """Return records of what was observed since the last call; `events` have passed the fence."""
        if self._sense.is_off:
            return self.discard()
        self._collect(now_ns)
        observed, self._observed = self._observed, []
        lost, self._lost = self._lost, 0
        found: list[Record] = []
        happened: list[Observation | InputEvent] = [*observed, *events]
        for seen in sorted(happened, key=lambda seen: seen.t_ns):  # a key goes to what had the keyboard then
            if isinstance(seen, InputEvent):
                act = None if locked else self._enter(seen, fence, now_ns)
                found += [act] if act is not None else []
            elif isinstance(seen, Working):
                found += self._working(seen)
            elif isinstance(seen, ProgramQuiet):
                found += self._quiet_program(seen)
            elif isinstance(seen, Lost):
                lost += seen.count
            elif isinstance(seen, PictureWanted):
                self._hand_over_picture(seen, locked=locked)
            elif isinstance(seen, CommandsListed):
                self._hand_over_commands(seen, fence, locked=locked)
            elif isinstance(seen, ControlsListed):
                found += self._listed(seen, fence, locked=locked)
            elif not locked and self._gate.passed(seen.epoch) and self._may(seen):
                record = self._record(seen, app_of(fence, seen.pid), now_ns)
                found += [record] if record is not None else []
        if lost:
            found.append(Dropped(what="control_signals", count=-(-lost // STEP) * STEP, reason="overload"))
        return found

    def dropped(self) -> list[Dropped]:
        """Return the record of input that still waits when nothing is observed any more; how many keys is not said."""
        waiting = -(-self._fields.waiting // STEP) * STEP
        return [Dropped(what="input", count=waiting, reason="unanswered")] if waiting else []

    def discard(self) -> list[Record]:
        """Forget what was not handed over, for a pause or for good; return what must be recorded all the same."""
        self._focus.clear()
        self._words.clear()
        self._fields.clear()
        observed, self._observed = [*self._observed, *self._sense.take()[0]], []
        kept: list[Record] = []
        for seen in observed:
            if isinstance(seen, CommandsListed | ControlsListed | PictureWanted):
                self._sense.deliver(seen.request, None)
            elif isinstance(seen, Working):
                kept += self._working(seen)
            elif isinstance(seen, ProgramQuiet):
                kept += self._quiet_program(seen)
        return kept

    # ------------------------------------------------------------ judging

    def _may(self, observation: Observation) -> bool:
        pid = observation.pid
        return pid not in self._permit.settling and self._permit.programs.get(pid) is Access.ALL

    def _working(self, working: Working) -> list[Record]:
        found: list[Record] = [Sense(name=SENSE, on=working.on)]
        if not working.on:
            if not working.chosen:
                found.append(Problem(code=CONTROLS_GONE))
            if self._quiet:
                self._quiet.clear()
                found.append(Problem(code=CONTROLS_UNANSWERED, over=True))
        return found

    def _quiet_program(self, quiet: ProgramQuiet) -> list[Record]:
        """Return a problem where the first program is not asked any more, and its end where all are asked again.

        Which program it is stands nowhere: it may be one with excluded windows.
        """
        was = bool(self._quiet)
        (self._quiet.add if quiet.on else self._quiet.discard)(quiet.pid)
        return [Problem(code=CONTROLS_UNANSWERED, over=was)] if was is not bool(self._quiet) else []

    # ------------------------------------------------------------ records

    def _record(self, observation: Observation, app: str, now_ns: int) -> Record | None:
        match observation:
            case FocusMoving(number=number) | FocusMoved(number=number) if number < self._newest_focus:
                pass  # a slower answer about where the keyboard was before
            case FocusMoving(number=number):
                self._newest_focus = number
                self._focus.append((observation.t_ns, observation.pid, None))
            case FocusMoved(number=number, control=control):
                self._newest_focus = number
                self._focus.append((observation.t_ns, observation.pid, control))
            case Acted():
                return self._act(observation.t_ns, app, observation.what, observation.control, now_ns)
            case DialogOpened():
                return self._dialog(observation, app, now_ns)
            case MessageShown():
                return self._message(observation, app, now_ns)
            case PageLoaded(title=title):
                return DocumentLoaded(
                    t_ns=observation.t_ns, app=app, title_digest=self._digest(title, now_ns), title=self._stored(title)
                )
            case UndoNamed(label=label):
                return UndoLabel(
                    t_ns=observation.t_ns, app=app, label_digest=self._digest(label, now_ns), label=self._stored(label)
                )
            case _:
                pass
        return None

    def _hand_over_picture(self, wanted: PictureWanted, *, locked: bool) -> None:
        """Give the sense the picture of a window that says nothing, where the fence allows its controls too."""
        is_allowed = not locked and self._gate.passed(wanted.epoch) and self._may(wanted)
        found = self._picture(around(wanted.areas)) if is_allowed and wanted.pid == self._permit.active else None
        if found is None:
            self._sense.deliver(wanted.request, None)
        else:
            self._sense.read_picture(wanted, *found)

    def _hand_over_commands(self, seen: CommandsListed, fence: Fence, *, locked: bool) -> None:
        """Hand the commands of a window that the fence allows over to who requested them, or None."""
        is_allowed = not locked and self._gate.passed(seen.epoch) and self._may(seen)
        found = seen.found if is_allowed else None
        self._sense.deliver(seen.request, None if found is None else replace(found, app=app_of(fence, seen.pid)))

    def _listed(self, seen: ControlsListed, fence: Fence, *, locked: bool) -> list[Record]:
        """Hand the controls that the fence allows over to who requested them, or None; return the record of it."""
        is_allowed = not locked and self._gate.passed(seen.epoch) and self._may(seen)
        if seen.found is None or not is_allowed or seen.pid != self._permit.active:
            self._sense.deliver(seen.request, None)
            return []
        elements = tuple(
            Element(role=control.role.value, box=control.box, name=control.name, state=control.state)
            for control in seen.found.controls
            if control.box is not None and control.role is not ControlRole.PASSWORD
        )
        listed = Elements(
            t_ns=seen.t_ns,
            app=app_of(fence, seen.pid),
            elements=elements,
            complete=seen.found.complete,
            by_ocr=seen.by_ocr,
        )
        self._sense.deliver(seen.request, listed)
        if self._record_names:
            return [listed]
        return [replace(listed, elements=tuple(replace(element, name=None) for element in elements))]

    def _act(self, t_ns: int, app: str, what: ActKind, control: Control, now_ns: int) -> ControlAct | None:
        if control.role is ControlRole.PASSWORD:
            return None
        return ControlAct(
            t_ns=t_ns,
            app=app,
            what=what,
            role=control.role,
            name_digest=self._digest(control.name, now_ns),
            state=control.state,
            box=control.box,
            name=self._stored(control.name),
        )

    def _dialog(self, seen: DialogOpened, app: str, now_ns: int) -> DialogSeen:
        return DialogSeen(
            t_ns=seen.t_ns,
            app=app,
            role=seen.role,
            title_digest=self._digest(seen.title, now_ns),
            text_digest=self._digest(seen.text, now_ns),
            about=class_of_dialog(seen.title, seen.text, asks_password=seen.asks_password),
            title=self._stored(seen.title),
            text=self._stored(seen.text),
        )

    def _message(self, seen: MessageShown, app: str, now_ns: int) -> MessageSeen | None:
        about = seen.about if seen.about is not None else class_of_message(seen.text)
        if about is MessageClass.OTHER and not is_error_role(seen.role):
            return None
        return MessageSeen(
            t_ns=seen.t_ns,
            app=app,
            role=seen.role,
            text_digest=self._digest(seen.text, now_ns, with_names=seen.role is ControlRole.OUTPUT),
            about=about,
            text=self._stored(seen.text),
        )

    def _enter(self, event: InputEvent, fence: Fence, now_ns: int) -> ControlAct | None:
        """Return the act of a key that presses the control with the keyboard."""
        if event.kind is not EventKind.KEY or event.key_class is not KeyClass.ENTER or event.own:
            return None
        before = (focus for focus in reversed(self._focus) if focus[0] <= event.t_ns)  # a key may come late
        _, pid, control = next(before, (0, 0, None))
        if control is None or pid != self._permit.active or self._permit.programs.get(pid) is not Access.ALL:
            return None
        if control.role not in _PRESSED_BY_ENTER:
            return None
        return self._act(event.t_ns, app_of(fence, pid), ActKind.PRESSED, control, now_ns)

    def _digest(self, text: str, now_ns: int, *, with_names: bool = False) -> str:
        digest = self._digests.of(text, with_names=with_names)
        self._words.remember(digest, text, now_ns)
        return digest

    def _stored(self, text: str) -> str | None:
        return text[:MAX_STORED] if self._record_names else None


def permit_of(fence: Fence, own_pid: int) -> Permit:
    """Return what may be asked now."""
    programs: dict[int, Access] = {}
    settling = set()
    for pid, states in fence.processes.items():
        if pid == own_pid:
            programs[pid] = Access.NOTHING
        elif Visibility.UNSETTLED in states:
            programs[pid] = Access.NOTHING
            settling.add(pid)
        elif states == {Visibility.ALLOWED}:
            programs[pid] = Access.ALL
        elif states.issubset(_SILENT):
            programs[pid] = Access.NOTHING
        else:
            programs[pid] = Access.FIELDS
    scene = fence.scene
    active = next((w for w in reversed(scene.windows) if scene.active and w.client == scene.active), None)
    ring = (own_pid, SPOTLIGHT_TITLE)
    popups = [top for top in scene.windows if top.popup and (top.pid, top.title) != ring]  # clicks go through the ring
    seen_as = fence.visibility(active.client) if active is not None else None
    is_seen = active is not None and seen_as not in _SILENT
    return Permit(
        programs=programs,
        active=active.pid if active is not None and is_seen else 0,
        front=_front(scene, active) if active is not None and is_seen else None,
        corner=active.corner if active is not None and is_seen else None,
        knows_places=not scene.outputs,
        is_ours=seen_as is Visibility.OWN,
        window=active.box if active is not None and is_seen else None,
        content=(active.content or active.box) if active is not None and is_seen else None,
        settling=frozenset(settling),
        popups=tuple(popup.box for popup in popups),
        menus=tuple(top.box for top in popups if active is not None and active.pid and _are_together(top, active)),
    )


def _front(scene: Scene, active: DesktopWindow) -> FrontWindow:
    """Return the window whose commands count: a dialog has none, but the window that it belongs to."""
    above = (window for window in scene.windows if active.dialog and window.client == active.transient_for)
    window = next((window for window in above if window.pid == active.pid), active)
    return FrontWindow(
        pid=window.pid, client=window.client, app=window.app or "", title=window.title, exported=window.exported
    )


def _are_together(popup: DesktopWindow, active: DesktopWindow) -> bool:
    """Return whether a popup is of the active window's program; many do not say of which process they are."""
    return popup.pid == active.pid if popup.pid else popup.group == active.group


def app_of(fence: Fence, pid: int) -> str:
    """Return the program's name as records carry it: that of its active window, else of any."""
    scene = fence.scene
    windows = [window for window in scene.windows if window.pid == pid and window.app]
    windows.sort(key=lambda window: window.client != scene.active)
    return windows[0].app or "" if windows else ""
