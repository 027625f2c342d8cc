"""What both extractors of attempts share: acts and answers of screen and windows become attempts."""

from detectors.features.active_window import ActiveWindow
from detectors.features.acts import Act
from detectors.features.extractor import FeatureExtractor
from detectors.features.fading import Fade
from detectors.features.help_apps import is_help_app
from detectors.features.outcomes.attempts import AFTER_HELP, AGAIN, IN_VAIN, SUCCEEDED, TURNED, Attempts
from detectors.features.screen import ChangeSummary, Screen
from detectors.features.states.bursts import CELL
from detectors.features.states.judging import Outcome
from storage.records import Focus

UNUSED_NS = 60_000_000_000
"""A program that was not used for so long begins anew."""

_EDITS = frozenset({Act.TEXT, Act.ERASE, Act.CLIP})


class AttemptFollower(FeatureExtractor):
    """Follows attempts; subclasses give their features."""

    by_tiles = True
    """Whether what comes back on the screen is a failure."""

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        """Begin before the first act."""
        super().__init__(fade, window)
        self._attempts = Attempts(by_tiles=self.by_tiles)
        self._app = ""
        self._used_ns: dict[str, int] = {}

    def on_act(self, act: Act, count: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        """Take an act in."""
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

    def on_response(self, t_ns: int, change: ChangeSummary, screen: Screen) -> None:  # noqa: ARG002  # a hook
        """Take in a change after an act."""
        self._attempts.note(t_ns, responded=True)

    def on_judged(self, outcome: Outcome) -> None:
        """Take in what came of an act by the memory of states."""
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
        """Drop what is in progress: observation stops."""
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
