"""What there is to know about a rung without connecting to anything: where it is, whether it may be asked, how it went.

For `kairos models list` and `kairos doctor`. A key is looked up to say whether there is one, and never shown.
"""

from dataclasses import dataclass

from daemon.cli.models.sent import outcome_words
from daemon.history.summary import moment
from daemon.models.tiers import preset_of, settings_of, verdict_of
from detectors.mllm.client import keys
from detectors.mllm.client.address import NetworkScope, parse_address
from detectors.mllm.client.options import key_name
from detectors.mllm.client.ports import CANCELLED, DONE, ModelCapabilities
from detectors.mllm.client.spending import local_day
from detectors.mllm.presets import PRESETS, Preset
from detectors.mllm.questions import FailureReason
from storage.clock import NS_PER_S, Clock
from storage.errors import EnvironmentFault, UsageError
from storage.paths import state_file
from storage.records import ModelTier
from storage.sent.log import sent_if_any
from storage.sent.reader import Entry, SentEntries
from storage.settings import ModelSettings, Settings
from storage.state.models import ModelState, Spent

LOOKED_AT = 50
OURS = (None, CANCELLED, FailureReason.SUPERSEDED.value)
"""Ends of requests that say nothing about the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RungFacts:
    """A rung that is on.

    Attributes:
        rung: which.
        preset: the kind of server.
        model: the model that is asked; empty: none is named.
        address: where it is; empty: it has none, or one that cannot be.
        allowed: whether pictures of the screen may go there.
        reach: how far pictures travel; None without an address.
        key: the name of the key it needs; None: it needs none.
        key_found: whether that key was found.
        problem: why nothing can be asked as things stand; empty: nothing is in the way.
        remedy: what to do about it.
        verdict: what a probe found out, if there was one.
        spent: what was used today.
        last: what was sent there last, trials included, unless we broke it off ourselves.
    """

    rung: ModelTier
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
    spent: Spent
    last: Entry | None

    @property
    def last_trouble(self) -> str | None:
        """How that request ended, if not well."""
        outcome = None if self.last is None else self.last.outcome
        return None if outcome == DONE else outcome


def rung_facts(settings: Settings, rung: ModelTier, clock: Clock) -> RungFacts | None:
    """Return what is known of a rung; None if it is off.

    Raises:
        UsageError: its preset is unknown.
        BadFile: what is kept about it is damaged.
        EnvironmentFault: what is kept about it cannot be read.
    """
    chosen = settings_of(settings, rung)
    if not chosen.preset:
        return None
    preset = preset_of(chosen.preset)
    model, key = chosen.model or preset.model, key_name(preset, chosen)
    address, reach, problem, remedy = _where(preset, chosen, rung)
    key_found = False
    try:
        key_found = keys.find(key) is not None
    except (EnvironmentFault, UsageError) as error:
        problem, remedy = problem or error.what, remedy or error.remedy
    if key and not key_found and not problem:
        problem, remedy = f"the key {key} was not found", key_remedy(key)
    if not model and not problem:
        problem, remedy = "no model is named", f"kairos config set {rung.value}_model.model NAME"
    return RungFacts(
        rung=rung,
        preset=preset.name,
        model=model,
        address=address,
        allowed=reach is NetworkScope.LOOPBACK or (reach is not None and chosen.send_screens),
        reach=reach,
        key=key,
        key_found=key_found,
        problem=problem,
        remedy=remedy,
        verdict=verdict_of(chosen) if address else None,
        spent=_spent(rung, local_day(clock.wall_ns())),
        last=_last(address, model),
    )


def doctor_words(settings: Settings, rung: ModelTier, clock: Clock) -> tuple[str, str]:
    """Return what `kairos doctor` says of a rung that is on, and what to do about it if something is in the way.

    Raises:
        UsageError: its preset is unknown.
        BadFile: what is kept about it is damaged.
        EnvironmentFault: what is kept about it cannot be read.
    """
    found = rung_facts(settings, rung, clock)
    assert found is not None  # noqa: S101  # it is on
    words = [f"{found.preset}, {found.model or 'no model'}, at {shown_address(found.address)}"]
    if found.reach is not NetworkScope.LOOPBACK and found.allowed:
        words.append("pictures of your screen go there")
    if PRESETS[found.preset].remote:
        words.append(PRESETS[found.preset].note)
    if found.problem:
        return "; ".join([*words, f"not asked: {found.problem}"]), found.remedy
    words.append(f"key {found.key} found" if found.key else "needs no key")
    if found.verdict is None:
        words.append("not probed")
    if found.last is None:
        words.append("never asked")
    elif found.last_trouble is None:
        words.append(f"last asked {moment(found.last.at_wall_ns / NS_PER_S)}")
    else:
        words.append(f"last trouble {moment(found.last.at_wall_ns / NS_PER_S)}: {outcome_words(found.last)}")
    return "; ".join(words), f"try it: kairos models test {rung.value}" if found.last_trouble else ""


def shown_address(url: str) -> str:
    """Return an address as people write it."""
    return url.replace(":443", "", 1) if url.startswith("https://") else url or "no address"


def key_remedy(key: str) -> str:
    """Return how to give a key."""
    return f"set the environment variable {key}, or with the package keyring: keyring set {keys.SERVICE} {key}"


def _where(preset: Preset, chosen: ModelSettings, rung: ModelTier) -> tuple[str, NetworkScope | None, str, str]:
    """Return address, reach, problem and remedy."""
    url = chosen.url or preset.url
    if not url:
        return "", None, "it has no address", f"kairos config set {rung.value}_model.url http://..."
    try:
        address = parse_address(url, send_screens=True)
    except UsageError as error:
        return "", None, error.what, error.remedy
    if address.scope is not NetworkScope.LOOPBACK and not chosen.send_screens:
        remedy = f"if you want that: kairos config set {rung.value}_model.send_screens true"
        return address.url, address.scope, "pictures of your screen may not go there", remedy
    return address.url, address.scope, "", ""


def _spent(rung: ModelTier, day: str) -> Spent:
    if not state_file().exists():
        return Spent()
    with ModelState(state_file()) as state:
        return state.spent(rung.value, day)


def _last(address: str, model: str) -> Entry | None:
    log = sent_if_any()
    if log is None:
        return None
    with log:
        newest = SentEntries(log).last(LOOKED_AT)
    there = (entry for entry in newest if (entry.address, entry.model) == (address, model))
    return next((entry for entry in there if entry.outcome not in OURS), None)
