"""A person at a virtual desktop, for packaging/prove-deb.sh.

Usage: prove_session.py before|silent|after|forget FOLDER

Runs with Debian's python3 and python3-pyatspi, never with what it tries: it starts `kairos` from PATH, reads and
presses its windows by the accessibility bus, and reads its command line. Needs DISPLAY, a session bus and Mousepad.

    before  agrees in the consent window, works until an offer comes, presses "Don't offer this again", ends Kairos;
            writes what there is then to FOLDER/before.json
    silent  starts a package that was installed over an earlier build's: it asks for consent, and while nobody answers
            it watches nothing, stores no session and shows no offer, whatever happens; ends it
    after   starts it again: nothing is asked, all of before.json is still there and readable, the muted topic is not
            offered; leaves Kairos running
    forget  asks for help, follows "Show me" to the steps of a page, and forgets the last 10 minutes in the small window
            that Kairos offers where no panel shows icons; leaves Kairos running
"""

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyatspi

WAIT_S = 60.0
MUTE = "Don't offer this again"
# The detector by rules, no quiet minutes at the start and offers at any moment, so that a minute is enough.
EAGER = (
    "--detector",
    "evidence",
    "--policy",
    "always",
    "--set",
    "policy.quiet_start_s=0",
    "--set",
    "policy.cooldown_s=5",
)
STATE = Path.home() / ".local" / "state" / "kairos"


def main() -> int:
    """Carry out one part; return the exit status."""
    part, folder = sys.argv[1], Path(sys.argv[2])
    return {"before": before, "silent": silent, "after": after, "forget": forget}[part](folder)


def before(folder: Path) -> int:
    """Agree, be offered help, mute it, end."""
    editor = subprocess.Popen(["mousepad"])
    kairos = start("kairos", "run", *EAGER)
    press("Start watching", first="journal")
    wait("watching", lambda: status() == "watching")
    say("consent given in its window; Kairos watches")
    until_card(MUTE)
    say("an offer is on the screen")
    screenshot(folder / "offer.png")
    press(MUTE, first="Other answers")
    wait("the mute", lambda: bool(ask("why", "--learned")["muted"]))
    say("pressed: don't offer this again")
    command("kairos", "quit")
    kairos.wait(WAIT_S)
    editor.terminate()
    (folder / "before.json").write_text(json.dumps(facts(), indent=1), encoding="utf-8")
    return 0


def silent(folder: Path) -> int:
    """Start on the data of an earlier build: asked again, and silent until the answer."""
    earlier = stored()
    editor = subprocess.Popen(["mousepad"])
    kairos = start("kairos", "run", *EAGER)
    wait("the consent window", lambda: find_journal() is not None)
    screenshot(folder / "asked-again.png")
    for _ in range(3):
        work()
    shown = [what for what in (MUTE, "Other answers") if find(what) is not None]
    wrong = [
        *(f"it says that it is {state}" for state in [status()] if state == "watching"),
        *(f"it shows {what!r}" for what in shown),
        *(f"it stored {name}" for name in sorted(stored() - earlier)),
    ]
    for what in wrong:
        say(f"WITHOUT CONSENT: {what}")
    if not wrong:
        say("asked for consent again; until then nothing is watched, stored or offered")
    kairos.terminate()
    kairos.wait(WAIT_S)
    editor.terminate()
    return 1 if wrong else 0


def stored() -> set[str]:
    """Return the names of the sessions that are stored."""
    folder = STATE / "sessions"
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def after(folder: Path) -> int:
    """Start again after the package was installed over itself."""
    old, new = json.loads((folder / "before.json").read_text(encoding="utf-8")), facts()
    wrong = [name for name in old if name != "version" and new[name] != old[name]]
    for name in wrong:
        say(f"NOT KEPT: {name}: {old[name]} became {new[name]}")
    if wrong:
        return 1
    say(f"kept from {old['version']} to {new['version']}: {', '.join(sorted(set(old) - {'version'}))}")
    editor = subprocess.Popen(["mousepad"])
    start("kairos", "run", *EAGER)
    wait("watching without being asked again", lambda: status() == "watching")
    say("it watches, and asked nothing")
    muted = set(new["muted"])
    held = wait("a moment that the mute holds", lambda: bool(work() or _held()), 180.0)
    say(f"the muted topic stays muted: {sorted(muted)}" if held else "")
    editor.terminate()
    return 0


def forget(folder: Path) -> int:
    """Ask, read the page, and forget what was seen: the rest of a first day."""
    editor = subprocess.Popen(["mousepad"])
    wait("the editor", lambda: bool(command("xdotool", "search", "--onlyvisible", "--class", "mousepad", ok=(0, 1))))
    command("kairos", "ask", "find a command")
    wait("a card for who asks", lambda: find("You asked: find a command") is not None)
    wait("the steps of the page", lambda: find("Next: Step 1:") is not None)
    screenshot(folder / "asked.png")
    say("asked for help; the steps of a page are on the card")
    press("Close", first="Did not help")
    press("Forget the last 10 minutes", first="Open a small window")
    wait("the question", lambda: find("Forget it") is not None)
    screenshot(folder / "forget.png")
    earlier = set(STATE.joinpath("sessions").iterdir())
    press("Forget it", first="Keep it")
    wait("what was deleted", lambda: find("Forgotten") is not None)
    screenshot(folder / "forgotten.png")
    left = earlier & set(STATE.joinpath("sessions").iterdir())
    say(f"forgot the last 10 minutes: of {len(earlier)} sessions {len(left)} are left")
    editor.terminate()
    return 1 if left else 0


def facts() -> dict[str, Any]:
    """Return what an upgrade must keep: digests of sessions, consent, what was learned, and that all is readable."""
    version = command("dpkg-query", "--show", "--showformat=${Version}", "kairos-assistant")
    listed = ask("sessions", "list")["sessions"]
    sessions = {}
    for path in sorted((STATE / "sessions").iterdir()):
        verified = ask("sessions", "verify", str(path))
        files = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(path.iterdir())}
        sessions[path.name] = {
            "files": files,
            "frames": verified["frames"],
            "events": verified["events"],
            "ok": verified["ok"],
        }
    if not sessions or len(listed) != len(sessions):
        raise SystemExit(f"there are {len(sessions)} sessions, and {len(listed)} are listed")
    learned = ask("why", "--learned")
    checks = {
        check["name"]: check["says"] for check in json.loads(command("kairos", "doctor", "--json", ok=(0, 3)))["checks"]
    }
    return {
        "version": version,
        "sessions": sessions,
        "muted": sorted(learned["muted"]),
        "answers": len(learned["answers"]),
        "consent": checks["consent"],
    }


def until_card(name: str) -> None:
    """Work until an offer is there."""
    wait("an offer", lambda: bool(work() or find(name) or find("Other answers")), 180.0)


def work() -> None:
    """Do as somebody who is stuck: write something and take it all back, then click in vain on the empty page."""
    command("xdotool", "type", "--delay", "60", "  - some words ")
    time.sleep(0.8)
    for _ in range(6):
        command("xdotool", "key", "ctrl+z")
        time.sleep(0.35)
    for _ in range(4):
        command("xdotool", "mousemove", "800", "600", "click", "1")
        time.sleep(0.4)
    time.sleep(2.5)


def _held() -> bool:
    """Tell whether the mute has held an offer back."""
    return "muted" in command("kairos", "why", "--last", "10m", "--json")


# ---------------------------------------------------------------- the accessibility bus


def elements() -> Iterator[Any]:
    """Yield everything that Kairos shows."""
    for application in pyatspi.Registry.getDesktop(0):
        if application is None or "kairos" not in f"{application.name} {_command(application)}".lower():
            continue
        waiting = [application]
        while waiting:
            one = waiting.pop()
            yield one
            waiting += [child for child in one if child is not None]


def _command(application: Any) -> str:
    try:
        return Path(f"/proc/{application.get_process_id()}/cmdline").read_text(encoding="utf-8")
    except OSError:
        return ""


def find(name: str) -> Any:
    """Return the control that is shown under this name, or one that begins like it; None if there is none."""
    try:
        for element in elements():
            if element.name.replace("&", "").startswith(name) and element.getState().contains(pyatspi.STATE_SHOWING):
                return element
    except Exception:  # noqa: BLE001  # a window that goes meanwhile
        return None
    return None


def press(name: str, *, first: str) -> None:
    """Press a control; press another one first where it is not there or takes no press yet."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        one = find(name)
        if one is not None and one.getState().contains(pyatspi.STATE_ENABLED):
            one.queryAction().doAction(0)
            return
        other = find_journal() if first == "journal" else find(first)
        if other is not None:
            other.queryAction().doAction(0)
        time.sleep(0.7)
    raise SystemExit(
        f"no control {name!r} to press; there are: {[element.name for element in elements() if element.name]}"
    )


def find_journal() -> Any:
    """Return the first tick box of the consent window that is not ticked: the journal."""
    boxes = [element for element in elements() if element.getRole() == pyatspi.ROLE_CHECK_BOX]
    boxes = [box for box in boxes if "journal" in box.name.lower()]
    return boxes[0] if boxes and not boxes[0].getState().contains(pyatspi.STATE_CHECKED) else None


# ---------------------------------------------------------------- commands


def status() -> str:
    """Return what the running Kairos says of itself; empty where none answers."""
    done = subprocess.run(["kairos", "status", "--json"], capture_output=True, text=True, check=False)
    return str(json.loads(done.stdout)["state"]) if done.returncode == 0 else ""


def ask(*words: str) -> Any:
    """Return the JSON object of a command."""
    return json.loads(command("kairos", *words, "--json"))


def command(*words: str, ok: tuple[int, ...] = (0,)) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in ok:
        raise SystemExit(f"{' '.join(words)}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def start(*words: str) -> subprocess.Popen[bytes]:
    """Start a program that goes on."""
    return subprocess.Popen(words, start_new_session=True)


def wait(what: str, happened: Callable[[], bool], limit_s: float = WAIT_S) -> bool:
    """Wait for something, or end."""
    deadline = time.monotonic() + limit_s
    while not happened():
        if time.monotonic() > deadline:
            screenshot(Path(sys.argv[2]) / "failed.png")
            shown = [
                element.name
                for element in elements()
                if element.name and element.getState().contains(pyatspi.STATE_SHOWING)
            ]
            raise SystemExit(f"waited {limit_s:.0f} s in vain for: {what}; there are: {shown}")
        time.sleep(0.3)
    return True


def screenshot(path: Path) -> None:
    """Keep what is on the screen."""
    subprocess.run(["sh", "-c", f"xwd -root -silent >{path.with_suffix('.xwd')}"], check=True)


def say(text: str) -> None:
    """Say how far it is."""
    print(f"   {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
