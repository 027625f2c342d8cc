"""Help for one session: searches where an offer waits for it or somebody asks, and points at the controls of its steps.

It observes the rows of every step in the core's loop and submits `HelpFound` records like any other source, so a replay
needs no library. Pages that were found stay in memory for the card, until a pause or the end; so do typed words, with
all that answers them.
"""

import asyncio
import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from daemon.capture.gate import Gate
from daemon.help.commands.command import RequestCommands, TakeCommands, no_commands
from daemon.help.content import FittingPage, fit_chosen
from daemon.help.context import HelpContext, HelpMoment
from daemon.help.goal import LiveGoal, ModelGoal
from daemon.help.guide import Guide
from daemon.help.helped import HelpfulAnswers
from daemon.help.moment import Lookup, WorkMoment
from daemon.help.pointing import Pointing, RingPlace
from daemon.help.ports import OpenLibrary, Point, RequestElements
from daemon.help.search_thread import Found, Search, SearchThread, TypedSearch
from detectors.acts import stops_observation
from storage.clock import NS_PER_S, Clock
from storage.ports import HelpCandidates, HelpContent, HelpPage, HelpStep
from storage.records import (
    Box,
    ControlRole,
    Decision,
    Element,
    Estimate,
    Feedback,
    FeedbackKind,
    Focus,
    GoalKind,
    HelpFound,
    NeedReport,
    Offer,
    Prefix,
    Record,
    ReportedBy,
    Sense,
    SessionEnd,
)
from storage.state.store import Helped

SENSE = "help"
"""The name of this in a `Sense`, as `daemon.engine.offers` knows it."""

FIRST_WINDOW_NS = 3 * NS_PER_S
"""How long after watching has begun who asks may wait for a first window to be seen."""

WAITS_AT = ("content", "break")
"""Gates of the policy at which an offer waits; the page that it brings should be the one that fits by then."""

MAX_PAGES = 8
"""Pages found lately that are remembered."""

MOMENT_NS = 60 * NS_PER_S
"""How long what a search started from is remembered: titles and messages, as everywhere in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """A page that was found, the window in front of it then, and what the person may be about."""

    fitting: FittingPage
    window: Focus | None
    guess: str
    rings: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What answers the words that were typed last, in which search; the pages of it that did not help."""

    search: Search
    found: HelpCandidates
    elements: tuple[Element, ...]
    tried: frozenset[str] = frozenset()


class HelpService:
    """Searches and points. Used in the core's thread."""

    def __init__(
        self,
        *,
        open_library: OpenLibrary,
        request_elements: RequestElements,
        lookup: Lookup,
        gate: Gate,
        clock: Clock,
        submit: Callable[[Sequence[Record]], None],
        point: Point,
        for_model: bool = False,
        request_commands: RequestCommands = no_commands,
        helped: Helped | None = None,
        save_helped: Callable[[Helped], None] = lambda _: None,
    ) -> None:
        """Prepare; nothing is opened before `start`.

        Args:
            open_library: opens the library, in a thread of its own.
            request_elements: has the controls of the active window read.
            lookup: returns the words behind a digest.
            gate: while it is closed nothing is searched, pointed at or remembered.
            clock: session time.
            submit: takes results to the core, from any thread.
            point: shows the ring, or takes it away.
            for_model: whether a model may be asked about what was searched for, also where no page was found.
            request_commands: has the commands of a program read.
            helped: what has helped before.
            save_helped: stores that.
        """
        self._helpful = HelpfulAnswers(helped or Helped(), save_helped, clock)
        self._to_do: Offer | None = None
        """The offer whose steps are pointed at, if there was anything to do when that began."""

        self._gate = gate
        self._clock = clock
        self._submit = submit
        self._moment = WorkMoment(lookup)
        self.goal = LiveGoal()
        self._pointing = Pointing(point, request_elements, lookup, gate, clock, on_done=self._on_done)
        self._thread = SearchThread(
            open_library,
            request_elements,
            clock,
            on_library=self._on_library,
            on_found=self._on_found,
            for_model=for_model,
            request_commands=request_commands,
            weight_of=self._helpful.weight,
        )
        self._epoch = gate.epoch
        self._prefix: Prefix | None = None
        self._pages: OrderedDict[str, _Prepared] = OrderedDict()
        self._moments: OrderedDict[str, tuple[int, HelpMoment]] = OrderedDict()
        self._asked: _Asked | None = None
        self._asked_ns = 0
        """When somebody asked last: what an earlier question finds is not wanted any more."""

        self._looks = False

        self._watches_since_ns = 0
        self._lock = threading.Lock()
        self._shown: Offer | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Open the library; `loop` is the core's."""
        self._loop = loop
        self._watches_since_ns = self._clock.now_ns()
        self._pointing.start(loop)
        self._gate.watch(self._gate_changed)
        self._thread.start()

    def close(self, limit_s: float) -> None:
        """End the search thread, or leave it behind; from any thread, after `stop`."""
        self._thread.close(limit_s)

    def stop(self) -> None:
        """Take the ring away and remember nothing."""
        if self._loop is not None:
            self._gate.unwatch(self._gate_changed)
        self._pointing.end()
        self._forget()

    def observe(self, rows: Sequence[Record]) -> None:
        """Look at the rows of one step: search where an offer waits for help."""
        self._forget_before_pause()
        self._forget_old_moments()
        self._moment.observe(rows)
        decision: Decision | None = None
        estimated = False
        for row in rows:
            self._pointing.observe(row)
            match row:
                case Prefix():
                    self._prefix = row
                case Estimate():
                    estimated = True
                case Decision():
                    decision = row
                case Offer():
                    self._shown = row
                    if row.asked:
                        self._begin_pointing()
                case Feedback(kind=FeedbackKind.ACCEPTED) if self._shown and row.offer_id == self._shown.offer_id:
                    self._begin_pointing()
                case Feedback(kind=FeedbackKind.WRONG) if self._shown and row.offer_id == self._shown.offer_id:
                    self._note_helped(self._shown, helped=False)
                    self._show_next()
                case SessionEnd():
                    self._pointing.end()
                case _:
                    pass
        self._note_goal(rows, estimated=estimated)
        if decision is not None and _needs_search(decision, estimated=estimated):
            self._request(asked=False)

    def ask(
        self, words: str = "", page_id: str = "", *, app: str = "", in_terminal: bool = False, rings: bool = True
    ) -> bool:
        """Search because the person says so, and report that they were stuck; False while the gate is closed.

        Args:
            words: what it is about; they are never stored.
            page_id: what they chose of that which answers the words.
            app: the program that it is about; by default the one in use.
            in_terminal: they may have typed it in a terminal, and mean the program before that.
            rings: they want to be shown where the controls are.
        """
        if not self._gate.is_open:
            return False
        now_ns = self._clock.now_ns()
        with self._lock:
            self._asked, self._asked_ns, self._looks = None, now_ns, bool(words)
        self._submit([NeedReport(start_ns=now_ns, end_ns=now_ns, needed=True, by=ReportedBy.ASKED)])
        if in_terminal and words:
            app = self._moment.named(app) if app else self._moment.app_before_terminal
        self._request(asked=True, words=words, app=app, chosen=page_id, rings=rings)
        return True

    def find(self, words: str, take: Callable[[HelpCandidates], None]) -> None:
        """Look for what answers the words typed so far, and have `take` called in another thread; none is noted.

        It may be called again where more is known of the program, and not at all for words that have changed.
        """
        self._forget_before_pause()
        epoch = self._gate.epoch

        def hand_over(found: HelpCandidates) -> None:
            if self._gate.passed(epoch):
                take(found)

        if self._gate.is_open:
            context = HelpContext(app=self._moment.app, words=words)
            self._thread.request_typed(TypedSearch(context=context, take=hand_over))

    def read_ahead(self, take: TakeCommands, app: str = "") -> None:
        """Have the commands of a program read, for the searches to come; `take` is called with them."""
        self._thread.read_ahead(take, app)

    @property
    def sees_soon(self) -> bool:
        """Whether no program was in use yet, and watching began so lately that one may be seen in a moment."""
        return not self._moment.app and self._clock.now_ns() - self._watches_since_ns < FIRST_WINDOW_NS

    @property
    def answers_found(self) -> HelpCandidates | None:
        """What answers the words that were asked last; None until it is found."""
        with self._lock:
            return self._asked.found if self._asked is not None else None

    @property
    def looks_for_answers(self) -> bool:
        """Whether words were asked whose answers are not found yet."""
        with self._lock:
            return self._looks

    def choose(self, offer_id: str, page_id: str) -> None:
        """Show another of the candidates on the card of an offer."""
        if self._shown is not None and self._shown.offer_id == offer_id:
            self._show_candidate(page_id)

    def take_model_goal(self, said: ModelGoal) -> None:
        """Take in what a model wrote about the newest prefix."""
        if self._gate.is_open and (changed := self.goal.take_model(said)) is not None:
            self._submit([changed])

    def _note_goal(self, rows: Sequence[Record], *, estimated: bool) -> None:
        """Say in the session what the person seems to be about, where that changed; forget it where sensing stops."""
        if any(map(stops_observation, rows)):
            self.goal.forget()
        if estimated and self._gate.is_open:
            changed = self.goal.take_clue(self._moment.clue(self._clock.now_ns()), self._moment.app)
            if changed is not None:
                self._submit([changed])

    def content_of(self, offer: Offer) -> HelpContent | None:
        """Return what the card of an offer shows; None where there is nothing to say, or a pause came between."""
        prepared = self._prepared(offer)
        with self._lock:
            asked = self._asked if offer.asked else None
        found, tried = (asked.found, asked.tried) if asked is not None else (None, frozenset[str]())
        if prepared is None:
            return HelpContent(asked=found, tried=tried) if found is not None and not offer.page_id else None
        fitting = prepared.fitting
        return HelpContent(
            page=fitting.match.page, missing=fitting.missing, guess=prepared.guess, asked=found, tried=tried
        )

    def moment_of(self, page_id: str, app: str) -> HelpMoment | None:
        """Return what a model may know about help that was searched for, by the page that was found or none.

        None where nothing was searched for in that program lately, or a pause came between.
        """
        self._forget_old_moments()
        with self._lock:
            _, moment = self._moments.get(page_id, (0, None))
        return moment if moment is not None and moment.context.app == app else None

    def follow(self, offer: Offer, steps: tuple[HelpStep, ...], first: Box | None) -> None:
        """Point at the controls of a model's steps from now on, like those of a page; `first` is where the first is.

        Where no step names a control, what is pointed at stays.
        """
        guide = Guide(HelpPage(page_id="", title="", steps=steps, source="", app=offer.app))
        window = self._pointing.window
        if not guide.is_done:
            self._to_do = None
            place = RingPlace(first, window) if first is not None and window is not None else None
            self._pointing.begin(offer.offer_id, offer.app, guide, place)

    def end_pointing(self, offer_id: str) -> None:
        """End pointing: the card was closed."""
        self._pointing.end(offer_id)

    def _begin_pointing(self) -> None:
        """Ring the first control of the steps, and follow along, once the card is there."""
        if self._loop is not None and self._shown is not None:
            self._loop.call_soon(self._point_at, self._shown)

    def _point_at(self, offer: Offer) -> None:
        prepared = self._prepared(offer)
        if prepared is None or not prepared.rings or not prepared.fitting.match.page.steps:
            return
        fitting = prepared.fitting
        with self._lock:
            asked = self._asked if offer.asked else None
        words = asked.found.words if asked is not None else ""
        guide = Guide(fitting.match.page, fitting.missing, words)
        if asked is not None and not asked.tried:  # what was seen for it was seen just now
            guide.see(asked.elements)
        element = None if guide.is_done else fitting.steps[guide.first].element
        if element is not None and element.role == ControlRole.MENU_ITEM:
            element = None  # the menu that stood open may have closed since
        place = RingPlace(element.box, prepared.window) if element is not None and prepared.window is not None else None
        self._to_do = None if guide.is_done else offer
        self._pointing.begin(offer.offer_id, offer.app, guide, place)

    def _on_done(self, offer_id: str) -> None:
        """Note that the steps of an offer led to their end."""
        offer, self._to_do = self._to_do, None
        if offer is not None and offer.offer_id == offer_id:
            self._note_helped(offer, helped=True)

    def _note_helped(self, offer: Offer, *, helped: bool) -> None:
        prepared = self._prepared(offer)
        if prepared is not None:
            self._helpful.note(prepared.fitting.match.page, offer.app, helped=helped)

    # ------------------------------------------------------------ what else answers

    def _show_next(self) -> None:
        """Show the next candidate: the one on the card did not help. Without any the card says so."""
        with self._lock:
            asked, shown = self._asked, self._shown
            if asked is None or shown is None or not shown.asked:
                return
            tried = asked.tried | {shown.page_id}
            self._asked = replace(asked, tried=tried)
        left = (found.page.page_id for found in asked.found.candidates if found.page.page_id not in tried)
        self._show_candidate(next(left, ""))

    def _show_candidate(self, page_id: str) -> None:
        with self._lock:
            asked = self._asked
        if asked is None or not self._gate.passed(asked.search.epoch):
            return
        candidate = asked.found.find(page_id)
        fitting = fit_chosen(candidate, asked.elements) if candidate is not None else None
        search = replace(asked.search, requested_ns=self._clock.now_ns(), rings=True)
        self._prepare(search, fitting)
        self._submit([self._record(search, fitting)])

    # ------------------------------------------------------------ searching

    def _request(self, *, asked: bool, words: str = "", app: str = "", chosen: str = "", rings: bool = True) -> None:
        self._forget_before_pause()
        if not self._gate.is_open:
            with self._lock:
                self._looks = False
            return
        now_ns = self._clock.now_ns()
        prefix = self._prefix
        clue = self._moment.clue(now_ns)
        goal = self.goal.words(clue, self._moment.app, now_ns)
        context = self._moment.context(now_ns, words, goal, app)
        said = self.goal.said(context.app, now_ns)
        if said is not None:
            context = replace(context, wanted=tuple(filter(None, (said.help, said.goal))))
        self._thread.request(
            Search(
                context=context,
                guess="" if words or clue is None or clue.kind is GoalKind.DOCUMENT else clue.words,
                prefix_id=prefix.prefix_id if prefix is not None else "",
                window_id=prefix.window_id if prefix is not None else -1,
                window=self._pointing.window,
                asked=asked,
                requested_ns=now_ns,
                epoch=self._gate.epoch,
                chosen=chosen,
                rings=rings,
                in_front=app in ("", self._moment.app),
            )
        )

    def _on_library(self, on: bool) -> None:
        """Say in the session whether help is searched for; in the search thread."""
        self._submit([Sense(name=SENSE, on=on)])

    def _on_found(self, search: Search, found: Found) -> None:
        """Remember the page and submit the record of the search, unless a pause came between; in the search thread."""
        fitting = found.fitting
        with self._lock:
            if not self._gate.passed(search.epoch):
                return
            key = fitting.match.page.page_id if fitting is not None else ""
            self._moments[key] = (search.requested_ns, found.moment)
            self._moments.move_to_end(key)
            if len(self._moments) > MAX_PAGES:
                self._moments.popitem(last=False)
            is_newest = search.asked and search.requested_ns >= self._asked_ns
            if is_newest:
                self._asked, self._looks = None, False
            if found.asked is not None and is_newest:
                self._asked = _Asked(search=search, found=found.asked, elements=found.moment.elements)
        self._prepare(search, fitting)
        self._submit([self._record(search, fitting, found.trouble)])

    def _prepare(self, search: Search, fitting: FittingPage | None) -> None:
        """Remember a page for the card."""
        if fitting is None:
            return
        page_id = fitting.match.page.page_id
        with self._lock:
            if not self._gate.passed(search.epoch):
                return
            self._pages[page_id] = _Prepared(
                fitting=fitting, window=search.window, guess=search.guess, rings=search.rings
            )
            self._pages.move_to_end(page_id)
            if len(self._pages) > MAX_PAGES:
                self._pages.popitem(last=False)

    def _record(self, search: Search, fitting: FittingPage | None, trouble: str | None = None) -> HelpFound:
        match = fitting.match if fitting is not None else None
        return HelpFound(
            prefix_id=search.prefix_id,
            window_id=search.window_id,
            app=search.context.app,
            page_id=match.page.page_id if match is not None else "",
            score=match.score if match is not None else 0.0,
            general=match is not None and match.page.general,
            steps=len(match.page.steps) if match is not None else 0,
            steps_fit=fitting.steps_fit if fitting is not None else (),
            checked=fitting is not None and fitting.checked,
            latency_ns=self._clock.now_ns() - search.requested_ns,
            trouble=trouble,
            asked=search.asked,
        )

    def _prepared(self, offer: Offer) -> _Prepared | None:
        with self._lock:
            return self._pages.get(offer.page_id)

    def _gate_changed(self) -> None:
        """Forget everything in the thread that closed the gate, and take the ring away before that has returned."""
        if self._gate.is_open:
            self._watches_since_ns = self._clock.now_ns()
            return
        self._pointing.hide()
        self._forget()
        with contextlib.suppress(RuntimeError):  # the core has stopped
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._forget_before_pause)

    def _forget_before_pause(self) -> None:
        """Forget what was seen before the gate was closed last; it may be open again."""
        if self._epoch != self._gate.epoch:
            self._epoch = self._gate.epoch
            self._moment.clear()
            self.goal.forget()
            self._pointing.end()

    def _forget_old_moments(self) -> None:
        oldest_ns = self._clock.now_ns() - MOMENT_NS
        with self._lock:
            for key in [key for key, (at_ns, _) in self._moments.items() if at_ns < oldest_ns]:
                del self._moments[key]

    def _forget(self) -> None:
        self._thread.clear()
        with self._lock:
            self._asked, self._looks = None, False
            self._pages.clear()
            self._moments.clear()


def _needs_search(decision: Decision, *, estimated: bool) -> bool:
    """Return whether an offer waits for help, or for a break that may come after a new estimate."""
    if decision.reason == "searching":
        return True
    return estimated and decision.gate in WAITS_AT and decision.reason != "nothing_to_say"
