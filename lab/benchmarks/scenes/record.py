"""Plays one scene on a virtual desktop beside the real Kairos, which watches and offers nothing.

What is left is what `kairos demo` leaves: the script's own log and the session, with `scene.json` in place of its
result. Calm scenes have no attempt in their log, so every offer in them is false.
"""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path

from daemon.text import print_progress
from demo.judge import FAILURES, parse_script, percentile, read_script
from demo.user import DemoUser
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import Windows, open_display
from lab.benchmarks.scenes.acting import SceneProgram
from lab.benchmarks.scenes.catalogue import SCENES, Half, Scene
from lab.benchmarks.scenes.programs.calculator import CalculatorScenes
from lab.benchmarks.scenes.programs.code import BasicScenes, CodeBlocksScenes, IdleScenes, SciteScenes
from lab.benchmarks.scenes.programs.editors import (
    KWRITE,
    TEXT_EDITOR,
    L3afpadScenes,
    MousepadScenes,
    NotesScenes,
    ShopScenes,
    WriterScenes,
)
from lab.benchmarks.scenes.programs.figures import FiguresScenes
from lab.benchmarks.scenes.programs.files import CAJA, DOLPHIN, NEMO, FilesScenes
from lab.benchmarks.scenes.programs.page import PageScenes
from lab.benchmarks.scenes.programs.painting import PaintingScenes
from lab.benchmarks.scenes.programs.reader import MUPDF, QPDFVIEW, ReaderScenes
from lab.benchmarks.scenes.programs.sheet import CalcScenes, SheetsScenes
from lab.benchmarks.scenes.programs.terminal import TerminalScenes
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.session.log import list_sessions

ABOUT, SCRIPT = "scene.json", "script.jsonl"
SETTINGS: Mapping[str, str] = {
    "policy.quiet_start_s": "0",
    "policy.name": "silent",
    "capture.understand_controls": "on",
    "capture.read_outputs": "on",
}
LEAD_IN_S = (18.0, 26.0)
STUCK_S = 50.0
"""How long somebody stays stuck after the second attempt in vain."""

CALM_S = 70.0
_HESITATION_S = (1.5, 5.0)

PROGRAMS: Mapping[str, Callable[[DemoUser, bool], SceneProgram]] = {
    "mousepad": lambda user, _: MousepadScenes(user),
    "shop": lambda user, _: ShopScenes(user),
    "calc": lambda user, _: CalcScenes(user),
    "writer": lambda user, _: WriterScenes(user),
    "l3afpad": lambda user, _: L3afpadScenes(user),
    "firefox": lambda user, stuck: PageScenes(user, "firefox", accepts=not stuck),
    "chromium": lambda user, stuck: PageScenes(user, "chromium", accepts=not stuck),
    "calculator": lambda user, _: CalculatorScenes(user, "mate-calc", "Mate-calc"),
    "drawing": lambda user, _: PaintingScenes(user),
    "caja": lambda user, _: FilesScenes(user, CAJA),
    "qpdfview": lambda user, _: ReaderScenes(user, QPDFVIEW),
    "nemo": lambda user, _: FilesScenes(user, NEMO),
    "mupdf": lambda user, _: ReaderScenes(user, MUPDF),
    "xterm": lambda user, _: TerminalScenes(user),
    "dolphin": lambda user, _: FilesScenes(user, DOLPHIN),
    "gnome-calculator": lambda user, _: CalculatorScenes(user, "gnome-calculator", "gnome-calculator"),
    "gnome-text-editor": lambda user, _: NotesScenes(user, TEXT_EDITOR),
    "kwrite": lambda user, _: NotesScenes(user, KWRITE),
    "scite": lambda user, _: SciteScenes(user),
    "basic256": lambda user, _: BasicScenes(user),
    "codeblocks": lambda user, _: CodeBlocksScenes(user),
    "calligra-sheets": lambda user, _: SheetsScenes(user),
    "idle": lambda user, _: IdleScenes(user),
    "inkscape": lambda user, _: FiguresScenes(user),
}


def record_all(folder: Path, seed: int, half: Half | None) -> None:
    """Record the scenes of a half, or all, that were not recorded with this seed."""
    for scene in SCENES:
        if half in (None, scene.half) and not (_folder(folder, scene, seed) / ABOUT).exists():
            print_progress(f"recording {scene.name}")
            record(scene, seed, folder)


def _folder(folder: Path, scene: Scene, seed: int) -> Path:
    return folder / f"{scene.name}-{seed}"


def record(scene: Scene, seed: int, folder: Path) -> Path:
    """Play a scene and return its folder in `folder`.

    Raises:
        EnvironmentFault: the desktop, the program or Kairos did not come up, or Kairos left no session.
    """
    out = _folder(folder, scene, seed)
    out.mkdir(parents=True, exist_ok=True)
    clock = SystemClock()
    rng = random.Random(f"{scene.name} {seed}")  # noqa: S311  # a script, no secret
    with VirtualDesktop(a11y=True) as desktop:
        desktop.turn_accessibility_on()
        log = ScriptLog(out / SCRIPT, clock)
        display = open_display(desktop.env)
        try:
            user = DemoUser(Hands(display, log, rng, clock), Windows(display), log, clock=clock, on_card=lambda: None)
            program = PROGRAMS[scene.program](user, scene.stuck)
            program.open(desktop)
            kairos = DaemonProcess(desktop, out, settings=SETTINGS)
            kairos.start()
            _play(scene, user, program, rng)
            desktop.screenshot(out / "screenshot.png")
            log.write("end")
            status = kairos.quit()
        finally:
            log.close()
            display.close()
    sessions = list_sessions(out / "sessions")
    if status != 0 or len(sessions) != 1:
        raise EnvironmentFault(f"Kairos left {len(sessions)} sessions in {out}", remedy=f"see {kairos.log}")
    late_ms = percentile(parse_script(read_script(out / SCRIPT)).late_ms, 0.95)
    about = {"scene": scene.name, "seed": seed, "session": sessions[0].name, "late_ms_p95": round(late_ms, 1)}
    (out / ABOUT).write_text(json.dumps(about) + "\n")
    return out


def _play(scene: Scene, user: DemoUser, program: SceneProgram, rng: random.Random) -> None:
    program.begin(rng.uniform(*LEAD_IN_S))
    if not scene.stuck:
        end_ns = user.clock.now_ns() + int(CALM_S * NS_PER_S)
        while user.clock.now_ns() < end_ns:
            program.calm[scene.kind]()
            user.read(0.5, 1.5)
        return
    user.log.write("phase", name="stuck", stuck_kind=scene.kind)
    failed = 0
    until_ns: int | None = None
    while until_ns is None or user.clock.now_ns() < until_ns:
        program.in_vain[scene.kind]()
        failed_ns = user.log.write("attempt", thing=scene.kind, outcome="failed")
        failed += 1
        if failed == FAILURES:
            until_ns = failed_ns + int(STUCK_S * NS_PER_S)
        user.hands.pause(rng.uniform(*_HESITATION_S), "at a loss")
