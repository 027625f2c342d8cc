"""States that come back: returns, acts that show nothing new, quiet after a return, attempts that end alike.

Trouble is often nothing but change that comes back. Digests of changed tiles say what a place shows; where a session
has none, only titles and dialogs tell, and what needs tiles stays 0. Two windows worked in turn are one task; a program
that comes back after a minute begins anew.
"""

from collections import OrderedDict
from collections.abc import Mapping

from detectors.acts import Act
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import Fade, log_age, remember
from detectors.features.screen import ChangeSummary, ScreenStates
from detectors.features.states.judging import CELL, KIND_OF, ActOutcome, Burst, BurstKind, Judge
from detectors.features.states.places import PlaceMemory
from detectors.features.states.tally import Levels, OutcomeTally
from detectors.features.states.views import PAUSE_NS, TitleMemory, View
from storage.clock import NS_PER_S
from storage.records import Focus
from storage.records.tiles import Place

MAX_APPS = 6
UNUSED_NS = 60 * NS_PER_S
WRITTEN_TILES = 3  # typing that changes this many tiles writes a text; less is a word to look for
_EDITS = frozenset({Act.TEXT, Act.ERASE, Act.COMMIT, Act.CLIP, Act.COMMAND, Act.PRESS})
_HALVES = Levels(returned=2.0, stale=4.0, quiet=6.0, same=2.0, revisited=2.0)  # what counts half in `circling`; guesses
_SHARES = Levels(returned=0.5, stale=0.25, quiet=0.25, same=0.0, revisited=0.0)


class ReturningStates(FeatureExtractor):
    """Follows acts, and what stands on the screen after them."""

    table = defined("returning_states")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._used_ns: dict[str, int] = {}
        self._places: OrderedDict[str, PlaceMemory] = OrderedDict({"": PlaceMemory()})
        self._here = self._places[""]
        self._titles = TitleMemory()
        self._judge = Judge()
        self._tally = OutcomeTally()
        self._burst: Burst | None = None
        self._typing = False
        self._typed_rows: set[int] = set()
        self._act_ns = 0
        self._fresh_ns: int | None = None
        self._sees_tiles = False

    # ------------------------------------------------------------ acts

    def on_act(self, act: Act, count: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        kind = KIND_OF[act]  # arrow and page keys look around, as scrolling does
        self._act_ns = t_ns
        burst = self._burst
        if burst is None or not burst.goes_on(kind, t_ns):
            self._end_burst()
            if kind is BurstKind.TYPED and not self._typing:
                self._typed_rows = set()
            burst = self._burst = Burst(
                kind=kind, start_ns=t_ns, last_ns=t_ns, app=self._window.program.app, typed_rows=self._typed_rows
            )
        self._typing = kind is BurstKind.TYPED and act is not Act.COMMIT
        burst.last_ns = max(burst.last_ns, t_ns)
        burst.edits = burst.edits or act in _EDITS
        if act is Act.COMMIT:
            burst.ended = True
            burst.target = (self._window.program.app, self._titles.current)
        elif act is Act.PRESS and burst.target is None:
            x, y = self._window.pointer
            box = self._window.box
            burst.target = (self._window.program.app, (x - box.x) // CELL[0], (y - box.y) // CELL[1])

    def on_response(self, t_ns: int, change: ChangeSummary, screen: ScreenStates) -> None:  # noqa: ARG002  # a hook
        if self._burst is not None and not self._burst.is_over(t_ns):
            self._burst.responses += 1

    def on_tiles(self, t_ns: int, now: Mapping[Place, int], before: Mapping[Place, int]) -> None:
        self._sees_tiles = True
        burst = self._burst
        if burst is not None and burst.is_over(t_ns):
            self._end_burst()
            burst = None
        switched = burst is not None and burst.switched
        stood, stands = self._here.take(now, before, t_ns, self._act_ns, made=not switched)
        if burst is None or t_ns < burst.start_ns:
            return
        burst.rows += 1
        burst.first = stood | burst.first
        burst.values |= stands
        if burst.kind is BurstKind.TYPED and not burst.ended:
            burst.typed_rows.update([top for _, top in stands])

    def on_view(self, t_ns: int, view: View) -> None:
        """Take in what a tall change shows, after its tiles."""
        burst = self._burst
        if burst is not None and burst.kind is BurstKind.SCROLLED and burst.start_ns <= t_ns and not burst.switched:
            burst.view = view.after(burst.view)
        else:
            self._here.views.show(view, t_ns)

    # ------------------------------------------------------------ windows

    def on_focus(self, focus: Focus) -> None:
        """Take in a change of focus or title; a dialog belongs to the program that it covers."""
        t_ns, burst, program = focus.t_ns, self._burst, self._window.program
        switched = program.switched
        if switched:
            self._switch(program.before, program.app, t_ns)
        self._used_ns[program.app] = t_ns
        change = self._titles.take(program.app, focus.title_digest, t_ns, dialog=focus.dialog, pause_ns=PAUSE_NS)
        if burst is not None and not burst.is_over(t_ns):
            burst.switched = burst.switched or switched
            burst.new_title = burst.new_title or change.new
            burst.left_ns = change.left_ns if burst.left_ns is None else burst.left_ns

    def _switch(self, left: str, app: str, t_ns: int) -> None:
        self._used_ns[left] = t_ns
        used_ns = self._used_ns.get(app)
        if used_ns is not None and t_ns - used_ns > UNUSED_NS:
            self._places.pop(app, None)
            self._tally.forget(app)
            self._titles.forget(app)
        self._here = self._places[app] if app in self._places else PlaceMemory()
        remember(self._places, app, self._here, MAX_APPS)
        self._used_ns = {known: self._used_ns[known] for known in self._used_ns if known in self._places}

    def forget(self) -> None:
        self._burst = None

    # ------------------------------------------------------------ judging

    def _end_burst(self) -> None:
        burst, self._burst = self._burst, None
        if burst is None:
            return
        changes = burst.net_changes()
        after = self._judge.effect(changes, burst.first, self._here)
        outcome = self._outcome(burst, after)
        self._tally.add(outcome)
        for take in (*self.take_judged, *self.take_ended):
            take(outcome)
        if outcome.fresh:
            self._fresh_ns = outcome.start_ns
        self._judge.keep(burst, changes, after, self._titles.current)
        self._remember_view(burst, after, outcome)

    def _remember_view(self, burst: Burst, after: Mapping[Place, int], outcome: ActOutcome) -> None:
        """Remember a view that was scrolled to; text that was written makes later looks checks, in all programs."""
        if burst.view is not None and burst.app in self._places:
            self._places[burst.app].views.keep(burst.view, burst.last_ns)
        if burst.kind is BurstKind.TYPED and outcome.fresh and not burst.ended and len(after) >= WRITTEN_TILES:
            for places in self._places.values():
                places.views.work(burst.last_ns)

    def _outcome(self, burst: Burst, after: Mapping[Place, int]) -> ActOutcome:
        looked = None
        if burst.view is not None and burst.app in self._places:
            looked = self._places[burst.app].views.looked(burst.view, burst.start_ns)
        return self._judge.outcome(
            burst,
            after,
            self._here,
            self._tally.outcomes,
            self._titles.current,
            sees_tiles=self._sees_tiles,
            looked=looked,
        )

    def values(self, now_ns: int) -> dict[str, float]:
        burst = self._burst
        last = None
        if burst is not None and burst.is_over(now_ns):
            last = self._outcome(burst, self._judge.effect(burst.net_changes(), burst.first, self._here))
            for take in self.take_judged:  # judged again when the act has ended
                take(last)
        recent, before = self._tally.levels(last, now_ns)
        more = Levels(*(max(0.0, now - then) for now, then in zip(recent, before, strict=True)))
        fresh_ns = last.start_ns if last is not None and last.fresh else self._fresh_ns
        since_ns = self._fade.resumed_ns if fresh_ns is None else fresh_ns
        return {
            "tiles_seen": float(self._sees_tiles),
            "returned_20s": recent.returned,
            "returned_more": more.returned,
            "stale_20s": recent.stale,
            "stale_more": more.stale,
            "quiet_back_20s": recent.quiet,
            "quiet_back_more": more.quiet,
            "same_end_20s": recent.same,
            "same_end_more": more.same,
            "new_content_now": log_age(since_ns, now_ns) if self._sees_tiles else 0.0,
            "circling": (_circling(recent) + _circling(more)) / 2.0,
            "fruitless": self._tally.fruitless(last, now_ns) if self._sees_tiles else 0.0,
            "revisited": more.revisited,
            "views_again": self._tally.views_again(last, now_ns, self._fade.start_ns),
        }


def _circling(levels: Levels) -> float:
    return sum(share * level / (level + half) for share, level, half in zip(_SHARES, levels, _HALVES, strict=True))
