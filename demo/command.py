"""`kairos demo`: the main job from end to end, on a virtual desktop, with a scripted user and the real Kairos.

The user's log says when need began; offers are read from the session that Kairos left; `demo.judge`
compares the two. Kairos knows nothing of the script.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from daemon.help.candidates import COMMAND_ID
from daemon.history.decisions import ASKED
from daemon.history.report import read_session, report_page
from daemon.history.summary import SessionSummary, summarize
from demo.judge import ScriptTimeline, judge_offer, parse_script, percentile, read_script
from demo.programs import WORKS, ScriptedWork
from demo.user import DemoUser
from demo.virtual_desktop.daemon_process import KAIROS, DaemonProcess, DaemonUsage
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import ScriptLog
from demo.virtual_desktop.windows import Windows, wait_for_ring
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.ports import WHAT_FOR
from storage.session.log import list_sessions

SETTINGS: Mapping[str, str] = {
    "policy.quiet_start_s": "0",
    "capture.understand_controls": "on",
    "capture.read_outputs": "on",
}
"""What the demo changes: no five quiet minutes at the start, and its person agreed to controls being understood.

Detector and policy are those that ship.
"""

DOCUMENTED = frozenset({"calc", "writer"})
"""Programs that come with documentation; what is on this machine is indexed before them. Others get general pages."""

INDEXING_S = 180.0
RESULT = "demo.json"
REPORT = "report.html"
NOTE = "Simulated: a scripted person worked in a real program. Figures say nothing about people."
FLUENT_S = (62.0, 75.0)
FLUENT_ONLY_S = 110.0
DELAY_LIMIT_S = 30.0
_PAINTED_S = 0.7
_MESSAGES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSpec:
    """What a demo does: everything follows from these."""

    app: str
    seed: int
    fluent_only: bool
    out: Path
    fluent_s: tuple[float, float] = FLUENT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a demo plays on: the desktop, who works at it, and which Kairos is started there."""

    desktop: Callable[[], VirtualDesktop] = lambda: VirtualDesktop(a11y=True)
    user: type[DemoUser] = DemoUser
    kairos: Callable[[VirtualDesktop], Sequence[str]] = lambda _: KAIROS
    prepare: Callable[[VirtualDesktop, Path], None] = lambda *_: None
    """What is done before Kairos starts, whose folder is given."""


STAGE = Stage()
STAGES = {"x11": STAGE, "xvnc": Stage(desktop=lambda: VirtualDesktop(a11y=True, server="Xvnc"))}


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoRun:
    """What a demo left, before it is assessed."""

    session: Path
    screenshot: Path | None
    steps: Path | None
    script: Path
    stuck_kind: str | None
    before: DaemonUsage
    after: DaemonUsage


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos demo`."""
    return present(arguments, STAGES[arguments.desktop])


def present(arguments: argparse.Namespace, stage: Stage) -> int:
    """Play on a stage what the arguments say, print the result, and return the exit status."""
    out = out_folder(arguments)
    spec = DemoSpec(app=arguments.app, seed=arguments.seed, fluent_only=arguments.fluent_only, out=out)
    finished = play(spec, stage=stage)
    result = assess(spec, finished)
    page = report_page([read_session(finished.session)], note=NOTE)
    (out / REPORT).write_text(page, encoding="utf-8")
    (out / RESULT).write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result) if arguments.json else render_result(result))
    return 0 if result["ok"] else 1


def out_folder(arguments: argparse.Namespace) -> Path:
    """Return the folder to leave everything in, without the result of a demo before: it would not be of this script.

    Raises:
        EnvironmentFault: it cannot be used.
    """
    out: Path = (arguments.out or _default_folder(arguments.app, arguments.seed)).absolute()
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / RESULT).unlink(missing_ok=True)
    except OSError as error:
        raise EnvironmentFault(
            f"{out} cannot be used: {error.strerror}", remedy="give another folder: --out"
        ) from error
    return out


def play(
    spec: DemoSpec, look: Callable[[VirtualDesktop, Windows], None] | None = None, stage: Stage = STAGE
) -> DemoRun:
    """Start the desktop, the program and Kairos, let the user work, end everything.

    `look` is called once the card has been accepted, and its steps and the ring are there.

    Raises:
        EnvironmentFault: the desktop, the program or Kairos did not come up.
    """
    clock = SystemClock()
    script = spec.out / "script.jsonl"
    screenshot = spec.out / "screenshot.png"
    steps = spec.out / "steps.png"
    for picture in (screenshot, steps):
        picture.unlink(missing_ok=True)
    before_sessions = set(list_sessions(spec.out / "sessions"))
    rng = random.Random(f"{spec.app} {spec.seed}")  # noqa: S311  # a script, no secret
    print_progress(f"starting a virtual desktop, {spec.app} and Kairos (seed {spec.seed})")
    with stage.desktop() as desktop, closing(ScriptLog(script, clock)) as log:
        desktop.turn_accessibility_on()
        with desktop.person(log, rng, clock) as (hands, windows):

            def take_screenshot() -> None:
                clock.sleep_s(_PAINTED_S)  # the card is mapped before it is painted
                desktop.screenshot(screenshot)
                print_progress("the card is on the screen")

            def look_at_steps() -> None:
                """The card was accepted: it has the steps now, and the ring is there."""
                wait_for_ring(windows)
                desktop.screenshot(steps)
                if look is not None:
                    look(desktop, windows)

            user = stage.user(hands, windows, log, clock=clock, on_card=take_screenshot, on_answer=look_at_steps)
            work = WORKS[spec.app](user)
            work.open(desktop)
            kairos = DaemonProcess(desktop, spec.out, settings=SETTINGS, kairos=stage.kairos(desktop))
            stage.prepare(desktop, spec.out)
            if spec.app in DOCUMENTED:
                print_progress("indexing the documentation on this machine")
                kairos.command("library", "add", timeout_s=INDEXING_S)
            kairos.start()
            before = kairos.usage()
            kind = _work(spec, user, work, rng)
            if not screenshot.exists():
                desktop.screenshot(screenshot)
            log.write("end")
            after = kairos.usage()
            state = kairos.state()
            status = kairos.quit()
    return DemoRun(
        session=session_of(spec.out, kairos, state, status, before_sessions),
        screenshot=screenshot if screenshot.exists() else None,
        steps=steps if steps.exists() else None,
        script=script,
        stuck_kind=kind,
        before=before,
        after=after,
    )


def session_of(out: Path, kairos: DaemonProcess, state: str, status: int, known: set[Path]) -> Path:
    """Return the session that Kairos left.

    Raises:
        EnvironmentFault: it did not work to the end, or left none or several.
    """
    for message in kairos.messages()[-_MESSAGES:]:
        print_progress(f"Kairos said: {message}")
    if status != 0 or state != "watching":
        raise EnvironmentFault(
            f'Kairos was "{state}" at the end and left with status {status}', remedy=f"its messages are in {kairos.log}"
        )
    created = [folder for folder in list_sessions(out / "sessions") if folder not in known]
    if len(created) != 1:
        raise EnvironmentFault(f"Kairos left {len(created)} sessions instead of one", remedy=f"see {kairos.log}")
    return created[0]


def assess(spec: DemoSpec, finished: DemoRun) -> dict[str, Any]:
    """Judge a run by the script's own log, and return the object of `kairos demo --json`."""
    facts = summarize(finished.session)
    script = read_script(finished.script)
    timeline = parse_script(script)
    offers = _offers(facts, timeline)
    false = sum(1 for offer in offers if offer.pop("false"))
    answers = [offer["answer"] for offer in offers if offer["answer"] is not None and offer["topic"] != ASKED]
    wall_s = (finished.after.wall_ns - finished.before.wall_ns) / NS_PER_S
    size = sum(path.stat().st_size for path in finished.session.iterdir())
    failure = failure_of(spec, offers, false)
    return {
        "ok": not failure,
        "failure": failure or None,
        "session": str(finished.session),
        "screenshot": None if finished.screenshot is None else str(finished.screenshot),
        "steps_screenshot": None if finished.steps is None else str(finished.steps),
        "report": str(spec.out / REPORT),
        "script": str(finished.script),
        "steps_shown_ms": next((line["shown_ms"] for line in script if line["kind"] == "answered"), None),
        "app": spec.app,
        "seed": spec.seed,
        "stuck_kind": finished.stuck_kind,
        "fluent_s": timeline.seconds(timeline.stuck_ns or timeline.end_ns),
        "stuck_onset_s": None if timeline.onset_ns is None else timeline.seconds(timeline.onset_ns),
        "offers": offers,
        "false_offers": false,
        "feedback": answers[-1] if answers else None,
        "frames": facts.frames,
        "events": facts.events,
        "cpu_percent_of_core": round(100 * (finished.after.cpu_s - finished.before.cpu_s) / wall_s, 2),
        "rss_mb": round(finished.after.rss_mb, 1),
        "mb_per_hour": round(size / 1e6 / (facts.duration_s / 3600), 1) if facts.duration_s else None,
        "script_late_ms_p95": round(percentile(timeline.late_ms, 0.95), 1),
        "settings": dict(SETTINGS),
    }


def render_result(result: Mapping[str, Any]) -> str:
    """Return a result as text."""
    lines = [f"{result['app']}, seed {result['seed']}: {result['fluent_s']:.0f} s of fluent work"]
    if result["stuck_onset_s"] is not None:
        lines[0] += f", stuck ({result['stuck_kind']}) from {result['stuck_onset_s']:.0f} s on"
    for offer in result["offers"]:
        if offer["topic"] == ASKED:  # the person's own doing: no offer, so neither late nor at a wrong moment
            lines += [f"  asked for help at {offer['at_s']:.1f} s, which brought {_brought(offer)}"]
            continue
        when = f"{offer['at_s']:.1f} s" + ("" if offer["at_break"] else ", not at a break")
        if offer["delay_from_onset_s"] is not None:
            when += f", {offer['delay_from_onset_s']:.1f} s after onset"
        lines += [f"  offered at {when}: {offer['title']}", f"    {offer['reason']}"]
        lines += [f"    it brought {_brought(offer)}; answer: {offer['answer']}"]
    if not result["offers"]:
        lines.append("  no help was offered")
    cost = f"{result['cpu_percent_of_core']} % of a core, {result['rss_mb']} MB of memory, "
    cost += f"{result['mb_per_hour']} MB an hour stored"
    lines += [
        f"  false offers: {result['false_offers']}",
        f"  cost: {cost}",
        f"  session:    {result['session']}",
        f"  screenshot: {result['screenshot']}",
        *([f"  its steps:  {result['steps_screenshot']}"] if result["steps_screenshot"] else []),
        f"  report:     {result['report']}",
        f"It did NOT go as it should: {result['failure']}." if result["failure"] else "It went as it should.",
    ]
    return "\n".join(lines)


def _brought(offer: Mapping[str, Any]) -> str:
    page = offer["page"] or "no page"
    kind = "a command of the program" if page.startswith(COMMAND_ID) else "a page of help"
    return {WHAT_FOR: "the question what they look for", "no page": page}.get(page, kind)


def _work(spec: DemoSpec, user: DemoUser, work: ScriptedWork, rng: random.Random) -> str | None:
    """Let the user work and, unless only fluent work is wanted, get stuck; return how."""
    if spec.fluent_only:
        print_progress(f"fluent work for {FLUENT_ONLY_S:.0f} s; no help should be offered")
        user.work(work, seconds=FLUENT_ONLY_S, hard_negatives_first=True)
        return None
    seconds = rng.uniform(*spec.fluent_s)
    print_progress(f"fluent work for {seconds:.0f} s")
    user.work(work, seconds=seconds)
    kind = work.stuck_kinds[spec.seed % len(work.stuck_kinds)]
    print_progress(f"stuck: {kind}")
    accepted = user.struggle(work, kind)
    print_progress("the card was accepted" if accepted else "nobody came to help")
    return kind


def _offers(facts: SessionSummary, timeline: ScriptTimeline) -> list[dict[str, Any]]:
    offers = []
    for offer in facts.offers:
        judged = judge_offer(timeline, round(offer["at"] * NS_PER_S))
        offers.append(
            {
                "at_s": judged.at_s,
                "delay_from_onset_s": judged.delay_from_onset_s,
                "at_break": judged.at_break,
                "state": offer["state"],
                "help_need": offer["help_need"],
                "reason": offer["why"],
                "title": offer["title"],
                "topic": offer["topic"],
                "page": offer["page_id"],
                "answer": offer["answer"],
                "false": judged.false,
            }
        )
    return offers


def failure_of(spec: DemoSpec, offers: Sequence[Mapping[str, Any]], false: int) -> str:
    """Return why a demo did not go as it should: one offer, when needed, soon, at a break, accepted; or none at all.

    It is empty where the demo is a success. What the person asked for is no offer.
    """
    offers = [offer for offer in offers if offer["topic"] != ASKED]
    if spec.fluent_only:
        return "help was offered in fluent work" if offers else ""
    if false:
        return "an offer was false"
    if len(offers) != 1:
        return f"{len(offers)} offers came in place of one"
    offer = offers[0]
    if not offer["at_break"]:
        return "the offer did not come at a break"
    if offer["delay_from_onset_s"] > DELAY_LIMIT_S:
        return f"the offer came more than {DELAY_LIMIT_S:.0f} s after the onset"
    return "" if offer["answer"] == "accepted" else "the offer was not accepted"


def _default_folder(app: str, seed: int) -> Path:
    now = datetime.fromtimestamp(SystemClock().wall_ns() / NS_PER_S, tz=UTC).astimezone()
    return Path("demo-out") / f"{now:%Y%m%d-%H%M%S}-{app}-{seed}"


def print_progress(text: str) -> None:
    """Say on stderr what happens now."""
    print(f"demo: {text}", file=sys.stderr, flush=True)
