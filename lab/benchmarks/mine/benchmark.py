"""Simulates months of which it is known how often offers were right, and compares what `kairos mine` says of them.

Each month has rates of its own: offers that were right, need that was missed, calm moments with an offer; a fifth of
the answers is missing. The control takes each rate for a fifth more or less than it is. With --last the answer for
one's own days is printed as well, as `kairos mine` gives it.
"""

import argparse
import json
import random
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from daemon.cli.main import main
from daemon.history.own_days import LEAST, OwnDays, Share, propose, read_own_days
from lab.measure.benchmark import AcceptanceCriterion, ProgressBar, Report, at_least, at_most
from storage.clock import DAY_NS, HOUR_NS, NS_PER_S
from storage.errors import UsageError
from storage.records import FeedbackKind, NeedReport
from storage.testing import WALL_NS, SessionBuilder

BAR, CONTROL_BAR = 0.92, 0.6
"""Of intervals of 95 % so many hold the rate, at least; and of the control's at most."""

FEW_OFFERS, FEW_NEEDS = 12, 3
KNOWN = 0.8
"""The share of offers that are answered."""

OFF = 0.2
APART_S = 1800
WHOSE = "Months are simulated: nobody worked in them."


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedMonth:
    """What was true of a month, and whether the intervals hold it, and the control's; None for too few to tell."""

    rates: tuple[float, float, float]
    held: tuple[bool | None, ...]
    control: tuple[bool | None, ...]


def measure(arguments: argparse.Namespace) -> Report:
    """Simulate the months, and compare."""
    text, fields = [WHOSE], dict[str, object](simulated=True)
    if arguments.last is not None:
        text += ["", "Your own days:", *_own_days(arguments).splitlines()]
        fields["own_days"] = json.loads(_own_days(arguments, "--json"))
    rng = random.Random(arguments.seed)  # noqa: S311  # a lot that can be repeated
    months, bar = [], ProgressBar(arguments.months, of="months")
    with TemporaryDirectory(prefix="kairos-mine-") as place:
        for number in range(arguments.months):
            months.append(simulate(Path(place) / str(number), rng))
            bar.add(1, "simulated")
        write_month(Path(place) / "few", rng, FEW_OFFERS, FEW_NEEDS, (0.0, 1.0, 0.0))
        few = days_of(Path(place) / "few")
    return Report(
        criteria=criteria_of(months, few), rounds=[asdict(month) for month in months], fields=fields, text=text
    )


def _own_days(arguments: argparse.Namespace, *more: str) -> str:
    """Return what `kairos mine` prints.

    Raises:
        UsageError: it could not say anything; why is printed.
    """
    words = ["mine", "--last", arguments.last, *more]
    for name in ("until", "sessions"):
        if (value := getattr(arguments, name)) is not None:
            words += [f"--{name}", value]
    with redirect_stdout(StringIO()) as out:
        code = main(words)
    if code:
        raise UsageError("your own days could not be read", remedy="see: kairos mine --help")
    return out.getvalue()


def criteria_of(months: Sequence[SimulatedMonth], few: OwnDays) -> list[AcceptanceCriterion]:
    """Return the figures with their limits."""
    held = [each for month in months for each in month.held]
    control = [each for month in months for each in month.control]
    told = [share for share in shares_of(few) if share.interval is not None]
    silent = propose(few, "now and then")
    return [
        at_least("rates_in_their_intervals", held.count(True) / len(held), BAR, f"of {len(held)}"),
        at_most("rates_a_fifth_off", control.count(True) / len(control), CONTROL_BAR, f"of {len(control)}, control"),
        at_most("told_of_twelve_offers", len(told), 0, f"of {len(shares_of(few))} shares, below {LEAST}"),
        at_most("proposed_of_twelve_offers", (silent.how_often is not None) + len(silent.exclude), 0, "changes"),
    ]


def simulate(base: Path, rng: random.Random) -> SimulatedMonth:
    """Write a month with rates by lot, and say which of its intervals hold them."""
    rates = rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.95)
    write_month(base, rng, rng.randrange(40, 120), rng.randrange(25, 60), rates)
    pairs = list(zip(shares_of(days_of(base)), rates, strict=True))
    off = [rate + OFF if rate < 0.5 else rate - OFF for rate in rates]  # noqa: PLR2004  # towards the middle
    return SimulatedMonth(
        rates=rates,
        held=tuple(_holds(share, rate) for share, rate in pairs),
        control=tuple(_holds(share, rate) for (share, _), rate in zip(pairs, off, strict=True)),
    )


def _holds(share: Share, rate: float) -> bool | None:
    found = share.interval
    return None if found is None else found.low <= rate <= found.high


def shares_of(days: OwnDays) -> tuple[Share, Share, Share]:
    """Return of offers those that were right, of need what was missed, and of calm moments those with an offer."""
    return days.right, days.missed(), days.disturbed()


def days_of(base: Path) -> OwnDays:
    """Return what is known of the simulated days in a folder."""
    return read_own_days(base, WALL_NS - HOUR_NS, WALL_NS + 40 * DAY_NS)


def write_month(base: Path, rng: random.Random, offers: int, needs: int, rates: Sequence[float]) -> None:
    """Write a month in one session: offers, needs, and as many calm moments; `rates` are right, missed, disturbed."""
    right, missed, disturbed = rates
    session = SessionBuilder()
    for _ in range(offers):
        known = rng.random() < KNOWN
        answer = FeedbackKind.ACCEPTED if rng.random() < right else FeedbackKind.DISMISSED
        _offer(session, answer if known else FeedbackKind.IGNORED)
    for needed, rate in ((True, 1 - missed), (False, disturbed)):
        for _ in range(needs):
            if rng.random() < rate:
                _offer(session, FeedbackKind.IGNORED)
            else:
                session.wait(APART_S + 10)
            at_ns = session.clock.now_ns()
            session.put(NeedReport, start_ns=at_ns - 5 * NS_PER_S, end_ns=at_ns, needed=needed)
    session.end().write(base)


def _offer(session: SessionBuilder, answer: FeedbackKind) -> None:
    session.wait(APART_S).offer(app=session.app)
    session.wait(10)
    session.answer(answer)
