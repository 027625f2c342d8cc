"""The project stays within the size that `packaging/house.toml` allows."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMITS = ROOT / "packaging" / "house.toml"


def house(limits: Path) -> subprocess.CompletedProcess[str]:
    """Measure the project beside some limits."""
    return subprocess.run(
        [sys.executable, ROOT / "packaging" / "house", "--limits", limits, "--list"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_project_is_within_its_limits() -> None:
    """Whoever raises a limit says why; nobody passes one unnoticed."""
    done = house(LIMITS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_control_a_limit_that_is_missed_is_named(tmp_path: Path) -> None:
    """A limit below the figure of today fails, and the line of that figure says so."""
    lowered = tmp_path / "house.toml"
    limits = LIMITS.read_text(encoding="utf-8")
    text, changes = re.subn(r"^product = \S+", "product = 1_000", limits, flags=re.MULTILINE)
    lowered.write_text(text, encoding="utf-8")
    done = house(lowered)
    assert (changes, done.returncode) == (1, 1), done.stderr
    assert re.search(r"^MISSED +lines\.product +[\d,]+ of +1,000$", done.stdout, re.MULTILINE)
