"""Break: a justified offer waits for a natural break, within a bound; then it is shown or dropped.

A break is no input for a moment with the hands free, or coming to another application. At the bound the offer is
shown only if the evidence still holds and the hands are free; otherwise it is dropped.
"""

from policies.state import Wait
from storage.clock import NS_PER_S
from storage.records import Context, Focus, Trigger
from storage.settings import PolicySettings

LATE_NS = NS_PER_S  # a tick at the bound may come this late on a busy machine; a guess

NAME = "break"
REASONS = {
    "waiting_for_break": "Not yet: an offer waits for a natural break.",
    "no_break": "The offer was dropped: no good moment came in time.",
}


def hands_free(context: Context) -> bool:
    """Tell whether no button is held and no word is being typed."""
    return not (context.buttons_down or context.dragging or context.in_word)


def at_break(context: Context, trigger: Trigger, settings: PolicySettings, now_ns: int) -> bool:
    """Tell whether this moment is a natural break."""
    if not hands_free(context):
        return False
    arrived = isinstance(trigger, Focus) and context.focus_since_ns == now_ns
    return arrived or now_ns - context.last_input_ns >= settings.break_s * NS_PER_S


def bound_ns(wait: Wait, settings: PolicySettings) -> int:
    """Return when the wait must end."""
    return wait.since_ns + round(settings.break_wait_s * NS_PER_S)


def next_look_ns(wait: Wait, context: Context, settings: PolicySettings, now_ns: int) -> int:
    """Return when the next break can be there at the earliest, or the end of the wait if that comes first."""
    break_ns = round(settings.break_s * NS_PER_S)
    earliest_ns = context.last_input_ns + break_ns
    if earliest_ns <= now_ns:  # quiet, but a button is held: its release is no trigger, so look again
        earliest_ns = now_ns + max(break_ns, 1)
    return max(min(earliest_ns, bound_ns(wait, settings)), now_ns + 1)
