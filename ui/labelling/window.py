"""The window for labels. Everything in it comes from the reader; what the person says goes to it, key by key.

It was opened by the person, so it may take the focus. Letters and digits act everywhere but in the two lines of text.
"""

import secrets
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from storage.clock import NS_PER_MS, NS_PER_S
from storage.records import MAX_WORDS, BlindLot, LabelTask, NeedLabel, SegmentLabel, State
from storage.timeline import (
    LabelReply,
    LabelRequests,
    LabelsClosed,
    LabelsKept,
    SaidWord,
    SessionPicture,
    SessionToLabel,
    SpeechHeard,
    TimelineTrouble,
)
from storage.translation import tr
from ui.labelling.lanes import Lanes
from ui.theme import current_theme, style_sheet
from ui.timeline.picture import PictureCanvas
from ui.told import Told
from ui.views.forget import view_trouble
from ui.views.labelling import (
    BEGIN,
    BEGINS_HERE,
    DELETE,
    DOING,
    DROP,
    END,
    KEEP,
    KEPT,
    KEYS,
    LOOP,
    LOST,
    NEED,
    NEEDS,
    NO_PICTURES,
    PAUSE,
    PLAY,
    QUIZ_HINT,
    READING,
    SAY_FIRST,
    TITLE,
    TOO_SHORT,
    UNDO,
    WANTED,
    WHY_DROP,
    WOULD_HELP,
    judged_otherwise,
    proposal_of,
    session_for,
    view_judged,
    view_now,
    view_proposal,
    view_said,
    view_segment,
    view_states,
    view_title,
)
from ui.widgets import Part, Prose, TickBox, beside, bring_up, centred, filled, make_area, make_wide_button

WIDTH, HEIGHT, PANEL_CHARACTERS = 1180, 780, 42
SECOND_NS, FAR_NS, LEAST_NS = NS_PER_S, 10 * NS_PER_S, NS_PER_S // 2
TICK_MS = 100
LOW = 34
"""Lines of text below which a window has no room to list its keys; the time line has them as its tip."""

MOST_UNDONE = 200
SEEN = 0.1
"""A stretch is judged blind up to this share of its time over which something was shown before."""

_MARGIN, _FREE = 16, 40

Keys = dict[Qt.Key, Callable[[], object]]


class LabelWindow(QDialog):
    """The window of one session; `gone` says that it was closed."""

    gone = Signal()

    def __init__(
        self,
        requests: LabelRequests,
        rater: str,
        lot: BlindLot,
        at_wall_ns: int = 0,
        task: LabelTask | None = None,
    ) -> None:
        """Lay the window out, hidden and empty; show it with `appear`.

        Args:
            requests: what it asks.
            rater: who labels.
            lot: draws which labels are made before anything else is shown.
            at_wall_ns: where to begin; 0 for the beginning.
            task: what the rater is asked.
        """
        super().__init__(None, Qt.WindowType.Window)
        self._requests, self._rater, self._lot = requests, rater, lot
        self._at_wall_ns, self._task = at_wall_ns, task or LabelTask()
        self._session: SessionToLabel | None = None
        self._chosen: SegmentLabel | None = None
        self._begin_ns: int | None = None
        self._at_ns = 0
        self._shown_place = -1
        self._undone: list[tuple[SegmentLabel | None, SegmentLabel | None]] = []
        self._revealed: dict[str, SegmentLabel] = {}
        """By id, the labels over which something was shown, also those that were undone or deleted since."""

        self._waiting, self._failed = 0, False
        self._timer, self._passed = QTimer(self), QElapsedTimer()
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._play_on)
        self.setWindowTitle(f"Kairos: {tr(TITLE)}")
        self.setAccessibleName(tr(TITLE))
        theme = current_theme()
        self.setStyleSheet(style_sheet(theme, "timeline"))
        self._heading = Prose(tr(READING), "session", size=1.2, bold=True)
        self._trouble = Told("", "trouble")
        self._canvas = PictureCanvas(tr(TITLE))
        self._now = Prose("", "now", faint=True)
        self._lanes = Lanes(theme)
        self._lanes.went.connect(self._go)
        self._segment = Prose("", "segment", bold=True)
        self._judged = Prose("", "judged")
        self._kept = Prose("", "kept", faint=True)
        self._said = Prose("", "said", faint=True)
        self._states = {state: TickBox(text, state.value, theme) for state, text in view_states().items()}
        self._needs = {need: self._make_need(need) for need in NeedLabel}
        self._wanted, self._would_help = self._make_line(WANTED, "wanted"), self._make_line(WOULD_HELP, "would_help")
        self._reason = self._make_line(WHY_DROP, "reason")
        self._reason.setPlaceholderText(tr(WHY_DROP))
        self._reason.hide()
        self._play = self._make_button(PLAY, "play", self._toggle_playing)
        self._loop = self._make_button(LOOP, "loop", lambda: None)
        self._loop.setCheckable(True)
        self._buttons = (
            self._play,
            self._loop,
            self._make_button(BEGIN, "begin", self._begin),
            self._make_button(END, "end", self._end),
            *self._make_verdicts(),
            self._make_button(UNDO, "undo", self._undo),
            self._make_button(DELETE, "delete", self._delete),
        )
        self._hint = Prose(tr(KEYS), "keys", faint=True)
        self._lanes.setToolTip(tr(KEYS))
        self._lay_out()
        self._keys, self._far_keys = self._make_keys()
        self._refresh()

    # ------------------------------------------------------------ layout

    def _make_need(self, need: NeedLabel) -> QPushButton:
        words, key = NEEDS[need]
        button = make_wide_button(f"{tr(words)} ({tr(key)})", need.value, "chip", partial(self._say_need, need))
        button.setAccessibleName(f"{tr(NEED)} {tr(words)}")
        button.setCheckable(True)
        button.setMinimumWidth(0)
        return button

    def _make_line(self, name: str, object_name: str) -> QLineEdit:
        line = QLineEdit()
        line.setObjectName(object_name)
        line.setAccessibleName(tr(name))
        line.setMaxLength(MAX_WORDS)
        line.setMinimumHeight(round(self.fontMetrics().height() * 1.8))
        line.editingFinished.connect(self._say_words)
        line.returnPressed.connect(self._lanes.setFocus)
        return line

    def _make_button(self, text: str, name: str, clicked: Callable[[], object]) -> QPushButton:
        button = make_wide_button(tr(text), name, "chip", clicked)
        button.setMinimumWidth(0)
        return button

    def _make_verdicts(self) -> tuple[QPushButton, ...]:
        """Return what there is to say of a proposal beside correcting it."""
        if not self._task.proposed:
            return ()
        drop = self._make_button(DROP, "drop", self._drop)
        drop.setCheckable(True)
        return self._make_button(KEEP, "keep", self._keep), drop

    def _lay_out(self) -> None:
        doing, need = QLabel(tr(DOING)), QLabel(tr(NEED))
        wanted, would_help = QLabel(tr(WANTED)), QLabel(tr(WOULD_HELP))
        wanted.setBuddy(self._wanted)
        would_help.setBuddy(self._would_help)
        for state, box in self._states.items():
            box.clicked.connect(partial(self._toggle_state, state))
        if self._task.quiz:  # it asks what was being done, and nothing else
            for part in (need, *self._needs.values(), wanted, self._wanted, would_help, self._would_help):
                part.hide()
        for button in (*self._needs.values(), *self._buttons):
            button.setMinimumHeight(round(self.fontMetrics().height() * 1.9))
        panel = QWidget()
        panel.setObjectName("content")
        said: tuple[Part, ...] = (
            self._segment,
            self._said,
            6,
            doing,
            *self._states.values(),
            8,
            need,
            beside(*self._needs.values(), spacing=6),
            8,
        )
        words = (wanted, self._wanted, 4, would_help, self._would_help, 8, self._judged, self._reason, self._kept, None)
        filled(QVBoxLayout(panel), *said, *words, spacing=2, margins=(_MARGIN, 0, 6, 0))
        area = make_area(panel, "panel")
        area.setFixedWidth(self.fontMetrics().averageCharWidth() * PANEL_CHARACTERS + 2 * _MARGIN)
        self._canvas.setMinimumSize(160, 90)
        characters = self.fontMetrics().averageCharWidth()
        centred(self, max(WIDTH, characters * 140), max(HEIGHT, self.fontMetrics().height() * 44), free=_FREE)
        is_low = self.height() < LOW * self.fontMetrics().height()
        self._hint.setVisible(not is_low)
        room = self.width() - area.width() - 3 * _MARGIN
        is_narrow = sum(button.sizeHint().width() + 6 for button in self._buttons) > room
        in_row = 3 if is_low or is_narrow else len(self._buttons)
        rows = [
            beside(*self._buttons[at : at + in_row], None, spacing=6) for at in range(0, len(self._buttons), in_row)
        ]
        parts: tuple[Part, ...] = (self._canvas, self._now, self._lanes, *rows, self._hint)
        left = filled(QVBoxLayout(), *parts, spacing=8)
        left.setStretchFactor(self._canvas, 1)
        sides = beside(left, area)
        sides.setStretchFactor(left, 1)
        parts = (self._heading, self._trouble, sides)
        column = filled(QVBoxLayout(self), *parts, spacing=8, margins=(_MARGIN,) * 4)
        column.setStretchFactor(sides, 1)

    def _make_keys(self) -> tuple[Keys, Keys]:
        """Return what keys do, and what they do with Shift."""
        step = self._step
        keys: Keys = {
            Qt.Key.Key_Space: self._toggle_playing,
            Qt.Key.Key_Left: partial(step, -SECOND_NS),
            Qt.Key.Key_Right: partial(step, SECOND_NS),
            Qt.Key.Key_Comma: partial(self._step_picture, -1),
            Qt.Key.Key_Period: partial(self._step_picture, 1),
            Qt.Key.Key_Home: lambda: self._go(self._session.begin_ns if self._session else 0),
            Qt.Key.Key_End: lambda: self._go(self._session.end_ns if self._session else 0),
            Qt.Key.Key_Up: partial(self._choose_next, -1),
            Qt.Key.Key_Down: partial(self._choose_next, 1),
            Qt.Key.Key_B: self._begin,
            Qt.Key.Key_E: self._end,
            Qt.Key.Key_L: self._loop.toggle,
            Qt.Key.Key_BracketLeft: partial(self._move_end, is_start=True),
            Qt.Key.Key_BracketRight: partial(self._move_end, is_start=False),
            Qt.Key.Key_Delete: self._delete,
        }
        if self._task.proposed:
            keys |= {Qt.Key.Key_K: self._keep, Qt.Key.Key_X: self._drop}
        for number, state in enumerate(State):
            keys[Qt.Key(Qt.Key.Key_1 + number)] = partial(self._toggle_state, state)
        if not self._task.quiz:
            keys |= {Qt.Key.Key_W: self._wanted.setFocus, Qt.Key.Key_H: self._would_help.setFocus}
            keys |= {Qt.Key(ord(tr(key)[:1].upper())): partial(self._say_need, n) for n, (_, key) in NEEDS.items()}
        far: Keys = {Qt.Key.Key_Left: partial(step, -FAR_NS), Qt.Key.Key_Right: partial(step, FAR_NS)}
        return keys, far

    # ------------------------------------------------------------ showing

    def appear(self, session: str) -> None:
        """Show the window in front, and request the session."""
        self._requests.open(session)
        bring_up(self)
        self._lanes.setFocus(Qt.FocusReason.OtherFocusReason)

    def take(self, reply: LabelReply) -> None:
        """Show a reply of the reader."""
        match reply:
            case SessionToLabel():
                self._show_session(reply)
            case SpeechHeard():
                self._show_speech(reply)
            case SessionPicture():
                self._show_picture(reply)
            case LabelsKept():
                self._take_kept(reply)
            case LabelsClosed():
                self.reject()
            case TimelineTrouble():
                self._kept.say("")
                self._trouble.say(view_trouble(reply).text)

    def _take_kept(self, kept: LabelsKept) -> None:
        """Say that it is kept; where a change was not, show what is, as soon as no other change is on its way."""
        self._waiting -= 1
        self._failed |= kept.failed
        self._kept.say("" if kept.failed else tr(KEPT))
        if self._failed and self._waiting <= 0 and self._session is not None:
            self._failed = False
            self._session = self._for_task(replace(self._session, labels=kept.labels))
            chosen_id = self._chosen.label_id if self._chosen is not None else ""
            self._choose(next((label for label in self._own if label.label_id == chosen_id), None))

    def _for_task(self, session: SessionToLabel) -> SessionToLabel:
        return session_for(session, self._rater, self._task, self._lot)

    def _show_session(self, session: SessionToLabel) -> None:
        session = self._session = self._for_task(session)
        self._revealed = {label.label_id: label for label in self._own if label.judged_ns is not None}
        self._heading.say(view_title(session))
        wanted_ns = self._at_wall_ns - session.begin_wall_ns + session.begin_ns
        self._go(wanted_ns if self._at_wall_ns else session.begin_ns)
        if not session.pictures:
            self._canvas.setAccessibleName(tr(NO_PICTURES))
            self._trouble.say(tr(NO_PICTURES))
        own = self._own
        if self._task.is_given:
            self._choose_unsaid()
            self._kept.say(tr(QUIZ_HINT) if self._task.quiz else "")
            return
        self._choose(own[-1] if own and not self._at_wall_ns else None)

    def _show_speech(self, heard: SpeechHeard) -> None:
        if self._session is not None:
            words = tuple(SaidWord(start_ns=start_ns, end_ns=end_ns, text="") for start_ns, end_ns in heard.spans)
            self._session = replace(self._session, words=words)
            self._lanes.show_session(self._session, self._rater, self._task)

    def _show_picture(self, picture: SessionPicture) -> None:
        size = picture.width, picture.height
        self._canvas.show_image(QImage(picture.rgb, *size, 3 * size[0], QImage.Format.Format_RGB888).copy())
        self._canvas.setAccessibleName(self._now.text() if picture.rgb else tr(LOST))

    @property
    def _own(self) -> list[SegmentLabel]:
        if self._session is None:
            return []
        return [label for label in self._session.labels if label.rater == self._rater]

    def _refresh(self) -> None:
        """Show what is said of the stretch that is chosen."""
        chosen = self._chosen
        if self._session is not None:
            self._segment.say(view_segment(self._session, self._own, chosen))
            self._said.say(view_said(self._session, chosen))
            self._lanes.show_session(self._session, self._rater, self._task)
        self._lanes.show_chosen(chosen, self._begin_ns)
        for state, box in self._states.items():
            box.setChecked(chosen is not None and state in chosen.states)
        for need, button in self._needs.items():
            button.setChecked(chosen is not None and chosen.need is need)
        for line, words in ((self._wanted, "wanted"), (self._would_help, "would_help")):
            line.setText(getattr(chosen, words) if chosen is not None else "")
        for part in (*self._states.values(), *self._needs.values(), self._wanted, self._would_help, self._buttons[-1]):
            part.setEnabled(chosen is not None)
        self._buttons[-2].setEnabled(bool(self._undone))
        judged = chosen.shown if chosen is not None else None
        self._judged.say(view_judged(chosen, judged) if chosen is not None and not self._task.quiz else "")
        if self._task.proposed and self._session is not None and chosen is not None:
            self._show_proposal(self._session, chosen)
        self._lanes.setAccessibleDescription(f"{self._segment.text()}. {self._now.text()}")

    def _show_proposal(self, session: SessionToLabel, chosen: SegmentLabel) -> None:
        more = view_proposal(proposal_of(session, chosen))
        self._judged.say("\n".join(words for words in (self._judged.text(), more) if words))
        self._reason.setVisible(chosen.dropped)
        self._reason.setText(chosen.reason)
        next(button for button in self._buttons if button.objectName() == "drop").setChecked(chosen.dropped)

    # ------------------------------------------------------------ the place in time

    def _go(self, at_ns: int) -> None:
        """Go to a time, and show its picture unless it is there."""
        session = self._session
        if session is None:
            return
        self._at_ns = min(max(session.begin_ns, at_ns), session.end_ns)
        self._now.setText(view_now(session, self._at_ns))
        self._lanes.show_place(self._at_ns)
        place = bisect_right(session.pictures, self._at_ns)
        if place != self._shown_place and session.pictures:
            self._shown_place = place
            width = round(self._canvas.width() * self.devicePixelRatio())
            self._requests.request_picture(self._at_ns, max(320, width))

    def _step(self, by_ns: int) -> None:
        self._go(self._at_ns + by_ns)

    def _step_picture(self, by: int) -> None:
        pictures = self._session.pictures if self._session is not None else ()
        place = bisect_left(pictures, self._at_ns) - 1 if by < 0 else bisect_right(pictures, self._at_ns)
        if 0 <= place < len(pictures):
            self._go(pictures[place])

    def _toggle_playing(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
        elif self._session is not None:
            self._passed.start()
            self._timer.start()
        self._play.setText(tr(PAUSE if self._timer.isActive() else PLAY))

    def _play_on(self) -> None:
        session, chosen = self._session, self._chosen
        at_ns = self._at_ns + self._passed.restart() * NS_PER_MS
        if chosen is not None and self._loop.isChecked() and at_ns >= chosen.end_ns:
            at_ns = chosen.start_ns
        self._go(at_ns)
        if session is not None and self._at_ns >= session.end_ns:
            self._toggle_playing()

    # ------------------------------------------------------------ stretches

    def _choose(self, label: SegmentLabel | None) -> None:
        self._chosen = label
        self._refresh()

    def _choose_next(self, by: int) -> None:
        own = self._own
        place = own.index(self._chosen) + by if self._chosen in own else (0 if by > 0 else len(own) - 1)
        if 0 <= place < len(own):
            self._choose(own[place])
            self._go(own[place].start_ns)

    def _begin(self) -> None:
        if self._session is not None:
            self._begin_ns = self._at_ns
            self._kept.say(tr(BEGINS_HERE))
            self._lanes.show_chosen(self._chosen, self._begin_ns)

    def _end(self) -> None:
        """Make a stretch that ends here, and choose it."""
        session = self._session
        if session is None:
            return
        before = [label.end_ns for label in self._own if label.end_ns <= self._at_ns]
        start_ns = self._begin_ns if self._begin_ns is not None else max(before, default=session.begin_ns)
        if self._at_ns - start_ns < LEAST_NS:
            self._kept.say(tr(TOO_SHORT))
            return
        self._begin_ns = None
        label = SegmentLabel(
            label_id=secrets.token_hex(8),
            rater=self._rater,
            start_ns=start_ns,
            end_ns=self._at_ns,
            blind=self._lot.draws(session.session, self._rater, start_ns),
        )
        again = next((seen for seen in self._revealed.values() if seen.judged_ns == (start_ns, self._at_ns)), None)
        self._change(None, label if again is None else _as_seen(label, again))

    def _move_end(self, *, is_start: bool) -> None:
        if self._chosen is None:
            return
        moved = replace(self._chosen, start_ns=self._at_ns) if is_start else replace(self._chosen, end_ns=self._at_ns)
        if moved.end_ns - moved.start_ns < LEAST_NS:
            self._kept.say(tr(TOO_SHORT))
        else:
            self._change(self._chosen, moved)

    def _toggle_state(self, state: State, *_: object) -> None:
        if self._chosen is not None:
            said = set(self._chosen.states) ^ {state}
            self._change(self._chosen, replace(self._chosen, states=tuple(known for known in State if known in said)))

    def _say_need(self, need: NeedLabel, *_: object) -> None:
        if self._chosen is not None:
            self._change(self._chosen, replace(self._chosen, need=need))
        self._refresh()

    def _say_words(self) -> None:
        if self._chosen is not None:
            wanted, would_help = self._wanted.text().strip(), self._would_help.text().strip()
            reason = self._reason.text().strip() if self._chosen.dropped else ""
            changed = replace(self._chosen, wanted=wanted, would_help=would_help, reason=reason)
            if changed != self._chosen:
                self._change(self._chosen, changed)

    def _keep(self) -> None:
        """Take over what is proposed, once it may be seen, and go on."""
        if self._chosen is None or self._session is None:
            return
        asked = proposal_of(self._session, self._chosen)
        if asked is None:
            self._kept.say(tr(SAY_FIRST))
            return
        need = asked.need if asked.need is not None else self._chosen.need
        kept = replace(self._chosen, states=asked.states, need=need, dropped=False)
        self._change(self._chosen, replace(kept, wanted=asked.wanted, would_help=asked.would_help))
        self._choose_unsaid()

    def _drop(self) -> None:
        """Say that the stretch tells nothing, and why; or take that back."""
        chosen = self._chosen
        if chosen is not None:
            self._change(chosen, replace(chosen, dropped=not chosen.dropped))
            if not chosen.dropped:
                self._reason.setFocus()

    def _choose_unsaid(self) -> None:
        """Choose the next stretch of which not enough is said; the last one where there is none."""
        own = self._own
        begin = own.index(self._chosen) if self._chosen in own else 0
        left = [label for label in (*own[begin:], *own[:begin]) if not self._task.is_said(label)]
        chosen = left[0] if left else self._chosen if self._chosen in own else own[-1] if own else None
        self._choose(chosen)
        if chosen is not None and left:
            self._go(chosen.start_ns)

    def _delete(self) -> None:
        if self._chosen is not None:
            self._change(self._chosen, None)

    def _undo(self) -> None:
        if self._undone:
            before, after = self._undone.pop()
            self._put(after, before)

    def _change(self, before: SegmentLabel | None, after: SegmentLabel | None) -> None:
        """Keep a change, which can be undone; a label that is said in full, or not made blind, shows what else was."""
        if after is not None and after.judged_ns is None and self._session is not None:
            if after.blind and self._is_seen(after):
                after = replace(after, blind=False)
            if after.is_set or not after.blind:
                first = after.judgement if after.blind else None
                shown, span = judged_otherwise(self._session, after), (after.start_ns, after.end_ns)
                after = replace(after, first=first, shown=shown, judged_ns=span)
                self._revealed[after.label_id] = after
        self._undone.append((before, after))
        del self._undone[:-MOST_UNDONE]
        self._put(before, after)

    def _is_seen(self, label: SegmentLabel) -> bool:
        """Tell whether something was shown before over more of a stretch than its ends."""
        spans = [seen.judged_ns for seen in self._revealed.values() if seen.judged_ns is not None]
        shared = (min(end_ns, label.end_ns) - max(begin_ns, label.start_ns) for begin_ns, end_ns in spans)
        return sum(max(0, each) for each in shared) > SEEN * (label.end_ns - label.start_ns)

    def _put(self, before: SegmentLabel | None, after: SegmentLabel | None) -> None:
        """Have a label kept in place of another one, and show it; that something was shown of it is not undone."""
        if self._session is None:
            return
        if after is not None and after.label_id in self._revealed:
            after = _as_seen(after, self._revealed[after.label_id])
        gone = before if before is not None else after
        rest = [label for label in self._session.labels if gone is None or label.label_id != gone.label_id]
        labels = sorted((*rest, *([after] if after is not None else [])), key=lambda label: label.start_ns)
        self._session = replace(self._session, labels=tuple(labels))
        self._waiting += 1
        if after is not None and (after.states or after.need or after.dropped or not self._task.is_given):
            self._requests.put(replace(after, quiz=self._task.passed))
        elif before is not None:
            self._requests.remove(before.label_id)
        else:
            self._waiting -= 1
        self._choose(after)

    # ------------------------------------------------------------ keys and the end

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Do what a key stands for; Escape leaves a line of text, and then the window."""
        key, held = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        is_typing = isinstance(self.focusWidget(), QLineEdit)
        if key == Qt.Key.Key_Escape and is_typing:
            self._lanes.setFocus(Qt.FocusReason.OtherFocusReason)
        elif key == Qt.Key.Key_Z and held == Qt.KeyboardModifier.ControlModifier:
            self._undo()
        elif held == Qt.KeyboardModifier.ShiftModifier and key in self._far_keys and not is_typing:
            self._far_keys[key]()
        elif held == Qt.KeyboardModifier.NoModifier and key in self._keys and not is_typing:
            self._keys[key]()
        else:
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        """Close: what was said is kept, and everything given back."""
        self._say_words()
        self._timer.stop()
        super().done(result)
        self._requests.close()
        self.gone.emit()
        self.deleteLater()


def _as_seen(label: SegmentLabel, seen: SegmentLabel) -> SegmentLabel:
    """Return a label with what was shown of its stretch, and what had been said until then."""
    return replace(label, blind=seen.blind, first=seen.first, shown=seen.shown, judged_ns=seen.judged_ns)
