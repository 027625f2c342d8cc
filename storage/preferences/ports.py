"""The calls between the settings window and what reads and writes the settings file."""

from typing import Protocol

from storage.preferences.rows import SettingsReply


class SettingsView(Protocol):
    """The interface, as it is answered. Called on any thread; returns at once."""

    def show_reply(self, reply: SettingsReply) -> None:
        """Show what was requested, or take up what has changed."""

    def open_window(self) -> None:
        """Bring the window up: somebody asked for it in a terminal."""


class SettingsRequests(Protocol):
    """What the window requests. Every call returns at once; replies come to the view, one request after the other."""

    def attach(self, view: SettingsView) -> None:
        """Name the view, once."""

    def read(self) -> None:
        """Request the settings as the file says them: a `SettingsState`."""

    def change(self, key: str, value: object, *, agreed: str = "") -> None:
        """Change a setting in the file; None: back to the default.

        `agreed` are the words that the person said yes to. A `ChangeDone` follows, a `ChangeRefused` or a
        `ChangeNeedsYes`, and then a `SettingsState`.
        """

    def add(self, key: str, entry: str) -> None:
        """Add an entry to a list as it stands in the file by then; replies as to `change`."""

    def remove(self, key: str, entry: str) -> None:
        """Take an entry off a list, likewise."""

    def set_autostart(self, *, on: bool) -> None:
        """Start Kairos with the desktop, or no longer; a `SettingsState` follows, after a `ChangeRefused` if any."""

    def read_models(self) -> None:
        """Request what is known of models, without connecting to any: a `ModelsState`."""

    def try_model(self, table: str) -> None:
        """Ask the model of a table once about a generated picture: a `TrialResult`. One at a time."""

    def stop_trial(self) -> None:
        """End the trial that is running."""

    def close(self) -> None:
        """The window was closed: end what only it wanted."""
