"""What a person has turned off while Kairos runs: only ever less, and in force before the next request.

Settings declared with `takes_effect="less now"` are taken up here. Nothing is turned on again before the next start,
because a mistake in a file must not open what was closed.
"""

import threading
from collections.abc import Callable

from storage.records import ModelTier
from storage.settings import ANSWERED, AS_AGREED, SettingInfo, Settings, get_value, replace_value, setting_infos


class Restrictions:
    """What was turned off since the start. Safe from any thread."""

    def __init__(self, settings: Settings) -> None:
        """Begin with the settings of the start: nothing is turned off yet."""
        self._lock = threading.Lock()
        self._in_force = settings
        self._infos = {
            key: info for key, info in setting_infos(type(settings)).items() if info.takes_effect == "less now"
        }
        self._off: dict[str, object] = {}
        self._watchers: tuple[Callable[[], None], ...] = ()
        self.agreed: frozenset[str] = frozenset()
        """The keys of what was agreed to with the consent; set once, before anything is turned off."""

    def tighten(self, wanted: Settings) -> bool:
        """Turn off what `wanted` turns off besides; return whether that is anything new."""
        with self._lock:
            off = {}
            for key, info in self._infos.items():
                kept = get_value(self._in_force, key)
                value = stricter(info, kept, get_value(wanted, key), is_agreed=key in self.agreed)
                if value != kept:
                    off[key] = value
                    self._in_force = replace_value(self._in_force, key, value)
            if not off:
                return False
            self._off = {**self._off, **off}
            watchers = self._watchers
        for changed in watchers:
            changed()
        return True

    def apply(self, settings: Settings) -> Settings:
        """Return settings without what was turned off; what was not touched since the start stays as it is."""
        for key, value in self._off.items():
            kept, is_agreed = get_value(settings, key), key in self.agreed
            settings = replace_value(settings, key, stricter(self._infos[key], kept, value, is_agreed=is_agreed))
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
                self._watchers = tuple(watcher for watcher in self._watchers if watcher is not changed)

        return unwatch


def stricter(info: SettingInfo, kept: object, wanted: object, *, is_agreed: bool) -> object:
    """Return the stricter of two values: off before on, nothing before a name, asked rarely before often.

    As agreed is off where nothing was agreed to with the consent.
    """
    if info.choices == ANSWERED:
        modes = [mode for mode in ANSWERED if mode in (kept, wanted)]
        return modes[0] if modes else kept
    if wanted == AS_AGREED and kept == "on" and not is_agreed:
        return wanted
    return wanted if wanted in (False, "", "off") else kept


def in_force_after(info: SettingInfo, kept: object, before: object, wanted: object, *, is_agreed: bool) -> object:
    """Return the value that is in force once a file that said `before` says `wanted`, where `kept` was in force.

    Turned off is what the file had on before: a value given for this run alone stays.
    """
    match info.takes_effect:
        case "now":
            return kept if wanted == before else wanted
        case "more now":
            assert isinstance(kept, tuple)  # noqa: S101  # lists alone are declared so
            assert isinstance(wanted, tuple)  # noqa: S101  # the same type
            return (*kept, *(entry for entry in wanted if entry not in kept))
        case "less now" if stricter(info, before, wanted, is_agreed=is_agreed) != before:
            return stricter(info, kept, wanted, is_agreed=is_agreed)
        case _:
            return kept
