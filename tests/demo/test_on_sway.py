"""The main job of a Wayland session: who is stuck is offered help, who asks gets a card, and either goes on typing."""

from pathlib import Path

import pytest

from daemon.cli.main import main
from daemon.history.decisions import ASKED
from daemon.history.summary import summarize
from demo.command import SETTINGS, STAGE, DemoSpec, Stage, assess, play, session_of
from demo.on_wayland import STAGES
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sway import SwayDesktop
from demo.virtual_desktop.windows import Windows, poll

APP = "mousepad"


@pytest.mark.display
def test_who_is_stuck_under_sway_is_offered_help_once(tmp_path: Path) -> None:
    """Keys have classes by the service, the card takes no focus, and the session replays to the same rows."""
    spec = DemoSpec(app=APP, seed=5, fluent_only=False, out=tmp_path, fluent_s=(15.0, 16.0))
    fronts: list[list[str]] = []

    def look(desktop: VirtualDesktop, _: Windows) -> None:
        assert isinstance(desktop, SwayDesktop)
        fronts.append([view["app_id"] for view in desktop.views() if view["focused"]])

    result = assess(spec, play(spec, look, STAGES["sway"]))
    assert (result["failure"], [offer["topic"] for offer in result["offers"]]) == (None, ["undo_bursts"])
    assert fronts == [[APP]]
    assert main(["replay", result["session"], "--check"]) == 0


@pytest.mark.display
@pytest.mark.parametrize("stage", [STAGE, STAGES["wayland"]], ids=["sway", "no pictures"])
def test_who_asks_under_sway_gets_a_card_that_takes_no_key(tmp_path: Path, stage: Stage) -> None:
    """Without the service, where nothing but that something is typed is known; and without the list of windows."""
    with SwayDesktop() as desktop:
        desktop.turn_accessibility_on()
        desktop.spawn([APP], APP)
        desktop.wait_for(APP)
        kairos = DaemonProcess(desktop, tmp_path, settings=SETTINGS, kairos=stage.kairos(desktop))
        kairos.start()
        desktop.type("Some words. ")
        kairos.command("ask", "undo")
        poll(desktop.windows.card, what="a card")
        desktop.type("and on it goes")
        front = [view.get("app_id") for view in desktop.views() if view["focused"]]
        state, status = kairos.state(), kairos.quit()
    facts = summarize(session_of(tmp_path, kairos, state, status, set()))
    assert [offer["topic"] for offer in facts.offers] == [ASKED]
    assert (front, facts.frames > 0, facts.events > 0) == ([APP], stage is STAGE, True)
