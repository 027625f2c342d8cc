"""Tries a model server out: opens what `kairos models probe` and `test` name, and says in words why it does not answer.

Only generated pictures are sent, so no leave to send the screen is needed; they are logged and paid for like all else.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from daemon.cli.models.facts import key_remedy
from daemon.models.sent_writer import SentLogWriter
from daemon.models.tiers import preset_of, save_verdict, settings_of, verdict_of
from detectors.mllm import dialects
from detectors.mllm.client import keys
from detectors.mllm.client.address import NetworkScope, parse_address
from detectors.mllm.client.endpoint import open_model
from detectors.mllm.client.options import key_name
from detectors.mllm.client.spending import DailyBudget
from detectors.mllm.client.transport import HttpTransport
from detectors.mllm.presets import Preset
from detectors.mllm.probing.probe import ProbeFailure, Prober, ProbeResult
from detectors.mllm.probing.samples import sample
from detectors.mllm.protocol import RefusalKind
from detectors.mllm.questions import FailureReason, ModelResult
from storage.clock import Clock
from storage.errors import EnvironmentFault, UsageError
from storage.records import ModelTier
from storage.settings import ModelSettings, Settings, StorageSettings

TRIAL = "trial"
"""Under this name costs are counted that belong to no rung."""

PATIENCE_S = 120.0
NOT_FOUND = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is to be tried: a preset with the settings that go with it, and whose costs it counts to."""

    preset: Preset
    chosen: ModelSettings
    budget: str
    storage: StorageSettings

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self.chosen.model or self.preset.model

    @property
    def url(self) -> str:
        """The address as it was given."""
        return self.chosen.url or self.preset.url


def targets(settings: Settings, name: str | None, *, url: str = "", model: str = "") -> list[Target]:
    """Return what a person means: a rung, a preset, or with no name every rung that is on.

    Raises:
        UsageError: there is no such preset, nothing is on, or an address or model is missing.
    """
    if name is None and (url or model):
        raise UsageError("--url and --model belong to a preset or a rung", remedy="name one; see: kairos models list")
    if name is None:
        rungs = [rung for rung in ModelTier if settings_of(settings, rung).preset]
        if not rungs:
            raise UsageError("no model is on", remedy="name a preset to try; see: kairos models list")
        return [_target(settings, rung.value, "", "") for rung in rungs]
    return [_target(settings, name, url, model)]


def _target(settings: Settings, name: str, url: str, model: str) -> Target:
    rungs = [rung for rung in ModelTier if name in (rung.value, settings_of(settings, rung).preset)]
    if name in set(ModelTier) and not settings_of(settings, ModelTier(name)).preset:
        raise UsageError(f"the {name} model is off", remedy=f"kairos config set {name}_model.preset NAME")
    chosen = settings_of(settings, rungs[0]) if rungs else ModelSettings(preset=name)
    chosen = replace(chosen, url=url or chosen.url, model=model or chosen.model, send_screens=True, on_battery=True)
    preset = preset_of(chosen.preset)
    target = Target(preset=preset, chosen=chosen, budget=rungs[0].value if rungs else TRIAL, storage=settings.storage)
    if not target.url:
        raise UsageError(f"{preset.name} has no address of its own", remedy="add --url http://...")
    if not target.model:
        raise UsageError(f"{preset.name} has no model of its own", remedy="add --model NAME")
    return target


async def probe(target: Target, clock: Clock, keeper: SentLogWriter, say: Callable[[str], None]) -> ProbeResult:
    """Find out what a target can do, and remember it.

    Raises:
        EnvironmentFault: it does not answer.
    """
    address = parse_address(target.url, send_screens=True)
    key = _key(target)
    dialect = dialects.by_name(target.preset.dialect)
    headers = {} if key is None else dialect.authorization(key.reveal())
    parts = urlsplit(address.url)
    line = HttpTransport(address, headers)
    root = HttpTransport(parse_address(f"{parts.scheme}://{parts.netloc}", send_screens=True), headers)
    prober = Prober(
        target.preset,
        target.chosen,
        transport=line,
        root=root,
        dialect=dialect,
        clock=clock,
        budget=DailyBudget(target.budget, target.chosen, keeper),
        sent=keeper,
        report=say,
    )
    try:
        findings = await prober.run()
    finally:
        await line.close()
        await root.close()
    if isinstance(findings, ProbeFailure):
        if findings.refusal is None:
            raise fault(target, findings.reason)
        raise fault(target, findings.reason, kind=findings.refusal.kind, status=findings.refusal.status)
    save_verdict(target.chosen, findings.capabilities)
    return findings


async def try_once(target: Target, clock: Clock, keeper: SentLogWriter, pictures: int) -> ModelResult:
    """Ask a target once about generated pictures, as a running Kairos would.

    Raises:
        EnvironmentFault: it gives no answer.
    """
    _key(target)
    model = open_model(
        target.chosen,
        clock=clock,
        budget=DailyBudget(target.budget, target.chosen, keeper),
        sent=keeper,
        capabilities=verdict_of(target.chosen),
    )
    try:
        answers = await model.ask(sample(pictures), deadline_s=PATIENCE_S)
    finally:
        await model.close()
    if answers.failure is not None:
        raise fault(target, answers.failure)
    return answers


def _key(target: Target) -> keys.Secret | None:
    """Return the target's key.

    Raises:
        EnvironmentFault: it needs one and there is none.
    """
    name = key_name(target.preset, target.chosen)
    key = keys.find(name)
    if key is None and name is not None:
        raise EnvironmentFault(f"{target.preset.name} wants a key, and {name} was not found", remedy=key_remedy(name))
    return key


def fault(
    target: Target, trouble: FailureReason, *, kind: RefusalKind | None = None, status: int = 0
) -> EnvironmentFault:
    """Return the error that says why a server gives no answer, and what to do."""
    address = parse_address(target.url, send_screens=True)
    where = f"{target.preset.name} at {target.url}"
    told = f" (status {status})" if status else ""
    if kind is RefusalKind.PICTURE:
        return EnvironmentFault(
            f"{where} takes no pictures{told}",
            remedy=f"choose a model that sees, or start the server with its vision part; asked was {target.model!r}",
        )
    if status == NOT_FOUND:
        return EnvironmentFault(
            f"{where} knows no model {target.model!r}, or its address is another{told}",
            remedy="give --model or --url, or set them; a local server may have to load the model first",
        )
    what, remedy = _WORDS[trouble]
    if trouble is FailureReason.UNREACHABLE and address.scope is NetworkScope.PUBLIC:
        remedy = "is this machine online, and does it need a proxy (HTTPS_PROXY)?"
    return EnvironmentFault(f"{where} {what}{told}", remedy=remedy.format(key=key_name(target.preset, target.chosen)))


_WORDS = {
    FailureReason.DEADLINE: (
        "did not answer in time",
        "is it still loading a model? try again, or choose a smaller one",
    ),
    FailureReason.UNREACHABLE: ("does not answer", "start the server, or give its address with --url"),
    FailureReason.BUSY: ("is busy", "try again later"),
    FailureReason.REFUSED: ("refused the request", "look into the server's own log; a wrong model or preset is likely"),
    FailureReason.NO_KEY: ("did not take the key", "check the key {key}, and that it may use this model"),
    FailureReason.NOT_ALLOWED: ("was not asked", "see: kairos doctor"),
    FailureReason.OVER_BUDGET: ("was not asked: today's limit is reached", "raise calls_per_day and its like, or wait"),
    FailureReason.ON_BATTERY: ("was not asked: the machine runs on battery", "set on_battery = true"),
    FailureReason.TOO_LONG: ("has too short a context even for one picture", "start it with a longer context"),
    FailureReason.NONSENSE: (
        "answered something that cannot be used",
        "run: kairos models probe; if it goes on, the model may be too small, or the server of another kind",
    ),
    FailureReason.SUPERSEDED: ("was asked something newer", "try again"),
}
"""What happened and what to do, for each trouble."""
