"""The calls between the core and the interface: two Protocols, and the facts that travel between them.

Standard library only. `daemon` implements `CoreCommands` and calls a `Display`; `ui` implements `Display` and calls
`CoreCommands`; neither imports the other. The card's title and its button's place are here, because the scripted people
of tests have to find them on a real screen without knowing the interface.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from storage.enrolment import QuestionItem
from storage.records import AnswerKind, Box, ControlRole, ControlState, FeedbackKind, Offer, Problem, TaskStep

CARD_TITLE = "Kairos offer"
"""WM_NAME of the card; its WM_CLASS is `kairos` like that of every window of ours."""

ASK_TITLE = "Kairos ask"
"""WM_NAME of the field to ask in."""

SPOTLIGHT_TITLE = "Kairos pointer"
"""WM_NAME of the ring around a control; what is clicked in it goes to the program below."""

REVIEW_PREFIX = "review/"
"""How the ids of questions begin that are of no study: those of the evening review."""

QUESTION_LIMIT = 500
"""Characters of what a person may type to ask for help, or to ask a model further."""

WHAT_FOR = "general/what_for"
"""The id of the page of an offer that asks what somebody looks for: its button opens the field to ask in."""

ACCEPT_POINT = (74, 38)
"""Center of the card's "Show me" button: pixels right of the window's left edge and *up* from its bottom edge.

True at a scale factor of 1 (else multiply) and for as long as the card shows an offer: once it was accepted there is
no button at this place, so that a double click does not close what it opened.
"""


@dataclass(slots=True)
class OwnPlaces:
    """Where windows of ours stand that no list of the desktop has, by number, and the pointer while over one of them.

    In pixels of the desktop. The interface's thread puts another mapping in place, and any thread may look.
    """

    boxes: Mapping[int, Box]
    pointer: tuple[int, int] | None = None


OWN_PLACES = OwnPlaces({})


class RunState(StrEnum):
    """What Kairos is doing."""

    STARTING = "starting"
    WATCHING = "watching"
    PAUSED = "paused"
    PRIVATE = "private"
    EXCLUDED = "excluded"
    PROBLEM = "problem"
    STOPPED = "stopped"


class StudyRequest(StrEnum):
    """What a person asks of the study that they take part in: to look at what waits, to let it go, or to leave."""

    REVIEW = "review"
    SEND = "send"
    HOLD = "hold"
    RESUME = "resume"
    LEAVE = "leave"
    LEAVE_KEEP = "leave_keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQuestion(QuestionItem):
    """A moment that the evening review asks about, with its picture: width, height, and three bytes a pixel.

    `session` and `begin_wall_ns` say where it is recorded.
    """

    picture: tuple[int, int, bytes] | None = None
    session: str = ""
    begin_wall_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCard:
    """A task of the study that is next, or under way: what the person reads, and its place among all of them.

    `asks_about`: the program of which they are asked how well they know it, before they begin; "": none.
    """

    number: int
    count: int
    title: str
    text: str
    end: str
    asks_about: str = ""
    running: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyProgress:
    """The study in force: `day` counts from 1, 0 is the quiet time before. `held`: the person stopped its sending.

    `closed`: the researchers have closed it, and this day is the last. `task`: the next one, if any is left.
    """

    title: str
    day: int
    days: int
    held: bool = False
    closed: bool = False
    task: TaskCard | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyParcel:
    """A parcel that waits to be sent: its number, size in bytes, digest (SHA-256, hexadecimal), and rows in words."""

    n: int
    size: int
    sha256: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyReply:
    """What became of a request. Where it was not carried out (`done`), `text` says why, and `remedy` what to do.

    `mode` says how parcels leave: ask, daily or hold; empty if that is not known. `parcels` are those that wait, and
    `released` were let go. `told`: after leaving, whether the researchers can be told.
    """

    request: StudyRequest
    done: bool
    text: str = ""
    remedy: str = ""
    mode: str = ""
    parcels: tuple[StudyParcel, ...] = ()
    released: int = 0
    told: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state shown in the tray.

    `problem` is a code of `storage.messages.PROBLEMS` and may be set in any state. `paused_until_wall_ns` is None while
    not paused and for a pause without an end. `recording` tells whether pictures are being stored. Until
    `silent_until_wall_ns` a quiet first day goes on: offers are decided and logged, and not shown. Until
    `quiet_until_wall_ns` there are none because the person asked for that. `study` is the one that they take part in.
    `model_off`: a model that is on does not answer, or may not be asked any more today. `microphone`: it is open.
    """

    state: RunState
    problem: str | None = None
    paused_until_wall_ns: int | None = None
    recording: bool = False
    silent_until_wall_ns: int | None = None
    quiet_until_wall_ns: int | None = None
    study: StudyProgress | None = None
    model_off: bool = False
    microphone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of a program.

    Attributes:
        path: the names from the menu bar, or the bar of tools, down to the command, as the program shows them: without
            mnemonics, keys and dots at the end. One name alone for what stands in no menu.
        role: what it is: an item of a menu, a check box, a button.
        state: whether it takes clicks now and, if it can be, whether it is checked.
        keys: its keyboard shortcut as people write it, such as "Ctrl+Shift+B"; empty for none.
        hint: what else the program says of it in a few words, such as a tip; empty for none.
        in_menu: whether it can be reached by `path`; False for what the program can do and shows nowhere.
    """

    path: tuple[str, ...]
    role: ControlRole = ControlRole.MENU_ITEM
    state: ControlState = ControlState.PLAIN
    keys: str = ""
    hint: str = ""
    in_menu: bool = True

    @property
    def name(self) -> str:
        """The last name of its path."""
        return self.path[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandList:
    """The commands of one window of a program.

    Attributes:
        app: the program, as `Focus.app` names it.
        commands: in the order of the menus.
        menus: what opens a menu in one of them, where somebody may look for all that it holds.
        complete: whether those are all; limits may have ended the look at them.
        unread: paths of submenus that are filled only when they are opened, so nobody knows what is in them.
        language: the language of the names as an ISO 639 code; empty where it is not known.
        read_ns: when they were read, in session time.
    """

    app: str
    commands: tuple[Command, ...]
    menus: tuple[Command, ...] = ()
    complete: bool = True
    unread: tuple[tuple[str, ...], ...] = ()
    language: str = ""
    read_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpStep:
    """One step of a page. `controls` are the names it uses, in order: menus to open come before what is chosen."""

    text: str
    controls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpPage:
    """A page of help.

    Attributes:
        page_id: stable for the same documentation, and free of words from the screen.
        title: one line.
        steps: what to do, in order.
        source: where it comes from, for people: "LibreOffice Help 7.4".
        app: the program, as `Focus.app` names it; empty for a general page.
    """

    page_id: str
    title: str
    steps: tuple[HelpStep, ...]
    source: str
    app: str = ""

    @property
    def general(self) -> bool:
        """Whether the page is about no program in particular."""
        return not self.app


class CandidateKind(StrEnum):
    """Where a candidate comes from: the program itself, or documentation."""

    COMMAND = "command"
    PAGE = "page"


class CandidateNote(StrEnum):
    """Why there may be less than somebody expects."""

    NO_CONTROLS = "no_controls"
    """Controls are not understood, so no commands are known."""

    NO_COMMANDS = "no_commands"
    """The program does not tell its commands."""

    NOT_SEEN = "not_seen"
    """The program was not in front since watching began, so nothing asked it for its commands."""

    READING = "reading"
    """The commands are being read."""

    NO_LIBRARY = "no_library"
    """No documentation is searched."""

    NO_PAGES = "no_pages"
    """Of this program there is no documentation to search."""

    NO_WINDOW = "no_window"
    """No window was in use yet, and no program was named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpCandidate:
    """One answer to typed words. In memory only, untrusted text.

    A command is a page of one step, whose `controls` are its path; without any it is in no menu.

    Attributes:
        page: what is shown.
        kind: where it comes from.
        score: the estimated probability that it was meant.
        keys: the keyboard shortcut of a command; empty for none.
        greyed: the command takes no click now.
        on: the command is switched on already.
    """

    page: HelpPage
    kind: CandidateKind
    score: float
    keys: str = ""
    greyed: bool = False
    on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpCandidates:
    """What answers typed words, best first. In memory only, untrusted text.

    Attributes:
        words: what was typed.
        app: the program that it is about.
        program: that program as people name it.
        candidates: what was found; empty where nothing answers.
        unmatched: words that stand in nothing that was found.
        notes: why there may be less than somebody expects.
        language: where nothing was found, that of the documentation that was searched, as an ISO 639 code; empty if
            not known.
    """

    words: str
    app: str
    program: str = ""
    candidates: tuple[HelpCandidate, ...] = ()
    unmatched: tuple[str, ...] = ()
    notes: tuple[CandidateNote, ...] = ()
    language: str = ""

    @property
    def unsearched(self) -> CandidateNote | None:
        """Why nothing could be searched, if so: neither commands of the program nor pages about it are known."""
        wanted = {CandidateNote.NO_CONTROLS, CandidateNote.NO_COMMANDS, CandidateNote.NOT_SEEN}
        if CandidateNote.NO_WINDOW in self.notes or wanted.isdisjoint(self.notes):
            return CandidateNote.NO_WINDOW if CandidateNote.NO_WINDOW in self.notes else None
        return next((note for note in self.notes if note not in wanted), None)

    def find(self, page_id: str) -> HelpCandidate | None:
        """Return the candidate with this page; None if it is none of them."""
        return next((found for found in self.candidates if found.page.page_id == page_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpContent:
    """What the card of an offer shows beside our own sentences. In memory only, untrusted text.

    `missing` are the numbers, from 0 on, of steps whose controls are not there as the program stands. `guess` is what
    the person may be about, from the names of what they touched; empty for none. `model` can be asked about it, and is
    not on this machine if `remote`; empty where no model is on. `typing` is where the person typed last, in pixels of
    the desktop: the card keeps clear of it. `asked` is what answers the words that somebody typed, and `tried` are the
    pages of it that did not help.
    """

    page: HelpPage | None = None
    missing: tuple[int, ...] = ()
    guess: str = ""
    model: str = ""
    remote: bool = False
    typing: Box | None = None
    asked: HelpCandidates | None = None
    tried: frozenset[str] = frozenset()


class PointedAt(StrEnum):
    """What a ring is around, or why there is none: the control of the step, or something that comes before it."""

    STEP = "step"
    WAY_OUT = "way_out"
    """The button that closes a dialog, which has nothing of the page and stands before what has."""

    GREYED = "greyed"
    """Nothing is ringed: the control is there and takes no click now."""

    YOURS = "yours"
    """Nothing is ringed: the step names no control, so only the person knows how it is done."""

    DONE = "done"
    """Nothing is ringed any more: all steps are done."""


class AnswerPhase(StrEnum):
    """Where a model's answer on the card is. In the last three nothing more comes."""

    WAITING = "waiting"
    STREAMING = "streaming"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHelp:
    """What a model has answered so far about the help of an offer. In memory only, untrusted text.

    Attributes:
        phase: where the answer is.
        text: its prose, plain text.
        steps: its steps; `controls` names a control that is there, or none.
        question: what the person typed; empty for the first answer.
        sources: what it rests on, for people: "LibreOffice Help 7.4".
        model: the name of the model.
        remote: whether the request left this machine.
        dollars: what this answer cost; 0 if nothing or not known.
        problem: why there is no answer, as a code of `storage.messages.PROBLEMS`; None unless `FAILED`.
        goal: what the person may be about, as the model guesses; empty for none. It takes the place of
            `HelpContent.guess`.
    """

    phase: AnswerPhase
    text: str = ""
    steps: tuple[HelpStep, ...] = ()
    question: str = ""
    sources: tuple[str, ...] = ()
    model: str = ""
    remote: bool = False
    dollars: float = 0.0
    problem: str | None = None
    goal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentAnswer:
    """What a person agreed to: the journal (needed to work), and the recording of pictures (their own choice).

    With `quiet_first_day` offers are only logged for 24 hours, and then summarized once. `controls`: what is touched
    and which messages appear may be read from the accessibility interface. `speech`: the microphone may be recorded.
    `language` and `text_sha256` say which words were shown (`storage.consent_text.words_digest`).
    """

    journal: bool
    recording: bool
    quiet_first_day: bool = False
    controls: bool = False
    speech: bool = False
    language: str = ""
    text_sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnshownOffer:
    """An offer that was decided and not shown: when, and about what, as a code of `storage.messages.EVIDENCE`."""

    wall_ns: int
    topic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietDaySummary:
    """What happened on a quiet first day: how often the policy decided, and what it would have offered."""

    decisions: int
    offers: tuple[UnshownOffer, ...]


class CoreCommands(Protocol):
    """What the interface asks of the core. Called on the interface's thread; what closes the gate may wait for a disk.

    All of them are safe before the core runs and after it has stopped.
    """

    def pause(self, seconds: float | None) -> None:
        """Stop capture, for so long or until `resume`; nothing is captured once this has returned."""

    def resume(self) -> None:
        """End a pause, and private time."""

    def set_private(self, on: bool) -> None:
        """Turn private time on or off; nothing is captured once `set_private(True)` has returned."""

    def answer(self, offer_id: str, kind: FeedbackKind) -> None:
        """Hand over how an offer was answered."""

    def ask_help(self, words: str = "", page_id: str = "", *, ring: bool = True) -> None:
        """Look for help at once, because the person says so; the card shows it. Nothing while sensing is off.

        `page_id` is the candidate that they chose. `ring`: its controls are to be pointed at.
        """

    def find_help(self, words: str) -> None:
        """Look for what answers the words typed so far; `Display.show_candidates` follows. Nothing of it is noted."""

    def choose_help(self, offer_id: str, page_id: str) -> None:
        """Show another candidate in place of the one on the card."""

    def close_help(self, offer_id: str) -> None:
        """End pointing at controls, and a model's answer: the card with the steps was closed."""

    def ask_model(self, offer_id: str, question: str = "") -> None:
        """Ask the model about the help of an offer that is open on the card; `Display.show_model_help` follows.

        `question` is what the person typed there. Nothing while no model is on.
        """

    def stop_model(self, offer_id: str) -> None:
        """End the request of such an answer; what has come stays."""

    def answer_question(self, question_id: str, kind: AnswerKind, choices: Mapping[str, int]) -> None:
        """Hand over how a question of a study was answered: for each item's code the number of the choice."""

    def study(self, request: StudyRequest, through: str = "") -> None:
        """Carry out a request about the study; `Display.show_study_reply` follows.

        `through` names by its digest the last parcel that the person was shown: nothing behind it is let go.
        """

    def mark_task(self, step: TaskStep, skill: int = 0) -> None:
        """Begin the next task of the study, or end the one under way; `skill` from 1 to 5, 0 for not said."""

    def revoke(self) -> None:
        """Withdraw the consent and stop; once this has returned nothing is captured, and the next start asks again."""

    def quit(self) -> None:
        """Stop in order; `Display.end` follows. A second call changes nothing."""


class Display(Protocol):
    """What the core shows. Called on the core's thread; returns at once."""

    def show_status(self, status: Status) -> None:
        """Show what Kairos is doing."""

    def show_offer(self, offer: Offer, names: Mapping[str, str], content: HelpContent | None = None) -> None:
        """Bring up the card for an offer, with the page of help that it brings.

        `names` are words from the screen that it may quote, by their place there.
        """

    def show_candidates(self, found: HelpCandidates) -> None:
        """Show in the field what answers the words typed there, if they still stand there."""

    def point(self, offer_id: str, step: int, box: Box | None, about: PointedAt = PointedAt.STEP) -> None:
        """Ring the control of a step of the page that the person is shown, numbered from 0 on; None: no ring."""

    def show_model_help(self, offer_id: str, answer: ModelHelp) -> None:
        """Show what a model has answered so far on the card of an offer; it replaces what was shown of that answer."""

    def close_offer(self, offer_id: str) -> None:
        """Take the card down: the offer expired or was withdrawn."""

    def show_question(self, question_id: str, items: Sequence[QuestionItem]) -> None:
        """Bring up the card of a question of a study."""

    def close_question(self, question_id: str) -> None:
        """Take that card down: the question expired, was taken back or was answered."""

    def show_study_reply(self, reply: StudyReply) -> None:
        """Show what became of a request about the study."""

    def notify_problem(self, problem: Problem) -> None:
        """Show a problem, once, or that it is over."""

    def show_quiet_day_summary(self, day: QuietDaySummary) -> None:
        """Summarize the quiet first day, once."""

    def end(self) -> None:
        """Take everything down and leave: the core has stopped."""
