"""The service of the settings window: one request after the other in a thread that is there while there is work.

The file is read anew for every request, so an edit made elsewhere meanwhile is shown, kept, and never written over.
What acts at once does so here: exclusions go to the capture, what is turned off to the models, and the interface takes
up its own from the reply.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from daemon.models.restrictions import in_force_after
from daemon.preferences.autostart import autostart_file, read_autostart, set_autostart
from daemon.preferences.change import Change, check_change
from daemon.preferences.trial import ModelsCommand, models_state, trial_result
from storage.errors import KairosError
from storage.preferences import (
    Autostart,
    AutostartState,
    ChangeDone,
    ChangeNeedsYes,
    ChangeRefused,
    ModelsState,
    SettingsReply,
    SettingsState,
    SettingsView,
    TrialResult,
    Trouble,
)
from storage.settings import FenceSettings, Settings, get_value, replace_value, setting_infos
from storage.settings_file import check_order, read_file

logger = logging.getLogger(__name__)

WHERE = ""
"""How the source of a value is called in errors: the window need not name itself."""

AUTOSTART = "autostart"
"""What the switch is called in replies, since it is no setting of the file."""

Job = Callable[[], None]


class SettingsService:
    """Implements `storage.preferences.SettingsRequests`."""

    def __init__(
        self,
        path: Path,
        in_force: Settings,
        *,
        exclude: Callable[[FenceSettings], object] = lambda _: None,
        restrict: Callable[[Settings], object] = lambda _: None,
        models: ModelsCommand | None = None,
    ) -> None:
        """Prepare. The file is read once: what it says now is what later changes are compared with.

        `exclude` has more programs and titles excluded at once, and `restrict` has turned off what is off in the
        settings that it gets; both are called in the thread of the service. `models` runs `kairos models`.
        """
        self._path = path
        self._in_force = in_force
        self._exclude = exclude
        self._restrict = restrict
        self._seen = _seen_first(path, in_force)
        self._models = models or ModelsCommand()
        self.agreed: frozenset[str] = frozenset()
        """The keys of what was agreed to with the consent."""

        self._view: SettingsView | None = None
        self._lock = threading.Lock()
        self._jobs: deque[Job] = deque()
        self._is_working = False
        self._trial: threading.Thread | None = None

    # ------------------------------------------------------------ requests of the window

    def attach(self, view: SettingsView) -> None:
        """Name the view."""
        self._view = view

    def show(self) -> bool:
        """Bring the window up; False where there is no interface."""
        if self._view is None:
            return False
        self._view.open_window()
        return True

    def read(self) -> None:
        """Request the settings as the file says them; what acts at once is taken up."""
        self._put(self._read)

    def change(self, key: str, value: object, *, agreed: str = "") -> None:
        """Change a setting in the file; None: back to the default."""
        self._put(lambda: self._change(key, value, agreed))

    def add(self, key: str, entry: str) -> None:
        """Add an entry to a list as it stands in the file by then."""
        self._put(lambda: self._edit_list(key, entry, add=True))

    def remove(self, key: str, entry: str) -> None:
        """Take an entry off a list as it stands in the file by then."""
        self._put(lambda: self._edit_list(key, entry, add=False))

    def set_autostart(self, *, on: bool) -> None:
        """Start Kairos with the desktop, or no longer."""
        self._put(lambda: self._set_autostart(on=on))

    def read_models(self) -> None:
        """Request what is known of models; read in a thread of its own, since it starts a command."""
        threading.Thread(target=self._read_models, name="models", daemon=True).start()

    def try_model(self, table: str) -> None:
        """Ask the model of a table once, in a thread of its own: other requests need not wait for it."""
        if self._trial is None or not self._trial.is_alive():
            self._trial = threading.Thread(target=self._try_model, args=(table,), name="model trial", daemon=True)
            self._trial.start()

    def stop_trial(self) -> None:
        """End the trial that is running."""
        if self._trial is not None and self._trial.is_alive():
            self._models.stop()

    def close(self) -> None:
        """End what only the window wanted."""
        self.stop_trial()

    def wait(self, timeout_s: float) -> bool:
        """Wait until nothing is left to do; return whether that is so. For tests and the end."""
        for thread in threading.enumerate():
            if thread.name == self._name:
                thread.join(timeout_s)
        return not self._is_working

    # ------------------------------------------------------------ the thread

    @property
    def _name(self) -> str:
        return f"settings {id(self)}"

    def _put(self, job: Job) -> None:
        with self._lock:
            self._jobs.append(job)
            if not self._is_working:
                self._is_working = True
                threading.Thread(target=self._work, name=self._name, daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._is_working = False
                    return
                job = self._jobs.popleft()
            try:
                job()
            except Exception:  # a bug in one request must not leave the next ones unanswered
                logger.exception("a request of the settings window failed")

    def _read(self) -> None:
        """Read the file, take up what acts at once, and say how it is."""
        trouble: Trouble | None = None
        settings = Settings()
        try:
            settings = read_file(self._path)
            self._take_up(settings)
            check_order(settings, where=str(self._path))
        except KairosError as error:
            trouble = _trouble(error)
        self._reply(
            SettingsState(
                settings=settings,
                in_force=self._in_force,
                file=str(self._path),
                autostart=_autostart(),
                trouble=trouble,
                agreed=self.agreed,
            )
        )

    def _take_up(self, settings: Settings) -> None:
        """Have act what can act now: settings of the interface, what is excluded besides, and what was turned off."""
        self._exclude(settings.fence)
        for key, info in setting_infos().items():
            kept, before, wanted = (get_value(source, key) for source in (self._in_force, self._seen, settings))
            value = in_force_after(info, kept, before, wanted, is_agreed=key in self.agreed)
            self._in_force = replace_value(self._in_force, key, value)
        self._seen = settings
        self._restrict(self._in_force)

    def _change(self, key: str, value: object, agreed: str) -> None:
        try:
            change = check_change(self._path, key, value, where=WHERE)
            words = change.agreement
            if words and words != agreed:
                self._reply(ChangeNeedsYes(key=key, value=value, words=words))
            else:
                self._write(change)
        except KairosError as error:
            self._reply(ChangeRefused(key=key, trouble=_trouble(error)))
        self._read()

    def _write(self, change: Change) -> None:
        change.write(self._path)
        self._reply(ChangeDone(key=change.key, notes=change.notes))

    def _edit_list(self, key: str, entry: str, *, add: bool) -> None:
        try:
            entries: tuple[str, ...] = get_value(read_file(self._path), key)
            rest = tuple(kept for kept in entries if kept != entry)
            wanted = (*rest, entry) if add else rest
            if len(wanted) != len(entries):
                self._write(check_change(self._path, key, wanted, where=WHERE))
        except KairosError as error:
            self._reply(ChangeRefused(key=key, trouble=_trouble(error)))
        self._read()

    def _set_autostart(self, *, on: bool) -> None:
        try:
            set_autostart(on=on)
        except KairosError as error:
            self._reply(ChangeRefused(key=AUTOSTART, trouble=_trouble(error)))
        self._read()

    def _read_models(self) -> None:
        try:
            facts = ModelsCommand().run("list")
            state = models_state(facts) if facts is not None else ModelsState()
        except KairosError as error:
            state = ModelsState(trouble=_trouble(error))
        self._reply(state)

    def _try_model(self, table: str) -> None:
        try:
            result = trial_result(table, self._models.run("test", table.removesuffix("_model")))
        except KairosError as error:
            result = TrialResult(table=table, trouble=_trouble(error))
        self._reply(result)

    def _reply(self, reply: SettingsReply) -> None:
        if self._view is not None:
            self._view.show_reply(reply)


def _seen_first(path: Path, in_force: Settings) -> Settings:
    """Return what the file says at the start; where it cannot be read, what is in force."""
    try:
        return read_file(path)
    except KairosError:
        return in_force


def _autostart() -> Autostart:
    """Return what decides autostart; an entry that cannot be read starts nothing, and is left alone."""
    try:
        return read_autostart()
    except KairosError:
        return Autostart(state=AutostartState.BY_HAND, file=str(autostart_file()), starts=False)


def _trouble(error: KairosError) -> Trouble:
    return Trouble(what=error.what, remedy=error.remedy)
