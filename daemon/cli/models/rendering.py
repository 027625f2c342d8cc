"""What `kairos models list`, `probe` and `test` say: as plain values for JSON, and in words for people.

Nothing that a server said is printed but labels of ours, numbers and its model's name in plain characters.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import msgspec

from daemon.cli.models.facts import rung_facts, shown_address
from daemon.cli.models.trial import Target
from daemon.history.summary import moment
from daemon.models.tiers import settings_of
from detectors.mllm.presets import PRESETS, Preset
from detectors.mllm.probing.probe import ProbeResult
from detectors.mllm.prompting.prompts import STATES
from detectors.mllm.questions import Confidence, ModelResult
from storage.clock import NS_PER_S, Clock
from storage.errors import KairosError
from storage.records import ModelTier, State
from storage.settings import Settings

SHOWN_STATES = 3


def list_facts(settings: Settings, clock: Clock) -> dict[str, Any]:
    """Return what `kairos models list --json` prints."""
    rungs = {rung.value: _rung(settings, rung, clock) for rung in ModelTier}
    used = {preset: [rung for rung, facts in rungs.items() if facts["preset"] == preset] for preset in PRESETS}
    return {"presets": [_preset(preset, used[preset.name]) for preset in PRESETS.values()], "rungs": rungs}


def _preset(preset: Preset, used: list[str]) -> dict[str, Any]:
    needs = [name for name, has in (("url", preset.url), ("model", preset.model)) if not has]
    needs += ["key"] if preset.key_name else []
    found = None if preset.key_name is None else preset.key_name in os.environ
    values: dict[str, Any] = msgspec.to_builtins(preset)
    return values | {"needs": needs, "key_in_environment": found, "used_as": used}


def _rung(settings: Settings, rung: ModelTier, clock: Clock) -> dict[str, Any]:
    """Return a rung's facts; a fault in one does not hide the others."""
    name = settings_of(settings, rung).preset
    if not name:
        return {"on": False, "preset": ""}
    try:
        found = rung_facts(settings, rung, clock)
    except KairosError as error:
        return {"on": True, "preset": name, "problem": error.what, "remedy": error.remedy}
    assert found is not None  # noqa: S101  # it is on
    values: dict[str, Any] = msgspec.to_builtins(found)
    del values["last"], values["rung"]
    return {
        "on": True,
        **values,
        "last_outcome": found.last.outcome if found.last is not None else None,
        "last_at": found.last.at_wall_ns / NS_PER_S if found.last is not None else None,
    }


def failed_facts(target: Target, error: KairosError) -> dict[str, Any]:
    """Return why nothing came of a target as plain values."""
    return {"preset": target.preset.name, "url": target.url, "error": error.what, "remedy": error.remedy}


def told_list(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for a person."""
    yield "Models that can be asked beside the built-in detector. None is asked until you choose one."
    for remote, title in (
        (False, "On this machine: pictures stay here"),
        (True, "Elsewhere: pictures of your screen would go there, only with your leave (send_screens)"),
    ):
        yield ""
        yield title
        for preset in facts["presets"]:
            if preset["remote"] is remote:
                yield from _told_preset(preset)
    yield ""
    yield "In use"
    for rung, found in facts["rungs"].items():
        yield from _told_rung(rung, found)
    yield ""
    yield "Try one:        kairos models test llama-server"
    yield "Find out more:  kairos models probe llama-server"
    yield "Switch it on:   kairos config set local_model.preset llama-server"
    yield "What was sent:  kairos models sent"


def _told_preset(preset: Mapping[str, Any]) -> Iterator[str]:
    needs = [f"its {name}" for name in preset["needs"] if name != "key"]
    if preset["key_name"]:
        needs.append(f"the key {preset['key_name']} ({'set' if preset['key_in_environment'] else 'not set'})")
    words = [f"needs {' and '.join(needs)}"] if needs else []
    if preset["price_in"] is not None and preset["price_out"] is not None:
        words.append(f"${preset['price_in']:.2f} in, ${preset['price_out']:.2f} out for a million tokens")
    words.append(f"tried: {preset['tried']}")
    asked = preset["model"] or "no model of its own"
    yield f"  {preset['name']:<22} {preset['url'] or 'no address of its own'}  ({asked})"
    yield f"  {'':<22} {'; '.join(words)}"
    yield f"  {'':<22} {preset['note']}"


def _told_rung(rung: str, found: Mapping[str, Any]) -> Iterator[str]:
    if not found["on"]:
        yield f"  {rung:<7} off"
        return
    if "address" not in found:
        yield f"  {rung:<7} {found['preset']}: {found['problem']}"
        yield f"          {found['remedy']}"
        return
    yield f"  {rung:<7} {found['preset']}, {found['model'] or 'no model'}, at {shown_address(found['address'])}"
    if found["problem"]:
        yield f"          NOT asked: {found['problem']}"
        yield f"          {found['remedy']}"
    if PRESETS[found["preset"]].remote:
        yield f"          mind: {PRESETS[found['preset']].note}"
    verdict = found["verdict"]
    yield f"          {verdict_words(verdict) if verdict else f'not probed yet: kairos models probe {rung}'}"
    spent = found["spent"]
    yield f"          today: {spent['calls']} calls, {spent['tokens']} tokens, ${spent['dollars']:.4f}"


def verdict_words(verdict: Mapping[str, Any]) -> str:
    """Return what a probe found out, in one line."""
    parts = [
        f"probed {moment(verdict['at_wall_ns'] / NS_PER_S)}: shape by {verdict['schema_mode']}",
        f"up to {verdict['pictures_max']} pictures",
    ]
    if verdict["tokens_per_picture"]:
        parts.append(f"{verdict['tokens_per_picture']} tokens each")
    if verdict["context_tokens"]:
        parts.append(f"context {verdict['context_tokens']}")
    parts.append(f"{verdict['log_probs']} log-probabilities" if verdict["log_probs"] else "no log-probabilities")
    return ", ".join([*parts, f"{verdict['latency_s']:.2f} s for one picture"])


def findings_facts(target: Target, findings: ProbeResult) -> dict[str, Any]:
    """Return what a probe found out as plain values."""
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


def told_findings(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines about a probe for a person."""
    usage = facts["usage"]
    yield f"{facts['preset']} at {facts['url']}, model {facts['model'] or facts['asked_model']}"
    shape = "enforced by the server" if facts["schema_mode"] != "prompted" else "only asked for in words"
    yield f"  shape of answers    {facts['schema_mode']} ({shape})"
    yield f"  pictures            up to {facts['pictures_max']} in one request (32 are the most that is tried)"
    yield f"  tokens per picture  {facts['tokens_per_picture'] or 'not counted'}"
    yield f"  context             {facts['context_tokens'] or 'not told'}"
    yield f"  log-probabilities   {facts['log_probs'] or 'none'}"
    yield f"  thinks anyway       {'yes' if facts['still_thinks'] else 'no'}"
    yield f"  time                {facts['latency_s']:.2f} s for one picture"
    tokens = usage["tokens_in"] + usage["tokens_out"]
    yield f"  this probe took     {usage['calls']} calls, {tokens} tokens, ${usage['dollars']:.4f}"
    for note in facts["notes"]:
        yield f"  note: {note}"
    yield "It is remembered, and used from the next start on wherever this endpoint and model are asked."


def answers_facts(target: Target, answers: ModelResult) -> dict[str, Any]:
    """Return what came back of a trial as plain values."""
    return {
        "preset": target.preset.name,
        "url": target.url,
        "model": answers.model or target.model,
        "pictures": answers.pictures,
        "latency_s": round(answers.latency_s, 3),
        "usage": asdict(answers.usage),
        "sent": list(answers.sent),
        "answers": {
            key: {
                "choice": answer.choice,
                "distribution": dict(answer.distribution),
                "confidence": answer.confidence.value,
            }
            for key, answer in answers.answers.items()
        },
    }


_SOURCES = {
    Confidence.DECISION: "probabilities from its decision endpoint",
    Confidence.LOG_PROBABILITIES: "probabilities of its tokens",
    Confidence.SELF_REPORT: "how sure it says it is",
    Confidence.LABEL_ONLY: "a label alone, so the number is a guess of ours",
    Confidence.NONE: "nothing",
}


def told_answers(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines about a trial for a person."""
    usage, count = facts["usage"], facts["pictures"]
    pictures = "1 picture" if count == 1 else f"{count} pictures"
    yield f"{facts['preset']}, model {facts['model']}, answered in {facts['latency_s']:.2f} s about {pictures}"
    yield f"  {usage['tokens_in']} tokens in, {usage['tokens_out']} out, ${usage['dollars']:.4f}"
    for key, answer in facts["answers"].items():
        ranked = sorted(answer["distribution"].items(), key=lambda item: -item[1])[:SHOWN_STATES]
        labels = ", ".join(f"{_label(label)} {100 * share:.0f} %" for label, share in ranked)
        yield f"  {key:<9} {labels}  (from {_SOURCES[Confidence(answer['confidence'])]})"
    yield "The pictures were drawn for this; what a model says about them means nothing."
    yield f"What was sent: kairos models sent --show {facts['sent'][-1]}"


def _label(label: str) -> str:
    return STATES[State(label)].name.lower() if label in set(State) else label
