"""`kairos doctor` in sessions of sway in which something is broken: the line and the remedy of each.

Of GNOME and KDE: `test_on_gnome` and `test_on_kwin`.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from daemon.cli import doctor
from demo.virtual_desktop.sway import SwayDesktop
from storage.consent_text import CONTROLS_VERSION
from storage.files import private_folder, state_file, state_folder
from storage.state.store import Consent, StateStore
from storage.wayland import WaylandConnection
from tests.fakes.accessibility.private_bus import Answers, FakeService
from tests.fakes.commands.background import in_a_thread

pytestmark = pytest.mark.display

XWAYLAND = "install XWayland (package xwayland) and log in again"
BROKEN = {
    "SWAYSOCK": ("pictures", "start Kairos from this session of sway, which sets SWAYSOCK"),
    "DISPLAY": ("screen and input", XWAYLAND),
    "switch": ("controls", "the next start turns it on: kairos run"),
    "DBUS_SESSION_BUS_ADDRESS": ("controls", "install at-spi2-core and log in again"),
}
"""What is broken, by the variable that is wrong or missing, and which check says so with which remedy."""

NOTIFIED = "DISPLAY, with notifications"
LAYERED = "nothing: there is no XWayland, and a layer for windows of ours"


@pytest.fixture(scope="module")
def sway() -> Iterator[SwayDesktop]:
    with SwayDesktop((640, 480)) as desktop:
        yield desktop


def without_layers(offers: Callable[[WaylandConnection, str], list[int]]) -> object:
    return lambda connection, name: offers(connection, name) if "layer_shell" not in name else []


@pytest.mark.parametrize("broken", ["", *BROKEN, NOTIFIED, LAYERED])
def test_what_is_broken_has_its_line_and_remedy(
    sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """In a whole session there is none of them (the control), nor without XWayland where the compositor has layers."""
    sway.turn_accessibility_on()
    if broken == "switch":
        words = ("string:org.a11y.Status", "string:IsEnabled", "variant:boolean:false")
        sway._send("--dest=org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties.Set", *words)
    elif broken.startswith("DISPLAY") or broken == LAYERED:
        monkeypatch.delitem(sway.env, "DISPLAY")
        if broken != LAYERED:
            monkeypatch.setattr(WaylandConnection, "offers", without_layers(WaylandConnection.offers))
    elif broken in sway.env:
        monkeypatch.setitem(sway.env, broken, "unix:path=/nowhere")
    can = ["body", *["actions"] * (broken == NOTIFIED)]
    told: Answers = {("org.freedesktop.Notifications", "GetCapabilities"): ("as", [can])}
    address = sway.env["DBUS_SESSION_BUS_ADDRESS"]
    with sway.entered(), ExitStack() as stack:
        if broken.startswith("DISPLAY"):
            stack.enter_context(in_a_thread(lambda: FakeService(address, "org.freedesktop.Notifications", told)))
        private_folder(state_folder())
        with StateStore(state_file()) as state:
            state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=1, controls=CONTROLS_VERSION))
        desktop = doctor._Desktop()
        checks = (desktop.screen_and_input(), *desktop.capabilities(), desktop.controls())
    found = {check.name: check.remedy for check in checks if not check.ok}
    for variable, (name, remedy) in BROKEN.items():
        assert (found.get(name) == remedy) is (variable == broken), (found, variable)
    assert (found.get("card and ring") == XWAYLAND) is broken.startswith("DISPLAY")
