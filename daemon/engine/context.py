"""The context of a decision: sensed facts from the log, and facts derived from input by one pure fold.

The derived ones (`last_input_ns`, `buttons_down`, `in_word`, `dragging`) are not logged: they follow from it.
"""

from storage.clock import NS_PER_S
from storage.records import (
    IDLE_NS,
    PRESENCE,
    Context,
    Environment,
    EventKind,
    Focus,
    HelpFound,
    InputEvent,
    KeyClass,
    Offer,
    Record,
    SessionStart,
    Switch,
    SwitchName,
)

IN_WORD_NS = NS_PER_S
"""A character key less than this ago means "inside a word"; key classes do not tell separators from letters."""


class ContextFold:
    """Folds records, in log order, into what a `Context` needs."""

    def __init__(self) -> None:
        self._switches = dict.fromkeys(SwitchName, False)
        self._environment = Environment()
        self._app = ""
        self._focus_since_ns = 0
        self._session_start_ns = 0
        self._last_input_ns = 0
        self._is_active = False
        self._last_character_ns: int | None = None
        self._buttons: set[str] = set()
        self._dragging = False

    @property
    def app(self) -> str:
        """The application in use; unchanged while nothing or a window of ours has the focus."""
        return self._app

    @property
    def stopped(self) -> bool:
        """Whether sensing is off: paused, private or without consent."""
        on = self._switches
        return on[SwitchName.PAUSED] or on[SwitchName.PRIVATE] or not on[SwitchName.CONSENT]

    def add(self, record: Record) -> None:
        """Process one record."""
        if isinstance(record, InputEvent):
            if not record.own:
                self._add_input(record)
        elif isinstance(record, Focus):
            self._add_focus(record)
        elif isinstance(record, Switch):
            self._switches[record.name] = record.on
            if self.stopped:
                self._buttons.clear()
                self._dragging = self._is_active = False
        elif isinstance(record, Environment):
            self._environment = record
        elif isinstance(record, SessionStart):
            self._switches[SwitchName.CONSENT] = record.journal
            self._session_start_ns = self._focus_since_ns = self._last_input_ns = record.at_ns

    def _add_focus(self, focus: Focus) -> None:
        """Note a change of application. A dialog belongs to the application before it.

        Its class may differ: LibreOffice's dialogs have another class than its main windows.
        """
        known = focus.app and not focus.own and not (focus.dialog and self._app)
        if known and focus.app != self._app:
            self._app, self._focus_since_ns = focus.app, focus.at_ns

    def context(
        self,
        now_ns: int,
        showing: Offer | None,
        *,
        asking: bool = False,
        library: bool = False,
        help: HelpFound | None = None,  # noqa: A002  # called like the field
    ) -> Context:
        """Return what the policy may know at `now_ns`; the last three are fields of `Context`."""
        sensed = self._environment
        in_word = self._last_character_ns is not None and now_ns - self._last_character_ns < IN_WORD_NS
        return Context(
            consent=self._switches[SwitchName.CONSENT],
            paused=self._switches[SwitchName.PAUSED] or self._switches[SwitchName.PRIVATE],
            excluded=self._switches[SwitchName.EXCLUDED],
            app=self._app,
            focus_since_ns=self._focus_since_ns,
            session_start_ns=self._session_start_ns,
            last_input_ns=now_ns if self._is_active else self._last_input_ns,
            buttons_down=bool(self._buttons),
            in_word=in_word,
            dragging=self._dragging,
            full_screen=bool(sensed.full_screen),
            locked=bool(sensed.locked),
            do_not_disturb=bool(sensed.do_not_disturb),
            call=bool(sensed.call),
            showing=showing,
            asking=asking,
            library=library,
            help=help,
        )

    def _add_input(self, event: InputEvent) -> None:
        if event.kind is EventKind.IDLE:
            self._last_input_ns = max(self._last_input_ns, event.at_ns - IDLE_NS)
        else:
            self._last_input_ns = event.at_ns
        if event.kind in PRESENCE:
            self._is_active = event.kind is EventKind.ACTIVE
        if event.kind is EventKind.KEY and event.key_class is KeyClass.CHARACTER:
            self._last_character_ns = event.at_ns
        elif event.kind is EventKind.BUTTON_DOWN and event.button:
            self._buttons.add(event.button)
        elif event.kind is EventKind.BUTTON_UP and event.button:
            self._buttons.discard(event.button)
            self._dragging = False
        elif event.kind is EventKind.MOTION and self._buttons:
            self._dragging = True
