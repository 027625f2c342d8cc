"""`kairos models probe` and `test`: opens the model that is named, asks it, and renders what came back.

Only generated pictures are sent, so no permission to send the screen is needed; requests are logged and count to the
budget like all others. Of what a server said only labels, numbers and its model's name are printed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import msgspec

from daemon.cli.models.tiers import key_remedy
from daemon.models.sent_writer import SentLogWriter
from daemon.models.tiers import capabilities_of, preset_of, save_capabilities, settings_of
from detectors.mllm import dialects
from detectors.mllm.client import keys
from detectors.mllm.client.address import NetworkScope, parse_address
from detectors.mllm.client.endpoint import open_model
from detectors.mllm.client.spending import DailyBudget
from detectors.mllm.client.transport import OK, HttpTransport
from detectors.mllm.presets import Preset, key_name
from detectors.mllm.probing.probe import ProbeFailure, Prober, ProbeResult
from detectors.mllm.probing.samples import sample
from detectors.mllm.prompting.prompts import STATES
from detectors.mllm.protocol import RefusalKind
from detectors.mllm.questions import Confidence, FailureReason, ModelResult
from storage.clock import Clock
from storage.errors import EnvironmentFault, KairosError, UsageError
from storage.plain_text import format_count
from storage.records import ModelTier, State
from storage.settings import ModelSettings, Settings, StorageSettings
from storage.translation import Sentence, translatable

TRIAL = "trial"
"""The budget for costs that belong to no tier."""

DEADLINE_S = 120.0
NOT_FOUND = 404
SHOWN_LABELS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTarget:
    """A model to try: a preset with its settings, and the budget that its costs count to."""

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
        """The address as it was given or set."""
        return self.chosen.url or self.preset.url


def find_targets(settings: Settings, name: str | None, *, url: str = "", model: str = "") -> list[TrialTarget]:
    """Return the targets of a name: a tier, a preset, or without a name every tier that is on.

    Raises:
        UsageError: there is no such preset, nothing is on, or an address or model is missing.
    """
    if name is not None:
        return [_target(settings, name, url, model)]
    if url or model:
        raise UsageError(
            translatable("--url and --model belong to a preset or a tier"),
            remedy=translatable("name one; see: kairos models list"),
        )
    targets = [_target(settings, tier.value, "", "") for tier in ModelTier if settings_of(settings, tier).preset]
    if not targets:
        raise UsageError(
            translatable("no model is on"), remedy=translatable("name a preset to try; see: kairos models list")
        )
    return targets


def _target(settings: Settings, name: str, url: str, model: str) -> TrialTarget:
    tiers = [tier for tier in ModelTier if name in (tier.value, settings_of(settings, tier).preset)]
    if name in set(ModelTier) and not settings_of(settings, ModelTier(name)).preset:
        raise UsageError(
            translatable("the {name} model is off", name=name),
            remedy=translatable("kairos config set {name}_model.preset NAME", name=name),
        )
    chosen = settings_of(settings, tiers[0]) if tiers else ModelSettings(preset=name)
    chosen = replace(chosen, url=url or chosen.url, model=model or chosen.model, send_screens=True, on_battery=True)
    preset, budget = preset_of(chosen.preset), tiers[0].value if tiers else TRIAL
    target = TrialTarget(preset=preset, chosen=chosen, budget=budget, storage=settings.storage)
    if not target.url:
        raise UsageError(
            translatable("{preset} has no default address", preset=preset.name),
            remedy=translatable("add --url http://..."),
        )
    if not target.model:
        raise UsageError(
            translatable("{preset} has no default model", preset=preset.name), remedy=translatable("add --model NAME")
        )
    return target


async def probe(
    target: TrialTarget, clock: Clock, sent_log: SentLogWriter, report: Callable[[str], None]
) -> ProbeResult:
    """Find out what a target can do, and store it.

    Raises:
        EnvironmentFault: it does not answer.
    """
    address = parse_address(target.url, send_screens=True)
    key = _key(target)
    dialect = dialects.by_name(target.preset.dialect)
    headers = {} if key is None else dialect.authorization(key.reveal())
    parts = urlsplit(address.url)
    transport = HttpTransport(address, headers)
    root = HttpTransport(parse_address(f"{parts.scheme}://{parts.netloc}", send_screens=True), headers)
    prober = Prober(
        target.preset,
        target.chosen,
        transport=transport,
        root=root,
        dialect=dialect,
        clock=clock,
        budget=DailyBudget(target.budget, target.chosen, sent_log),
        sent=sent_log,
        report=report,
        key=key,
    )
    try:
        findings = await prober.run()
    finally:
        await transport.close()
        await root.close()
    if isinstance(findings, ProbeFailure):
        refusal = findings.refusal
        if refusal is None:
            raise _fault(target, findings.reason)
        raise _fault(target, findings.reason, kind=refusal.kind.value, status=refusal.status)
    save_capabilities(target.chosen, findings.capabilities)
    return findings


async def try_once(target: TrialTarget, clock: Clock, sent_log: SentLogWriter, pictures: int) -> ModelResult:
    """Ask a target once about generated pictures, as a running Kairos would.

    Raises:
        EnvironmentFault: it gives no answer.
    """
    _key(target)
    model = open_model(
        target.chosen,
        clock=clock,
        budget=DailyBudget(target.budget, target.chosen, sent_log),
        sent=sent_log,
        capabilities=capabilities_of(target.chosen),
    )
    try:
        result = await model.ask(sample(pictures), deadline_s=DEADLINE_S)
    finally:
        await model.close()
    if result.failure is not None:
        raise _fault(target, result.failure, kind=result.refused, status=result.status)
    return result


def _key(target: TrialTarget) -> keys.Secret | None:
    """Return the target's key; raise `EnvironmentFault` if it needs one and there is none."""
    name = key_name(target.preset, target.chosen)
    key = keys.find(name)
    if key is None and name is not None:
        raise EnvironmentFault(
            translatable("{preset} needs a key, and {name} was not found", preset=target.preset.name, name=name),
            remedy=key_remedy(name),
        )
    return key


def _fault(target: TrialTarget, reason: FailureReason, *, kind: str = "", status: int = 0) -> EnvironmentFault:
    """Return the error that says why a server gives no answer, and what to do."""
    where = f"{target.preset.name} at {target.url}"
    if kind in _REFUSALS or status in _REDIRECTS:
        what, remedy = _ELSEWHERE if status in _REDIRECTS else _REFUSALS[kind]
        what, remedy = Sentence(what, {"where": where}), Sentence(remedy, {"model": repr(target.model)})
    elif status == NOT_FOUND:
        what = translatable(
            "{where} knows no model {model}, or its address is different", where=where, model=repr(target.model)
        )
        remedy = translatable("give --model or --url, or set them; a local server may have to load the model first")
    else:
        what, remedy = _FAILURES[reason]
        if reason is FailureReason.UNREACHABLE and _is_public(target):
            remedy = translatable("is this machine online, and does it need a proxy (HTTPS_PROXY)?")
        if reason is FailureReason.NO_KEY and not _key_name(target):
            remedy = translatable("it wants a key: say with key_name which variable or entry of the keyring holds it")
        what, remedy = Sentence(what, {"where": where}), Sentence(remedy, {"key": _key_name(target)})
    if status not in (0, OK):
        what = translatable("{what} (status {status})", what=what, status=status)
    return EnvironmentFault(what, remedy=remedy)


def _is_public(target: TrialTarget) -> bool:
    return parse_address(target.url, send_screens=True).scope is NetworkScope.PUBLIC


def _key_name(target: TrialTarget) -> str:
    return key_name(target.preset, target.chosen) or ""


_REFUSALS: dict[str, tuple[str, str]] = {
    RefusalKind.PICTURE: (
        translatable("{where} takes no pictures"),
        translatable("choose a model with vision, or start the server with its vision part; {model} was asked"),
    ),
    RefusalKind.PAGE: (
        translatable("{where} answers with a web page, so that is no model server, or a proxy in front of one"),
        translatable("check address and path; a login, a firewall or a filter in between may have to let Kairos pass"),
    ),
    RefusalKind.FORBIDDEN: (
        translatable("{where} forbids this request, and not because of the key"),
        translatable("see its own words in your account there: it can be a country, a filter of contents, or {model}"),
    ),
    RefusalKind.COMPRESSED: (
        translatable("{where} compresses its answers, which Kairos asks it not to do"),
        translatable("turn compression off for this address, in the server or in the proxy in front of it"),
    ),
}
_REDIRECTS = range(300, 400)
_ELSEWHERE = (
    translatable("{where} sends requests on to another address, and Kairos does not follow"),
    translatable("give the address that it leads to: often https in place of http, or another path"),
)

_FAILURES = {
    FailureReason.DEADLINE: (
        translatable("{where} did not answer in time"),
        translatable("try again if it is loading a model, or use a smaller one"),
    ),
    FailureReason.UNREACHABLE: (
        translatable("{where} does not answer"),
        translatable("start the server, or give its address with --url"),
    ),
    FailureReason.BUSY: (translatable("{where} is busy"), translatable("try again later")),
    FailureReason.REFUSED: (
        translatable("{where} refused the request"),
        translatable("see the server's own log; a wrong model or preset is likely"),
    ),
    FailureReason.NO_KEY: (
        translatable("{where} did not take the key"),
        translatable("check the key {key}, and that it may use this model"),
    ),
    FailureReason.NOT_ALLOWED: (translatable("{where} was not asked"), translatable("see: kairos doctor")),
    FailureReason.OVER_BUDGET: (
        translatable("{where} was not asked: today's limit is reached"),
        translatable("raise calls_per_day or another limit of the day, or wait"),
    ),
    FailureReason.ON_BATTERY: (
        translatable("{where} was not asked: the machine runs on battery"),
        translatable("set on_battery = true"),
    ),
    FailureReason.TOO_LONG: (
        translatable("{where} has a context too short for one picture"),
        translatable("start it with a longer context"),
    ),
    FailureReason.NONSENSE: (
        translatable("{where} gave an answer that cannot be used"),
        translatable(
            "run: kairos models probe; if it persists, the model may be too small, or the server of another kind"
        ),
    ),
    FailureReason.SUPERSEDED: (translatable("{where} was asked something newer"), translatable("try again")),
}
"""What happened and what to do, for each reason."""

# ---------------------------------------------------------------- results


def failed_facts(target: TrialTarget, error: KairosError) -> dict[str, Any]:
    """Return the object of a target that failed."""
    url = target.url.rpartition("@")[2].partition("?")[0]  # one that was refused may hold a secret
    return {"preset": target.preset.name, "url": url, **error.facts()}


def findings_facts(target: TrialTarget, findings: ProbeResult) -> dict[str, Any]:
    """Return the object of `kairos models probe --json` for one target."""
    verdict: dict[str, Any] = msgspec.to_builtins(findings.capabilities)
    return {
        "preset": target.preset.name,
        "url": target.url,
        "asked_model": target.model,
        "readable": findings.readable,
        "notes": list(findings.notes),
        "usage": asdict(findings.usage),
        **verdict,
    }


def render_findings(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a probe found out."""
    usage = facts["usage"]
    yield f"{facts['preset']} at {facts['url']}, model {facts['model'] or facts['asked_model']}"
    shape = "enforced by the server" if facts["schema_mode"] != "prompted" else "only requested in words"
    yield f"  answer format       {facts['schema_mode']} ({shape})"
    yield f"  pictures            up to {facts['pictures_max']} in one request (at most 32 are tried)"
    yield f"  tokens per picture  {facts['tokens_per_picture'] or 'not counted'}"
    yield f"  context             {facts['context_tokens'] or 'unknown'}"
    yield f"  log-probabilities   {facts['log_probs'] or 'none'}"
    yield f"  reasons anyway      {'yes' if facts['still_thinks'] else 'no'}"
    yield f"  time                {facts['latency_s']:.2f} s for one picture"
    tokens = usage["tokens_in"] + usage["tokens_out"]
    yield f"  this probe took     {usage['calls']} calls, {tokens} tokens, ${usage['dollars']:.4f}"
    for note in facts["notes"]:
        yield f"  note: {note}"
    yield "This is stored, and used from the next start on wherever this endpoint and model are asked."


def answers_facts(target: TrialTarget, result: ModelResult) -> dict[str, Any]:
    """Return the object of `kairos models test --json` for one target."""
    return {
        "preset": target.preset.name,
        "url": target.url,
        "model": result.model or target.model,
        "pictures": result.pictures,
        "latency_s": round(result.latency_s, 3),
        "usage": asdict(result.usage),
        "sent": list(result.sent),
        "answers": {
            key: {"choice": each.choice, "distribution": dict(each.distribution), "confidence": each.confidence.value}
            for key, each in result.answers.items()
        },
    }


_SOURCES = {
    Confidence.DECISION: "probabilities from its decision endpoint",
    Confidence.LOG_PROBABILITIES: "probabilities of its tokens",
    Confidence.SELF_REPORT: "the confidence it states",
    Confidence.LABEL_ONLY: "a label alone, so the number is an assumption",
    Confidence.NONE: "nothing",
}


def render_answers(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a model answered in a trial."""
    usage, pictures = facts["usage"], format_count(facts["pictures"], "picture")
    yield f"{facts['preset']}, model {facts['model']}, answered in {facts['latency_s']:.2f} s about {pictures}"
    yield f"  {usage['tokens_in']} tokens in, {usage['tokens_out']} out, ${usage['dollars']:.4f}"
    for key, answer in facts["answers"].items():
        ranked = sorted(answer["distribution"].items(), key=lambda item: -item[1])[:SHOWN_LABELS]
        labels = ", ".join(f"{_label(label)} {100 * share:.0f} %" for label, share in ranked)
        yield f"  {key:<9} {labels}  (from {_SOURCES[Confidence(answer['confidence'])]})"
    yield "The pictures were generated for this test, so the content of the answer means nothing."
    yield f"What was sent: kairos models sent --show {facts['sent'][-1]}"


def _label(label: str) -> str:
    return STATES[State(label)].name.lower() if label in set(State) else label
