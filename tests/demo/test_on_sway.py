"""The main job of a Wayland session: who asks gets a card, and goes on typing."""

from pathlib import Path

import pytest

from daemon.cli.main import main
from demo.on_sway import play


@pytest.mark.display
def test_who_asks_under_sway_gets_a_card_that_takes_no_key(tmp_path: Path) -> None:
    """The screen and the typing were seen, nothing was offered unasked, and the session replays to the same rows."""
    result = play(tmp_path, seed=2)
    assert result["failure"] is None
    assert len(result["asked"]) == 1
    assert main(["replay", result["session"], "--check"]) == 0
