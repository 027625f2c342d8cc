"""A service of settings that notes what the window requests, and answers nothing."""

from storage.preferences import SettingsView


class SettingsNotes:
    """Notes the requests in `calls`."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def attach(self, view: SettingsView) -> None:
        """Nothing to answer."""

    def read(self) -> None:
        """Note it."""
        self.calls.append(("read",))

    def change(self, key: str, value: object, *, agreed: str = "") -> None:
        """Note it."""
        self.calls.append(("change", key, value, agreed))

    def add(self, key: str, entry: str) -> None:
        """Note it."""
        self.calls.append(("add", key, entry))

    def remove(self, key: str, entry: str) -> None:
        """Note it."""
        self.calls.append(("remove", key, entry))

    def set_autostart(self, *, on: bool) -> None:
        """Note it."""
        self.calls.append(("autostart", on))

    def read_models(self) -> None:
        """Note it."""
        self.calls.append(("models",))

    def try_model(self, table: str) -> None:
        """Note it."""
        self.calls.append(("try", table))

    def stop_trial(self) -> None:
        """Note it."""
        self.calls.append(("stop",))

    def close(self) -> None:
        """Note it."""
        self.calls.append(("close",))
