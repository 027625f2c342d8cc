"""What is known about model servers without connecting to any: the presets, and the state of each tier that is on.

For `kairos models list` and `kairos doctor`. A key is looked up to say whether there is one, and never shown.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from daemon.cli.models.sent import render_outcome
from daemon.models.tiers import capabilities_of, preset_of, settings_of
from detectors.mllm.client import keys
from detectors.mllm.client.address import NetworkScope, PortListener, ServerAddress, find_listener, parse_address
from detectors.mllm.client.spending import local_day
from detectors.mllm.presets import PRESETS, Preset, key_name
from detectors.mllm.protocol import CANCELLED, DONE, ModelCapabilities
from detectors.mllm.questions import FailureReason
from storage.clock import NS_PER_S, Clock
from storage.errors import EnvironmentFault, KairosError, UsageError
from storage.files import state_file
from storage.plain_text import format_time
from storage.records import ModelTier
from storage.sent.log import open_existing_sent_log
from storage.sent.reader import SentEntry, SentLogReader
from storage.settings import ModelSettings, Settings
from storage.state.models import ModelStateStore, Spending
from storage.translation import sentence_facts, translatable

NEWEST = 50
"""Among how many of the newest requests the last one to a tier is looked for."""

OWN_OUTCOMES = (None, CANCELLED, FailureReason.SUPERSEDED.value)
"""Outcomes that say nothing about the server: the request was stopped on this side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierStatus:
    """A tier that is on. Names of fields are those of `kairos models list --json`.

    Attributes:
        tier: which tier.
        preset: the kind of server.
        model: the model that is asked; empty: none is named.
        address: where it is; empty: there is none, or it is not valid.
        allowed: whether pictures of the screen may go there.
        reach: how far pictures travel; None without an address.
        key: the name of the key it needs; None: it needs none.
        key_found: whether that key was found.
        problem: why it is not asked; empty: nothing prevents it.
        remedy: what to do about it.
        verdict: what a probe found out, if there was one.
        spent: what was used today.
        last: the newest request to it, trials included, unless it was stopped on this side.
    """

    tier: ModelTier
    preset: str
    model: str
    address: str
    allowed: bool
    reach: NetworkScope | None
    key: str | None
    key_found: bool
    problem: str
    remedy: str
    verdict: ModelCapabilities | None
    spent: Spending
    last: SentEntry | None


def tier_status(settings: Settings, tier: ModelTier, clock: Clock) -> TierStatus | None:
    """Return what is known of a tier; None if it is off.

    Raises:
        UsageError: its preset is unknown.
        BadFile: what is stored about it is damaged.
        EnvironmentFault: what is stored about it cannot be read.
    """
    chosen = settings_of(settings, tier)
    if not chosen.preset:
        return None
    preset = preset_of(chosen.preset)
    model, key = chosen.model or preset.model, key_name(preset, chosen)
    address, reach, problem, remedy = _locate(preset, chosen, tier)
    allowed = bool(address) and not problem
    key_found = False
    try:
        key_found = keys.find(key) is not None
    except (EnvironmentFault, UsageError) as error:
        problem, remedy = problem or error.what, remedy or error.remedy
    if key and not key_found and not problem:
        problem, remedy = translatable("the key {key} was not found", key=key), key_remedy(key)
    if not model and not problem:
        problem, remedy = (
            translatable("no model is named"),
            translatable("kairos config set {tier}_model.model NAME", tier=tier.value),
        )
    return TierStatus(
        tier=tier,
        preset=preset.name,
        model=model,
        address=address,
        allowed=allowed,
        reach=reach,
        key=key,
        key_found=key_found,
        problem=problem,
        remedy=remedy,
        verdict=capabilities_of(chosen) if address else None,
        spent=_spent(tier, local_day(clock.wall_ns())),
        last=_last_request(address, model),
    )


def key_remedy(key: str) -> str:
    """Return how to give a key."""
    return translatable(
        "set the environment variable {key}, or with the package keyring: keyring set {service} {key}",
        key=key,
        service=keys.SERVICE,
    )


def _locate(preset: Preset, chosen: ModelSettings, tier: ModelTier) -> tuple[str, NetworkScope | None, str, str]:
    url = chosen.url or preset.url
    if not url:
        return (
            "",
            None,
            translatable("it has no address"),
            translatable("kairos config set {tier}_model.url http://...", tier=tier.value),
        )
    try:
        address = parse_address(url, send_screens=True)
    except UsageError as error:
        return "", None, error.what, error.remedy
    if address.scope is not NetworkScope.LOOPBACK and not chosen.send_screens:
        remedy = translatable("to allow it: kairos config set {tier}_model.send_screens true", tier=tier.value)
        return address.url, address.scope, translatable("pictures of your screen may not go there"), remedy
    if not chosen.send_screens and _is_a_strangers(address):
        remedy = translatable(
            "start the server as yourself, or allow it: kairos config set {tier}_model.send_screens true",
            tier=tier.value,
        )
        return address.url, address.scope, translatable("another user of this machine runs the server there"), remedy
    return address.url, address.scope, "", ""


def _is_a_strangers(address: ServerAddress) -> bool:
    """Tell whether another user listens at an address of this machine; where that is not known, no."""
    hosts = address.loopback_addresses or (address.host,)
    return any(find_listener(host, address.port) is PortListener.STRANGER for host in hosts)


def _spent(tier: ModelTier, day: str) -> Spending:
    if not state_file().exists():
        return Spending()
    with ModelStateStore(state_file()) as state:
        return state.spending(tier.value, day)


def _last_request(address: str, model: str) -> SentEntry | None:
    log = open_existing_sent_log()
    if log is None:
        return None
    with log:
        newest = SentLogReader(log).newest(NEWEST)
    there = (entry for entry in newest if (entry.address, entry.model) == (address, model))
    return next((entry for entry in there if entry.outcome not in OWN_OUTCOMES), None)


def render_for_doctor(settings: Settings, tier: ModelTier, clock: Clock) -> tuple[str, str]:
    """Return what `kairos doctor` says of a tier that is on, and a remedy; empty if nothing is wrong.

    Raises what `tier_status` raises.
    """
    status = tier_status(settings, tier, clock)
    assert status is not None  # noqa: S101  # it is on
    preset = PRESETS[status.preset]
    parts = [f"{status.preset}, {status.model or 'no model'}, at {_shown_address(status.address)}"]
    if status.reach is not NetworkScope.LOOPBACK and status.allowed:
        parts.append("pictures of your screen go there")
    if preset.remote:
        parts.append(preset.note)
    if status.problem:
        return "; ".join([*parts, f"not asked: {status.problem}"]), status.remedy
    parts.append(f"key {status.key} found" if status.key else "needs no key")
    if status.verdict is None:
        parts.append("not probed")
    if status.last is None:
        return "; ".join([*parts, "never asked"]), ""
    at = format_time(status.last.at_wall_ns / NS_PER_S)
    if status.last.outcome == DONE:
        return "; ".join([*parts, f"last asked {at}"]), ""
    failure = f"last request failed {at}: {render_outcome(status.last)}"
    return "; ".join([*parts, failure]), f"try it: kairos models test {tier.value}"


def _shown_address(url: str) -> str:
    return url.replace(":443", "", 1) if url.startswith("https://") else url or "no address"


# ---------------------------------------------------------------- kairos models list


def list_facts(settings: Settings, clock: Clock) -> dict[str, Any]:
    """Return the object of `kairos models list --json`."""
    tiers = {tier.value: _tier_facts(settings, tier, clock) for tier in ModelTier}
    used = {preset: [tier for tier, facts in tiers.items() if facts["preset"] == preset] for preset in PRESETS}
    return {"presets": [_preset_facts(preset, used[preset.name]) for preset in PRESETS.values()], "tiers": tiers}


def _preset_facts(preset: Preset, used: list[str]) -> dict[str, Any]:
    needs = [name for name, value in (("url", preset.url), ("model", preset.model)) if not value]
    needs += ["key"] if preset.key_name else []
    found = None if preset.key_name is None else preset.key_name in os.environ
    values: dict[str, Any] = msgspec.to_builtins(preset)
    return values | {"needs": needs, "key_in_environment": found, "used_as": used}


def _problem_facts(problem: str, remedy: str) -> dict[str, Any]:
    said = [sentence_facts(problem), sentence_facts(remedy)]
    return {"problem": str(problem), "remedy": str(remedy), "said": said}


def _tier_facts(settings: Settings, tier: ModelTier, clock: Clock) -> dict[str, Any]:
    """Return a tier's facts; a fault in one does not hide the others."""
    name = settings_of(settings, tier).preset
    if not name:
        return {"on": False, "preset": ""}
    try:
        status = tier_status(settings, tier, clock)
    except KairosError as error:
        return {"on": True, "preset": name, **_problem_facts(error.what, error.remedy)}
    assert status is not None  # noqa: S101  # it is on
    values: dict[str, Any] = msgspec.to_builtins(status, enc_hook=str)
    del values["last"], values["tier"]
    return {
        "on": True,
        **values,
        **_problem_facts(status.problem, status.remedy),
        "last_outcome": status.last.outcome if status.last is not None else None,
        "last_at": status.last.at_wall_ns / NS_PER_S if status.last is not None else None,
    }


def render_list(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of `kairos models list`."""
    yield "Models that can be asked in addition to the built-in detector. None is asked until you choose one."
    for remote, title in (
        (False, "On this machine: pictures stay here"),
        (True, "On other machines: pictures of your screen go there, only with your permission (send_screens)"),
    ):
        yield ""
        yield title
        for preset in facts["presets"]:
            if preset["remote"] is remote:
                yield from _render_preset(preset)
    yield ""
    yield "In use"
    for tier, found in facts["tiers"].items():
        yield from _render_tier(tier, found)
    yield ""
    yield "Try one:        kairos models test llama-server"
    yield "Find out more:  kairos models probe llama-server"
    yield "Switch it on:   kairos config set local_model.preset llama-server"
    yield "What was sent:  kairos models sent"


def _render_preset(preset: Mapping[str, Any]) -> Iterator[str]:
    needs = [f"its {name}" for name in preset["needs"] if name != "key"]
    if preset["key_name"]:
        needs.append(f"the key {preset['key_name']} ({'set' if preset['key_in_environment'] else 'not set'})")
    parts = [f"needs {' and '.join(needs)}"] if needs else []
    if preset["price_in"] is not None and preset["price_out"] is not None:
        parts.append(f"${preset['price_in']:.2f} in, ${preset['price_out']:.2f} out for a million tokens")
    parts.append(f"tested with: {preset['tried']}")
    yield f"  {preset['name']:<22} {preset['url'] or 'no default address'}  ({preset['model'] or 'no default model'})"
    yield f"  {'':<22} {'; '.join(parts)}"
    yield f"  {'':<22} {preset['note']}"


def _render_tier(tier: str, found: Mapping[str, Any]) -> Iterator[str]:
    if not found["on"]:
        yield f"  {tier:<7} off"
        return
    if "address" not in found:
        yield f"  {tier:<7} {found['preset']}: {found['problem']}"
        yield f"          {found['remedy']}"
        return
    yield f"  {tier:<7} {found['preset']}, {found['model'] or 'no model'}, at {_shown_address(found['address'])}"
    if found["problem"]:
        yield f"          NOT asked: {found['problem']}"
        yield f"          {found['remedy']}"
    if PRESETS[found["preset"]].remote:
        yield f"          note: {PRESETS[found['preset']].note}"
    verdict, spent = found["verdict"], found["spent"]
    yield f"          {_render_verdict(verdict) if verdict else f'not probed yet: kairos models probe {tier}'}"
    yield f"          today: {spent['calls']} calls, {spent['tokens']} tokens, ${spent['dollars']:.4f}"


def _render_verdict(verdict: Mapping[str, Any]) -> str:
    parts = [
        f"probed {format_time(verdict['at_wall_ns'] / NS_PER_S)}: answers shaped by {verdict['schema_mode']}",
        f"up to {verdict['pictures_max']} pictures",
    ]
    if verdict["tokens_per_picture"]:
        parts.append(f"{verdict['tokens_per_picture']} tokens each")
    if verdict["context_tokens"]:
        parts.append(f"context {verdict['context_tokens']}")
    parts.append(f"{verdict['log_probs']} log-probabilities" if verdict["log_probs"] else "no log-probabilities")
    return ", ".join([*parts, f"{verdict['latency_s']:.2f} s for one picture"])
