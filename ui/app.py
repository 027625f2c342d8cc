"""The whole interface, assembled on the main thread: consent, tray, card, notices and signals.

It decides nothing and keeps nothing: it shows what the core says through `bridge` and hands clicks to `CoreCommands`.
Every window of ours must carry the WM_CLASS `kairos`, menus and tool tips too, because that is how the capture knows
them; Qt takes it from the name given before the application exists.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEventLoop, QLoggingCategory, QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from storage.enrolment import QuestionItem
from storage.ports import (
    ConsentAnswer,
    CoreCommands,
    HelpCandidates,
    HelpContent,
    ModelHelp,
    PointedAt,
    QuietDaySummary,
    Status,
    StudyReply,
    StudyRequest,
    TaskCard,
)
from storage.preferences import SettingsReply, SettingsRequests, SettingsState
from storage.records import ME, BlindLot, Box, LabelTask, Offer, Problem
from storage.settings import InterfaceSettings, StorageSettings
from storage.study_text import StudyConsentAnswer, StudyInvitationView
from storage.timeline import (
    ForgetReport,
    ForgetScope,
    LabelReply,
    LabelRequests,
    TimelineReply,
    TimelineRequests,
    TimelineTrouble,
)
from storage.translation import Language, current_language, tr
from ui.bridge import Bridge, WindowBridge
from ui.card.card import Card
from ui.consent import ConsentWindow
from ui.desktop.current import check_display, current_desktop
from ui.dialogs.ask import AskWindow
from ui.dialogs.command import CommandWindow
from ui.dialogs.control import ControlWindow
from ui.dialogs.forget import ForgetWindow
from ui.dialogs.study import LeaveWindow, ReviewWindow, TaskWindow
from ui.dialogs.window import AskedWindow, LimitsWindow
from ui.notice import Notice
from ui.question import QuestionCard
from ui.signals import SignalWatch
from ui.spotlight import Spotlight
from ui.study_consent import StudyConsentWindow
from ui.theme import prefer_look, scaled_font
from ui.translation.language import SYSTEM, speak
from ui.tray import Tray
from ui.tray_icon import make_icon
from ui.views.acts import ActTarget, WindowAct, offer_acts, withdraw_acts
from ui.views.answer import view_answer
from ui.views.card import view_card
from ui.views.forget import TROUBLE_NOTICE, view_trouble
from ui.views.notice import (
    FIRST_DAY,
    LOOK,
    NO_TRAY,
    NOT_NOW,
    NOT_NOW_TEXT,
    OPEN_CONTROL,
    NoticeView,
    view_first_day,
    view_problem,
)
from ui.views.question import QuestionView, view_question
from ui.views.shortcuts import (
    KEYS_OFFERED,
    PROPOSED,
    TAKEN,
    UNKNOWN,
    USE_KEYS,
    WELCOME,
    ShortcutCommand,
    texts_of,
    view_offered,
    view_unusable,
    view_welcome,
)
from ui.views.spotlight import pointed_remark, ring_label
from ui.views.study import STUDY_NOTICE, view_reply, view_review
from ui.views.timeline import LEARNED
from ui.views.tray import END_PAUSE, Glyph
from ui.widgets import bring_up

if TYPE_CHECKING:
    from ui.labelling.window import LabelWindow
    from ui.settings.window import SettingsWindow
    from ui.timeline.window import TimelineWindow

NAME = "kairos"
QUIET = ("qt.accessibility.atspi", "qt.qpa.wayland.textinput", "qt.qpa.services")
"""What Qt warns of though nothing is wrong: kinds it does not know, fields that are left, no portal."""


class Interface(QObject):
    """Everything a person sees. Made, used and left on the main thread; one in a process.

    The order is: `ask_consent` if there is none yet, start the core with `bridge`, `show_tray`, `exec`.
    """

    def __init__(
        self,
        commands: CoreCommands,
        settings: InterfaceSettings,
        timeline: TimelineRequests | None = None,
        preferences: SettingsRequests | None = None,
        *,
        labels: LabelRequests | None = None,
    ) -> None:
        """Start Qt and take over SIGINT and SIGTERM, which from now on mean `commands.quit()`.

        `timeline` answers the window "What Kairos saw", and forgets; without it neither can be requested.
        `preferences` answers the settings window, and `labels` the one for labels; without them neither can be opened.

        Raises:
            EnvironmentFault: there is no display to show anything on.
        """
        self._application = _application(settings.language, settings.text_percent)
        super().__init__()
        self._commands = commands
        self._settings = settings
        prefer_look(settings.look, high_contrast=settings.high_contrast)
        self._consent: ConsentWindow | None = None
        self._card: Card | None = None
        self._hears = False
        self._question: QuestionCard | None = None
        self._waiting_question: QuestionView | None = None
        self._notice: Notice | None = None
        self._waiting_notices: list[tuple[str, NoticeView]] = []
        self._first_day: NoticeView | None = None
        self._study_window: AskedWindow | None = None
        self._task: TaskCard | None = None
        self._forget_window: ForgetWindow | None = None
        self._command_window: CommandWindow | None = None
        self._control: ControlWindow | None = None
        self._ask: AskWindow | None = None
        self._ended = self._is_new = False
        self._timeline = timeline
        self._seen: TimelineWindow | None = None
        self._labels = labels
        self._label_window: LabelWindow | None = None
        offer_acts(self._can, self._do)
        self._spotlight = Spotlight()
        self._tray = Tray(commands)
        self._preferences = preferences
        self._free_keys = ""
        self._settings_window: SettingsWindow | None = None
        for asked, answer in (
            (self._tray.asking, self._open_ask),
            (self._tray.leaving, self._on_leaving),
            (self._tray.working, self._show_task),
            (self._tray.forgetting, self._on_forgetting),
            (self._tray.seen, self._show_seen),
            (self._tray.settings, self._show_settings),
            (self._tray.missing, partial(self._on_problem, Problem(code=NO_TRAY))),
            (self._tray.found, self._on_tray_found),
        ):
            asked.connect(answer)
        self._shortcuts = current_desktop().shortcuts(settings)
        self._shortcuts.pressed.connect(self._on_shortcut)
        self._signals = SignalWatch(self._on_signal)
        self.bridge, self._timeline_bridge, self._settings_bridge = Bridge(), WindowBridge(), WindowBridge()
        self._label_bridge = WindowBridge()
        for told, shown in (
            (self.bridge.status_changed, self._tray.show_status),
            (self.bridge.status_changed, self._show_microphone),
            (self.bridge.status_changed, self._on_task),
            (self.bridge.offer_shown, self._on_offer),
            (self.bridge.candidates_found, self._on_candidates),
            (self.bridge.pointed, self._on_pointed),
            (self.bridge.model_help_shown, self._on_model_help),
            (self.bridge.offer_closed, self._on_offer_closed),
            (self.bridge.question_shown, self._on_question),
            (self.bridge.question_closed, self._on_question_closed),
            (self.bridge.study_replied, self._on_study_reply),
            (self.bridge.notice, self._on_problem),
            (self.bridge.first_day, self._on_first_day),
            (self.bridge.stopped, self._on_stopped),
            (self._timeline_bridge.replied, self._on_timeline),
            (self._timeline_bridge.requested, self._show_seen),
            (self._settings_bridge.replied, self._on_settings),
            (self._label_bridge.replied, self._on_labels),
            (self._settings_bridge.requested, self._show_settings),
        ):
            told.connect(shown, Qt.ConnectionType.QueuedConnection)
        if timeline is not None:
            timeline.attach(self._timeline_bridge)
        if preferences is not None:
            preferences.attach(self._settings_bridge)
        if labels is not None:
            labels.attach(self._label_bridge)

    def ask_consent(
        self,
        sessions_dir: Path,
        storage: StorageSettings,
        sent: str = "",
        desktop: Sequence[str] = (),
        forget_all: Callable[[], bool] | None = None,
    ) -> ConsentAnswer | None:
        """Ask before the first frame; None is "not now" (also Escape, closing the window, SIGINT and SIGTERM).

        `sent` says in plain words what is sent to models; empty: nothing. `desktop` are lines about what this desktop
        does not tell in full. `forget_all` deletes what is still stored, if the person says so.
        """
        self._consent = ConsentWindow(sessions_dir, storage, sent, desktop, forget_all)
        try:
            self._consent.exec()
            self._is_new = self._consent.answer is not None
            return self._consent.answer
        finally:
            self._consent.deleteLater()
            self._consent = None

    def show_tray(self) -> None:
        """Show the tray icon, or say once that nothing here shows tray icons and wait for something that does."""
        self._tray.appear()
        self._start_shortcuts()
        self._welcome()

    def _welcome(self) -> None:
        """Say to whoever has just agreed how to ask, and offer keys for it; none are taken before they say so."""
        if not self._is_new:
            return
        desktop, own = current_desktop(), self._settings.shortcut_ask
        if self._preferences is not None and desktop.has_shortcuts and not own:
            self._free_keys = next((keys for keys in PROPOSED if not desktop.is_shortcut_taken(keys)), "")
        if self._free_keys:
            self._queue_notice(KEYS_OFFERED, view_offered(self._free_keys))
        else:
            self._queue_notice(WELCOME, view_welcome(own))

    def _take_keys(self) -> None:
        if self._preferences is not None:
            self._preferences.change("interface.shortcut_ask", self._free_keys)

    def _start_shortcuts(self) -> None:
        for code, commands in ((TAKEN, self._shortcuts.start()), (UNKNOWN, self._shortcuts.unknown)):
            if commands:
                self._queue_notice(code, view_unusable(code, commands, self._settings))
        self._hold_shortcuts()

    def exec(self) -> int:
        """Run until the core says that it has stopped; returns the exit status 0."""
        if not self._ended:
            self._application.exec()
        self.close()
        return 0

    def close(self) -> None:
        """Take everything down and give the signals back. A second call changes nothing."""
        self._ended = True
        withdraw_acts()
        self._signals.close()
        self._shortcuts.close()
        self._tray.leave()
        self._spotlight.hide()
        asked = (self._ask, self._study_window, self._forget_window, self._control, self._seen, self._settings_window)
        for window in (self._card, self._question, self._notice, self._label_window, self._command_window, *asked):
            if window is not None:
                window.close()

    def _on_offer(self, offer: Offer, names: Mapping[str, str], content: HelpContent | None) -> None:
        if self._card is not None:
            self._card.close()
        if self._question is not None:  # the core takes it back; never two cards beside each other
            self._question.close()
        view = view_card(offer, names, content)
        answer = partial(self._commands.answer, view.offer_id)
        typing = content.typing if content is not None else None
        self._card = Card(view, answer, corner=self._settings.corner, clear_of=typing)
        self._card.ask.connect(partial(self._commands.ask_model, view.offer_id))
        self._card.stop.connect(partial(self._commands.stop_model, view.offer_id))
        self._card.choose.connect(partial(self._commands.choose_help, view.offer_id))
        self._card.ask_again.connect(self._open_ask)
        self._card.gone.connect(partial(self._on_card_gone, view.offer_id))
        self._card.show_microphone(self._hears)
        self._card.appear(above=self._notice)
        self._hold_shortcuts()

    def _on_model_help(self, offer_id: str, answer: ModelHelp) -> None:
        """Show a model's answer on the card that it is for; without that card nobody wants it any more."""
        if self._card is not None and self._card.view.offer_id == offer_id:
            self._card.show_answer(view_answer(answer))

    def _on_offer_closed(self, offer_id: str) -> None:
        """Take the card down, unless the person has taken the offer and is reading the advice."""
        if self._card is not None and self._card.view.offer_id == offer_id and not self._card.accepted:
            self._card.close()

    def _on_question(self, question_id: str, items: tuple[QuestionItem, ...]) -> None:
        """Bring up the card of a question; it waits while advice that somebody reads is still there."""
        self._waiting_question = view_question(question_id, items)
        if self._card is None:
            self._show_question()

    def _show_question(self) -> None:
        view, self._waiting_question = self._waiting_question, None
        if view is None:
            return
        if self._question is not None:
            self._question.close()
        reply = partial(self._commands.answer_question, view.question_id)
        self._question = QuestionCard(view, reply, corner=self._settings.corner)
        self._question.gone.connect(self._on_question_gone)
        self._question.labelled.connect(self._show_labels)
        self._question.appear(above=self._notice)
        self._hold_shortcuts()

    def _on_question_closed(self, question_id: str) -> None:
        if self._waiting_question is not None and self._waiting_question.question_id == question_id:
            self._waiting_question = None
        if self._question is not None and self._question.view.question_id == question_id:
            self._question.close()

    def _on_question_gone(self) -> None:
        self._question = None
        self._hold_shortcuts()

    def _on_study_reply(self, reply: StudyReply) -> None:
        if reply.request is StudyRequest.REVIEW and reply.done:
            self._show_study_window(ReviewWindow(view_review(reply), partial(self._commands.study, StudyRequest.SEND)))
            return
        self._replace_notice(Notice(STUDY_NOTICE, view_reply(reply), corner=self._settings.corner))

    def _on_leaving(self) -> None:
        def leave(keep: bool) -> None:
            self._commands.study(StudyRequest.LEAVE_KEEP if keep else StudyRequest.LEAVE)

        self._show_study_window(LeaveWindow(leave))

    def _on_task(self, status: Status) -> None:
        """Keep the task of the study, which the window shows in place of another; it goes if the study has ended."""
        before, self._task = self._task, status.study.task if status.study is not None else None
        if isinstance(self._study_window, TaskWindow) and self._task != before:
            was_last = status.study is not None and before is not None and before.number == before.count
            place = self._study_window.pos()
            if self._task is None and not was_last:
                self._study_window.close()
            else:
                self._show_task()
                self._study_window.move(place)

    def _show_task(self) -> None:
        self._show_study_window(TaskWindow(self._task, self._commands.mark_task))

    def _show_study_window(self, window: AskedWindow) -> None:
        """Bring up a window about the study; one that is still there makes room."""
        if self._study_window is not None:
            self._study_window.close()
        self._study_window = window
        window.gone.connect(partial(setattr, self, "_study_window", None))
        window.appear()

    def _on_forgetting(self) -> None:
        if self._timeline is not None:
            self._timeline.preview_forget(ForgetScope.LAST, None)

    def _show_forget(self, report: ForgetReport) -> None:
        """Ask before anything is forgotten, and say afterwards what went; one window makes room for the next."""
        if self._forget_window is not None:
            self._forget_window.close()
        self._forget_window = ForgetWindow(report, self._forget)
        self._forget_window.gone.connect(partial(setattr, self, "_forget_window", None))
        self._forget_window.appear()

    def _forget(self, report: ForgetReport) -> None:
        """Have what was shown deleted; what is on the screen of it goes at once."""
        if self._seen is not None:
            self._seen.let_go()
        if self._label_window is not None:
            self._label_window.close()
        if self._timeline is not None:
            self._timeline.forget(report)

    def _open_ask(self, words: str = "") -> None:
        """Bring up the field to ask in, or bring it to the front; while paused or private, say so and offer the end."""
        if self._tray.off and not self._ended:
            act = tr(END_PAUSE), self._commands.resume
            view = NoticeView(self._tray.off, tr(NOT_NOW_TEXT))
            self._replace_notice(Notice(NOT_NOW, view, corner=self._settings.corner, act=act))
        if self._ended or not self._tray.can_ask:
            return
        if self._ask is None:
            self._ask = AskWindow(words)
            self._ask.typed.connect(self._commands.find_help)
            self._ask.asked.connect(lambda said, page_id, ring: self._commands.ask_help(said, page_id, ring=ring))
            self._ask.gone.connect(partial(setattr, self, "_ask", None))
        self._commands.find_help(words)  # has the commands of the program read before anything is typed
        self._ask.appear()

    def _on_candidates(self, found: HelpCandidates) -> None:
        if self._ask is not None:
            self._ask.show_candidates(found)

    def _show_control(self) -> None:
        if self._control is None:
            self._control = ControlWindow(self._tray.actions)
        bring_up(self._control)

    def _show_seen(self) -> None:
        if self._timeline is None or self._ended:
            return
        if self._seen is None:
            from ui.timeline.window import TimelineWindow  # most days nobody opens it

            self._seen = TimelineWindow(self._timeline, can_label=self._labels is not None)
            self._seen.gone.connect(partial(setattr, self, "_seen", None))
            self._seen.settings.connect(self._show_settings)
            self._seen.labelled.connect(self._show_labels)
        self._seen.appear()

    def _show_labels(self, session: str, at_wall_ns: int) -> None:
        """Bring up the window in which a session is labelled; one that is there makes room."""
        if self._labels is None or self._ended:
            return
        from ui.labelling.window import LabelWindow  # the same

        if self._label_window is not None:
            self._label_window.close()
        window = self._label_window = LabelWindow(self._labels, ME, BlindLot(), at_wall_ns)
        window.gone.connect(partial(self._forget_label_window, window))
        window.appear(session)

    def _forget_label_window(self, window: "LabelWindow") -> None:
        if self._label_window is window:
            self._label_window = None

    def _on_labels(self, reply: LabelReply) -> None:
        if self._label_window is not None:
            self._label_window.take(reply)

    def _show_settings(self) -> None:
        if self._preferences is None or self._ended:
            return
        if self._settings_window is None:
            from ui.settings.window import SettingsWindow  # the same

            self._settings_window = SettingsWindow(self._preferences)
            self._settings_window.gone.connect(partial(setattr, self, "_settings_window", None))
        self._settings_window.appear()

    def _can(self, target: ActTarget) -> bool:
        """Tell whether a button can lead there now: nothing opens beside the window that asks for consent."""
        needs = {
            ActTarget.SETTINGS: self._preferences,
            ActTarget.MODELS: self._preferences,
            ActTarget.SEEN: self._timeline,
            ActTarget.LEARNED: self._timeline,
        }
        return self._consent is None and needs.get(target, self) is not None

    def _do(self, act: WindowAct) -> None:
        """Carry out what a button in place of a command stands for."""
        match act.target:
            case ActTarget.RUN:
                if self._command_window is not None:
                    self._command_window.close()
                self._command_window = CommandWindow(act.text, act.detail)
                self._command_window.gone.connect(partial(setattr, self, "_command_window", None))
                self._command_window.appear()
            case ActTarget.SETTINGS | ActTarget.MODELS:
                self._show_settings()
                if self._settings_window is not None:
                    self._settings_window.turn_to("local_model" if act.target is ActTarget.MODELS else act.detail)
            case ActTarget.SEEN | ActTarget.LEARNED:
                self._show_seen()
                if self._seen is not None and act.target is ActTarget.LEARNED:
                    self._seen.turn_to(LEARNED)
            case ActTarget.STUDY_LOOK:
                self._commands.study(StudyRequest.REVIEW)
            case ActTarget.STUDY_LEAVE:
                self._on_leaving()

    def _on_settings(self, reply: SettingsReply) -> None:
        """Take up what acts at once, with the window or without it, and pass the reply on."""
        if isinstance(reply, SettingsState) and reply.trouble is None and not self._ended:
            self._take_up(reply.in_force.interface)
        if self._settings_window is not None:
            self._settings_window.take(reply)

    def _take_up(self, settings: InterfaceSettings) -> None:
        """Go by other settings from now on; what is on the screen stays as it is."""
        before, self._settings = self._settings, settings
        prefer_look(settings.look, high_contrast=settings.high_contrast)
        if texts_of(before) == texts_of(settings):
            return
        self._shortcuts.close()
        self._shortcuts = current_desktop().shortcuts(settings)
        self._shortcuts.pressed.connect(self._on_shortcut)
        self._start_shortcuts()

    def _on_timeline(self, reply: TimelineReply) -> None:
        """Pass a reply on; what is about forgetting is shown without the window too."""
        if self._seen is not None:
            self._seen.take(reply)
        elif isinstance(reply, TimelineTrouble) and not self._ended:
            self._replace_notice(Notice(TROUBLE_NOTICE, view_trouble(reply), corner=self._settings.corner))
        if isinstance(reply, ForgetReport) and not self._ended:
            self._show_forget(reply)

    def _on_problem(self, problem: Problem) -> None:
        """Show a problem once, after those that wait already, or take its notice down when it is over."""
        if problem.over:
            self._waiting_notices = [waiting for waiting in self._waiting_notices if waiting[0] != problem.code]
            if self._notice is not None and self._notice.code == problem.code:
                self._notice.close()
            return
        self._queue_notice(problem.code, view_problem(problem.code))

    def _queue_notice(self, code: str, view: NoticeView) -> None:
        """Show a notice, or have it wait for the one that is there; a summary can be shown again and makes room."""
        shown = self._notice.code if self._notice is not None else None
        if code == shown or code in (waiting for waiting, _ in self._waiting_notices):
            return
        if shown in (None, FIRST_DAY):
            self._replace_notice(self._make_notice(code, view))
        else:
            self._waiting_notices.append((code, view))

    def _on_first_day(self, day: QuietDaySummary) -> None:
        """Sum the first day up, in a notice that waits for the person; a problem goes before it."""
        self._first_day = view_first_day(day)
        self._show_first_day()

    def _make_notice(self, code: str, view: NoticeView) -> Notice:
        """Make a notice; without a tray it stays, since it is the only way to the small window."""
        acts = {KEYS_OFFERED: (tr(USE_KEYS), self._take_keys), NO_TRAY: (tr(OPEN_CONTROL), self._show_control)}
        return Notice(code, view, corner=self._settings.corner, stays=code == NO_TRAY, act=acts.get(code))

    def _show_waiting_notice(self) -> None:
        """Show the notice that is next, problems first."""
        if self._waiting_notices and self._notice is None:
            code, view = self._waiting_notices.pop(0)
            self._show_notice(self._make_notice(code, view))
        self._show_first_day()

    def _show_first_day(self) -> None:
        if self._first_day is not None and self._notice is None:
            act = (tr(LOOK), self._show_seen) if self._timeline is not None else None
            self._show_notice(Notice(FIRST_DAY, self._first_day, corner=self._settings.corner, stays=True, act=act))

    def _replace_notice(self, notice: Notice) -> None:
        """Show a notice; one that is still there makes room."""
        if self._notice is not None:
            self._notice.gone.disconnect()  # it was not closed by anybody
            if self._notice.code == NO_TRAY:  # the only way to the small window comes back
                self._waiting_notices.insert(0, (NO_TRAY, view_problem(NO_TRAY)))
            self._notice.close()
        self._show_notice(notice)

    def _show_notice(self, notice: Notice) -> None:
        self._notice = notice
        notice.gone.connect(self._on_notice_gone)
        notice.appear(above=self._card or self._question)
        self._hold_shortcuts()

    def _on_pointed(self, offer_id: str, step: int, box: Box | None, about: PointedAt = PointedAt.STEP) -> None:
        """Ring the control of a step while its card is open; the ring goes whatever card it was for."""
        card = self._card
        if box is None or card is None or card.view.offer_id != offer_id or not card.accepted:
            self._spotlight.hide()
        else:
            card.keep_clear(box)
            self._spotlight.show(box, ring_label(step, about))
        if card is not None and card.view.offer_id == offer_id:
            card.mark(step, pointed_remark(about))
            if about is PointedAt.DONE:
                card.finish()

    def _show_microphone(self, status: Status) -> None:
        """Have the card show whether the microphone is open."""
        self._hears = status.microphone
        if self._card is not None:
            self._card.show_microphone(self._hears)

    def _on_card_gone(self, offer_id: str) -> None:
        self._spotlight.hide()
        if not self._ended:
            self._commands.close_help(offer_id)
        self._card = None
        if not self._ended:
            self._show_question()
            self._hold_shortcuts()

    def _on_notice_gone(self) -> None:
        if self._notice is not None and self._notice.code == FIRST_DAY:
            self._first_day = None
        self._notice = None
        if not self._ended:
            self._show_waiting_notice()
            self._hold_shortcuts()

    def _on_tray_found(self) -> None:
        if self._control is not None:
            self._control.close()
        self._on_problem(Problem(code=NO_TRAY, over=True))

    def _hold_shortcuts(self) -> None:
        """Take the keys of the card from programs only while there is something to reach or to dismiss."""
        if self._ended:
            return
        there = self._card is not None or self._question is not None or self._notice is not None
        self._shortcuts.hold(ShortcutCommand if there else (ShortcutCommand.ASK,))

    def _on_shortcut(self, command: ShortcutCommand) -> None:
        """Do what a shortcut stands for; of several windows of ours it means the card, else the notice."""
        if command is ShortcutCommand.ASK and self._ask is not None:
            self._ask.close()
        elif command is ShortcutCommand.ASK:
            self._open_ask()
        window = self._card or self._question or self._notice
        if window is not None and command is ShortcutCommand.CARD:
            window.reach()
        elif window is not None and command is ShortcutCommand.DISMISS:
            window.dismiss()

    def _on_signal(self) -> None:
        """Ctrl-C or a polite kill: leave the question unanswered, or stop in order."""
        if self._consent is not None:
            self._consent.reject()
        else:
            self._commands.quit()

    def _on_stopped(self) -> None:
        self._ended = True
        self._application.quit()


def ask_study_consent(
    describe: Callable[[Language], StudyInvitationView], language: str = SYSTEM
) -> StudyConsentAnswer | None:
    """Ask whether somebody takes part in a study, in a window of a process of its own; None is "not now".

    None is also Escape, closing the window, SIGINT and SIGTERM. `language` is `interface.language`. Called on the main
    thread.

    Raises:
        EnvironmentFault: there is no display to show anything on.
    """
    _application(language)
    window = StudyConsentWindow(describe(current_language()))
    signals = SignalWatch(window.reject)
    try:
        window.exec()
        return window.answer
    finally:
        signals.close()
        window.deleteLater()


def label_session(
    requests: LabelRequests,
    session: str,
    rater: str,
    lot: BlindLot,
    settings: InterfaceSettings,
    *,
    task: LabelTask,
) -> None:
    """Have a session labelled in a window of a process of its own, until that is closed. Called on the main thread.

    Raises:
        EnvironmentFault: there is no display to show anything on.
    """
    from ui.labelling.window import LabelWindow

    _application(settings.language, settings.text_percent)
    prefer_look(settings.look, high_contrast=settings.high_contrast)
    bridge, loop = WindowBridge(), QEventLoop()
    window = LabelWindow(requests, rater, lot, task=task)
    bridge.replied.connect(window.take, Qt.ConnectionType.QueuedConnection)
    requests.attach(bridge)
    window.gone.connect(loop.quit)
    signals = SignalWatch(window.reject)
    try:
        window.appear(session)
        loop.exec()
    finally:
        signals.close()


def show_limits(limits: str, language: str = SYSTEM) -> None:
    """Say in a window what will not work on this desktop, until it is closed. Called on the main thread.

    Raises:
        EnvironmentFault: there is no display to show anything on.
    """
    _application(language)
    window = LimitsWindow(limits)
    signals = SignalWatch(window.reject)
    try:
        window.exec()
    finally:
        signals.close()


def _application(language: str = SYSTEM, text_percent: int = 100) -> QApplication:
    """Start Qt under our own name, in a language and with text of a size, or take the application that already runs."""
    running = QCoreApplication.instance()
    if isinstance(running, QApplication):
        speak(language)
        return running
    check_display()
    QCoreApplication.setApplicationName(NAME)
    QGuiApplication.setQuitOnLastWindowClosed(False)
    QLoggingCategory.setFilterRules("\n".join(f"{name}.warning=false" for name in QUIET))
    application = QApplication([NAME, "-name", NAME])
    if current_desktop().windows_take_focus:
        QGuiApplication.setDesktopFileName(NAME)  # the class of windows there; set before, it is told to a portal
    application.setFont(scaled_font(text_percent / 100))
    application.setWindowIcon(make_icon(Glyph.DOT, recording=False))
    speak(language)
    return application
