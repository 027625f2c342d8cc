"""What people ask of the running core: the interface through `storage.ports.CoreCommands`, commands over the socket.

What closes the gate does so in the caller's thread, before anything else; the rest is carried out in the core's.
"""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from daemon.preferences.change import forget_choices
from daemon.runtime.core import Core
from daemon.runtime.policy_memory import forget_in, unmute_in
from daemon.runtime.sensing import Reason
from daemon.runtime.session import LiveSession
from storage.clock import NS_PER_S
from storage.errors import EnvironmentFault, UsageError
from storage.files import config_file
from storage.ports import QUESTION_LIMIT, CandidateKind, Display, RunState, StudyRequest
from storage.records import Answer, AnswerKind, Feedback, FeedbackKind, Switch, SwitchName, TaskStep
from storage.state.store import Consent

if TYPE_CHECKING:
    from daemon.models.answers.service import HelpAnswers

ANSWER_TEXT = 300
"""Characters of a title that go over the socket."""

MAX_SECONDS = 7 * 86_400
"""The longest pause with an end that the socket takes: a week."""

_TOO_EARLY = object()
"""What comes of a question that is not asked yet."""


class Commands:
    """Implements `storage.ports.CoreCommands`, and answers the control socket. Safe from any thread but `handle`."""

    def __init__(self, core: Core) -> None:
        """Give commands to a core."""
        self._core = core
        self._by_name: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
            "status": lambda _: None,
            "pause": self._pause_by_request,
            "resume": lambda _: self._resume_by_request(),
            "forget": lambda request: core.change_memory(partial(forget_in, mutes=request.get("mutes") is True)),
            "unmute": lambda request: core.change_memory(
                partial(unmute_in, settings=core.settings, topic=str(request.get("topic")))
            ),
            "ask": self._ask_by_request,
            "asked": lambda _: None,
            "settings": lambda _: self._show_settings(),
            "seen": lambda _: self._show_timeline(),
            "reload": lambda _: core.preferences.read(),
            "purge": core.purging.request,
            "purged": lambda _: None,
            "study": lambda _: core.study_changed(),
            "task": self._mark_task_by_request,
            "quit": lambda _: self.quit(),
        }

    def start(self, consent: Consent, display: Display) -> None:
        """Start the core, with a person's consent and something to show things on."""
        self._core.start(consent, display, self.handle)

    def pause(self, seconds: float | None) -> None:
        """Pause capture for so long, or until `resume`. Nothing is captured once this has returned."""
        self._core.sensing.pause(seconds)

    def resume(self) -> None:
        """End a pause, and private time."""
        self._core.sensing.resume()
        if self._core.sensing.is_closed_for(Reason.PRIVATE):
            self._core.sensing.set_private(False)

    def set_private(self, on: bool) -> None:
        """Turn private time on or off. Nothing is captured once `set_private(True)` has returned."""
        self._core.sensing.set_private(on)

    def revoke(self) -> None:
        """Revoke the consent and stop: once this has returned nothing is captured, and the next start asks again.

        That is stored here, in the caller's thread and before anything is stopped, because stopping may be cut short.
        """
        core = self._core
        core.sensing.close(Reason.REVOKED)
        try:
            core.revoke_consent()
            forget_choices(config_file())
        except (EnvironmentFault, UsageError) as fault:
            core.failure = fault
        finally:
            core.call(core.study_work.leave)
            core.call(lambda: core.submit(Switch(name=SwitchName.CONSENT, on=False, by="person")))
            core.quit()

    def answer(self, offer_id: str, kind: FeedbackKind) -> None:
        """Submit how an offer was answered."""
        self._core.call(lambda: self._core.submit(Feedback(offer_id=offer_id, kind=kind)))

    def ask_help(self, words: str = "", page_id: str = "", *, ring: bool = True) -> None:
        """Look for help because the person says so; a longer question than somebody types is cut."""
        self._core.call(lambda: self._ask_in_window(words[:QUESTION_LIMIT], page_id, ring=ring))

    def find_help(self, words: str) -> None:
        """Look for what answers the words typed so far."""
        self._core.call(lambda: self._find(words[:QUESTION_LIMIT]))

    def choose_help(self, offer_id: str, page_id: str) -> None:
        """Show another candidate on the card."""
        self._in_session(lambda session: session.help.choose(offer_id, page_id) if session.help is not None else None)

    def close_help(self, offer_id: str) -> None:
        """End pointing at controls, and a model's answer: the card was closed."""
        self._in_session(lambda session: session.help.end_pointing(offer_id) if session.help is not None else None)
        self._with_answers(lambda answers: answers.close_card(offer_id))

    def ask_model(self, offer_id: str, question: str = "") -> None:
        """Ask the model about the help of an offer; a longer question than somebody types is cut."""
        self._with_answers(lambda answers: answers.ask(offer_id, question[:QUESTION_LIMIT]))

    def stop_model(self, offer_id: str) -> None:
        """End the request of such an answer."""
        self._with_answers(lambda answers: answers.stop_answer(offer_id))

    def study(self, request: StudyRequest, through: str = "") -> None:
        """Carry out a request about the study, by its command; the display gets the reply."""
        self._core.call(lambda: self._core.study_actions.start(request, through))

    def mark_task(self, step: TaskStep, skill: int = 0) -> None:
        """Begin the next task of the study, or end the one under way."""
        self._core.call(lambda: self._core.mark_task(step, skill))

    def answer_question(self, question_id: str, kind: AnswerKind, choices: Mapping[str, int]) -> None:
        """Hand an answer to whoever asked: the evening review, or a study by the session."""
        answer = Answer(question_id=question_id, kind=kind, choices=dict(choices))

        def take() -> None:
            if not self._core.sink.review.answer(question_id, answer.choices):
                self._core.submit(answer)

        self._core.call(take)

    def quit(self) -> None:
        """Stop in order; a second call changes nothing."""
        self._core.quit()

    def _in_session(self, action: Callable[[LiveSession], object]) -> None:
        self._core.call(lambda: action(self._core.session) if self._core.session is not None else None)

    def _with_answers(self, action: Callable[["HelpAnswers"], object]) -> None:
        """Do something with the model's answers; nothing while no model is on."""
        self._in_session(lambda session: action(session.answers) if session.answers is not None else None)

    # ------------------------------------------------------------ the socket, in the core's thread

    def handle(self, command: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Carry out a command of the control socket; return its answer.

        Raises:
            UsageError: there is no such command, or it makes no sense now.
        """
        carry_out = self._by_name.get(command)
        if carry_out is None:
            raise UsageError(f"there is no command {command[:40]!r}")
        waits = carry_out(request) is _TOO_EARLY
        if command == "task":
            card = self._core.task_card
            return {"task": asdict(card) if card is not None else None}
        if command in ("purge", "purged"):
            return {"purge": self._core.purging.outcome}
        if waits:
            return {**self._status(), "waits": True}
        if command == "asked":
            session = self._core.session
            looks = session is not None and session.help is not None and session.help.looks_for_answers
            return {"answers": self._answers(), "looks": looks}
        return self._status()

    def _pause_by_request(self, request: Mapping[str, Any]) -> None:
        seconds = request.get("seconds")
        if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds <= MAX_SECONDS):
            raise UsageError("a pause lasts from a second to a week")
        self.pause(seconds)
        self._drain()

    def _resume_by_request(self) -> None:
        self.resume()
        self._drain()

    def _drain(self) -> None:
        self._in_session(lambda session: session.drain())

    def _mark_task_by_request(self, request: Mapping[str, Any]) -> None:
        """Begin or end a task, as its window does; without a step only see which it is."""
        step, skill, core = request.get("step"), request.get("skill"), self._core
        if core.sink.study is None or not core.has_tasks:
            raise UsageError("there is no task now: no study gives you any today; see: kairos study status")
        if not step:
            return
        if step not in set(TaskStep) or not isinstance(skill, int):
            raise UsageError("a task is begun, done or given_up")
        card = core.task_card
        if card is not None and (step == TaskStep.BEGUN) is card.running:
            raise UsageError(
                "this task is under way already" if card.running else "no task is under way; begin it first"
            )
        if core.session is None:
            raise UsageError("Kairos is between two sessions; try it again in a moment")
        core.mark_task(TaskStep(step), skill)

    def _show_settings(self) -> None:
        if not self._core.preferences.show():
            raise UsageError("Kairos runs without an interface, so it can show no window; see: kairos config show")

    def _show_timeline(self) -> None:
        if not self._core.timeline.show():
            raise UsageError("Kairos runs without an interface, so it can show no window; see: kairos why")

    def _status(self) -> Mapping[str, Any]:
        status, session = self._core.sink.status(), self._core.session
        return {
            "state": str(RunState.STOPPED if self._core.is_quitting else status.state),
            "problem": status.problem,
            "recording": status.recording,
            "microphone": status.microphone,
            "paused_until": status.paused_until_wall_ns and status.paused_until_wall_ns / NS_PER_S,
            "quiet_until": status.quiet_until_wall_ns and status.quiet_until_wall_ns / NS_PER_S,
            "silent_until": status.silent_until_wall_ns and status.silent_until_wall_ns / NS_PER_S,
            "session": str(session.folder) if session is not None else None,
            "controls": self._controls(),
            "models": [asdict(price) for price in session.prices] if session is not None else [],
        }

    def _controls(self) -> dict[str, object] | None:
        """Return how understanding controls is doing; None where it is not chosen."""
        state = self._core.session.controls if self._core.session is not None else None
        if state is None:
            return None
        return {
            "works": state.connected,
            "left_alone": list(state.left_alone),
            "spent": list(state.spent),
            "walks_refused": state.walks_refused,
        }

    def _ask_in_window(self, words: str, page_id: str, *, ring: bool) -> None:
        with contextlib.suppress(UsageError):  # the window is open only where it works; it may have changed by now
            self._ask(words, page_id, rings=ring)

    def _find(self, words: str) -> None:
        session = self._core.session
        if session is not None and session.help is not None and not self._core.sink.switches[SwitchName.EXCLUDED]:
            session.help.find(words, self._core.sink.show_candidates)

    def _answers(self) -> Mapping[str, Any] | None:
        """Return what answers the words asked last, for whoever asked in a terminal; None until it is found."""
        session = self._core.session
        found = session.help.answers_found if session is not None and session.help is not None else None
        if found is None:
            return None
        return {
            "app": found.app,
            "candidates": [
                {
                    "kind": candidate.kind.value,
                    "title": candidate.page.title[:ANSWER_TEXT],
                    "path": list(candidate.page.steps[0].controls) if candidate.kind is CandidateKind.COMMAND else [],
                    "keys": candidate.keys,
                    "source": candidate.page.source,
                    "page_id": candidate.page.page_id,
                    "score": round(candidate.score, 4),
                    "greyed": candidate.greyed,
                    "on": candidate.on,
                }
                for candidate in found.candidates
            ],
            "unmatched": list(found.unmatched),
            "unsearched": found.unsearched or "",
            "notes": [note.value for note in found.notes],
            "language": found.language,
        }

    def _ask_by_request(self, request: Mapping[str, Any]) -> object:
        """Look for help, unless Kairos has only just started, no window was in use yet, and who asks can wait."""
        session, app = self._core.session, request.get("app", "")
        is_starting = self._core.sink.status().state is RunState.STARTING
        sees_soon = session is not None and session.help is not None and not app and session.help.sees_soon
        if request.get("patient") is True and (is_starting or sees_soon):
            return _TOO_EARLY
        self._ask(request.get("words"), app=app, in_terminal=True)
        return None

    def _ask(
        self, words: object = "", page_id: str = "", *, app: object = "", in_terminal: bool = False, rings: bool = True
    ) -> None:
        """Look for help at once.

        Raises:
            UsageError: there is nothing to look at, or nothing to search; or the words are no question.
        """
        if not isinstance(words, str) or len(words) > QUESTION_LIMIT:
            raise UsageError(f"a question is a text of at most {QUESTION_LIMIT} characters")
        if not isinstance(app, str) or len(app) > QUESTION_LIMIT:
            raise UsageError("a program is named by a text, as in: kairos ask --app mousepad undo")
        if self._core.sink.switches[SwitchName.EXCLUDED]:
            raise UsageError("an excluded window is open, so Kairos does not look")
        session = self._core.session
        if session is None or not self._core.sensing.gate.is_open:
            raise UsageError("Kairos is not watching now, so it cannot know what would help; see: kairos status")
        help_service = session.help
        if help_service is None or not help_service.ask(words, page_id, app=app, in_terminal=in_terminal, rings=rings):
            raise UsageError("the help library is off; turn it on with: kairos config set help.library true")
