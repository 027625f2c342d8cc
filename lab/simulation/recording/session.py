"""Plays one simulated session in a process of its own: a desktop, a program, a user, and the real Kairos.

`python -m lab.simulation.recording.session FOLDER` reads `plan.json` there and leaves `script.jsonl` (every act,
with how late it came, what went wrong and how it ended), `labels.jsonl` and the recorded session. Labels are written as
soon as they are known, so that whatever ends this process costs only what was not yet acted out. A behavior that went
wrong, or after which the program does not come back, has no label.
"""

import ctypes
import hashlib
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import Windows, open_display
from lab.simulation.behaviors import Need, ScriptedStretch
from lab.simulation.persona import Split, persona_of
from lab.simulation.recording.labels import FAILURES, Label, write_labels
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.acting import stretches_of
from lab.simulation.tasks.plan import plan_tasks
from lab.simulation.tasks.registry import load_task_program
from lab.simulation.tasks.task import TaskScene
from storage.clock import NS_PER_S, Clock, SystemClock
from storage.errors import EnvironmentFault, KairosError

SETTINGS: Mapping[str, str] = {
    "fence.cover_unknown_browsers": "false",
    "capture.understand_controls": "on",
    "capture.read_outputs": "on",
}
"""What the recording changes: the browser here has a fresh profile and nothing private, and controls are understood."""

PLAN, SCRIPT, LABELS = "plan.json", "script.jsonl", "labels.jsonl"
OVERTIME = 1.2
"""A session that takes longer than planned ends after so much of its time."""

_HASHED = {".py", ".html", ".toml"}
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_REST_S = 1.1
_ACT_FAILURES = (LookupError, EnvironmentFault)
"""What a behavior raises when something did not happen; anything else is a bug and ends the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSpec:
    """One session: all that happens in it follows from these."""

    name: str
    seed: str
    person: int
    program: str
    split: Split
    seconds: float
    video: bool = False


class SessionPlayer:
    """Acts out a session plan and labels what was done; `save` is called whenever there is a new label."""

    def __init__(
        self,
        user: SimulatedUser,
        log: ScriptLog,
        clock: Clock,
        *,
        program: str,
        settle: Callable[[], None],
        is_recording: Callable[[], bool],
        save: Callable[[Sequence[Label]], None],
    ) -> None:
        """Begin with nothing done; `settle` brings the program back to where work goes on."""
        self.labels: list[Label] = []
        self._user = user
        self._settle = settle
        self._log = log
        self._clock = clock
        self._program = program
        self._is_recording = is_recording
        self._save = save

    def play(self, stretches: Sequence[ScriptedStretch], *, limit_s: float) -> str | None:
        """Do one behavior after the other; return why the plan could not be completed, or None."""
        end_ns = self._clock.now_ns() + int(limit_s * NS_PER_S)
        for stretch in stretches:
            if self._clock.now_ns() >= end_ns:
                return None
            self._user.think(_REST_S)
            label = self._act(stretch)
            if not self._is_recording():
                return "Kairos ended before the story did"
            if not self._settles():
                return f"{self._program} did not come back after {stretch.meaning.name}"
            if label is not None:
                self.labels.append(label)
                self._save(self.labels)
        return None

    def _act(self, stretch: ScriptedStretch) -> Label | None:
        behavior, user = stretch.meaning, self._user
        start_ns = self._log.write("behavior", name=behavior.name, seconds=round(stretch.seconds, 1))
        user.begin(stretch.seconds)
        try:
            stretch.act()
        except _ACT_FAILURES as error:
            self._log.write("broken", name=behavior.name, why=f"{type(error).__name__}: {error}")
            return None
        need_from_ns = {
            Need.NEVER: None,
            Need.AFTER_FAILURES: user.failures_ns[FAILURES - 1] if len(user.failures_ns) >= FAILURES else None,
            Need.FROM_START: start_ns,
        }[behavior.need]
        return Label(
            behavior=behavior.name,
            state=behavior.state,
            start_ns=start_ns,
            end_ns=self._log.write("behavior_end", name=behavior.name),
            need_from_ns=need_from_ns,
            hard_negative=behavior.hard_negative,
            held_out=behavior.held_out,
            program=self._program,
            intent=behavior.intent,
            help=behavior.help,
        )

    def _settles(self) -> bool:
        for _ in range(2):
            try:
                self._settle()
            except _ACT_FAILURES as error:
                self._log.write("unsettled", why=f"{type(error).__name__}: {error}")
            else:
                return True
        return False


def play(spec: SessionSpec, folder: Path) -> None:
    """Play a session into `folder`.

    Raises:
        EnvironmentFault: the desktop, the program or Kairos did not come up.
    """
    from lab.simulation.scenery.desktop import DesktopHelpers

    clock = SystemClock()
    rng = random.Random(f"hands {spec.seed} {spec.person} {spec.program}")  # noqa: S311  # a script, no secret
    with VirtualDesktop(a11y=True) as desktop:
        desktop.turn_accessibility_on()
        log = ScriptLog(folder / SCRIPT, clock)
        display = open_display(desktop.env)
        kairos = DaemonProcess(desktop, folder, settings=SETTINGS, headless=True, recording=spec.video)
        try:
            hands = Hands(display, log, rng, clock)
            user = SimulatedUser(hands, Windows(display), log, clock=clock, persona=persona_of(spec.person))
            program = load_task_program(spec.program)(user)
            program.open(desktop)
            stretches = _stretches(spec, TaskScene(user, program, DesktopHelpers(user, desktop)))
            log.write("program", versions=versions_of(program.packages), catalogue=simulation_code_hash())
            kairos.start()
            _save(folder / LABELS, [])  # from here on others may start: this one is up
            hands.wait(0.1)  # nothing was due while all this started
            player = SessionPlayer(
                user,
                log,
                clock,
                program=spec.program,
                settle=program.settle,
                is_recording=lambda: kairos.process is not None and kairos.process.poll() is None,
                save=lambda labels: _save(folder / LABELS, labels),
            )
            log.write("end", why=player.play(stretches, limit_s=spec.seconds * OVERTIME))
        finally:
            kairos.quit()
            log.close()
            display.close()


def _stretches(spec: SessionSpec, scene: TaskScene) -> list[ScriptedStretch]:
    """Return the plan of a session of tasks, ready to be acted out."""
    steps = plan_tasks(
        [task.name for task in scene.program.tasks()],
        seed=spec.seed,
        person=spec.person,
        program=spec.program,
        split=spec.split,
        seconds=spec.seconds,
    )
    return stretches_of(steps, scene)


def simulation_code_hash(folder: Path = Path(__file__).parents[1]) -> str:
    """Return a hash of the code and data of all programs, tasks and plans: with others a seed gives others."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _HASHED):
        code = hashlib.sha256(path.read_bytes()).hexdigest()
        found.update(f"{path.relative_to(folder).as_posix()} {code}\n".encode())
    return found.hexdigest()


def versions_of(packages: str) -> dict[str, str]:
    """Return the versions of installed Debian packages; none where there is no dpkg, or no package is named."""
    if not packages.split():
        return {}  # asked about none, dpkg-query lists all
    try:
        query = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *packages.split()],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return {}
    return dict(sorted(line.split() for line in query.stdout.splitlines() if len(line.split()) == 2))  # noqa: PLR2004


def _save(path: Path, labels: Sequence[Label]) -> None:
    beside = path.with_suffix(".part")
    write_labels(beside, labels)
    beside.replace(path)


def _exit_on_signal(number: int, _: Any) -> None:
    """End in order on a signal: Kairos closes its log, and the desktop goes away."""
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def main(folder: Path, parent: int) -> int:
    """Play the session that is planned in `folder`; ends when the process `parent`, which started this one, does."""
    signal.signal(signal.SIGTERM, _exit_on_signal)
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)
    if os.getppid() != parent:
        return 1
    spec = msgspec.json.decode((folder / PLAN).read_bytes(), type=SessionSpec)
    try:
        play(spec, folder)
    except KairosError as error:
        print(error.what, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
