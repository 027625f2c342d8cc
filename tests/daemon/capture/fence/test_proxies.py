"""Windows that show what belongs to others: switchers, panels, notifications, keyboards, and nameless connections."""

from dataclasses import replace

import pytest

from daemon.capture.fence.rules import LISTED_NS, Fence, KeyAccess, Visibility, Zones
from daemon.capture.scene import DesktopWindow, WindowKind
from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import FenceSettings
from tests.fakes.desktop.windows import BIG, LEFT, OWN_PID, RIGHT, scene, window

NOW_NS = 10 * NS_PER_S
PANEL_GROUP = 7 << 21
VAULT = window(1, "KeePassXC", box=LEFT)
CHROMIUM = window(1, "Chromium", box=LEFT, title="Some page - Chromium", role="browser")
PRIVATE = window(1, "firefox", box=LEFT, title="x — Mozilla Firefox Private Browsing", role="browser")
PANEL = window(2, "Anything", box=RIGHT, group=PANEL_GROUP, kind=WindowKind.DOCK)
BELOW = Box(0, 300, 100, 100)
TIP = window(3, None, box=Box(300, 0, 50, 20), group=PANEL_GROUP, popup=True)


def seen(*windows: DesktopWindow, hidden: tuple[DesktopWindow, ...] = (), active: int = 0) -> Fence:
    fence = Fence(FenceSettings(excluded_titles=("salary",)), OWN_PID)
    fence.update([scene(*windows, hidden=hidden, active=active)], NOW_NS)
    return fence


LISTERS = pytest.mark.parametrize(
    "lister",
    [
        pytest.param(PANEL, id="panel by its type"),
        pytest.param(replace(PANEL, app="Tint2", kind=WindowKind.PROGRAM), id="panel by its name"),
        pytest.param(replace(PANEL, app="alttab", kind=WindowKind.PROGRAM, popup=True), id="switcher by its name"),
        pytest.param(replace(PANEL, app="skippy-xd", kind=WindowKind.PROGRAM), id="overview by its name"),
        pytest.param(replace(PANEL, app="Kmag", kind=WindowKind.PROGRAM), id="magnifier by its name"),
        pytest.param(replace(PANEL, app="Fcitx5", kind=WindowKind.PROGRAM, popup=True), id="what is typed"),
        pytest.param(replace(PANEL, app="Metacity", kind=WindowKind.MANAGER, popup=True), id="switcher of the manager"),
    ],
)


@LISTERS
@pytest.mark.parametrize("listed", [VAULT, CHROMIUM, PRIVATE, window(1, "calc", title="Salary")], ids=lambda w: w.app)
def test_what_lists_windows_is_covered_while_one_is_not_to_be_seen(
    lister: DesktopWindow, listed: DesktopWindow
) -> None:
    """Also while that one is minimised; clicks and changes count, keys are open. Without such a window it is seen."""
    assert seen(window(9, "Mousepad"), lister).visibility(2) is Visibility.ALLOWED
    assert seen(listed, lister).visibility(2) is Visibility.UNKNOWN
    outline = replace(lister, xid=3, client=3, popup=True, opaque=False, outline=True)
    assert [seen(listed, replace(lister, popup=True), outline).visibility(client) for client in (2, 3)] == [
        Visibility.UNKNOWN,
        Visibility.ALLOWED,
    ]
    minimised = seen(window(9, "Mousepad", box=BELOW), lister, hidden=(listed,), active=9)
    assert minimised.visibility(2) is Visibility.UNKNOWN
    assert minimised.zones.veiled == {RIGHT}
    assert not minimised.zones.covered
    assert minimised.zones.keys is KeyAccess.OPEN


def test_tips_and_menus_of_a_panel_are_as_covered_as_the_panel() -> None:
    """A tip belongs to its program by its connection."""
    assert seen(VAULT, PANEL, TIP).visibility(3) is Visibility.UNKNOWN
    assert seen(window(9, "Mousepad"), PANEL, TIP).visibility(3) is Visibility.ALLOWED


def test_a_desktop_is_covered_by_nothing_that_its_program_lists() -> None:
    """It is as large as the screen and lies below all: with a compositor all would be covered."""
    desktop = replace(PANEL, client=8, app="plasmashell", box=BIG, kind=WindowKind.DESKTOP)
    fence = seen(desktop, VAULT, replace(PANEL, app="plasmashell"))
    assert fence.visibility(8) is Visibility.ALLOWED
    assert fence.visibility(2) is Visibility.UNKNOWN


def test_a_panel_stays_covered_until_it_has_painted_what_is_gone() -> None:
    """Its entry goes a moment after the window; a window that was only new, and is harmless, leaves nothing."""
    fence = seen(VAULT, PANEL)
    fence.update([scene(PANEL, t_ns=NOW_NS + 1)], NOW_NS + 1)
    assert fence.visibility(2) is Visibility.UNKNOWN
    fence.update([], NOW_NS + LISTED_NS)
    assert fence.visibility(2) is Visibility.UNKNOWN
    fence.update([], NOW_NS + 1 + LISTED_NS)
    assert fence.visibility(2) is Visibility.ALLOWED
    young = window(4, "Gimp", since_ns=NOW_NS)
    fence = seen(young, PANEL)
    assert fence.visibility(2) is Visibility.UNKNOWN
    fence.update([], NOW_NS + NS_PER_S // 2)
    assert fence.visibility(2) is Visibility.ALLOWED


@pytest.mark.parametrize(
    "notifier",
    [
        window(2, "Thunderbird", box=RIGHT, kind=WindowKind.NOTIFICATION, popup=True),
        window(2, "Dunst", box=RIGHT, popup=True),
        window(2, "xfce4-notifyd", box=RIGHT),
        window(2, "copyq", box=RIGHT),
        window(2, "Screenkey", box=RIGHT, popup=True),
        window(2, "flameshot", box=RIGHT),
    ],
    ids=lambda notifier: notifier.app,
)
def test_what_shows_messages_copies_keys_or_pictures_of_others_is_always_covered(notifier: DesktopWindow) -> None:
    """None tells whose they are, and they outlast that. It covers nothing else: no panel, no window of the program."""
    main = window(5, notifier.app if notifier.kind is WindowKind.NOTIFICATION else "Mousepad")
    fence = seen(main, notifier)
    assert fence.visibility(notifier.client) is Visibility.UNKNOWN
    assert fence.visibility(5) is Visibility.ALLOWED
    fence = seen(replace(PANEL, client=6), notifier)
    assert fence.visibility(6) is Visibility.ALLOWED


@pytest.mark.parametrize("app", ["Onboard", "matchbox-keyboard", "XVkbd", "florence", "Caribou", "qvkbd"])
@pytest.mark.parametrize("popup", [True, False])
def test_a_keyboard_on_the_screen_is_excluded_and_closes_no_keys(app: str, *, popup: bool) -> None:
    """Its places and pixels spell what is typed; what it sends arrives elsewhere, and is no window that lists hide."""
    typed_into = window(9, "Mousepad")
    fence = Fence(FenceSettings(), OWN_PID)
    keyboard = window(1, app, box=RIGHT, popup=popup)
    fence.update([scene(typed_into, replace(PANEL, box=LEFT), keyboard, active=9)], NOW_NS)
    assert fence.visibility(1) is Visibility.COVERED
    assert fence.zones == Zones(covered=frozenset({RIGHT}), keys=KeyAccess.OPEN)
    assert fence.visibility(2) is Visibility.ALLOWED
    fence.update([scene(typed_into, keyboard, active=1, t_ns=NOW_NS + 1)], NOW_NS + 1)
    assert fence.zones.keys is KeyAccess.CLOSED, "with the keyboard in it, it is like any excluded window"


@pytest.mark.parametrize(
    ("connected", "expected"),
    [
        pytest.param((50, 40), Visibility.COVERED, id="of its process"),
        pytest.param((60, 50, 40), Visibility.COVERED, id="of a child of its process"),
        pytest.param((40, 1), Visibility.ALLOWED, id="of what started it"),
        pytest.param((), Visibility.ALLOWED, id="unknown"),
    ],
)
def test_a_window_that_names_no_process_is_of_the_one_that_is_connected(
    connected: tuple[int, ...], expected: Visibility
) -> None:
    """An excluded program's second connection is excluded, and what its children show."""
    named = window(1, "KeePassXC", pid=50, program=frozenset({"keepassxc"}))
    assert seen(named, window(2, "Helper", box=RIGHT, connected=connected)).visibility(2) is expected
    nameless = replace(named, pid=0, connected=(50, 40))
    assert seen(nameless, window(2, "Helper", box=RIGHT, connected=connected)).visibility(2) is expected


@pytest.mark.parametrize(("connected", "expected"), [(50, Visibility.COVERED), (60, Visibility.ALLOWED)])
def test_a_window_that_names_a_process_that_is_not_its_own_is_of_the_one_that_is_connected(
    connected: int, expected: Visibility
) -> None:
    """The server knows who made its connection, also where a dead process is named, or another program's."""
    named = window(1, "KeePassXC", pid=50, program=frozenset({"keepassxc"}), connected=(50,))
    for other in (
        window(2, "Helper", box=RIGHT, pid=77),
        window(2, "Helper", box=RIGHT, pid=78, program=frozenset("x")),
    ):
        assert seen(named, replace(other, connected=(connected,))).visibility(2) is expected


@pytest.mark.parametrize("app", ["firefox", "librewolf", "Navigator"])
def test_a_title_proves_nothing_of_a_profile_that_may_be_always_private(app: str) -> None:
    """Without "remember history" titles are ordinary: the profile decides."""
    ordinary = window(1, app, title="News — Mozilla Firefox", role="browser")
    assert seen(ordinary).visibility(1) is Visibility.ALLOWED
    assert seen(replace(ordinary, ordinary_profile=False)).visibility(1) is Visibility.UNKNOWN
