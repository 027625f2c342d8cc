"""What a person has turned off while Kairos runs: only ever less, and in force before the next request.

Settings whose row says "less now" are taken up here. Nothing is turned on again: that is left to the next start,
because a mistake in a file must not open what was closed.
"""

import threading
from collections.abc import Callable
from dataclasses import replace

from storage.records import ModelTier
from storage.settings import ANSWERED, SettingInfo, Settings, setting_infos


class Restrictions:
    """What was turned off since the start. Safe from any thread."""

    def __init__(self, settings: Settings) -> None:
        """Begin with the settings of the start: nothing is turned off yet."""
        self._lock = threading.Lock()
        self._in_force = settings
        self._off: dict[str, object] = {}
        self._watchers: tuple[Callable[[], None], ...] = ()

    def tighten(self, wanted: Settings) -> bool:
        """Turn off what `wanted` turns off besides; return whether that is anything new."""
        with self._lock:
            off = {
                key: value
                for key, info in less_now().items()
                if (value := stricter(info, value_of(self._in_force, key), value_of(wanted, key)))
                != value_of(self._in_force, key)
            }
            if not off:
                return False
            for key, value in off.items():
                self._in_force = with_value(self._in_force, key, value)
            self._off = {**self._off, **off}
            watchers = self._watchers
        for changed in watchers:
            changed()
        return True

    def apply(self, settings: Settings) -> Settings:
        """Return settings without what was turned off; what was not touched since the start stays as it is."""
        infos = less_now()
        for key, value in self._off.items():
            settings = with_value(settings, key, stricter(infos[key], value_of(settings, key), value))
        return settings

    def may_ask(self, tier: ModelTier) -> bool:
        """Tell whether the model of a tier may still be sent anything: neither it nor its permission was taken away.

        Without the permission the whole tier rests, also where its server would not need one: who listens there was
        not looked at while the permission stood.
        """
        off = self._off
        return not any(f"{tier.value}_model.{name}" in off for name in ("preset", "send_screens"))

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Have `changed` called after each `tighten` that turns something off, in its thread; return what ends that."""
        with self._lock:
            self._watchers = (*self._watchers, changed)

        def unwatch() -> None:
            with self._lock:
                self._watchers = tuple(one for one in self._watchers if one is not changed)

        return unwatch


def less_now() -> dict[str, SettingInfo]:
    """Return the settings that act at once when they are turned off."""
    return {key: info for key, info in setting_infos().items() if info.takes_effect == "less now"}


def stricter(info: SettingInfo, kept: object, wanted: object) -> object:
    """Return the stricter of two values: off before on, nothing before a name, asked rarely before often."""
    if info.choices == ANSWERED:
        modes = [mode for mode in ANSWERED if mode in (kept, wanted)]
        return modes[0] if modes else kept
    return wanted if wanted in (False, "", "off") else kept


def value_of(settings: Settings, key: str) -> object:
    """Return the value of `table.name`."""
    table, _, name = key.partition(".")
    value: object = getattr(getattr(settings, table), name)
    return value


def with_value(settings: Settings, key: str, value: object) -> Settings:
    """Return settings with another value of `table.name`."""
    table, _, name = key.partition(".")
    return replace(settings, **{table: replace(getattr(settings, table), **{name: value})})
