"""What a policy decides by."""

from dataclasses import dataclass

from storage.records.desktop import Environment, Focus
from storage.records.estimates import Estimate
from storage.records.help import HelpFound
from storage.records.offers import Offer
from storage.records.session import Switch, Tick


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a policy may know besides the trigger (policy.md): sensed facts and facts derived from input."""

    consent: bool
    paused: bool
    excluded: bool
    app: str
    focus_since_ns: int
    session_start_ns: int
    last_input_ns: int
    buttons_down: bool
    in_word: bool
    dragging: bool
    full_screen: bool
    locked: bool
    do_not_disturb: bool
    call: bool
    showing: Offer | None
    asking: bool = False
    """Whether a question of a study is on the screen."""

    library: bool = False
    """Whether help is searched before an offer is made."""

    help: HelpFound | None = None
    """What was found for the newest estimate of this application; None while nothing is known of it."""


Trigger = Estimate | Tick | Focus | Switch | Environment | HelpFound
"""What triggers a decision: an estimate, a tick that the policy requested, a change of context, help it waits for."""
