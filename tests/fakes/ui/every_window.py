"""Every window of ours, each with something to show; what comes from elsewhere is figures, so that words are ours."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QMenu, QWidget

from daemon.help.library.general import general_pages
from daemon.history.learned import learned_sentences
from daemon.history.timeline.facts import DAMAGED_LEARNED, DAMAGED_SENT
from daemon.history.trajectory.trajectory import Verb
from daemon.purge.purge import KEPT, NOT_REACHED
from detectors.mllm.presets import PRESETS
from storage.clock import NS_PER_S
from storage.enrolment import DEFAULT_ITEMS
from storage.errors import BadFile
from storage.messages import PROBLEMS, SENT_FOR, SENT_OUTCOMES, STATES
from storage.ports import (
    AnswerPhase,
    CandidateNote,
    HelpCandidates,
    HelpContent,
    HelpPage,
    HelpStep,
    ModelHelp,
    QuietDaySummary,
    RunState,
    Status,
    StudyParcel,
    StudyProgress,
    StudyReply,
    StudyRequest,
    TaskCard,
    UnshownOffer,
)
from storage.preferences import (
    Autostart,
    AutostartState,
    ChangeRefused,
    ModelsState,
    PresetRow,
    SettingsState,
    TierRow,
    TrialResult,
    Trouble,
)
from storage.records import BlindLot, Evidence, FeedbackKind, NeedLabel, SegmentLabel, Sighting, State
from storage.settings import InterfaceSettings, Settings, StorageSettings
from storage.study_text import CHOICES, StudyInvitationView
from storage.timeline import (
    LabelledAct,
    LabelsKept,
    Moment,
    MomentKind,
    SentRow,
    SessionToLabel,
    StoredFacts,
    TimelineFacts,
    TimelineTrouble,
)
from storage.translation import current_language, phrase, tr, translatable
from tests.fakes.help.answers import answers, command
from tests.fakes.ui.interface import make_offer
from tests.fakes.ui.moments import DAY, WALL_NS, day_of, moment_of
from tests.fakes.ui.requests import LabelNotes, SettingsNotes, TimelineNotes, forget_report
from ui.card.card import Card
from ui.consent import ConsentWindow
from ui.dialogs.ask import AskWindow
from ui.dialogs.control import ControlWindow
from ui.dialogs.forget import ForgetWindow
from ui.dialogs.study import LeaveWindow, ReviewWindow, TaskWindow
from ui.dialogs.window import AskedWindow, ConfirmWindow, LimitsWindow
from ui.labelling.window import LabelWindow
from ui.notice import Notice
from ui.question import QuestionCard
from ui.quiet_window import QuietWindow
from ui.settings.window import SettingsWindow
from ui.study_consent import StudyConsentWindow
from ui.timeline.window import TimelineWindow
from ui.views.acts import offer_acts, withdraw_acts
from ui.views.answer import view_answer
from ui.views.card import view_card
from ui.views.forget import view_trouble
from ui.views.notice import OPEN_CONTROL, NoticeView, view_first_day, view_problem
from ui.views.question import view_question
from ui.views.settings import AGREE_CONTROLS, AGREE_HOW, AGREE_YES
from ui.views.shortcuts import TAKEN, UNKNOWN, ShortcutCommand, view_offered, view_unusable, view_welcome
from ui.views.study import view_reply, view_review
from ui.views.tray import view_tray

STUDY = StudyInvitationView(
    title="1",
    contact="2",
    ethics="3",
    words=("4",) * 8,
    days=28,
    phases=("5",),
    facts=("6",),
    text="7\n" * 20,
    version=3,
    text_sha256="3" * 64,
    choices=CHOICES,
)


FAULT = BadFile(
    translatable("{path} is damaged: {why}", path="/1", why=phrase("Permission denied")),
    remedy=translatable("leave the study: kairos study leave"),
)
"""What went wrong somewhere; `tests/ui/translation/test_faults.py` tries real ones."""

LEARNED: dict[str, object] = {
    "need": [
        {"app": "", "scale": 1.0, "shift": 0.4, "answers": 3.0},
        {"app": "1", "scale": 1.0, "shift": -2.0, "answers": 1.0},
    ],
    "answers": [{"topic": "undo_bursts", "app": "1", "accepted": 3, "refused": 1, "acceptance": 0.7, "threshold": 0.3}],
    "threshold": 0.4,
    "threshold_min": 0.1,
    "threshold_max": 0.9,
    "need_levels": [{"app": "1", "senses": "", "hours": 2.0, "level": 2.0, "level_elsewhere": 3.0}],
    "helped": {"1": 2},
    "too_early": 3,
    "too_late": 1,
    "backoffs": [{"topic": "undo_bursts", "app": "1", "left_s": 600.0, "dismissals": 2}],
    "snoozed_left_s": 90.0,
    "muted": ["undo_bursts"],
}


def moment(number: int, kind: MomentKind, **facts: object) -> Moment:
    return moment_of(60 * number, 60 * number + 50, kind=kind, **{"app": "1", **facts})


TROUBLE = Trouble(what=FAULT.what, remedy=FAULT.remedy)
MOMENTS = (
    moment(0, MomentKind.WORK, state="frustration", help_need=0.7, estimates=3, why="No offer: Kairos is paused."),
    moment(
        1,
        MomentKind.OFFER,
        title="2",
        detail="3",
        answer="accepted",
        help_need=0.8,
        why="The offer went away without an answer.",
    ),
    moment(2, MomentKind.REPORT, needed=True),
    moment(3, MomentKind.OFF, title="private"),
    moment(4, MomentKind.WORK, help_need=0.2, estimates=1),
    *(moment(5 + number, MomentKind.WORK, state=state) for number, state in enumerate(STATES)),
    moment(20, MomentKind.OFF, title="excluded"),
)
FACTS = TimelineFacts(
    stored=StoredFacts(
        folder="/1",
        sessions=2,
        oldest_wall_ns=WALL_NS,
        rows=3_400_000,
        pictures=0,
        sent=10_000,
        learned=2000,
        library=900_000,
        free=10**10,
        keep_days=30,
        keep_gb=2.5,
    ),
    sent=tuple(
        SentRow(
            number=1,
            at_wall_ns=WALL_NS,
            address="1",
            model="2",
            purpose=purpose,
            size=4000,
            pictures=2,
            outcome=outcome,
            dollars=0.01,
        )
        for purpose, outcome in (
            *((purpose, "") for purpose in SENT_FOR),
            *(("test", outcome) for outcome in SENT_OUTCOMES),
        )
    ),
    sent_count=9,
    sent_bytes=10_000,
    learned=(),
    joined_study=True,
    problems=(DAMAGED_SENT, DAMAGED_LEARNED),
)


def make_card(*, opened: bool) -> Card:
    """Make the card of an offer that names what was seen, with a page of help and a model."""
    page = HelpPage(page_id="1", title="1", steps=tuple(HelpStep(text=str(n)) for n in range(5)), source="2", app="3")
    seen = Sighting(code="message_again", numbers={"count": 3.0, "span_s": 40.0})
    evidence = (Evidence(code="undo_bursts", numbers={"count": 4.0, "tries": 2.0, "span_s": 30.0}),)
    offer = replace(make_offer(), topic="undo_bursts", seen=seen, evidence=evidence, app="1")
    content = HelpContent(page=page, missing=(1,), guess="7", model="8", remote=True)
    card = Card(view_card(offer, {}, content), lambda _: None, corner="bottom-right")
    card._armed = True
    if opened:
        card._give(FeedbackKind.ACCEPTED)
        card.show_answer(
            view_answer(ModelHelp(phase=AnswerPhase.DONE, text="9", question="", model="8", dollars=0.02, goal="4"))
        )
    else:
        card._toggle_more()
    return card


def make_general_card() -> Card:
    page = max((general_page.page for general_page in general_pages()), key=lambda page: len(page.steps))
    card = Card(view_card(make_offer(), {}, HelpContent(page=page)), lambda _: None, corner="bottom-right")
    card._armed = True
    card._give(FeedbackKind.ACCEPTED)
    return card


def make_answers(count: int) -> HelpCandidates:
    states = ({"greyed": True}, {"on": True}, {"in_menu": False})
    commands = [command("1", str(n), keys="2", **states[n]) for n in range(count)]
    return answers("4", *commands, program="5", unmatched=("6",), notes=tuple(CandidateNote), language="en")


def make_asked_card(count: int) -> Card:
    asked = make_answers(3 * count)
    page = asked.candidates[0].page if count else None
    content = HelpContent(page=page, asked=asked)
    offer = replace(make_offer(), asked=True, app="1")
    return Card(view_card(offer, {}, content), lambda _: None, corner="bottom-right")


def make_ask(count: int) -> AskWindow:
    window = AskWindow("4")
    window.show_candidates(make_answers(count))
    return window


def make_seen() -> TimelineWindow:
    """Make the window of the timeline, over a day with a row of each kind, one of them selected."""
    window = TimelineWindow(TimelineNotes())
    day = day_of(*MOMENTS, earlier=DAY - dt.timedelta(days=1), unreadable=("1",), left_out=4)
    window.take(day)
    window.take(replace(FACTS, learned=tuple(learned_sentences(LEARNED, current_language()))))
    window.take(TimelineTrouble(what=FAULT.what, remedy=FAULT.remedy))
    window._list._select(0, 1)
    return window


def make_labels(*, said: bool) -> LabelWindow:
    """Make the window for labels, over a session without pictures; a stretch is labelled, or none is."""
    window = LabelWindow(LabelNotes(), "1", BlindLot())
    second = NS_PER_S
    label = SegmentLabel(label_id="1", rater="1", start_ns=0, end_ns=20 * second, states=(State.WAITING,))
    other = replace(label, label_id="2", rater="2", need=NeedLabel.UNSURE)
    acts = tuple(
        LabelledAct(start_ns=number * second, end_ns=(number + 1) * second, verb=verb, count=2, target="3", app="4")
        for number, verb in enumerate(Verb)
    )
    session = SessionToLabel(
        session="5",
        begin_wall_ns=WALL_NS,
        begin_ns=0,
        end_ns=60 * second,
        pictures=(),
        acts=acts,
        moments=(),
        labels=(label, other) if said else (),
    )
    window.take(session)
    if said:
        window._say_need(NeedLabel.YES)
        window.take(LabelsKept(labels=()))
    else:
        window.take(TimelineTrouble(what=FAULT.what, remedy=FAULT.remedy))
    return window


def make_settings() -> SettingsWindow:
    """Make the window of the settings, with every page shown once, a change, and a model that is not asked."""
    window = SettingsWindow(SettingsNotes(), lambda _: False)
    autostart = Autostart(state=AutostartState.OFF, file="/1", starts=False)
    changed = replace(Settings(), policy=replace(Settings().policy, offers_per_hour=1))
    window.take(SettingsState(settings=changed, in_force=Settings(), file="/2", autostart=autostart))
    preset = PresetRow(
        name="3", remote=True, address="4", model="5", price_in=1.0, price_out=2.0, note=PRESETS["ollama"].note
    )
    tier = TierRow(table="strong_model", preset="3", address="4", here=False, key_name="7", trouble=TROUBLE)
    window.take(ModelsState(presets=(preset,), tiers=(tier,)))
    for row in range(window._list.count()):
        window._list.setCurrentRow(row)
    window.take(TrialResult(table="strong_model", model="5", seconds=1.5, dollars=0.01))
    return window


def make_damaged_settings() -> SettingsWindow:
    """Make that window over a file that cannot be used, with a change that was refused and a trial that failed."""
    window = SettingsWindow(SettingsNotes(), lambda _: False)
    autostart = Autostart(state=AutostartState.BY_HAND, file="/1", starts=True)
    damaged = SettingsState(settings=Settings(), in_force=Settings(), file="/2", autostart=autostart, trouble=TROUBLE)
    for row in range(window._list.count()):
        window._list.setCurrentRow(row)
    window.take(damaged)
    window.take(ChangeRefused(key="policy.offers_per_hour", trouble=TROUBLE))
    window.take(ChangeRefused(key="autostart", trouble=TROUBLE))
    window.take(ModelsState(trouble=TROUBLE))
    window.take(TrialResult(table="strong_model", trouble=TROUBLE))
    return window


def make_notices() -> dict[str, NoticeView]:
    failed = StudyReply(request=StudyRequest.HOLD, done=False, text=FAULT.what, remedy=FAULT.remedy)
    silent = StudyReply(request=StudyRequest.HOLD, done=False)
    day = QuietDaySummary(decisions=9, offers=(UnshownOffer(wall_ns=WALL_NS, topic="undo_bursts"),) * 8)
    found = {
        "failed": view_reply(failed),
        "silent": view_reply(silent),
        "trouble": view_trouble(TimelineTrouble(what=FAULT.what, remedy=FAULT.remedy)),
        "first_day": view_first_day(day),
        "no_first_day": view_first_day(QuietDaySummary(decisions=9, offers=())),
        "unknown": view_problem("of_tomorrow"),
    }
    found |= {code: view_problem(code) for code in PROBLEMS}
    keys = InterfaceSettings(shortcut_ask="7", shortcut_card="8", shortcut_dismiss="9")
    found |= {code: view_unusable(code, tuple(ShortcutCommand), keys) for code in (TAKEN, UNKNOWN)}
    found |= {"keys": view_offered("7"), "welcome": view_welcome("7"), "welcome_tray": view_welcome("")}
    found |= {request.value: view_reply(StudyReply(request=request, done=True)) for request in StudyRequest}
    return found


TASK = TaskCard(number=2, count=3, title="1", text="2", end="3", asks_about="4")


def make_menu() -> QMenu:
    menu = QMenu()
    study = StudyProgress(title="1", day=3, days=28, held=False, closed=False, task=TASK)
    for entry in view_tray(Status(state=RunState.WATCHING, recording=True, study=study)).entries:
        menu.addAction(entry.text) if entry.text else menu.addSeparator()
    return menu


@contextmanager
def shown_windows() -> Iterator[dict[str, QWidget]]:
    offer_acts(lambda _: True, lambda _: None)
    menu = make_menu()
    parcel = StudyParcel(n=1, size=300, sha256="4" * 64, rows=("5",))
    review = StudyReply(request=StudyRequest.REVIEW, done=True, parcels=(parcel,), mode="ask")
    windows: dict[str, QWidget] = {
        "consent": ConsentWindow(Path("/1"), StorageSettings()),
        "study_consent": StudyConsentWindow(STUDY),
        "card": make_card(opened=False),
        "open_card": make_card(opened=True),
        "general_card": make_general_card(),
        "asked_card": make_asked_card(1),
        "nothing_card": make_asked_card(0),
        "ask": make_ask(3),
        "ask_nothing": make_ask(0),
        "notice": Notice(
            "no_tray", view_problem("no_tray"), corner="bottom-right", stays=True, act=(tr(OPEN_CONTROL), lambda: None)
        ),
        **{
            f"notice {code}": Notice(code, view, corner="bottom-right", stays=True)
            for code, view in make_notices().items()
        },
        "question": QuestionCard(view_question("q", DEFAULT_ITEMS), lambda *_: None, corner="bottom-right"),
        "forget": ForgetWindow(
            forget_report(problems=(FAULT.what,), out_of_reach=NOT_REACHED, kept=KEPT), lambda _: None
        ),
        "forgotten": ForgetWindow(forget_report(done=True, out_of_reach=("1",), kept="2"), lambda _: None),
        "leave": LeaveWindow(lambda _: None),
        "review": ReviewWindow(view_review(review), lambda _: None),
        "task": TaskWindow(TASK, lambda *_: None),
        "task_runs": TaskWindow(replace(TASK, running=True), lambda *_: None),
        "tasks_done": TaskWindow(None, lambda *_: None),
        "limits": LimitsWindow("1"),
        "control": ControlWindow(menu.actions()),
        "seen": make_seen(),
        "labels": make_labels(said=True),
        "no_labels": make_labels(said=False),
        "settings": make_settings(),
        "damaged_settings": make_damaged_settings(),
        "confirm": ConfirmWindow(tr(AGREE_CONTROLS), tr(AGREE_HOW), tr(AGREE_YES), lambda: None, lambda: None),
        "menu": menu,
    }
    for name, window in windows.items():
        if isinstance(window, AskWindow):
            QuietWindow.appear(window)  # without the keyboard, which the next window would take: then it closes
        elif isinstance(window, (QuietWindow, AskedWindow, TimelineWindow, SettingsWindow)):
            window.appear()
        elif name != "menu":
            window.show()
    try:
        yield windows
    finally:
        withdraw_acts()
        for window in windows.values():
            window.close()
            window.deleteLater()
