"""Opens the model of a tier with its budget, its log of what is sent, and its capabilities as a probe found them.

Nothing of `detectors.mllm` is imported before a tier is really on.
"""

import asyncio
import difflib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from storage.clock import Clock
from storage.errors import UsageError
from storage.files import state_file
from storage.records import ModelTier
from storage.settings import ModelSettings, Settings
from storage.state.models import ModelStateStore
from storage.translation import translatable

if TYPE_CHECKING:
    from daemon.models.sent_writer import SentLogWriter
    from detectors.mllm.client.endpoint import Endpoint
    from detectors.mllm.presets import Preset
    from detectors.mllm.protocol import AnswerStream, ModelCapabilities
    from detectors.mllm.questions import ModelQuery, ModelResult


class OpenModel:
    """A `Model`: the endpoint of a tier, with the thread that logs what it sends."""

    def __init__(self, endpoint: "Endpoint", sent_log: "SentLogWriter", model: str = "") -> None:
        """Own both; `close` closes them. `model` is its name for people."""
        self.endpoint = endpoint
        self._sent_log = sent_log
        self.name = endpoint.name
        self.model = model or endpoint.name
        self.remote = endpoint.remote

    async def ask(
        self, ask: "ModelQuery", *, deadline_s: float, stream: "AnswerStream | None" = None, purpose: str = ""
    ) -> "ModelResult":
        """Return the result within `deadline_s` seconds; `stream` takes the text as it comes, unchecked."""
        return await self.endpoint.ask(ask, deadline_s=deadline_s, stream=stream, purpose=purpose)

    def stop(self) -> None:
        """End the query under way at once; its `ask` returns, with what it has cost so far."""
        self.endpoint.stop()

    async def close(self) -> None:
        """Close connections, and write what is left to the log."""
        try:
            await self.endpoint.close()
        finally:
            await asyncio.shield(asyncio.to_thread(self._sent_log.close))


def settings_of(settings: Settings, tier: ModelTier) -> ModelSettings:
    """Return the settings of a tier."""
    return settings.local_model if tier is ModelTier.LOCAL else settings.strong_model


def open_tier(
    settings: Settings,
    tier: ModelTier,
    *,
    clock: Clock,
    session: Path | None = None,
    keeps_content: bool = True,
    purpose: str = "",
    on_battery: Callable[[], bool | None] = lambda: None,
    may_leave: Callable[[], bool] = lambda: True,
) -> OpenModel | None:
    """Return the model of a tier; None if it is off. May wait for a disk or a keyring: do not call it in an event loop.

    `session` is the folder of the session whose pictures it will get: what is sent is deleted with it. Without
    `keeps_content` the log stores digests alone of pictures and words. `purpose` says in the log who asks, by default
    the tier. `on_battery` may not know (None). `may_leave` is called right before each request; False: nothing is sent.

    Raises:
        UsageError: the preset is unknown, a name is missing, or pictures may not be sent there.
        EnvironmentFault: the keyring, or the log of what is sent, cannot be used.
        BadFile: the log of what is sent is damaged; nothing is sent without it.
    """
    chosen = settings_of(settings, tier)
    if not chosen.preset:
        return None
    from daemon.models.sent_writer import SentLogWriter
    from detectors.mllm.client.endpoint import open_model
    from detectors.mllm.client.spending import DailyBudget

    sent_log = SentLogWriter(
        clock=clock,
        settings=settings.storage,
        tier=tier.value,
        purpose=purpose,
        session=session,
        keeps_content=keeps_content,
    )
    try:
        endpoint = open_model(
            chosen,
            clock=clock,
            budget=DailyBudget(tier.value, chosen, sent_log),
            sent=sent_log,
            capabilities=capabilities_of(chosen),
            on_battery=on_battery,
            may_send=may_leave,
        )
    except BaseException:
        sent_log.close()
        raise
    preset = preset_of(chosen.preset)
    # A server on this machine answers with the model that it was started with, whatever it is called in a preset.
    name = chosen.model or (preset.model if preset.remote else preset.name)
    return OpenModel(endpoint, sent_log, name)


def capabilities_of(chosen: ModelSettings) -> "ModelCapabilities | None":
    """Return what a probe found out about an endpoint and model; None if there is nothing that can be read."""
    from detectors.mllm.protocol import ModelCapabilities

    if not state_file().exists():
        return None
    with ModelStateStore(state_file()) as state:
        found = state.capabilities().get(endpoint_key(chosen))
    if found is None:
        return None
    try:
        return msgspec.convert(found, ModelCapabilities)
    except msgspec.ValidationError:  # stored by another version: as if there were none
        return None


def save_capabilities(chosen: ModelSettings, capabilities: "ModelCapabilities") -> None:
    """Store what a probe found out about an endpoint and model."""
    plain: dict[str, Any] = msgspec.to_builtins(capabilities)
    with ModelStateStore(state_file()) as state:
        state.save_capabilities(endpoint_key(chosen), plain)


def preset_of(name: str) -> "Preset":
    """Return a preset by its name.

    Raises:
        UsageError: there is none of that name.
    """
    from detectors.mllm.presets import PRESETS

    if name not in PRESETS:
        similar = difflib.get_close_matches(name, PRESETS, n=1)
        remedy = (
            translatable("did you mean {near}?", near=similar[0])
            if similar
            else translatable("see: kairos models list")
        )
        raise UsageError(translatable("there is no preset {name}", name=repr(name)), remedy=remedy)
    return PRESETS[name]


def endpoint_key(chosen: ModelSettings) -> str:
    """Return the key of an endpoint and model in the state: preset, address, model.

    Raises:
        UsageError: the preset is unknown, or its address is not valid.
    """
    from detectors.mllm.client.address import parse_address

    preset = preset_of(chosen.preset)
    address = parse_address(chosen.url or preset.url, send_screens=True)
    return f"{preset.name} {address.url} {chosen.model or preset.model}"
