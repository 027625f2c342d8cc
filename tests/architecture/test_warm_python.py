"""A program that begins warm is a process like any other."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.warm_python import WarmPython

pytestmark = pytest.mark.display  # no screen is needed, but there the process that forks is running anyway

PROGRAM = """
import os, sys
print(os.getppid(), os.environ.get("WORD"), os.environ.get("HOME"), os.getcwd(), *sys.argv[1:], sys.stdin.read())
sys.exit(7)
"""


def test_it_has_its_own_environment_folder_words_pipes_and_status(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    words, env, pipe = [sys.executable, str(program), "one"], {"WORD": "two"}, subprocess.PIPE
    with WarmPython(words, env=env, cwd=tmp_path, text=True, stdin=pipe, stdout=pipe) as process:
        said, _ = process.communicate("three")
    assert said.split() == [str(os.getpid()), "two", "None", str(tmp_path), "one", "three"]
    assert process.returncode == 7


def test_it_can_be_killed_and_the_next_one_begins(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import signal; print(flush=True); signal.pause()")
    for _ in range(2):
        with WarmPython([sys.executable, program], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline()
            process.kill()
            assert process.wait() == -signal.SIGKILL
