"""The fence: who is seen, what is closed, and what a person excludes while it runs."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.capture.fence.exclusions import Exclusions
from daemon.capture.fence.rules import GHOST_NS, LINGER_NS, NEW_NS, Fence, KeyAccess, Visibility, Zones
from daemon.capture.scene import DesktopWindow, contains, remainder
from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import FenceSettings
from tests.fakes.desktop.windows import BIG, LEFT, OWN_PID, RIGHT, fence_over, look, scene, window


def visibility_of(window: DesktopWindow, settings: FenceSettings | None = None) -> Visibility | None:
    return fence_over(window, now_ns=10 * NS_PER_S, settings=settings).visibility(window.client)


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
        ("firefox", "Mozilla Firefox", Visibility.UNKNOWN),
        ("firefox", "Page Info — https://example.org", Visibility.UNKNOWN),
        ("firefox", "x — Mozilla Firefox — a language that no list has", Visibility.UNKNOWN),
        ("Chromium", "Some page - Chromium", Visibility.UNKNOWN),
        *(
            (name, "Some page", Visibility.UNKNOWN)
            for name in ("Zen-alpha", "Basilisk", "Naver-whale", "Otter-browser")
        ),
        ("Google-chrome", "New Incognito Tab - Google Chrome", Visibility.COVERED),
        ("Google-chrome", "New Tab - Google Chrome", Visibility.UNKNOWN),
        ("Chromium", "New Tab - x - Chromium", Visibility.UNKNOWN),
        ("Microsoft-edge", "News - [InPrivate] - Microsoft Edge", Visibility.COVERED),
    ],
)
def test_visibility_of_one_window(app: str | None, title: str, expected: Visibility) -> None:
    """Class and title decide; what has no class, and a browser that hides its private windows, is not known yet."""
    assert visibility_of(window(1, app, title=title)) is expected


def test_the_person_adds_to_the_lists() -> None:
    """Further applications match without case, further titles by a part, in any application."""
    settings = FenceSettings(excluded_apps=("Thunderbird",), excluded_titles=("salary",))
    for app, title in (("thunderbird", ""), ("calc", "Salary 2026"), ("KeePassXC", "")):
        assert visibility_of(window(1, app, title=title), settings) is Visibility.COVERED
    assert visibility_of(window(1, "calc", title="Budget"), settings) is Visibility.ALLOWED


OUTPUTS = (Box(0, 0, 500, 400), Box(500, 0, 500, 400))


@pytest.mark.parametrize(
    ("box", "closed"),
    [
        (LEFT, OUTPUTS[0]),
        (Box(600, 0, 50, 50), OUTPUTS[1]),
        (Box(450, 0, 100, 50), Box(0, 0, 1000, 400)),
        (Box(-400, -400, 10, 10), Box(0, 0, 1000, 400)),
    ],
    ids=["left", "right", "both", "on none"],
)
@pytest.mark.parametrize("app", ["KeePassXC", "Google-chrome", "Mousepad"])
def test_where_popups_are_not_told_a_window_closes_all_of_its_monitor(app: str, box: Box, closed: Box) -> None:
    """Its menus reach over others and stand in no list, even if another window covers it; a harmless one does not."""
    fence = fence_over(window(1, app, box), window(2, "Mousepad", BIG), now_ns=10 * NS_PER_S, outputs=OUTPUTS)
    hidden = fence.zones.hidden
    assert hidden == (set() if app == "Mousepad" else {closed})
    look(fence, 11 * NS_PER_S, window(2, "Mousepad", BIG), outputs=OUTPUTS)
    assert fence.zones.hidden == hidden
    fence.update([], 11 * NS_PER_S + GHOST_NS - 1)
    assert fence.zones.hidden == hidden
    fence.update([], 11 * NS_PER_S + GHOST_NS)
    assert fence.zones.hidden == set()


def test_a_window_that_is_not_known_yet_closes_its_monitor_too() -> None:
    young = window(1, "Mousepad", LEFT, since_ns=10 * NS_PER_S)
    fence = fence_over(young, t_ns=10 * NS_PER_S, now_ns=10 * NS_PER_S, outputs=OUTPUTS)
    assert fence.zones.covered == {OUTPUTS[0]}
    fence.update([], 10 * NS_PER_S + NEW_NS)
    assert fence.zones.hidden == set()


def test_a_young_browser_window_is_covered_until_its_title_has_settled() -> None:
    """A private window may not say so at once; one that turns out to be ordinary is open without further delay."""
    young = window(1, "firefox", title="News — Mozilla Firefox", since_ns=10 * NS_PER_S)
    fence = fence_over(young, active=1, t_ns=10 * NS_PER_S, now_ns=10 * NS_PER_S, settings=FenceSettings(settle_s=1.0))
    assert fence.visibility(1) is Visibility.UNSETTLED
    assert fence.zones == Zones(covered=frozenset({LEFT}), keys=KeyAccess.CLOSED)
    assert fence.next_ns == 11 * NS_PER_S
    fence.update([], 11 * NS_PER_S)
    assert fence.visibility(1) is Visibility.ALLOWED
    assert fence.zones == Zones()


@pytest.mark.parametrize(("settle_s", "is_doubted"), [(1.0, False), (2.0, True)])
def test_a_window_that_may_tell_later_than_sound_is_held_counts_as_excluded(
    settle_s: float, *, is_doubted: bool
) -> None:
    """Sound waits 1.2 s: a title that may be private until later than that would come too late for it."""
    young = window(1, "firefox", title="News — Mozilla Firefox", since_ns=10 * NS_PER_S)
    settings = FenceSettings(settle_s=settle_s)
    fence = fence_over(young, active=1, t_ns=10 * NS_PER_S, now_ns=10 * NS_PER_S, settings=settings)
    assert fence.shows_excluded is is_doubted
    fence.update([], 10 * NS_PER_S + round(settle_s * NS_PER_S))
    assert not fence.shows_excluded


@pytest.mark.parametrize("app", ["KeePassXC", "I3lock"])
def test_what_came_and_went_between_two_looks_was_shown(app: str) -> None:
    """A late look finds neither it nor that it lingers, and sound of that time is dropped all the same."""
    fence = fence_over(t_ns=NS_PER_S, now_ns=NS_PER_S)
    fence.update([scene(window(1, app), t_ns=2 * NS_PER_S), scene(t_ns=3 * NS_PER_S)], 9 * NS_PER_S)
    assert (fence.shows_excluded, fence.has_shown_excluded) == (False, True)
    fence.update([], 10 * NS_PER_S)
    assert not fence.has_shown_excluded


def test_a_browser_window_that_settled_is_not_young_again_when_it_comes_back() -> None:
    """Minimised and brought back it is what it was at once, and its keys count; another window of it is young."""
    first = window(1, "firefox", title="News — Mozilla Firefox", since_ns=NS_PER_S)
    back = replace(first, since_ns=10 * NS_PER_S)
    fence = fence_over(first, active=1, t_ns=NS_PER_S, now_ns=3 * NS_PER_S, settings=FenceSettings(settle_s=1.0))
    fence.update([scene(hidden=(first,), t_ns=5 * NS_PER_S)], 9 * NS_PER_S)
    look(fence, 10 * NS_PER_S, back, active=1)
    assert fence.visibility(1) is Visibility.ALLOWED
    assert fence.zones.keys is KeyAccess.OPEN
    other = window(2, "firefox", title="News — Mozilla Firefox", since_ns=10 * NS_PER_S)
    look(fence, 10 * NS_PER_S, back, other, active=2)
    assert fence.visibility(2) is Visibility.UNSETTLED


def test_no_title_of_a_page_shows_that_a_window_is_not_private() -> None:
    """Neither does an empty tab open a window that was private, nor one that was not known."""
    fence = Fence(FenceSettings(), OWN_PID)
    private = window(1, "Chromium", title="New Incognito Tab - Chromium", role="browser")
    for number, (title, expected) in enumerate(
        [
            ("New Tab - Chromium", Visibility.UNKNOWN),
            ("New Incognito Tab - Chromium", Visibility.COVERED),
            ("New Tab - Chromium", Visibility.COVERED),
            ("New Tab - x - Chromium", Visibility.COVERED),
        ]
    ):
        fence.update([scene(replace(private, title=title), t_ns=number)], number + 10 * NS_PER_S)
        assert fence.visibility(1) is expected
    fence.update([scene(hidden=(private,)), scene(replace(private, title="New Tab - Chromium"))], 20 * NS_PER_S)
    assert fence.visibility(1) is Visibility.COVERED
    fence.update([scene(), scene(replace(private, title="New Tab - Chromium"))], 30 * NS_PER_S)
    assert fence.visibility(1) is Visibility.UNKNOWN


def test_a_browser_window_once_private_stays_so_for_those_who_trust_unknown_ones() -> None:
    """The mark is on the empty tab only; a web application has no private windows."""
    fence = Fence(FenceSettings(cover_unknown_browsers=False, settle_s=0.0), OWN_PID)
    page = window(1, "Chromium", title="Some page - Chromium")
    fence.update([scene(page)], 0)
    assert fence.visibility(1) is Visibility.ALLOWED
    fence.update([scene(replace(page, title="New Incognito Tab - Chromium")), scene(page)], 1)
    assert fence.visibility(1) is Visibility.COVERED
    assert visibility_of(window(2, "Chromium", instance=f"crx_{'abcdefgh' * 4}", title="Mail")) is Visibility.ALLOWED


@pytest.mark.parametrize(
    "instance", ["crx_x.localhost__page", "crx_", f"crx_{'a' * 32}.example__", f"crx_{'z' * 32}", f"crx_{'a' * 33}"]
)
def test_no_address_of_a_page_makes_its_window_a_web_application(instance: str) -> None:
    """A window of `--app=` has its page's address as instance, an installed application an id from Chromium."""
    assert visibility_of(window(2, "Chromium", instance=instance, title="Mail")) is Visibility.UNKNOWN


CHROMIUM = window(1, "Chromium", BIG, group=7, title="News - Chromium", role="browser")
MENU = window(2, None, RIGHT, group=7, popup=True, since_ns=20 * NS_PER_S)
PANEL = window(3, None, RIGHT, group=7, title="Picture in picture", since_ns=20 * NS_PER_S)


@pytest.mark.parametrize("one", [MENU, PANEL], ids=["menu", "picture in picture"])
def test_what_chromium_shows_without_a_class_is_treated_like_its_windows(one: DesktopWindow) -> None:
    """Menus and lists of the address bar have none: were they unknown programs, all keys in Chromium would be lost."""
    fence = fence_over(CHROMIUM, active=1, now_ns=10 * NS_PER_S)
    settled_ns = one.since_ns + (0 if one.popup else NS_PER_S)
    fence.update([scene(CHROMIUM, one, active=1, t_ns=one.since_ns)], settled_ns)
    assert fence.visibility(one.client) is Visibility.UNKNOWN
    assert fence.zones.veiled >= {RIGHT}
    assert fence.zones.keys is KeyAccess.OPEN
    private = replace(CHROMIUM, client=4, xid=1004, title="New Incognito Tab - Chromium")
    look(fence, settled_ns + 1, CHROMIUM, one, active=1, hidden=(private,))
    assert fence.visibility(one.client) is Visibility.COVERED
    stranger = replace(one, group=8)
    look(fence, settled_ns + 2, CHROMIUM, stranger)
    assert fence.visibility(one.client) is Visibility.UNSETTLED
    unreadable = replace(one, readable=False)
    look(fence, settled_ns + 3, CHROMIUM, unreadable)
    assert fence.visibility(one.client) is Visibility.UNSETTLED


def test_a_pop_up_without_a_class_is_as_closed_as_the_windows_of_its_program() -> None:
    """Tips and menus of some toolkits have none: were they unknown programs, keys would be lost while one is open.

    An unknown one's, one beside another pop-up alone, and one of an excluded program stay closed.
    """
    editor = window(1, "Emacs", BIG, group=7)
    tip = window(2, None, RIGHT, group=7, popup=True, since_ns=20 * NS_PER_S)
    fence = fence_over(editor, active=1, now_ns=10 * NS_PER_S)
    look(fence, 20 * NS_PER_S, editor, tip, active=1)
    assert fence.visibility(2) is Visibility.ALLOWED
    assert fence.zones == Zones()
    for number, (others, one, settings) in enumerate(
        (
            ((editor,), replace(tip, group=8), FenceSettings()),
            ((editor,), replace(tip, readable=False), FenceSettings()),
            ((editor,), replace(tip, popup=False), FenceSettings()),
            ((editor, window(3, "menu", LEFT, group=8, popup=True)), replace(tip, group=8), FenceSettings()),
            ((editor,), tip, FenceSettings(excluded_apps=("emacs",))),
        )
    ):
        fence = fence_over(*others, active=1, now_ns=10 * NS_PER_S, settings=settings)
        look(fence, 20 * NS_PER_S, *others, one, active=1)
        closed = Visibility.COVERED if settings.excluded_apps else Visibility.UNSETTLED
        assert fence.visibility(2) is closed, number
        assert RIGHT in fence.zones.covered
        assert fence.zones.keys is KeyAccess.CLOSED


@pytest.mark.parametrize(("group", "expected"), [(7, Visibility.ALLOWED), (8, Visibility.UNSETTLED)])
def test_a_part_of_a_tip_is_known_where_it_is_its_program_s_own(group: int, expected: Visibility) -> None:
    """Tk puts what a tip shows into a window of its own; one that another program put there is not known."""
    editor = window(1, "Idle", BIG, group=7)
    part = window(3, None, RIGHT, group=group, popup=True)
    tip = window(2, "Idle", RIGHT, group=7, popup=True, since_ns=20 * NS_PER_S, embedded=(part,))
    fence = fence_over(editor, active=1, now_ns=10 * NS_PER_S)
    look(fence, 20 * NS_PER_S, editor, tip, active=1)
    assert fence.visibility(2) is expected
    assert (fence.zones.keys is KeyAccess.OPEN) is (expected is Visibility.ALLOWED)


def test_windows_without_a_class_do_not_join_two_browsers() -> None:
    """A menu of an excluded browser excludes no other one that has a menu open."""
    other = window(4, "Brave-browser", LEFT, group=9, title="News - Brave", role="browser")
    other_menu = replace(MENU, client=5, xid=1005, group=9)
    fence = fence_over(CHROMIUM, MENU, other, other_menu, t_ns=30 * NS_PER_S, now_ns=30 * NS_PER_S, apps=("brave",))
    assert fence.visibility(5) is Visibility.COVERED
    assert fence.visibility(2) is Visibility.UNKNOWN


def test_a_menu_of_a_browser_that_is_known_does_not_close_the_keys() -> None:
    """It is as private as its parent or its program; a new window beside is covered until its title has settled."""
    main = window(1, "firefox", BIG, group=7, title="News — Mozilla Firefox", role="browser")
    menu = window(2, "firefox", RIGHT, group=7, transient_for=1, popup=True, since_ns=20 * NS_PER_S)
    fence = fence_over(main, active=1, now_ns=10 * NS_PER_S)
    look(fence, 20 * NS_PER_S, main, menu, active=1)
    assert fence.visibility(2) is Visibility.UNKNOWN
    assert fence.zones.keys is KeyAccess.OPEN
    young = replace(main, client=3, xid=1003, since_ns=20 * NS_PER_S, title="Mozilla Firefox")
    own_menu = replace(menu, transient_for=3)
    look(fence, 20 * NS_PER_S, main, young, own_menu, active=3)
    assert fence.visibility(2) is Visibility.UNSETTLED
    look(fence, 20 * NS_PER_S, main, young, replace(menu, transient_for=0))
    assert fence.visibility(2) is Visibility.UNSETTLED


def test_a_page_about_private_windows_covers_its_window_while_it_is_shown() -> None:
    """Firefox's own words stand at the end of the title; before them it is only a page's."""
    fence = Fence(FenceSettings(), OWN_PID)
    page = window(1, "firefox", title="How to open a private window — Mozilla Firefox")
    fence.update([scene(page)], 10 * NS_PER_S)
    assert fence.visibility(1) is Visibility.COVERED
    fence.update([scene(replace(page, title="News — Mozilla Firefox"))], 20 * NS_PER_S)
    assert fence.visibility(1) is Visibility.ALLOWED
    fence.update([scene(replace(page, title="News — Mozilla Firefox Private Browsing"))], 30 * NS_PER_S)
    fence.update([scene(page)], 40 * NS_PER_S)
    fence.update([scene(replace(page, title="News — Mozilla Firefox"))], 50 * NS_PER_S)
    assert fence.visibility(1) is Visibility.COVERED


def test_a_browser_begun_as_private_is_private_with_all_its_windows() -> None:
    """Its arguments are not a page's to write."""
    begun = window(1, "Chromium", title="News - Chromium", private=True)
    assert visibility_of(begun) is Visibility.COVERED
    assert visibility_of(begun, settings=FenceSettings(cover_unknown_browsers=False)) is Visibility.COVERED
    assert visibility_of(window(1, "Mousepad", private=True)) is Visibility.ALLOWED


SATELLITES = [
    window(2, "firefox", RIGHT, group=7, instance="Toolkit", role="PictureInPicture", title="Picture-in-Picture"),
    window(3, "firefox", RIGHT, group=7, instance="Browser", role="page-info", title="Page Info — https://x"),
    window(4, "firefox", RIGHT, group=7, instance="Places", role="Organizer", title="Library — Mozilla Firefox"),
    window(5, "firefox", RIGHT, group=7, title="Save as", dialog=True),
    window(6, "firefox", RIGHT, group=7, popup=True),
]


@pytest.mark.parametrize("one", SATELLITES, ids=lambda one: one.title or "menu")
@pytest.mark.parametrize("minimised", [False, True])
def test_what_belongs_to_a_private_window_is_private(one: DesktopWindow, *, minimised: bool) -> None:
    """Picture-in-picture, page information, dialogs and menus are as private as any window of their program."""
    private = window(1, "firefox", group=7, role="browser", title="x — Mozilla Firefox Private Browsing")
    ordinary = replace(private, client=9, title="x — Mozilla Firefox", role="browser")
    fence = Fence(FenceSettings(settle_s=0.0), OWN_PID)
    shown = scene(one, ordinary, hidden=(private,)) if minimised else scene(private, ordinary, one)
    fence.update([shown], 10 * NS_PER_S)
    assert fence.visibility(one.client) is Visibility.COVERED
    assert fence.visibility(9) is Visibility.ALLOWED
    fence.update([scene(one, ordinary)], 20 * NS_PER_S)
    assert fence.visibility(one.client) is not Visibility.COVERED


@pytest.mark.parametrize("kind", ["dialog", "popup"])
def test_dialogs_of_a_hidden_window_with_an_excluded_title(kind: str) -> None:
    """A minimised window with an excluded title closes what its program shows beside it, not its other documents."""
    salaries = window(1, "calc", group=7, title="Salary 2026")
    other = window(2, "calc", group=7, title="Budget")
    beside = window(3, "calc", RIGHT, group=7, title="Find", **{kind: True})
    own_dialog = window(4, "calc", RIGHT, group=7, title="Find", dialog=True, transient_for=2)
    fence = fence_over(other, beside, own_dialog, hidden=(salaries,), titles=("salary",))
    assert [fence.visibility(client) for client in (2, 3, 4)] == [
        *(Visibility.ALLOWED, Visibility.COVERED, Visibility.ALLOWED)
    ]
    fence.update([scene(other, beside, hidden=(replace(salaries, title="Budget 2"),))], NS_PER_S)
    assert fence.visibility(3) is Visibility.ALLOWED


def test_menus_and_dialogs_share_the_visibility_of_their_application() -> None:
    """A menu of an excluded application may lack a class of its own; a dialog of an allowed parent stays allowed."""
    vault = window(1, "KeePassXC")
    menu = window(2, "menu", RIGHT, group=vault.group, popup=True)
    prompt = window(3, "dialog", RIGHT, transient_for=1)
    private = window(4, "Chromium", title="New Incognito Tab - Chromium", role="browser")
    other = window(5, "Chromium", title="New Tab - Chromium", group=private.group, role="browser")
    theirs = window(6, "Chromium", RIGHT, title="Open", group=private.group, dialog=True, transient_for=5)
    loose = window(7, "Chromium", RIGHT, instance="crx_x", title="Open", group=private.group, popup=True)
    fence = fence_over(vault, menu, prompt, private, other, theirs, loose, now_ns=10 * NS_PER_S)
    assert [fence.visibility(client) for client in (2, 3, 5, 6, 7)] == [
        *(Visibility.COVERED, Visibility.COVERED, Visibility.UNKNOWN, Visibility.UNKNOWN, Visibility.COVERED)
    ]


def test_of_an_unknown_browser_window_input_counts_and_pixels_do_not() -> None:
    """Its rectangle is veiled, for a moment longer than it is there; its keys are open."""
    page = window(1, "Chromium", title="Some page - Chromium", role="browser")
    fence = fence_over(page, active=1, now_ns=10 * NS_PER_S)
    assert fence.zones == Zones(veiled=frozenset({LEFT}))
    assert fence.zones.hidden == {LEFT}
    look(fence, 20 * NS_PER_S, window(2, "editor", RIGHT), active=2)
    assert fence.zones == Zones(veiled=frozenset({LEFT}))
    painted = scene(window(2, "editor", RIGHT), active=2, t_ns=20 * NS_PER_S + 1, painted=(LEFT,), repeats=True)
    fence.update([painted], 20 * NS_PER_S + 1)
    assert fence.zones == Zones(veiled=frozenset({LEFT}))
    fence.update([], 20 * NS_PER_S + LINGER_NS)
    assert fence.zones == Zones()


@pytest.mark.parametrize(
    ("excluded", "names"),
    [
        ("firefox", {"app": "firefox-esr"}),
        ("firefox", {"app": "Firefox-esr", "instance": "Navigator"}),
        ("firefox", {"app": "firefoxdeveloperedition"}),
        ("firefox", {"app": "Navigator", "program": frozenset({"firefox-bin"})}),
        ("firefox", {"app": "org.mozilla.Firefox"}),
        ("chrome", {"app": "Google-chrome-beta"}),
        ("Signal", {"app": "electron", "program": frozenset({"signal-desktop"})}),
        ("Cafe\u0301", {"app": "Café"}),
        ("STRASSE", {"app": "Straße"}),
    ],
)
def test_a_program_is_found_under_each_of_its_names(excluded: str, names: dict[str, Any]) -> None:
    """Class, instance and program file count, by whole words, in whatever edition."""
    one = window(1, **{"app": None} | names)
    assert visibility_of(one, settings=FenceSettings(excluded_apps=(excluded,))) is Visibility.COVERED
    assert visibility_of(one, settings=FenceSettings(excluded_apps=("x",))) is not Visibility.COVERED


@pytest.mark.parametrize("app", ["fire", "signalling", "Mousepad", "thesignal"])
def test_a_program_is_not_found_in_a_part_of_a_word(app: str) -> None:
    """Excluding one program leaves those with a longer or shorter name."""
    settings = FenceSettings(excluded_apps=("firefox", "signal", "mouse"))
    assert visibility_of(window(1, app), settings=settings) is Visibility.ALLOWED


@pytest.mark.parametrize(
    ("excluded", "title"),
    [
        ("Gehälter", "Geha\u0308lter 2026"),
        ("Geha\u0308lter", "GEHÄLTER"),
        ("salary", "x" * 5000 + " salary"),
        ("my salary", "my\N{NO-BREAK SPACE}salary"),
        ("salary", "sal\N{SOFT HYPHEN}ary"),
    ],
)
def test_a_title_is_found_however_it_is_written(excluded: str, title: str) -> None:
    """Decomposed letters, invisible ones, other spaces and great length hide nothing."""
    settings = FenceSettings(excluded_titles=(excluded,))
    assert visibility_of(window(1, "calc", title=title), settings=settings) is Visibility.COVERED
    assert visibility_of(window(1, "calc", title="Budget"), settings=settings) is Visibility.ALLOWED


@pytest.mark.parametrize(
    "shared",
    [{"group": 7}, {"pid": 77, "program": frozenset({"thing"})}, {"leaders": frozenset({5})}],
    ids=["connection", "process", "leader"],
)
def test_all_windows_of_an_excluded_program_are_excluded(shared: dict[str, Any]) -> None:
    """Whatever class they have, whether its own window is hidden, and after that one is gone."""
    vault, second = window(1, "Signal", **shared), window(2, "Preferences", RIGHT, **shared)
    other = window(3, "editor", RIGHT)
    fence = Fence(FenceSettings(excluded_apps=("signal",)), OWN_PID)
    for shown in (scene(vault, second, other), scene(second, other, hidden=(vault,)), scene(second, other)):
        fence.update([shown], 0)
        assert fence.visibility(2) is Visibility.COVERED
        assert fence.visibility(3) is Visibility.ALLOWED
    fence.update([scene(other), scene(second, other)], 1)
    assert fence.visibility(2) is Visibility.ALLOWED


def test_a_number_that_names_no_process_here_joins_nothing() -> None:
    """In sandboxes every program may have the same number."""
    fence = fence_over(window(1, "KeePassXC", pid=2), window(2, "editor", RIGHT, pid=2))
    assert fence.visibility(2) is Visibility.ALLOWED


def test_an_excluded_window_stays_so_under_another_class() -> None:
    """A program that renames its window has not become another one."""
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(window(1, "KeePassXC")), scene(window(1, "harmless"))], 0)
    assert fence.visibility(1) is Visibility.COVERED


def test_a_new_program_is_covered_until_its_class_has_settled() -> None:
    """Class and title may be set after the window appears; what the program shows later is open at once."""
    start_ns = 10 * NS_PER_S
    first = window(1, "wrapper", group=7, since_ns=start_ns)
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(), scene(first, active=1)], start_ns)
    assert fence.visibility(1) is Visibility.UNSETTLED
    assert fence.zones == Zones(covered=frozenset({LEFT}), keys=KeyAccess.CLOSED)
    late_ns = start_ns + NS_PER_S * 3 // 20
    look(fence, late_ns, replace(first, app="KeePassXC"), active=1)
    assert fence.visibility(1) is Visibility.COVERED
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(), scene(first, active=1)], start_ns)
    assert fence.next_ns == start_ns + NEW_NS
    fence.update([], start_ns + NEW_NS)
    assert fence.zones == Zones()
    later_ns = start_ns + NS_PER_S
    menu = window(2, "wrapper", RIGHT, group=7, since_ns=later_ns, popup=True)
    other = window(3, "another", RIGHT, group=7, since_ns=later_ns)
    look(fence, later_ns, first, menu)
    assert fence.visibility(2) is Visibility.ALLOWED
    look(fence, later_ns, first, other)
    assert fence.visibility(3) is Visibility.UNSETTLED


@pytest.mark.parametrize(("app", "readable"), [("", True), (None, True), ("editor", False)])
def test_a_window_whose_names_cannot_be_read_stays_covered(app: str | None, *, readable: bool) -> None:
    """An empty class is none, and a title that is not known whole may be any."""
    assert visibility_of(window(1, app, readable=readable)) is Visibility.UNSETTLED


def test_a_window_is_as_closed_as_what_is_embedded_in_it() -> None:
    """Whichever of the two is excluded, pixels and keys are closed, and the keys belong to either."""
    guest, host = window(2, "guest"), window(1, "host")
    for excluded in ("guest", "host"):
        fence = fence_over(replace(host, embedded=(guest,)), focused=frozenset({2}), managed=False, apps=(excluded,))
        assert fence.zones == Zones(covered=frozenset({LEFT}), keys=KeyAccess.CLOSED)
    fence = fence_over(replace(host, embedded=(guest,)), active=2)
    assert fence.zones == Zones()


def test_only_windows_of_our_process_with_our_class_are_ours() -> None:
    """Class alone or process alone is not enough; our menus follow our windows."""
    ours = window(1, "kairos", pid=OWN_PID)
    menu = window(2, "kairos", RIGHT, group=ours.group, popup=True)
    fence = fence_over(ours, menu, window(3, "kairos", pid=1), window(4, "other", pid=OWN_PID))
    own, allowed = Visibility.OWN, Visibility.ALLOWED
    assert [fence.visibility(client) for client in (1, 2, 3, 4)] == [own, own, allowed, allowed]


def test_any_visible_part_counts_and_then_the_whole_window_is_covered() -> None:
    """Half hidden it is covered whole; behind opaque windows it is not; behind see-through ones it is."""
    vault = window(1, "KeePassXC", LEFT)
    half = window(2, "editor", Box(50, 0, 200, 200))
    whole = window(3, "editor", BIG)

    def covered(*windows: DesktopWindow, **more: Any) -> frozenset[Box]:
        return fence_over(*windows, **more).zones.covered

    assert covered(vault, half) == {LEFT}
    assert covered(vault, whole) == set()
    assert covered(vault, half, window(4, "editor", Box(0, 0, 60, 100))) == set()
    assert covered(vault, replace(whole, opaque=False)) == {LEFT}
    rounded = replace(whole, opaque=False, solid=BIG._replace(x=BIG.x + 4, w=BIG.w - 8))
    assert covered(vault, rounded) == {LEFT}  # its left edge is in a round corner
    assert covered(window(1, "KeePassXC", LEFT._replace(x=40)), rounded) == set()
    assert covered(vault, whole, compositor=True) == {LEFT}
    assert covered(vault, whole, compositor=True, active=3) == {LEFT}
    assert covered(vault, whole, compositor=True, draws_active_whole=True) == {LEFT}
    assert covered(vault, whole, compositor=True, draws_active_whole=True, active=3) == set()
    see_through = replace(whole, opaque=False)
    assert covered(vault, see_through, compositor=True, draws_active_whole=True, active=3) == {LEFT}
    assert covered(whole, vault) == {LEFT}


def test_what_was_closed_lingers_after_its_window_is_gone() -> None:
    """Keys may be under way, and a compositor draws late; after a moment everything painted over is open again."""
    fence = Fence(FenceSettings(), OWN_PID)
    with_vault = scene(window(1, "KeePassXC"), window(2, "editor", RIGHT), active=1)
    fence.update([with_vault], 0)
    gone_ns = 60 * NS_PER_S
    gone = scene(window(2, "editor", RIGHT), active=2, t_ns=gone_ns)
    fence.update([gone, replace(gone, painted=(LEFT,), repeats=True)], gone_ns)
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
    fence = fence_over(window(2, "editor", RIGHT), active=2)
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
        return fence_over(*windows, **more).zones.keys

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
    fence = fence_over(editor, active=1)
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


NOW_NS = 10 * NS_PER_S


def test_what_is_excluded_now_is_covered_at_the_next_look() -> None:
    """A window that nothing happens to is covered too; without a new list the same look leaves it open."""
    exclusions = Exclusions(FenceSettings())
    fence = Fence(exclusions.fence, OWN_PID)
    fence.update([scene(window(1, "editor", LEFT), window(2, "mail", RIGHT))], NOW_NS)
    fence.exclude(exclusions.fence)
    assert fence.update([], NOW_NS + 1).covered == frozenset()  # the control
    assert exclusions.tighten(FenceSettings(excluded_apps=("mail",), excluded_titles=("salary",)))
    fence.exclude(exclusions.fence)
    assert fence.update([], NOW_NS + 2).covered == {RIGHT}
    assert fence.visibility(1) is Visibility.ALLOWED
    assert fence.visibility(2) is Visibility.COVERED


def test_nothing_is_taken_off_a_list_and_nothing_is_told_twice() -> None:
    """A shorter list changes nothing until the next start, nor does the same one; every other setting stays."""
    told: list[int] = []
    begun = FenceSettings(excluded_apps=("signal",), settle_s=5.0)
    exclusions = Exclusions(begun)
    exclusions.watch(lambda: told.append(len(exclusions.fence.excluded_apps)))
    assert not exclusions.tighten(FenceSettings())
    assert exclusions.fence is begun
    assert exclusions.tighten(FenceSettings(excluded_apps=("mail",), settle_s=0.0))
    assert exclusions.fence == replace(begun, excluded_apps=("signal", "mail"))
    assert not exclusions.tighten(FenceSettings(excluded_apps=("mail",)))
    assert told == [2]


def test_a_session_that_has_ended_is_not_kept_for_what_is_excluded_later() -> None:
    told: list[str] = []
    exclusions = Exclusions(FenceSettings())
    first, second = (lambda: told.append("first")), (lambda: told.append("second"))
    exclusions.watch(first)
    exclusions.unwatch(second)
    exclusions.tighten(FenceSettings(excluded_apps=("mail",)))
    exclusions.unwatch(first)
    exclusions.tighten(FenceSettings(excluded_apps=("chat",)))
    assert told == ["first"]
