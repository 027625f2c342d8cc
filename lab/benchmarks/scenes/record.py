"""Plays one scene on a virtual desktop beside the real Kairos, which watches and offers nothing.

What is left is what `kairos demo` leaves: the script's own log and the session, with `scene.json` in place of its
result. Calm scenes have no attempt in their log, so every offer in them is false.
"""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path

from demo.judge import FAILURES, parse_script, percentile, read_script
from demo.programs import CalcWork, MousepadWork, WebWork, WriterWork
from demo.user import DemoUser
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import Windows, open_display
from lab.benchmarks.scenes.acting import SceneProgram, WindowScenes
from lab.benchmarks.scenes.catalogue import SCENES, Half, Scene
from lab.benchmarks.scenes.programs import demo_programs
from lab.benchmarks.scenes.programs.code import BasicScenes, CodeBlocksScenes, IdleScenes, SciteScenes
from lab.benchmarks.scenes.programs.demo_programs import DemoScenes
from lab.benchmarks.scenes.programs.windows import (
    DOLPHIN,
    FiguresScenes,
    FilesScenes,
    PageScenes,
    PaintingScenes,
    ReaderScenes,
    SheetsScenes,
)
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.plain_text import print_progress
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


def _calculator(command: str, app: str) -> Callable[[DemoUser, bool], SceneProgram]:
    return lambda user, _: WindowScenes(user, "calculator", command=(command,), app=app)


def _notes(*command: str, escapes: int = 1) -> Callable[[DemoUser, bool], SceneProgram]:
    values = {"escapes": str(escapes)}
    return lambda user, _: WindowScenes(
        user, "notes", command=(*command, "list.txt"), app=command[0], size=(1100, 800), values=values
    )


PROGRAMS: Mapping[str, Callable[[DemoUser, bool], SceneProgram]] = {
    "mousepad": lambda user, _: DemoScenes(user, MousepadWork(user), calm=demo_programs.MOUSEPAD),
    "shop": lambda user, _: DemoScenes(user, WebWork(user, "firefox"), calm=demo_programs.SHOP),
    "calc": lambda user, _: DemoScenes(
        user, CalcWork(user), calm=demo_programs.CALC, in_vain=demo_programs.CALC_IN_VAIN
    ),
    "writer": lambda user, _: DemoScenes(
        user, WriterWork(user), calm=demo_programs.WRITER, in_vain=demo_programs.WRITER_IN_VAIN
    ),
    "l3afpad": _notes("l3afpad", escapes=2),
    "firefox": lambda user, stuck: PageScenes(user, "firefox", accepts=not stuck),
    "chromium": lambda user, stuck: PageScenes(user, "chromium", accepts=not stuck),
    "calculator": _calculator("mate-calc", "Mate-calc"),
    "drawing": lambda user, _: PaintingScenes(user),
    "caja": lambda user, _: FilesScenes(user, "Caja"),
    "qpdfview": lambda user, _: ReaderScenes(user, "qpdfview", "ctrl+f", "F3"),
    "nemo": lambda user, _: FilesScenes(user, "Nemo"),
    "mupdf": lambda user, _: ReaderScenes(user, "MuPDF", "/", "n"),
    "xterm": lambda user, _: WindowScenes(user, "terminal"),
    "dolphin": lambda user, _: FilesScenes(user, "dolphin", DOLPHIN),
    "gnome-calculator": _calculator("gnome-calculator", "gnome-calculator"),
    "gnome-text-editor": _notes("gnome-text-editor", "--standalone"),
    "kwrite": _notes("kwrite"),
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
