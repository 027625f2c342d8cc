"""The fence's rules: which windows may be seen, what is closed because of them, and for how long."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.capture.fence.rules import LINGER_NS, Fence, KeyAccess, Visibility, Zones, contains, remainder
from daemon.capture.scene import DesktopWindow
from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import FenceSettings
from tests.fakes.windows import BIG, LEFT, OWN_PID, RIGHT, scene, window


def visibility_of(
    one: DesktopWindow, now_ns: int = 10 * NS_PER_S, settings: FenceSettings | None = None
) -> Visibility | None:
    """Return what a fence makes of one window alone."""
    fence = Fence(settings or FenceSettings(), OWN_PID)
    fence.update([scene(one)], now_ns)
    return fence.visibility(one.client)


@pytest.mark.parametrize(
    ("app", "title", "expected"),
    [
        ("Mousepad", "notes", Visibility.ALLOWED),
        ("KeePassXC", "", Visibility.COVERED),
        ("Bitwarden", "", Visibility.COVERED),
        ("Pinentry-gtk-2", "", Visibility.COVERED),
        ("1Password", "", Visibility.COVERED),
        ("i3lock", "", Visibility.COVERED),
        ("Tor Browser", "about:tor", Visibility.COVERED),
        (None, "notes", Visibility.UNSETTLED),
        ("firefox", "News — Mozilla Firefox", Visibility.ALLOWED),
        ("firefox", "News — Mozilla Firefox Private Browsing", Visibility.COVERED),
        ("firefox-esr", "Mozilla Firefox Privater Modus", Visibility.COVERED),
        ("Navigator", "Navigation privée de Mozilla Firefox", Visibility.COVERED),
        ("firefox", "Bitwarden Web Vault — Mozilla Firefox", Visibility.COVERED),
        ("Mousepad", "how to use incognito.txt", Visibility.ALLOWED),
        ("Chromium", "Some page - Chromium", Visibility.UNSETTLED),
        ("Google-chrome", "New Incognito Tab - Google Chrome", Visibility.COVERED),
        ("Google-chrome", "New Tab - Google Chrome", Visibility.ALLOWED),
        ("Chromium", "Neuer Tab - Chromium", Visibility.ALLOWED),
        ("Microsoft-edge", "News - [InPrivate] - Microsoft Edge", Visibility.COVERED),
    ],
)
def test_visibility_of_one_window(app: str | None, title: str, expected: Visibility) -> None:
    """Class and title decide; what has no class, and a browser that hides its private windows, is not known yet."""
    assert visibility_of(window(1, app, title=title)) is expected


def test_the_person_adds_to_the_lists() -> None:
    """Further applications match without case, further titles by a part, in any application."""
    settings = FenceSettings(excluded_apps=("Thunderbird",), excluded_titles=("salary",))
    assert visibility_of(window(1, "thunderbird"), settings=settings) is Visibility.COVERED
    assert visibility_of(window(1, "calc", title="Salary 2026"), settings=settings) is Visibility.COVERED
    assert visibility_of(window(1, "calc", title="Budget"), settings=settings) is Visibility.ALLOWED
    assert visibility_of(window(1, "KeePassXC"), settings=settings) is Visibility.COVERED


def test_a_young_browser_window_is_covered_until_its_title_has_settled() -> None:
    """A private window may not say so at once."""
    young = window(1, "firefox", title="Mozilla Firefox", since_ns=10 * NS_PER_S)
    fence = Fence(FenceSettings(settle_s=1.0), OWN_PID)
    fence.update([scene(young, t_ns=10 * NS_PER_S)], 10 * NS_PER_S)
    assert fence.visibility(1) is Visibility.UNSETTLED
    assert fence.zones.covered == {LEFT}
    assert fence.next_ns == 11 * NS_PER_S
    fence.update([], 11 * NS_PER_S)
    assert fence.visibility(1) is Visibility.ALLOWED


def test_a_browser_window_is_known_as_normal_once_it_showed_an_empty_tab() -> None:
    """It stays known on other pages and while hidden, but a window with the same number after it is not."""
    fence = Fence(FenceSettings(), OWN_PID)
    page = window(1, "Chromium", title="Some page - Chromium")
    for number, (one, expected) in enumerate(
        [
            (page, Visibility.UNSETTLED),
            (replace(page, title="New Tab - Chromium"), Visibility.ALLOWED),
            (page, Visibility.ALLOWED),
        ]
    ):
        fence.update([scene(one, t_ns=number)], number)
        assert fence.visibility(1) is expected
    fence.update([scene(hidden=frozenset({1}), t_ns=4), scene(page, t_ns=5)], 5)
    assert fence.visibility(1) is Visibility.ALLOWED
    fence.update([scene(t_ns=6), scene(page, t_ns=7)], 7)
    assert fence.visibility(1) is Visibility.UNSETTLED


def test_a_browser_window_once_private_stays_so_for_those_who_trust_unknown_ones() -> None:
    """The mark is on the empty tab only; a web application has no private windows."""
    fence = Fence(FenceSettings(cover_unknown_browsers=False), OWN_PID)
    page = window(1, "Chromium", title="Some page - Chromium")
    fence.update([scene(page)], 0)
    assert fence.visibility(1) is Visibility.ALLOWED
    fence.update([scene(replace(page, title="New Incognito Tab - Chromium")), scene(page)], 1)
    assert fence.visibility(1) is Visibility.COVERED
    assert visibility_of(window(2, "Chromium", instance="crx_abc", title="Editor")) is Visibility.ALLOWED


def test_menus_and_dialogs_share_the_visibility_of_their_application() -> None:
    """A menu of an excluded application may lack a class of its own; a dialog of an allowed parent stays allowed."""
    vault = window(1, "KeePassXC")
    menu = window(2, "menu", RIGHT, group=vault.group, popup=True)
    prompt = window(3, "dialog", RIGHT, transient_for=1)
    private = window(4, "Chromium", title="New Incognito Tab - Chromium")
    normal = window(5, "Chromium", title="New Tab - Chromium", group=private.group)
    theirs = window(6, "Chromium", RIGHT, title="Open", group=private.group, dialog=True, transient_for=5)
    loose = window(7, "Chromium", RIGHT, instance="crx_x", title="Open", group=private.group, popup=True)
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(vault, menu, prompt, private, normal, theirs, loose)], 0)
    assert [fence.visibility(client) for client in (2, 3, 5, 6, 7)] == [
        *(Visibility.COVERED, Visibility.COVERED, Visibility.ALLOWED, Visibility.UNSETTLED, Visibility.COVERED),
    ]


def test_only_windows_of_our_process_with_our_class_are_ours() -> None:
    """Class alone or process alone is not enough; our menus follow our windows."""
    ours = window(1, "kairos", pid=OWN_PID)
    menu = window(2, "kairos", RIGHT, group=ours.group, popup=True)
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(ours, menu, window(3, "kairos", pid=1), window(4, "other", pid=OWN_PID))], 0)
    assert [fence.visibility(client) for client in (1, 2, 3, 4)] == [
        Visibility.OWN,
        Visibility.OWN,
        Visibility.ALLOWED,
        Visibility.ALLOWED,
    ]


def test_any_visible_part_counts_and_then_the_whole_window_is_covered() -> None:
    """Half hidden it is covered whole; behind opaque windows it is not; behind see-through ones it is."""
    vault = window(1, "KeePassXC", LEFT)
    half = window(2, "editor", Box(50, 0, 200, 200))
    whole = window(3, "editor", BIG)

    def covered(*windows: DesktopWindow, **more: Any) -> frozenset[Box]:
        fence = Fence(FenceSettings(), OWN_PID)
        fence.update([scene(*windows, **more)], 0)
        return fence.zones.covered

    assert covered(vault, half) == {LEFT}
    assert covered(vault, whole) == set()
    assert covered(vault, half, window(4, "editor", Box(0, 0, 60, 100))) == set()
    assert covered(vault, replace(whole, opaque=False)) == {LEFT}
    assert covered(vault, whole, compositor=True) == {LEFT}
    assert covered(vault, whole, compositor=True, active=3) == set()
    assert covered(whole, vault) == {LEFT}


def test_what_was_closed_lingers_after_its_window_is_gone() -> None:
    """Pixels are painted over late, and keys may be under way; after a moment everything is open again."""
    fence = Fence(FenceSettings(), OWN_PID)
    with_vault = scene(window(1, "KeePassXC"), window(2, "editor", RIGHT), active=1)
    fence.update([with_vault], 0)
    gone_ns = 60 * NS_PER_S
    fence.update([scene(window(2, "editor", RIGHT), active=2, t_ns=gone_ns)], gone_ns)
    assert fence.zones.covered == {LEFT}
    assert fence.zones.keys is KeyAccess.CLOSED
    assert fence.next_ns == gone_ns + LINGER_NS
    fence.update([], gone_ns + LINGER_NS - 1)
    assert fence.zones.covered == {LEFT}
    fence.update([], gone_ns + LINGER_NS)
    assert fence.zones == Zones()
    assert fence.next_ns is None


def test_a_window_that_came_and_went_between_two_looks_is_in_the_union() -> None:
    """All states passed through are closed, also those that are over."""
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(window(2, "editor", RIGHT), active=2)], 0)
    moved = window(1, "KeePassXC", Box(300, 300, 50, 50))
    passed = fence.update(
        [
            scene(window(2, "editor", RIGHT), moved, active=1, t_ns=1),
            scene(window(2, "editor", RIGHT), replace(moved, box=LEFT), active=1, t_ns=2),
            scene(window(2, "editor", RIGHT), active=2, t_ns=3),
        ],
        4,
    )
    assert passed.covered == {LEFT, Box(300, 300, 50, 50)}
    assert passed.keys is KeyAccess.CLOSED


def test_who_gets_the_keys() -> None:
    """Closed for excluded and unsettled windows and frameless prompts, own for ours, unknown without a holder."""
    editor, vault = window(1, "editor", RIGHT), window(2, "KeePassXC")
    prompt = window(3, "pinentry", popup=True)
    ours = window(4, "kairos", pid=OWN_PID)

    def keys(*windows: DesktopWindow, **more: Any) -> KeyAccess:
        fence = Fence(FenceSettings(), OWN_PID)
        fence.update([scene(*windows, **more)], 0)
        return fence.zones.keys

    assert keys(editor, vault, active=1) is KeyAccess.OPEN
    assert keys(editor, vault, active=2) is KeyAccess.CLOSED
    assert keys(editor, vault, active=1, focused=frozenset({2})) is KeyAccess.CLOSED
    assert keys(editor, prompt, active=1) is KeyAccess.CLOSED
    assert keys(editor, window(5, None), active=5) is KeyAccess.CLOSED
    assert keys(editor, ours, active=4) is KeyAccess.OWN
    assert keys(editor) is KeyAccess.UNKNOWN
    assert keys(editor, managed=False) is KeyAccess.OPEN


@pytest.mark.parametrize(
    ("app", "keys"), [("KeePassXC", KeyAccess.CLOSED), (None, KeyAccess.CLOSED), ("other", KeyAccess.OPEN)]
)
def test_a_new_window_may_have_held_the_keys_already(app: str | None, keys: KeyAccess) -> None:
    """A window may be typed into and left again before its events arrive; those of an older window do arrive."""
    editor, new = window(1, "editor", RIGHT), window(2, app)
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(editor, active=1)], 0)
    assert fence.update([scene(new, editor, active=1, t_ns=1)], 1).keys is keys
    fence.update([], 1 + LINGER_NS)
    assert fence.update([scene(editor, new, active=1, t_ns=NS_PER_S)], NS_PER_S).keys is KeyAccess.OPEN


_boxes = st.builds(Box, st.integers(0, 60), st.integers(0, 60), st.integers(0, 40), st.integers(0, 40))


@given(_boxes, st.lists(_boxes, max_size=6))
def test_the_remainder_is_exactly_what_is_not_hidden(box: Box, above: list[Box]) -> None:
    """Point by point: in a piece if and only if in the box and under no rectangle; pieces do not overlap."""
    pieces = remainder(box, above)
    for x in range(0, 101, 3):
        for y in range(0, 101, 3):
            visible = contains([box], x, y) and not contains(above, x, y)
            assert sum(contains([piece], x, y) for piece in pieces) == int(visible)
