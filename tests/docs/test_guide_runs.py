"""What the guide shows is carried out as it stands there, on a virtual desktop, beside a Kairos that watches.

Each page has a home of its own and a session with a minute of work in it. `SESSION` on a page stands for that session.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.session.log import list_sessions
from tests.fakes.commands.shown_commands import blocks_of
from tests.fakes.ui.interface_process import open_editor, press

pytestmark = [pytest.mark.display, pytest.mark.slow]

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = ("first-steps", "how-it-decides", "looking-back", "models", "privacy")
COMMAND_S = 120.0


class Home:
    """A person's home on the desktop, with `kairos` on the path."""

    def __init__(self, desktop: VirtualDesktop, folder: Path) -> None:
        programs = folder / "bin"
        programs.mkdir()
        (programs / "kairos").write_text(f'#!/bin/sh\nexec {sys.executable} -m daemon.cli.main "$@"\n')
        (programs / "kairos").chmod(0o755)
        self.env = desktop.env | {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "OPENAI_API_KEY": "none",
        }
        self.folder = folder
        self.state = Path(desktop.env["XDG_STATE_HOME"]) / "kairos"

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", line],
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=COMMAND_S,
        )


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with VirtualDesktop((1280, 800), a11y=True) as desktop:
        made = Home(desktop, tmp_path)
        agreed = made.run("kairos consent --journal --recording --controls --out consent.json")
        assert agreed.returncode == 0, agreed.stderr
        consent = str(tmp_path / "consent.json")
        desktop.spawn([str(tmp_path / "bin" / "kairos"), "run", "--consent", consent], "kairos", env=made.env)
        poll(lambda: made.run("kairos status").returncode == 0, what="watching", timeout_s=90.0)
        open_editor(desktop, tmp_path / "notes.txt")
        for letter in "some words of a person at work" * 3:
            press(desktop, "space" if letter == " " else letter)
        yield made
        made.run("kairos quit")


@pytest.mark.parametrize("page", GUIDE)
def test_the_commands_of_a_page_work(home: Home, page: str) -> None:
    (session,) = list_sessions(home.state / "sessions")
    ran, wrong = 0, []
    for block in blocks_of(DOCS / f"{page}.md"):
        for line in block.lines if block.language == "sh" and not block.not_run else ():
            done = home.run(line.replace("SESSION", session.name))
            ran += 1
            print(f"$ {line}\n{done.stdout}{done.stderr}")
            if done.returncode:
                wrong.append(f"{page}.md:{block.line}: {line}: status {done.returncode}: {done.stderr.strip()}")
    assert wrong == []
    assert ran > 0


def test_a_command_that_fails_is_found(home: Home) -> None:
    """The control: a wrong option, and a session that is not there."""
    assert home.run("kairos purge --last 10m --yess").returncode == 2
    assert home.run("kairos report 1999").returncode != 0
    assert home.run("kairos status").returncode == 0
