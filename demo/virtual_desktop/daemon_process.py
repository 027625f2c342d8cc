"""The real Kairos as a child process on a virtual desktop, with its own data folder, driven by its commands."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.help.library.index import LibraryIndex
from daemon.runtime.control_client import send, socket_file
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import environment, poll
from storage.clock import SystemClock
from storage.consent_text import words_digest
from storage.errors import EnvironmentFault, UsageError
from storage.files import library_file
from storage.state.store import Consent, write_consent

KAIROS = (sys.executable, "-m", "daemon.cli.main")
_READY_S = 90.0  # a busy machine takes its time
_QUIT_S = 8.0
_COMMAND_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonUsage:
    """What the daemon's process has used so far: wall and CPU time, and memory now."""

    wall_ns: int
    cpu_s: float
    rss_mb: float


class DaemonProcess:
    """`kairos run` on a desktop; sessions, state and its output go to `folder`."""

    def __init__(
        self,
        desktop: VirtualDesktop,
        folder: Path,
        *,
        settings: Mapping[str, str],
        headless: bool = False,
        recording: bool = True,
        env: Mapping[str, str] | None = None,
        kairos: Sequence[str] = KAIROS,
    ) -> None:
        """Prepare it; `settings` are overrides such as `{"policy.quiet_start_s": "0"}`, `env` adds to its environment.

        Without `recording` there is consent to the journal alone: no pictures, no titles. `kairos` is what is run.
        """
        self._kairos = kairos
        self.sessions = folder / "sessions"
        self.log = folder / "kairos-output.log"
        self.state_folder = folder / "state"
        self._desktop = desktop
        self._settings = settings
        self._headless = headless
        self._recording = recording
        self._consent = folder / "consent.json"
        self.env = {
            "XDG_STATE_HOME": str(self.state_folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PYTHONUNBUFFERED": "1",
            **(env or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Give consent, start, and wait until it watches.

        Raises:
            EnvironmentFault: it does not start.
        """
        self.prepare()
        self.launch()
        poll(self._is_watching, what="starting Kairos", timeout_s=_READY_S, remedy=f"its messages are in {self.log}")

    def prepare(self) -> None:
        """Give consent, and do what a first start would take time for.

        Raises:
            EnvironmentFault: a command failed.
        """
        given = Consent(
            journal=True,
            recording=self._recording,
            given_at_wall_ns=SystemClock().wall_ns(),
            text_sha256=words_digest(),
        )
        write_consent(given, self._consent)
        self._count_library_as_fresh()

    def launch(self) -> None:
        """Start it, prepared before, and wait for nothing."""
        argv = ["run", "--sessions", str(self.sessions), "--consent", str(self._consent)]
        argv += ["--headless"] if self._headless else []
        for key, value in self._settings.items():
            argv += ["--set", f"{key}={value}"]
        with environment(self._desktop.env | self.env):
            socket_file().unlink(missing_ok=True)  # of one that was killed
        self._process = self._desktop.spawn([*self._kairos, *argv], "kairos", env=self.env, log=self.log)

    def request(self, command: str, **details: object) -> dict[str, Any]:
        """Send a command to its socket from this process: nothing is started that would take its time.

        Raises:
            EnvironmentFault: it does not answer.
            UsageError: it refused.
        """
        with environment(self._desktop.env | self.env):
            return send(command, **details)

    def state(self) -> str:
        """Return the state that it reports ("watching"); empty if it does not answer."""
        answer = self._ask("status")
        return "" if answer is None else str(answer.get("state"))

    def messages(self) -> list[str]:
        """Return the lines it has written to its output; a run without trouble writes none."""
        return self.log.read_text(errors="replace").splitlines()

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The running process; None before `start`."""
        return self._process

    def quit(self) -> int:
        """Ask it to end, insist if it does not, and return its exit status."""
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self._ask("quit")
        try:
            return self._process.wait(_QUIT_S)
        except subprocess.TimeoutExpired:
            return self._desktop.stop(self._process)

    def usage(self) -> DaemonUsage:
        """Return what it has used.

        Raises:
            EnvironmentFault: it is not running any more.
        """
        if self._process is None or self._process.poll() is not None:
            raise EnvironmentFault("Kairos ended too early", remedy=f"its messages are in {self.log}")
        if sys.platform == "win32":  # nothing of this is built for Windows yet
            raise NotImplementedError
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        user_ticks, system_ticks, pages = int(fields[11]), int(fields[12]), int(fields[21])
        return DaemonUsage(
            wall_ns=SystemClock().wall_ns(),
            cpu_s=(user_ticks + system_ticks) / os.sysconf("SC_CLK_TCK"),
            rss_mb=pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        )

    def command(self, *words: str, timeout_s: float = _COMMAND_S) -> dict[str, Any]:
        """Run `kairos WORDS --json` against it and return the answer.

        Raises:
            EnvironmentFault: the command failed.
        """
        done = subprocess.run(
            [*KAIROS, *words, "--json"],
            env=self._desktop.env | self.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )
        if done.returncode != 0:
            raise EnvironmentFault(f"kairos {words[0]} failed: {done.stderr.strip()}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def _count_library_as_fresh(self) -> None:
        """Have nothing indexed by itself: what is installed here would be found, and cost time that is measured."""
        with LibraryIndex.open(library_file(Path(self.env["XDG_STATE_HOME"]) / "kairos")) as index:
            index.save_checked(SystemClock().wall_ns())

    def _ask(self, word: str) -> dict[str, Any] | None:
        try:
            return self.request(word)
        except (EnvironmentFault, UsageError):  # it is not there yet, or no longer
            return None

    def _is_watching(self) -> bool:
        if self._process is not None and self._process.poll() is not None:
            raise EnvironmentFault(
                f"Kairos did not start (exit status {self._process.returncode})",
                remedy=self.log.read_text(errors="replace").strip(),
            )
        return self.state() == "watching"
