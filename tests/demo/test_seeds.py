"""Ten consecutive seeds for each program: every one must go as it should, stuck and fluent."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from demo.commands import APPS

pytestmark = [pytest.mark.display, pytest.mark.slow]

FIRST_SEED = int(os.environ.get("KAIROS_FIRST_SEED", "1"))
SEEDS = range(FIRST_SEED, FIRST_SEED + 10)


@pytest.mark.parametrize("fluent_only", [False, True], ids=["stuck", "fluent"])
@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_seed_goes_as_it_should(seed: int, app: str, *, fluent_only: bool, tmp_path: Path) -> None:
    kairos = [sys.executable, "-m", "daemon.cli.main"]
    options = ["--app", app, "--seed", str(seed), *(["--fluent-only"] if fluent_only else [])]
    demo = subprocess.run(
        [*kairos, "demo", "--json", "--out", str(tmp_path / "demo"), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert demo.returncode == 0, demo.stdout + demo.stderr
    session = json.loads(demo.stdout)["session"]
    replay = subprocess.run([*kairos, "replay", session, "--check", "--json"], capture_output=True, check=False)
    assert replay.returncode == 0, replay.stdout.decode()
