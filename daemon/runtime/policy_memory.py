"""What answers have taught the policy, in the database that outlives sessions: read, forgotten, or unmuted.

A running daemon holds it in memory, so it gets the request and carries it out between two sessions. The offers that
were shown are never forgotten: that would give their budget back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from daemon.runtime.control_client import send
from daemon.runtime.instance import only_instance
from daemon.runtime.study.enrolment import hides_lots
from policies import registry
from policies.memory import export_memory, muted_topics, without_learned, without_mute
from storage.clock import SystemClock
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.files import private_folder, state_file, state_folder
from storage.plain_text import printable
from storage.settings import Settings
from storage.state.store import Helped, StateStore
from storage.translation import translatable


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """The names of what was forgotten, and whether topics stay muted."""

    names: tuple[str, ...]
    still_muted: bool


def read_learned(settings: Settings) -> dict[str, object]:
    """Return what was learned, and what follows from it now (`policies.memory.export_memory`); how much `helped` where.

    In a study that hides its lots `shown` is None: it counts offers that were decided and not shown too.

    Raises:
        BadFile: it is damaged.
    """
    saved, elapsed_ns = _saved(settings)
    helped = Helped()
    if state_file().exists():
        with StateStore(state_file()) as state:
            helped = state.helped()
    try:
        facts = {**export_memory(saved, elapsed_ns, settings.policy), "helped": helped.by_program()}
    except (TypeError, ValueError, KeyError) as error:
        raise _damaged() from error
    return facts | {"shown": None} if _hides_lots() else facts


def forget(*, mutes: bool) -> Forgotten:
    """Forget what any policy learned, with `mutes` the muted topics too; a running daemon does it itself.

    Raises:
        EnvironmentFault: the daemon is running and does not answer.
    """
    private_folder(state_folder())
    with StateStore(state_file()) as state:
        saved = [saved for saved, _ in state.policy_states().values()]
        helped = ["helped"] if state.helped().answers else []
    left = [without_learned(memory, mutes=mutes) for memory in saved]
    try:
        send("forget", mutes=mutes)
    except EnvironmentFault:
        with only_instance(), StateStore(state_file()) as state:
            forget_in(state, mutes=mutes)
    gone = {name for before, after in zip(saved, left, strict=True) for name in before.keys() - after.keys()}
    return Forgotten(names=(*sorted(gone), *helped), still_muted=any(memory.get("muted") for memory in left))


def unmute(settings: Settings, topic: str) -> None:
    """Allow offers about a muted topic again, in every application; a running daemon does it itself.

    Raises:
        UsageError: the topic is not muted.
        EnvironmentFault: the daemon is running and does not answer.
        BadFile: the saved state is damaged.
    """
    saved, _ = _saved(settings)
    try:
        muted = muted_topics(saved)
    except TypeError as error:
        raise _damaged() from error
    if topic not in muted:
        remedy = (
            translatable("muted: {topics}", topics=", ".join(map(printable, muted)))
            if muted
            else translatable("nothing is muted")
        )
        raise UsageError(translatable("{topic} is not a topic that you muted", topic=repr(topic)), remedy=remedy)
    try:
        send("unmute", topic=topic)
    except EnvironmentFault:
        with only_instance(), StateStore(state_file()) as state:
            unmute_in(state, settings, topic=topic)


def forget_in(state: StateStore, *, mutes: bool) -> None:
    """Forget in the database what policies of any memory learned, while no session holds its content in memory."""
    for memory, (saved, wall_ns) in state.policy_states().items():
        state.save_policy_state(memory, without_learned(saved, mutes=mutes), wall_ns)
    state.save_helped(Helped())


def unmute_in(state: StateStore, settings: Settings, *, topic: str) -> None:
    """Unmute in the database, while no session holds its content in memory."""
    _change(state, settings, partial(without_mute, topic=topic))


def _saved(settings: Settings) -> tuple[Mapping[str, object], int]:
    """Return what the policy saved last and how long ago that was, in ns; nothing if there is nothing."""
    if not state_file().exists():
        return {}, 0
    with StateStore(state_file()) as state:
        saved, wall_ns = state.policy_state(_memory(settings))
    return saved, max(0, SystemClock().wall_ns() - wall_ns) if saved else 0


def _hides_lots() -> bool:
    """Tell whether the person is in a study that hides its lots, or may be: the entry of the study is damaged."""
    if not state_file().exists():
        return False
    with StateStore(state_file()) as state:
        try:
            return hides_lots(state.enrolment(), SystemClock().wall_ns())
        except BadFile:
            return True


def _change(
    state: StateStore, settings: Settings, change: Callable[[Mapping[str, object]], Mapping[str, object]]
) -> None:
    memory = _memory(settings)
    saved, wall_ns = state.policy_state(memory)
    if saved:
        state.save_policy_state(memory, change(saved), wall_ns)


def _damaged() -> BadFile:
    return BadFile(
        translatable("what the policy remembers has a shape that this version does not know"),
        remedy=translatable("forget it with: kairos why --forget all"),
    )


def _memory(settings: Settings) -> str:
    return registry.memory_of(registry.load(settings.policy, settings.detector.base_rate))
