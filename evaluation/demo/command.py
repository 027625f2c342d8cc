"""`kairos demo`: the main job from end to end, on a virtual desktop, with a scripted user and the real Kairos.

The user's log says when need began; offers are read from the session that Kairos left; `evaluation.demo.judge`
compares the two. Kairos knows nothing of the script.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from daemon.history.summary import Facts, gather
from evaluation.demo.calc import CalcWork
from evaluation.demo.judge import ScriptTimeline, judge_offer, parse_script, percentile, read_script
from evaluation.demo.mousepad import MousepadWork
from evaluation.demo.user import DemoUser, Work
from evaluation.stage.daemon_process import DaemonProcess, Usage
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.hands import Hands, ScriptLog
from evaluation.stage.windows import Windows, open_display
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.session.log import list_sessions

WORKS: Mapping[str, Callable[[DemoUser], Work]] = {"mousepad": MousepadWork, "calc": CalcWork}
SETTINGS: Mapping[str, str] = {"policy.quiet_start_s": "0", "detector.name": "evidence"}
"""What the demo changes: nobody wants to wait for five quiet minutes here, and its people are stuck in the few plain
ways that the evidence detector has rules for. The embedded one has seen calm people do the same, and doubts longer.
"""

RESULT = "demo.json"
FLUENT_S = (62.0, 75.0)
FLUENT_ONLY_S = 110.0
DELAY_LIMIT_S = 30.0
_PAINTED_S = 0.7
_MESSAGES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to happen: all of it follows from these."""

    app: str
    seed: int
    fluent_only: bool
    out: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What happened, before anybody judged it."""

    session: Path
    screenshot: Path | None
    script: Path
    stuck_kind: str | None
    before: Usage
    after: Usage


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos demo`."""
    out = (arguments.out or _default_folder(arguments.app, arguments.seed)).absolute()
    plan = Plan(app=arguments.app, seed=arguments.seed, fluent_only=arguments.fluent_only, out=out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / RESULT).unlink(missing_ok=True)  # of a demo before: it would not be of this script
    except OSError as error:
        raise EnvironmentFault(
            f"{out} cannot be used: {error.strerror}", remedy="give another folder: --out"
        ) from error
    happened = play(plan)
    result = assess(plan, happened)
    (out / RESULT).write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result) if arguments.json else summary(result))
    return 0 if result["ok"] else 1


def play(plan: Plan) -> Run:
    """Start everything, let the user work, end everything.

    Raises:
        EnvironmentFault: the desktop, the program or Kairos did not come up.
    """
    clock = SystemClock()
    script = plan.out / "script.jsonl"
    screenshot = plan.out / "screenshot.png"
    screenshot.unlink(missing_ok=True)
    before_sessions = set(list_sessions(plan.out / "sessions"))
    rng = random.Random(f"{plan.app} {plan.seed}")  # noqa: S311  # a script, no secret
    _say(f"starting a virtual desktop, {plan.app} and Kairos (seed {plan.seed})")
    with VirtualDesktop() as desktop:
        log = ScriptLog(script, clock)
        display = open_display(desktop.env)
        try:
            hands = Hands(display, log, rng, clock)

            def keep_picture() -> None:
                clock.sleep_s(_PAINTED_S)  # the card is mapped before it is painted
                desktop.screenshot(screenshot)
                _say("the card is on the screen")

            user = DemoUser(hands, Windows(display), log, clock=clock, on_card=keep_picture)
            work: Work = WORKS[plan.app](user)
            work.open(desktop)
            kairos = DaemonProcess(desktop, plan.out, settings=SETTINGS)
            kairos.start()
            before = kairos.usage()
            kind = _live(plan, user, work, rng)
            if not screenshot.exists():
                desktop.screenshot(screenshot)
            log.write("end")
            after = kairos.usage()
            state = kairos.state()
            status = kairos.quit()
        finally:
            log.close()
            display.close()
    for message in kairos.messages()[-_MESSAGES:]:
        _say(f"Kairos said: {message}")
    if status != 0 or state != "watching":
        raise EnvironmentFault(
            f'Kairos was "{state}" at the end and left with status {status}', remedy=f"its messages are in {kairos.log}"
        )
    made = [folder for folder in list_sessions(plan.out / "sessions") if folder not in before_sessions]
    if len(made) != 1:
        raise EnvironmentFault(f"Kairos left {len(made)} sessions instead of one", remedy=f"see {kairos.log}")
    return Run(session=made[0], screenshot=screenshot, script=script, stuck_kind=kind, before=before, after=after)


def assess(plan: Plan, happened: Run) -> dict[str, Any]:
    """Judge a run by the script's own log, and return the object of `kairos demo --json`."""
    facts = gather(happened.session)
    story = parse_script(read_script(happened.script))
    offers = _offers(facts, story)
    false = sum(1 for offer in offers if offer.pop("false"))
    answers = [offer["answer"] for offer in offers if offer["answer"] is not None]
    wall_s = (happened.after.wall_ns - happened.before.wall_ns) / NS_PER_S
    size = sum(path.stat().st_size for path in happened.session.iterdir())
    return {
        "ok": went_well(plan, offers, false),
        "session": str(happened.session),
        "screenshot": str(happened.screenshot),
        "script": str(happened.script),
        "app": plan.app,
        "seed": plan.seed,
        "stuck_kind": happened.stuck_kind,
        "fluent_s": story.seconds(story.stuck_ns or story.end_ns),
        "stuck_onset_s": None if story.onset_ns is None else story.seconds(story.onset_ns),
        "offers": offers,
        "false_offers": false,
        "feedback": answers[-1] if answers else None,
        "frames": facts.frames,
        "events": facts.events,
        "cpu_percent_of_core": round(100 * (happened.after.cpu_s - happened.before.cpu_s) / wall_s, 2),
        "rss_mb": round(happened.after.rss_mb, 1),
        "mb_per_hour": round(size / 1e6 / (facts.duration_s / 3600), 1) if facts.duration_s else None,
        "script_late_ms_p95": round(percentile(story.late_ms, 0.95), 1),
        "settings": dict(SETTINGS),
    }


def summary(result: Mapping[str, Any]) -> str:
    """Tell a result to a user."""
    lines = [f"{result['app']}, seed {result['seed']}: {result['fluent_s']:.0f} s of fluent work"]
    if result["stuck_onset_s"] is not None:
        lines[0] += f", stuck ({result['stuck_kind']}) from {result['stuck_onset_s']:.0f} s on"
    for offer in result["offers"]:
        when = f"{offer['at_s']:.1f} s" + ("" if offer["at_break"] else ", not at a break")
        if offer["delay_from_onset_s"] is not None:
            when += f", {offer['delay_from_onset_s']:.1f} s after onset"
        lines += [f"  offered at {when}: {offer['title']}", f"    {offer['reason']}", f"    answer: {offer['answer']}"]
    if not result["offers"]:
        lines.append("  no help was offered")
    cost = f"{result['cpu_percent_of_core']} % of a core, {result['rss_mb']} MB of memory, "
    cost += f"{result['mb_per_hour']} MB an hour stored"
    lines += [
        f"  false offers: {result['false_offers']}",
        f"  cost: {cost}",
        f"  session:    {result['session']}",
        f"  screenshot: {result['screenshot']}",
        "It went as it should." if result["ok"] else "It did NOT go as it should.",
    ]
    return "\n".join(lines)


def _live(plan: Plan, user: DemoUser, work: Work, rng: random.Random) -> str | None:
    """Let the user work and, unless all goes well today, get stuck; return how."""
    if plan.fluent_only:
        _say(f"fluent work for {FLUENT_ONLY_S:.0f} s; no help should be offered")
        user.work(work, seconds=FLUENT_ONLY_S, hard_negatives_first=True)
        return None
    seconds = rng.uniform(*FLUENT_S)
    _say(f"fluent work for {seconds:.0f} s")
    user.work(work, seconds=seconds)
    kind = work.stuck_kinds[plan.seed % len(work.stuck_kinds)]
    _say(f"stuck: {kind}")
    accepted = user.struggle(work, kind)
    _say("the card was accepted" if accepted else "nobody came to help")
    return kind


def _offers(facts: Facts, story: ScriptTimeline) -> list[dict[str, Any]]:
    offers = []
    for offer in facts.offers:
        judged = judge_offer(story, round(offer["at"] * NS_PER_S))
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
                "answer": offer["answer"],
                "false": judged.false,
            }
        )
    return offers


def went_well(plan: Plan, offers: list[dict[str, Any]], false: int) -> bool:
    """Tell whether it was as promised: one offer, when needed, soon, at a break, accepted; or none at all."""
    if plan.fluent_only:
        return not offers
    if len(offers) != 1 or false:
        return False
    offer = offers[0]
    return bool(offer["at_break"] and offer["delay_from_onset_s"] <= DELAY_LIMIT_S and offer["answer"] == "accepted")


def _default_folder(app: str, seed: int) -> Path:
    now = datetime.fromtimestamp(SystemClock().wall_ns() / NS_PER_S, tz=UTC).astimezone()
    return Path("demo-out") / f"{now:%Y%m%d-%H%M%S}-{app}-{seed}"


def _say(text: str) -> None:
    print(f"demo: {text}", file=sys.stderr, flush=True)
