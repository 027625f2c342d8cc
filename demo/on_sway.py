"""`kairos demo --desktop sway`: a Wayland session, a real program, and somebody who asks.

Without keys and clicks the detector says "unknown", so there is no offer to wait for: the scripted person works, asks
for help, and goes on typing while the card is there.
"""

import argparse
import json
import random
from pathlib import Path
from typing import Any

from daemon.history.decisions import ASKED
from daemon.history.report import read_session, report_page
from daemon.history.summary import summarize
from demo.command import NOTE, REPORT, RESULT, SETTINGS, out_folder, print_progress, session_of
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.sample_text import sentence
from demo.virtual_desktop.sway import SwayDesktop
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from storage.session.log import list_sessions

APP = "mousepad"
_SENTENCES = 4
_PAINTED_S = 1.0


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos demo --desktop sway`."""
    out = out_folder(arguments)
    result = play(out, arguments.seed)
    (out / RESULT).write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result) if arguments.json else render(result))
    return 0 if result["ok"] else 1


def play(out: Path, seed: int) -> dict[str, Any]:
    """Start session, program and Kairos, work, ask, end everything; return the object of `--json`.

    Raises:
        EnvironmentFault: something did not come up.
    """
    clock = SystemClock()
    screenshot = out / "screenshot.png"
    known = set(list_sessions(out / "sessions"))
    rng = random.Random(seed)  # noqa: S311  # a script, no secret
    print_progress(f"starting sway, {APP} and Kairos (seed {seed})")
    with SwayDesktop() as desktop:
        desktop.turn_accessibility_on()
        desktop.spawn([APP], APP)
        desktop.wait_for(APP)
        kairos = DaemonProcess(desktop, out, settings=SETTINGS)
        kairos.start()
        for _ in range(_SENTENCES):
            desktop.type(f"{sentence(rng)} ")
        print_progress("asking how to undo")
        kairos.command("ask", "undo")
        poll(lambda: any(window.title == "Kairos offer" for window in desktop.windows.list_all()), what="a card")
        desktop.type("and on it goes")
        clock.sleep_s(_PAINTED_S)
        desktop.screenshot(screenshot)
        front = [view.get("app_id") for view in desktop.views() if view["focused"]]
        state, status = kairos.state(), kairos.quit()
    session = session_of(out, kairos, state, status, known)
    (out / REPORT).write_text(report_page([read_session(session)], note=NOTE), encoding="utf-8")
    facts = summarize(session)
    asked = [offer["title"] for offer in facts.offers if offer["topic"] == ASKED]
    failures = (
        ("no card came for who asked", not asked),
        ("help was offered unasked", len(asked) != len(facts.offers)),
        ("the card took the focus", front != [APP]),
        ("nothing of the screen was seen", not facts.frames),
        ("nothing of the typing was told", not facts.events),
    )
    failure = next((why for why, so in failures if so), None)
    return {
        "ok": failure is None,
        "failure": failure,
        "desktop": "sway",
        "app": APP,
        "seed": seed,
        "session": str(session),
        "screenshot": str(screenshot),
        "report": str(out / REPORT),
        "asked": asked,
        "frames": facts.frames,
        "events": facts.events,
    }


def render(result: dict[str, Any]) -> str:
    """Return a result as text."""
    return "\n".join(
        (
            f"{result['app']} under sway: {result['frames']} frames and {result['events']} events of input seen",
            f"  asked for help, shown: {', '.join(result['asked']) or 'nothing'}",
            "  offered unasked: nothing, because keys and clicks are not told on this desktop",
            f"  session:    {result['session']}",
            f"  screenshot: {result['screenshot']}",
            f"  report:     {result['report']}",
            f"It did NOT go as it should: {result['failure']}." if result["failure"] else "It went as it should.",
        )
    )
