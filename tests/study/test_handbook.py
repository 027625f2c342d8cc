"""The commands of the handbook run as they stand there, from nothing to a report, with a real broker."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from storage.clock import SystemClock

HANDBOOK = Path(__file__).parents[2] / "docs" / "studies.md"
COMMANDS = 12

SERVERS = ("broker my-study --out my-broker --run", "collect ")
FILLED = {"fill-in.example.org": "127.0.0.1", "<you@example.org>": "<ada@example.org>"}
START_S = 20.0


def commands() -> list[str]:
    block = HANDBOOK.read_text().split("twelve commands", 1)[1].split("```")[1]
    lines = (line.split("#")[0].strip() for line in block.splitlines())
    return [line for line in lines if line]


class Machine:
    """A folder to work in, with one data folder for whoever takes part."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            **os.environ,
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_RUNTIME_DIR": str(folder / "run"),
        }
        self.env.pop("DISPLAY", None)
        (folder / "run").mkdir(mode=0o700)

    def argv(self, command: str) -> list[str]:
        program, *words = shlex.split(command)
        assert program == "kairos"
        for at, word in enumerate(words):
            if word == "001-ID.kairos-invitation":
                (found,) = (self.folder / "my-study" / "invitations").glob("001-*")
                words[at] = str(found)
        if words[1] == "join":
            words += ["--agree", "aggregates,questions"]  # the test has no terminal to be asked on
        return [str(Path(sys.executable).with_name("kairos")), *words]

    def run(self, command: str) -> str:
        done = subprocess.run(
            self.argv(command),
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    @contextmanager
    def serving(self, command: str, until: str) -> Iterator[None]:
        log = self.folder / f"{len(list(self.folder.glob('*.log')))}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.argv(command), cwd=self.folder, env=self.env, stdout=output, stderr=subprocess.STDOUT
            )
        try:
            deadline_ns = SystemClock().now_ns() + int(START_S * 1e9)
            while until not in log.read_text():
                assert process.poll() is None, log.read_text()
                assert SystemClock().now_ns() < deadline_ns, log.read_text()
                SystemClock().sleep_s(0.1)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_S)

    def fill_in(self) -> None:
        """Do what the handbook says between the commands, with a free port of this machine."""
        plan, consent = self.folder / "my-study" / "study.toml", self.folder / "my-study" / "consent.en.md"
        text = plan.read_text()
        for unfilled, filled in FILLED.items():
            text = text.replace(unfilled, filled)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            text = text.replace("port = 8883", f"port = {free.getsockname()[1]}")
        plan.write_text(re.sub(r"FILL-IN: ?", "", text))
        consent.write_text(re.sub(r"FILL-IN: ?", "", consent.read_text()))


def test_the_handbook_has_twelve_commands() -> None:
    """Whoever adds a thirteenth says so in the heading."""
    assert len(commands()) == COMMANDS


@pytest.mark.slow
def test_from_nothing_to_a_report(tmp_path: Path) -> None:
    """What a participant sends is in the report's tables; a report before anything came says so (the control)."""
    if shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        pytest.skip("mosquitto is not installed")
    machine = Machine(tmp_path)
    before: list[str] = []
    servers: list[str] = []
    after: list[str] = []
    for command in commands():
        if command.removeprefix("kairos study ").startswith(SERVERS):
            servers.append(command)
        else:
            (after if servers else before).append(command)
    broker, collect = servers
    for command in before:
        machine.run(command)
        if " create " in command:
            machine.fill_in()
    with machine.serving(broker, "listens on port"), machine.serving(collect, "collecting at"):
        said = {command.split()[2]: machine.run(command) for command in after}
    assert "1 received" in said["work"]
    assert "1 opened" in said["open"]
    assert (tmp_path / "my-study" / "opened" / "tables.duckdb").exists()
    page = (tmp_path / "my-study" / "report.html").read_text()
    assert "masked" in page.lower()
