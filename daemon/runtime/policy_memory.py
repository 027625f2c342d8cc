"""What answers have taught the policy: told, given out as JSON, and forgotten or taken back (`kairos why --learned`).

It lies in the database of what outlives sessions. A running Kairos holds it in memory, so it is asked to forget or
unmute, which it does between two sessions. Offers that were shown are not forgotten: that would open the budget anew.
"""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from daemon.runtime.control import ask
from daemon.runtime.instance import only_instance
from daemon.text import format_duration, format_percent, format_times, printable
from policies import registry
from policies.memory import exported, forgotten, muted_in, unmuted
from storage.clock import SystemClock
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.messages import EVIDENCE
from storage.paths import private_folder, state_file, state_folder
from storage.settings import Settings
from storage.state.store import StateStore


def tell_learned(settings: Settings, *, as_json: bool) -> int:
    """Print what was learned, and what follows from it now.

    Raises:
        BadFile: it is damaged.
    """
    saved, elapsed_ns = _saved(settings)
    try:
        facts = exported(saved, elapsed_ns, settings.policy)
    except (TypeError, ValueError, KeyError) as error:
        raise _damaged() from error
    print(json.dumps(facts) if as_json else "\n".join(told(facts)))
    return 0


def forget(settings: Settings, *, mutes: bool, as_json: bool) -> int:
    """Forget what was learned, and muted topics if those are to go too; or have a running Kairos do so.

    Raises:
        EnvironmentFault: Kairos is running and does not answer.
    """
    private_folder(state_folder())
    saved, _ = _saved(settings)
    left = forgotten(saved, mutes=mutes)
    try:
        ask("forget", mutes=mutes)
    except EnvironmentFault:
        with only_instance(), StateStore(state_file()) as state:
            forget_in(state, settings, mutes=mutes)
    if as_json:
        print(json.dumps({"forgotten": sorted(saved.keys() - left.keys())}))
        return 0
    print("What your answers have taught is forgotten: Kairos starts from its settings again.")
    if left.get("muted"):
        print("The topics that you muted stay muted. To bring them back too: kairos why --forget all")
        print("One alone: kairos why --learned says how.")
    return 0


def unmute(settings: Settings, topic: str, *, as_json: bool) -> int:
    """Let a muted topic be offered again, in every application; or have a running Kairos do so.

    Raises:
        UsageError: it is not muted.
        EnvironmentFault: Kairos is running and does not answer.
        BadFile: what is remembered is damaged.
    """
    saved, _ = _saved(settings)
    try:
        muted = muted_in(saved)
    except TypeError as error:
        raise _damaged() from error
    if topic not in muted:
        there = f"muted: {', '.join(map(printable, muted))}" if muted else "nothing is muted"
        raise UsageError(f"{topic!r} is not a topic that you muted", remedy=there)
    try:
        ask("unmute", topic=topic)
    except EnvironmentFault:
        with only_instance(), StateStore(state_file()) as state:
            unmute_in(state, settings, topic=topic)
    print(json.dumps({"unmuted": topic}) if as_json else f'Offered again, everywhere: "{topic_words(topic)}"')
    return 0


def forget_in(state: StateStore, settings: Settings, *, mutes: bool) -> None:
    """Forget in the database; nobody may hold what stands there in memory."""
    _change(state, settings, partial(forgotten, mutes=mutes))


def unmute_in(state: StateStore, settings: Settings, *, topic: str) -> None:
    """Unmute in the database; nobody may hold what stands there in memory."""
    _change(state, settings, partial(unmuted, topic=topic))


def told(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that tell what was learned to somebody who only knows the card."""
    if facts["answers"]:
        yield "What your answers have taught (older ones count less and less):"
        yield ""
        yield f"  {'application':<16}{'while':<24}{'about':<32}{'wanted':>7}{'not':>6}   offered from"
        for row in facts["answers"]:
            yield (
                f"  {printable(row['app'])[:15]:<16}{printable(row['state']).replace('_', ' '):<24}"
                f"{topic_words(row['topic'])[:31]:<32}{row['accepted']:>7.1f}{row['refused']:>6.1f}"
                f"   {format_percent(row['threshold'])} need on"
            )
        yield ""
    else:
        yield "Nothing has been learned: you have not answered any offer yet."
    yield (
        f"Without any answers help is offered from {format_percent(facts['threshold'])} need on. "
        f"Answers move that between {format_percent(facts['threshold_min'])} "
        f"and {format_percent(facts['threshold_max'])}"
    )
    yield "(settings policy.threshold_min and policy.threshold_max)."
    if facts["too_early"] or facts["too_late"]:
        yield (
            f'"Too early" counts as {facts["too_early"]:.1f} and "too late" as {facts["too_late"]:.1f} answers: '
            f"an offer now takes evidence of {facts['evidence_upper']:.1f}."
        )
    for row in facts["backoffs"]:
        if row["left_s"] > 0:
            yield (
                f'Quiet for another {format_duration(row["left_s"])}: "{topic_words(row["topic"])}" in '
                f"{printable(row['app'])}, dismissed {format_times(row['dismissals'])} in a row."
            )
    if facts["snoozed_left_s"] > 0:
        yield f"You asked for quiet for another {format_duration(facts['snoozed_left_s'])}."
    for topic in facts["muted"]:
        yield f'Muted: "{topic_words(topic)}". To undo: kairos why --unmute {shlex.quote(printable(topic))}'
    yield "To forget: kairos why --forget, or with muted topics too: kairos why --forget all"


def topic_words(topic: str) -> str:
    """Return the title that a topic has on the card."""
    words = EVIDENCE.get(topic)
    return printable(topic) if words is None else words.title


def _saved(settings: Settings) -> tuple[Mapping[str, object], int]:
    """Return what the policy saved last and how long ago that was; nothing if there is nothing."""
    if not state_file().exists():
        return {}, 0
    with StateStore(state_file()) as state:
        saved, wall_ns = state.policy_state(_memory(settings))
    return saved, max(0, SystemClock().wall_ns() - wall_ns) if saved else 0


def _change(
    state: StateStore, settings: Settings, change: Callable[[Mapping[str, object]], Mapping[str, object]]
) -> None:
    memory = _memory(settings)
    saved, wall_ns = state.policy_state(memory)
    if saved:
        state.save_policy_state(memory, change(saved), wall_ns)


def _damaged() -> BadFile:
    return BadFile(
        "what the policy remembers has a shape that this version does not know",
        remedy="forget it with: kairos why --forget all",
    )


def _memory(settings: Settings) -> str:
    return registry.memory_of(registry.load(settings.policy, settings.detector.base_rate))
