"""The main job where GNOME's shell or KWin shows it: `packaging/prove-wayland.sh` runs this in a view that has them."""

import random
from contextlib import closing
from pathlib import Path

import pytest

from daemon.history.decisions import ASKED
from daemon.history.summary import summarize
from demo.command import SETTINGS, DemoSpec, assess, play, session_of
from demo.on_wayland import STAGES
from demo.virtual_desktop import gnome, kwin
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.hands import ScriptLog
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock

pytestmark = [pytest.mark.display, pytest.mark.slow]


@pytest.mark.skipif(bool(gnome.MISSING), reason=f"not installed here: {gnome.MISSING}")
def test_who_is_stuck_in_gnome_is_offered_help_once(tmp_path: Path) -> None:
    """Pictures come by the portal, windows and the pointer by the extension, keys by the service.

    Whether it comes at a break is not judged: a shell that paints in software tells late that the pointer moves.
    """
    spec = DemoSpec(app="mousepad", seed=5, fluent_only=False, out=tmp_path, fluent_s=(15.0, 16.0))
    result = assess(spec, play(spec, stage=STAGES["gnome"]))
    assert ([offer["topic"] for offer in result["offers"]], result["false_offers"]) == (["undo_bursts"], 0)
    assert result["frames"] > 0


@pytest.mark.skipif(bool(kwin.MISSING), reason=f"not installed here: {kwin.MISSING}")
def test_who_asks_in_kwin_gets_a_card_that_takes_no_key(tmp_path: Path) -> None:
    """Where there is no OpenGL KWin gives no pictures, so all that is known is windows, keys, clicks and controls."""
    stage, clock = STAGES["kwin"], SystemClock()
    with stage.desktop() as desktop, closing(ScriptLog(tmp_path / "script.jsonl", clock)) as log:
        desktop.turn_accessibility_on()
        with desktop.person(log, random.Random(1), clock) as (hands, windows):
            desktop.spawn(["mousepad"], "mousepad")
            editor = windows.wait("mousepad")
            poll(lambda: windows.is_active(editor), what="the editor")
            kairos = DaemonProcess(desktop, tmp_path, settings=SETTINGS, kairos=stage.kairos(desktop))
            kairos.start()
            hands.click(editor.box.x + 200, editor.box.y + 200)
            hands.text("Some words. ")
            kairos.command("ask", "undo")
            poll(windows.card, what="a card")
            hands.text("and on it goes")
            is_active, state, status = windows.is_active(editor), kairos.state(), kairos.quit()
    facts = summarize(session_of(tmp_path, kairos, state, status, set()))
    assert [offer["topic"] for offer in facts.offers] == [ASKED]
    assert (is_active, facts.frames, facts.events > len("Some words. ")) == (True, 0, True)
