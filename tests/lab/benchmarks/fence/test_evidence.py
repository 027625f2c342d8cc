"""The search finds what is planted in a session, each kind of it, and nothing in a clean one."""

from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from lab.benchmarks.fence.benchmark import GRACE_NS, FenceFindings, examine
from lab.benchmarks.fence.campaign import Account, Clicked, Done, Typed
from lab.benchmarks.fence.cast import SlotKind, cast, channels, marker
from lab.benchmarks.fence.plan import Act, Action
from lab.benchmarks.fence.screen_truth import STRIDE, ScreenSample
from storage import testing
from storage.clock import NS_PER_S
from storage.records import Box, Dropped, EventKind, Focus, Frame, InputEvent, KeyClass, Record, WindowEvent
from storage.session.video import Picture, VideoPlan, VideoWriter
from tests.fakes.sessions.rows import start

PLAYERS = cast(browsers=True)
PLAIN = next(slot for slot in PLAYERS.slots if slot.kind is SlotKind.ORDINARY)
SECRET = next(slot for slot in PLAYERS.slots if slot.kind is SlotKind.EXCLUDED_APP)
SECRET_TITLE = marker(SECRET, 1, secret=True)
PLAIN_TITLE = marker(PLAIN, 2, secret=False)
SIZE = (320, 160)
T_NS = 10 * NS_PER_S
CLICK = (40, 40)


class Story:
    """A session of two pictures with an ordinary window, and the account of a campaign that fits it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session = folder / "sessions" / "20261121-120000-abcd"
        self.session.mkdir(parents=True)
        self.pixels = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
        self.pixels[:, :160] = channels(PLAIN.colour)
        self.rows: list[Record] = [start(), *self.presses(KeyClass.CHARACTER, T_NS)]
        self.screen = np.zeros((SIZE[1] // STRIDE, SIZE[0] // STRIDE), np.uint8)
        self.screen[:, :20] = PLAIN.label
        self.places = {PLAIN.name: Box(0, 0, 160, 160)}
        self.opened_ns = 1
        self.embedded: list[tuple[int, int, str]] = []

    def presses(self, key_class: KeyClass, t_ns: int) -> list[InputEvent]:
        return [InputEvent(t_ns=t_ns + n, kind=EventKind.KEY, key_class=key_class) for n in range(2)]

    def examine(self) -> FenceFindings:
        self.write_video()
        rows = [replace(row, seq=number, at_ns=number) for number, row in enumerate(self.rows, 1)]
        testing.write_session(self.session, rows)
        account = Account(cast=PLAYERS, folder=self.folder, sessions=self.folder / "sessions")
        account.titles = {SECRET_TITLE: SECRET, PLAIN_TITLE: PLAIN}
        account.secret_titles = {SECRET_TITLE}
        opened = Done(action=Action(number=0, act=Act.OPEN, slot=SECRET.name), start_ns=self.opened_ns, end_ns=2)
        account.done, account.embedded = [opened], self.embedded
        account.samples = [
            ScreenSample(T_NS + n * NS_PER_S, T_NS + (n + 1) * NS_PER_S, self.screen, self.places)
            for n in range(int(4 * GRACE_NS / 1e9))
        ]
        account.typed = [self.typed(PLAIN.name, T_NS), self.typed(SECRET.name, T_NS + NS_PER_S)]
        account.clicked = [Clicked(action=0, t_ns=T_NS + NS_PER_S // 2, x=CLICK[0], y=CLICK[1])]
        return examine(account)

    def typed(self, slot: str, t_ns: int) -> Typed:
        secret = slot == SECRET.name
        return Typed(
            action=0,
            slot=slot,
            secret=secret,
            start_ns=t_ns,
            end_ns=t_ns + 100,
            count=2,
            settled=True,
            title=SECRET_TITLE if secret else PLAIN_TITLE,
            box=Box(0, 0, 160, 160),
        )

    def write_video(self) -> None:
        plan, writer = VideoPlan(300.0), VideoWriter(self.session)
        for t_ns in (T_NS, T_NS + 5 * NS_PER_S):
            ref = plan.ref(t_ns, SIZE)
            planes = yuv(self.pixels)
            assert writer.write(Picture(t_ns=t_ns, ref=ref, planes=planes, width=SIZE[0], height=SIZE[1]))
            frame = Frame(
                t_ns=t_ns, monitor="screen", size=SIZE, digest="00", changed=(Box(0, 0, 9, 9),), image_ref=ref
            )
            self.rows.append(frame)
        writer.close()


def yuv(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    frame = av.VideoFrame.from_ndarray(rgb, format="rgb24").reformat(format="yuvj420p")
    return np.ascontiguousarray(frame.to_ndarray()).astype(np.uint8)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path)


def test_a_clean_session_has_no_leak_and_its_ordinary_window_counts_as_recorded(story: Story) -> None:
    found = story.examine()
    assert not found.leaks
    assert found.pictures == 2
    assert found.recorded["ordinary", "off"].value == 1.0
    assert found.area["ordinary", "off"].value > 0.95
    assert found.keys["ordinary"].value == 1.0
    assert found.found_keys.value == 0.0


def test_keys_in_a_window_that_holds_an_excluded_one_are_no_ordinary_keys(story: Story) -> None:
    """It is as closed as that, so none of them is missed; without the other they would be (the control)."""
    story.rows = [start()]
    assert story.examine().keys["ordinary"].value == 0.0
    story.session = story.session.with_name("20261121-130000-abcd")
    story.session.mkdir()
    story.rows, story.embedded = [start()], [(T_NS, T_NS + NS_PER_S, PLAIN.name)]
    found = story.examine().keys
    assert found.keys() == {"ordinary, with an excluded one in it"}


def test_a_strip_of_an_excluded_window_is_found(story: Story) -> None:
    story.pixels[20:120, 200:203] = channels(SECRET.colour)
    (first, second) = story.examine().leaks
    assert (first.what, first.where, first.slot) == ("pixels", "video", SECRET.name)
    assert first.trail == (f"#0 open {SECRET.name} 10.00 s before",)
    assert second.what == "pixels"


def test_an_excluded_window_seen_through_a_translucent_one_is_found(story: Story) -> None:
    story.pixels[20:26, 200:206] = [channel // 2 for channel in channels(SECRET.colour)]
    assert not Story.examine(story).leaks
    story.session = story.session.with_name("20261121-130000-abcd")
    story.session.mkdir()
    story.rows = [start()]
    story.pixels[20:120, 200:260] = [channel // 2 for channel in channels(SECRET.colour)]
    assert {leak.slot for leak in story.examine().leaks} == {SECRET.name}


def test_a_title_is_found_in_any_file(story: Story) -> None:
    (story.folder / "kairos.log").write_text(f"opened {SECRET_TITLE} and {PLAIN_TITLE}")
    found = story.examine()
    assert [(leak.what, leak.where) for leak in found.leaks] == [("title", "kairos.log")]
    assert found.found_titles == {SECRET_TITLE, PLAIN_TITLE}


@pytest.mark.parametrize(
    ("row", "what", "where"),
    [
        (
            Focus(t_ns=1, app="x", window=1, title_digest="", geometry=Box(0, 0, 1, 1), title=SECRET_TITLE),
            "title",
            "session.db",
        ),
        (
            WindowEvent(t_ns=1, app=SECRET.app, popup=False, gone=False, geometry=Box(0, 0, 1, 1)),
            "program",
            "WindowEvent",
        ),
    ],
    ids=["title", "name of an excluded program"],
)
def test_what_a_row_tells_of_an_excluded_window_is_found(story: Story, row: Record, what: str, where: str) -> None:
    story.rows.append(row)
    assert [(leak.what, leak.where) for leak in story.examine().leaks] == [(what, where)]


@pytest.mark.parametrize("on_window", [True, False])
def test_keys_clicks_and_exact_counts_are_found(story: Story, *, on_window: bool) -> None:
    """A click on what shows the colour and is no window of it, as a panel, is none."""
    story.screen[:, :20] = SECRET.label
    story.rows += story.presses(KeyClass.FUNCTION, T_NS + NS_PER_S)
    story.rows.append(
        InputEvent(t_ns=T_NS + NS_PER_S // 2, kind=EventKind.BUTTON_DOWN, button="left", x=CLICK[0], y=CLICK[1])
    )
    story.rows.append(Dropped(what="input", count=7, reason="excluded"))
    story.places |= {f"{SECRET.name}-dialog": Box(0, 0, 160, 160)} if on_window else {}
    found = sorted(leak.what for leak in story.examine().leaks)
    assert found == [*(["click"] if on_window else []), "exact count", "keys"]


def test_an_ordinary_window_that_is_not_in_the_pictures_does_not_count_as_recorded(story: Story) -> None:
    """The rate sees a fence that keeps nothing at all."""
    story.pixels[:] = 64
    story.rows = [start()]
    found = story.examine()
    assert found.recorded["ordinary", "off"].value == 0.0
    assert found.keys["ordinary"].value == 0.0


@pytest.mark.parametrize(("opened_ns", "leaks"), [(1, True), (1 << 61, False)])
def test_what_has_a_colour_before_its_window_was_ever_opened_is_no_leak(
    story: Story, opened_ns: int, *, leaks: bool
) -> None:
    """Panels have icons of such colours."""
    story.pixels[:40, 200:240] = channels(SECRET.colour)
    story.opened_ns = opened_ns
    assert bool(story.examine().leaks) is leaks


def test_a_blend_in_the_colour_of_a_window_is_not_that_window(story: Story) -> None:
    """Where the window is not, its colour does not count as visible; a window of its own counts there."""
    story.pixels[:] = 64
    story.places = {PLAIN.name: Box(200, 0, 100, 160)}
    found = story.examine()
    assert "ordinary" not in {kind for kind, _ in found.recorded}
    story.session = story.session.with_name("20261121-130000-abcd")
    story.session.mkdir()
    story.rows = [start()]
    story.places |= {f"{PLAIN.name}-dialog": Box(0, 0, 160, 160)}
    assert story.examine().recorded["ordinary", "off"].value == 0.0


def test_colours_that_were_on_the_screen_for_long_are_expected_of_the_control(story: Story) -> None:
    """So that a control which never showed anything proves nothing."""
    story.screen[:, 20:] = SECRET.label
    assert sorted(story.examine().expected_colours) == [SECRET.label]
