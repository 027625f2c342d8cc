"""Attempts and what came of them: by gestures and screen alone, and with the names of controls and with errors.

`AttemptOutcomes` knows what a press or an Enter hits by its place only, and what comes of it by the screen.
`TouchedControls` follows which control was touched, which error or dialog came of it, and which of them come back. All
of it is 0 where the accessibility sense is not on: `controls_seen` says whether it is, so that one model can work with
it and without. A program may say nothing all the same: `controls_named` says how much this one does.
"""

from collections import OrderedDict

from detectors.acts import Act, is_help_app
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import Fade, remember
from detectors.features.outcomes.attempts import AFTER_HELP, AGAIN, IN_VAIN, SUCCEEDED, TURNED, AttemptLedger, Attempts
from detectors.features.outcomes.errors import (
    ERRORS,
    ERRORS_AGAIN,
    ERRORS_OTHER,
    NOTICES_AGAIN,
    Errors,
    FailedRuns,
    Refusals,
)
from detectors.features.screen import ChangeSummary, ScreenStates
from detectors.features.states.judging import CELL, ActOutcome
from storage.clock import NS_PER_S
from storage.records import (
    ControlAct,
    ControlRole,
    ControlState,
    DialogSeen,
    DocumentLoaded,
    Focus,
    MessageClass,
    MessageSeen,
    UndoLabel,
)

UNUSED_NS = 60_000_000_000  # a program unused for this long begins anew
_EDITS = frozenset({Act.TEXT, Act.ERASE, Act.CLIP})


class AttemptFollower(FeatureExtractor):
    """Follows attempts; subclasses give their features."""

    by_tiles = True
    """Whether what comes back on the screen is a failure."""

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._attempts = Attempts(by_tiles=self.by_tiles)
        self._app = ""
        self._used_ns: dict[str, int] = {}

    def on_act(self, act: Act, count: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        attempts = self._attempts
        if act is Act.PRESS:
            x, y = self._window.pointer
            box = self._window.box
            attempts.begin(self._app, (self._app, (x - box.x) // CELL[0], (y - box.y) // CELL[1]), t_ns)
        elif act is Act.COMMIT:
            attempts.begin(self._app, (self._app, "enter"), t_ns)
        elif act is Act.COMMAND:
            attempts.begin(self._app, (self._app, "command"), t_ns, place_only=True)
        elif act is Act.UNDO:
            attempts.undo(t_ns)
        elif act in _EDITS:
            attempts.edit()

    def on_response(self, t_ns: int, change: ChangeSummary, screen: ScreenStates) -> None:  # noqa: ARG002  # a hook
        self._attempts.note(t_ns, responded=True)

    def on_judged(self, outcome: ActOutcome) -> None:
        self._attempts.judge(outcome)

    def on_focus(self, focus: Focus) -> None:
        """Take in a change of focus or title; a dialog belongs to the program that it covers."""
        t_ns = focus.t_ns
        self._attempts.note(t_ns, responded=True)
        is_part = focus.dialog and self._app != ""
        if focus.app != self._app and not is_part:
            self._used_ns[self._app] = t_ns
            used_ns = self._used_ns.get(focus.app)
            if used_ns is not None and t_ns - used_ns > UNUSED_NS:
                self.forget_program(focus.app)
            if is_help_app(focus.app):
                self._attempts.look_up(t_ns)
            self._app = focus.app
            if len(self._used_ns) > 16:  # noqa: PLR2004  # bounded
                del self._used_ns[next(iter(self._used_ns))]

    def forget_program(self, app: str) -> None:
        """Forget what was counted in a program."""
        self._attempts.forget(app)

    def forget(self) -> None:
        self._attempts.drop()

    def attempt_values(self, prefix: str, now_ns: int) -> dict[str, float]:
        """Return what the attempts come to, under names that begin with `prefix`."""
        found = self._attempts.standing(now_ns, self._fade.start_ns)
        return {
            f"{prefix}_in_vain": found.recent[IN_VAIN],
            f"{prefix}_in_vain_more": found.more[IN_VAIN],
            f"{prefix}_again": found.recent[AGAIN],
            f"{prefix}_again_more": found.more[AGAIN],
            f"{prefix}_turns": found.recent[TURNED],
            f"{prefix}_after_help": found.recent[AFTER_HELP],
            f"{prefix}_succeeded": found.recent[SUCCEEDED],
            f"{prefix}_success_share": found.share,
            f"{prefix}_quiet": found.quiet,
        }


class AttemptOutcomes(AttemptFollower):
    """Follows attempts without the accessibility sense."""

    table = defined("attempt_outcomes")

    def values(self, now_ns: int) -> dict[str, float]:
        return self.attempt_values("tried", now_ns)


TOGGLED_NS = 90 * NS_PER_S
BY_HAND_NS = 3 * NS_PER_S // 5
"""A choice is the person's if an act was so shortly before it, and the selection did not move."""

TOUCHED_NS = 3 * NS_PER_S // 2
"""A toggle is the person's if they pressed it so shortly before: those of a tool bar follow the selection."""

ECHO_NS = 3 * NS_PER_S // 10
MAX_TOGGLES = 64
MAX_LABELS = 64
_CHOICES = frozenset({ControlRole.RADIO_BUTTON, ControlRole.COMBO_BOX, ControlRole.TAB})
"""What is chosen to set something; rows and cells are only gone over."""

_OTHER = {ControlState.ON: ControlState.OFF, ControlState.OFF: ControlState.ON}
_TOGGLED_BACK, _GREY, _UNDONE_AGAIN, _PRESSES, _NAMED = range(5)
_SUMS = 5


class TouchedControls(AttemptFollower):
    """Follows acts on controls, dialogs and messages."""

    table = defined("touched_controls")
    by_tiles = False

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._on = False
        self._errors = Errors()
        self._runs = FailedRuns()
        self._refusals = Refusals()
        self._ledger = AttemptLedger(_SUMS)
        self._toggles: OrderedDict[tuple[str, str, str], dict[str, int]] = OrderedDict()
        self._press_ns: int | None = None
        self._pressed: tuple[int, int, int] | None = None
        self._moved_ns: int | None = None
        self._toggled_ns: int | None = None
        self._label: tuple[str, str] | None = None
        self._undone: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._undoes = False

    # ------------------------------------------------------------ acts

    def on_act(self, act: Act, count: int, t_ns: int) -> None:
        if not self._on:
            return
        super().on_act(act, count, t_ns)
        if act is Act.PRESS:
            self._press_ns = t_ns
            self._pressed = (t_ns, *self._window.pointer)
            self._ledger.add(_PRESSES, self._app, t_ns)
        elif act is Act.UNDO:
            self._undoes = True
            if self._label is not None:
                remember(self._undone, self._label, None, MAX_LABELS)
        elif act is not Act.REDO:
            self._undoes = False

    def on_sense(self, *, on: bool) -> None:
        """Take in that the sense began to work, or no longer does."""
        self._on = on
        if not on:
            self.forget()

    def on_control(self, act: ControlAct) -> None:
        self._on = True
        if act.what == "pressed":
            if act.t_ns == self._press_ns:
                self._ledger.add(_NAMED, self._app, act.t_ns)
                self._press_ns = None
            if act.state is ControlState.DISABLED:
                self._ledger.add(_GREY, self._app, act.t_ns)
            self._attempts.name(act)
        elif act.what == "toggled":
            if self._is_touched(act):
                self._attempts.note(act.t_ns, changed=True)
                if self._is_meant(act.t_ns):
                    self._toggle(act)
        elif act.what == "chosen":
            self._attempts.note(act.t_ns, changed=True)
            if act.role not in _CHOICES:
                self._moved_ns = act.t_ns
            elif self._is_meant(act.t_ns):
                self._toggle(act)

    def _is_touched(self, act: ControlAct) -> bool:
        """Whether the person pressed what was toggled."""
        if self._pressed is None or act.box is None:
            return False
        t_ns, x, y = self._pressed
        left, top, width, height = act.box
        return 0 <= act.t_ns - t_ns <= TOUCHED_NS and left <= x < left + width and top <= y < top + height

    def _is_meant(self, t_ns: int) -> bool:
        """Whether a change was made by the person: another selection shows its own format, one toggle stands twice."""
        by_hand = self._attempts.open is not None and abs(t_ns - self._attempts.open.t_ns) <= BY_HAND_NS
        moved = self._moved_ns is not None and abs(t_ns - self._moved_ns) <= BY_HAND_NS
        echo = self._toggled_ns is not None and t_ns - self._toggled_ns <= ECHO_NS
        return by_hand and not moved and not echo

    def _toggle(self, act: ControlAct) -> None:
        """Count what puts a control back; of choices the last one made is the state."""
        self._toggled_ns = act.t_ns
        chosen = act.what == "chosen"
        key = (act.app, act.role.value, "" if chosen else act.name_digest)
        state = act.name_digest if chosen else act.state.value
        states = self._toggles.get(key, {})
        before_ns = states.pop(state, None)
        if not chosen and not states:  # it was in the other one until now
            states[_OTHER.get(act.state, act.state).value] = act.t_ns
        if before_ns is not None and act.t_ns - before_ns <= TOGGLED_NS:
            self._ledger.add(_TOGGLED_BACK, self._app, act.t_ns)
        states[state] = act.t_ns
        if len(states) > MAX_LABELS:
            del states[next(iter(states))]
        remember(self._toggles, key, states, MAX_TOGGLES)

    # ------------------------------------------------------------ answers

    def on_dialog(self, seen: DialogSeen) -> None:
        self._on = True
        said = f"{seen.title_digest} {seen.text_digest}"
        self._refusals.take((seen.app, said), seen)
        refuses = self._refuses(seen.app, said, seen.about, seen.t_ns)
        self._attempts.note(seen.t_ns, refused=refuses, changed=not refuses)

    def on_message(self, seen: MessageSeen) -> None:
        self._on = True
        self._runs.take(seen)
        self._refusals.take((seen.app, seen.text_digest), seen)
        if seen.about is MessageClass.SUCCESS:
            return
        refuses = self._refuses(seen.app, seen.text_digest, seen.about, seen.t_ns)
        is_error = refuses and seen.about is MessageClass.ERROR
        self._attempts.note(seen.t_ns, error=is_error, refused=refuses and not is_error, changed=not refuses)

    def _refuses(self, app: str, digest: str, about: MessageClass, t_ns: int) -> bool:
        attempts = self._attempts
        resolved_ns = attempts.resolved_ns(t_ns)
        return self._errors.take((app, digest), about, t_ns, acts=attempts.count, resolved_ns=resolved_ns)

    def on_loaded(self, loaded: DocumentLoaded) -> None:
        self._on = True
        self._attempts.note(loaded.t_ns, shown=True)

    def on_undo_label(self, label: UndoLabel) -> None:
        self._on = True
        key = (label.app, label.label_digest)
        if not self._undoes and key in self._undone:
            self._ledger.add(_UNDONE_AGAIN, self._app, label.t_ns)
            del self._undone[key]
        self._label = key

    def forget_program(self, app: str) -> None:
        """Forget what was counted in a program."""
        super().forget_program(app)
        self._errors.forget(app)
        self._ledger.forget(app)

    def values(self, now_ns: int) -> dict[str, float]:
        if not self._on:
            return dict.fromkeys(self.table, 0.0)
        start_ns = self._fade.start_ns
        errors, errors_more = self._errors.read(now_ns, start_ns)
        sums, _ = self._ledger.read(now_ns, start_ns)
        return {
            "controls_seen": 1.0,
            "controls_named": min(1.0, sums[_NAMED] / (sums[_PRESSES] + 0.5)),
            **self.attempt_values("touched", now_ns),
            "touched_grey": sums[_GREY],
            "toggled_back": sums[_TOGGLED_BACK],
            "errors_30s": errors[ERRORS],
            "errors_again": errors[ERRORS_AGAIN],
            "errors_again_more": errors_more[ERRORS_AGAIN],
            "errors_other": errors[ERRORS_OTHER],
            "errors_last": self._errors.lasting(now_ns, self._attempts.resolved_ns(now_ns)),
            "error_recency": self._errors.recency(now_ns),
            "notices_again": errors[NOTICES_AGAIN],
            "failed_runs": self._runs.value(self._app, now_ns),
            "refusals": self._refusals.value(self._app, now_ns),
            "undone_again": sums[_UNDONE_AGAIN],
        }
