"""Opens the model of a rung with all that belongs to it: its budget, the log of what is sent, and what a probe found.

Nothing of `detectors.mllm` is imported before a rung is really on.
"""

import asyncio
import difflib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.clock import Clock
from storage.errors import UsageError
from storage.records import ModelTier
from storage.settings import ModelSettings, Settings

if TYPE_CHECKING:
    from daemon.models.sent_writer import SentLogWriter
    from detectors.mllm.client.endpoint import Endpoint
    from detectors.mllm.client.ports import ModelCapabilities
    from detectors.mllm.presets import Preset
    from detectors.mllm.questions import ModelQuery, ModelResult


class OpenModel:
    """A `Model`: a rung's endpoint, together with the thread that writes down what it sends."""

    def __init__(self, endpoint: "Endpoint", keeper: "SentLogWriter") -> None:
        """Take both over; `close` closes them."""
        self.endpoint = endpoint
        self.keeper = keeper
        self.name = endpoint.name

    async def ask(self, query: "ModelQuery", *, deadline_s: float) -> "ModelResult":
        """Return the answers, or the failure, within `deadline_s` seconds. Cancelling it ends the request at once."""
        return await self.endpoint.ask(query, deadline_s=deadline_s)

    async def close(self) -> None:
        """Let go of connections, and write down what is left."""
        try:
            await self.endpoint.close()
        finally:
            await asyncio.shield(asyncio.to_thread(self.keeper.close))


def settings_of(settings: Settings, rung: ModelTier) -> ModelSettings:
    """Return the settings of a rung."""
    return settings.local_model if rung is ModelTier.LOCAL else settings.strong_model


def open_rung(
    settings: Settings,
    rung: ModelTier,
    *,
    clock: Clock,
    session: Path | None = None,
    keeps_pictures: bool = True,
    purpose: str = "",
    on_battery: Callable[[], bool | None] = lambda: None,
    may_leave: Callable[[], bool] = lambda: True,
) -> OpenModel | None:
    """Return the model of a rung; None if it is off. May wait for a disk or a keyring: call it in no event loop.

    Args:
        settings: all settings.
        rung: which one.
        clock: the clock.
        session: the folder of the session whose pictures it will get; what is sent goes with that session.
        keeps_pictures: whether the pictures may be kept there; if not, their digests are.
        purpose: who asks, for the log of what is sent; by default the rung.
        on_battery: tells whether the machine runs on battery.
        may_leave: is asked right before each request; nothing leaves where it says no.

    Raises:
        UsageError: the preset is unknown, a name is missing, or pictures may not be sent there.
        EnvironmentFault: the keyring, or the log of what is sent, cannot be used.
        BadFile: the log of what is sent is damaged; nothing is sent without it.
    """
    chosen = settings_of(settings, rung)
    if not chosen.preset:
        return None
    from daemon.models.sent_writer import SentLogWriter
    from detectors.mllm.client.endpoint import open_model
    from detectors.mllm.client.spending import DailyBudget

    keeper = SentLogWriter(
        clock=clock,
        settings=settings.storage,
        rung=rung.value,
        purpose=purpose,
        session=session,
        keeps_pictures=keeps_pictures,
    )
    try:
        endpoint = open_model(
            chosen,
            clock=clock,
            budget=DailyBudget(rung.value, chosen, keeper),
            sent=keeper,
            capabilities=verdict_of(chosen),
            on_battery=on_battery,
            may_send=may_leave,
        )
    except BaseException:
        keeper.close()
        raise
    return OpenModel(endpoint, keeper)


def verdict_of(chosen: ModelSettings) -> "ModelCapabilities | None":
    """Return what a probe found out about a rung's endpoint and model; None if nothing is known that can be read."""
    import msgspec

    from detectors.mllm.client.ports import ModelCapabilities
    from storage.paths import state_file
    from storage.state.models import ModelState

    if not state_file().exists():
        return None
    with ModelState(state_file()) as state:
        found = state.verdicts().get(verdict_key(chosen))
    if found is None:
        return None
    try:
        return msgspec.convert(found, ModelCapabilities)
    except msgspec.ValidationError:  # one of another version: as if there were none
        return None


def save_verdict(chosen: ModelSettings, verdict: "ModelCapabilities") -> None:
    """Remember what a probe found out about a rung's endpoint and model."""
    import msgspec

    from storage.paths import state_file
    from storage.state.models import ModelState

    plain: dict[str, Any] = msgspec.to_builtins(verdict)
    with ModelState(state_file()) as state:
        state.save_verdict(verdict_key(chosen), plain)


def preset_of(name: str) -> "Preset":
    """Return a preset by its name.

    Raises:
        UsageError: there is none of that name.
    """
    from detectors.mllm.presets import PRESETS

    if name not in PRESETS:
        near = difflib.get_close_matches(name, PRESETS, n=1)
        remedy = f"did you mean {near[0]}?" if near else "see: kairos models list"
        raise UsageError(f"there is no preset {name!r}", remedy=remedy)
    return PRESETS[name]


def verdict_key(chosen: ModelSettings) -> str:
    """Return what tells endpoints and models apart: dialect by preset, address, model.

    Raises:
        UsageError: the preset is unknown, or its address is none.
    """
    from detectors.mllm.client.address import parse_address

    preset = preset_of(chosen.preset)
    address = parse_address(chosen.url or preset.url, send_screens=True)
    return f"{preset.name} {address.url} {chosen.model or preset.model}"
