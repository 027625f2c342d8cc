"""How long it takes from an estimate to the card on the screen, in the real Kairos on its whole path.

The detector is the embedded one, made to find need always (`inside.stuck`); policy, search for help and card are as
shipped, without the pauses between two offers. Somebody points in a program, with pauses, so most offers need not wait
for a break. Those that did are left out: to wait is what the policy is for.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from Xlib import X
from Xlib.ext import xtest

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import open_display
from lab.benchmarks.interface.paint_watch import Appearance, PaintWatch
from lab.measure.key_latency import p95
from storage.clock import NS_PER_S, SystemClock
from storage.ports import CARD_TITLE
from storage.records import Decision, Estimate, Offer, Record, Verdict
from storage.session.log import SessionReader, list_sessions

PROGRAM = "mousepad"
ESTIMATE_S = 1.0
GAP_S = 0.37
"""From one motion of the pointer to the next: no multiple of the time between estimates."""

SETTINGS = {
    "detector.name": "lab.benchmarks.interface.inside:stuck",
    "window.planned_s": f"{4 * ESTIMATE_S:g}",
    "policy.quiet_start_s": "0",
    "policy.cooldown_s": "0",
    "policy.backoff_s": "0",
    "policy.novelty_s": "0",
    "policy.offers_per_hour": "10000",
    "policy.offers_per_day": "10000",
    "policy.acceptance_weight": "1000",
    "policy.benefit_s": "3600",
    "policy.break_s": "0.1",
    "interface.offer_visible_s": "0.6",
}
WAITING = "waiting_for_break"


@dataclass(frozen=True, slots=True, kw_only=True)
class OffersRun:
    """One round: milliseconds from estimate to card of the offers that waited for no break, and what was left out.

    `lost` are offers whose card never was on the screen.
    """

    round: int
    delays_ms: tuple[float, ...]
    p95_ms: float
    waited: int
    lost: int


def one_run(place: Path, number: int, *, seconds: float) -> OffersRun:
    """Have offers made for so long on a desktop of its own, and measure each."""
    clock = SystemClock()
    with VirtualDesktop(compositor=False, tray="xembed") as desktop:
        desktop.spawn([PROGRAM], PROGRAM)
        desktop.windows.wait(PROGRAM)
        daemon = DaemonProcess(desktop, place, settings=SETTINGS, recording=False)
        with PaintWatch(desktop) as watch:
            daemon.start()
            try:
                _point(desktop, clock, seconds)
                until_ns = clock.now_ns()
                clock.sleep_s(ESTIMATE_S)  # the last card comes up
            finally:
                daemon.quit()
            cards = watch.found(CARD_TITLE)
    with SessionReader(list_sessions(daemon.sessions)[-1]) as session:
        rows = [row for row in session.rows((Estimate.KIND, Decision.KIND, Offer.KIND)) if row.at_ns <= until_ns]
    return judged(rows, cards, number)


def judged(rows: Iterable[Record], cards: Sequence[Appearance], number: int) -> OffersRun:
    """Return the delays of the offers in a session's estimates, decisions and offers, with the cards that were seen."""
    estimated: dict[str, int] = {}
    began_ns = waiting_ns = 0
    offers: list[tuple[int, int, bool]] = []
    for row in rows:
        match row:
            case Estimate():
                estimated[row.prefix_id] = row.at_ns
            case Decision(reason=reason) if reason == WAITING:
                waiting_ns = row.at_ns
            case Decision(verdict=Verdict.OFFER):
                began_ns = estimated[row.prefix_ids[-1]]
            case Offer():
                offers.append((began_ns, row.at_ns, waiting_ns >= began_ns))
            case _:
                pass
    delays: list[float] = []
    ends = [at_ns for _, at_ns, _ in offers[1:]] + [1 << 63]
    shown = [
        next((card.painted_ns for card in cards if at_ns <= card.mapped_ns < end_ns and card.painted_ns), None)
        for (_, at_ns, _), end_ns in zip(offers, ends, strict=True)
    ]
    delays = [
        (painted_ns - began_ns) / 1e6
        for (began_ns, _, waited), painted_ns in zip(offers, shown, strict=True)
        if painted_ns is not None and not waited
    ]
    return OffersRun(
        round=number,
        delays_ms=tuple(round(delay, 1) for delay in delays),
        p95_ms=round(p95(delays), 1),
        waited=sum(waited for *_, waited in offers),
        lost=shown.count(None),
    )


def _point(desktop: VirtualDesktop, clock: SystemClock, seconds: float) -> None:
    """Move the pointer now and then."""
    end_ns = clock.now_ns() + round(seconds * NS_PER_S)
    with closing(open_display(desktop.env)) as display:
        step = 0
        while clock.now_ns() < end_ns:
            xtest.fake_input(display, X.MotionNotify, x=500 + step % 7 * 20, y=400 + step % 5 * 20)
            display.sync()
            step += 1
            clock.sleep_s(GAP_S)
