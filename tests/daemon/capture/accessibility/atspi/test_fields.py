"""Password fields that had the keyboard are asked until nothing is to be seen in them; a hung program is known."""

import asyncio
import os
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.capture.accessibility.atspi.fields import MAX_FIELDS
from daemon.capture.control_source import (
    Access,
    AnswerAwaited,
    AnswerGiven,
    FieldSeen,
    FocusMoved,
)
from storage.records import Box, ControlRole
from tests.fakes.accessibility.atspi import (
    ACTIVE,
    FOCUSES,
    ROOT,
    SENSITIVE,
    SHOWING,
    WRITES,
    Adapter,
    Limits,
    Node,
    OpenGuard,
    Role,
    running_adapter,
    until,
)

VISIBLE = SENSITIVE | SHOWING
DEFUNCT = 1 << 6
PLACE = Box(10, 20, 300, 40)
BUTTON = pytest.mark.parametrize("toolkit", ["gtk"])
GTK_4 = pytest.mark.parametrize("toolkit", ["GTK"])
FIELDS = pytest.mark.parametrize("access", [Access.FIELDS])
QUESTIONS = {"GetRole", "GetExtents", "GetState", "CharacterCount", "ToolkitName"}


@pytest.fixture
def quick(limits: Limits) -> None:
    limits("fields", SOON_S=0.0, PERIOD_S=0.1, BEHIND_S=0.1, UNANSWERED_S=0.1, LOOK_AGAIN_S=(0.0, 0.05))


@pytest.fixture
def stage(tmp_path: Path, toolkit: str, access: Access) -> AbstractAsyncContextManager[Adapter]:
    nodes = {
        ROOT: Node(Role.APPLICATION, children=["/frame"]),
        "/frame": Node(Role.FRAME, "Form", VISIBLE | ACTIVE, box=Box(0, 0, 500, 500)),
        "/secret": Node(Role.PASSWORD, "Password", VISIBLE, box=PLACE, characters=6),
        "/again": Node(Role.PASSWORD, "Again", VISIBLE, box=PLACE._replace(y=90)),
        "/shown": Node(Role.TEXT, "Password", VISIBLE, box=PLACE._replace(w=296)),
        "/name": Node(Role.TEXT, "Name", VISIBLE, box=PLACE._replace(y=150)),
        "/ok": Node(Role.BUTTON, "OK", VISIBLE, box=PLACE._replace(y=200)),
    }
    return running_adapter(tmp_path, nodes, toolkit, OpenGuard(os.getpid(), access), is_known=access is Access.ALL)


async def give(stage: Adapter, path: str) -> ControlRole:
    """Give a control the keyboard; return what it is reported to be."""
    many = max((seen.number for seen in stage.of(FocusMoved)), default=0)
    await stage.program.signal(FOCUSES, path, 1)
    await until(lambda: any(seen.number > many for seen in stage.of(FocusMoved)), "the focus")
    found = max(stage.of(FocusMoved), key=lambda seen: seen.number).control
    assert found is not None
    assert found.key == path
    return found.role


async def told(stage: Adapter, *, holds: bool, path: str = "/secret", box: Box | None = PLACE) -> FieldSeen:
    many = len(stage.of(FieldSeen))

    def found() -> list[FieldSeen]:
        later = stage.of(FieldSeen)[many:]
        return [seen for seen in later if (seen.key, seen.holds, seen.box) == (path, holds, box)]

    await until(found, "what the field says")
    return found()[0]


def confirm(stage: Adapter) -> None:
    """Ask this program alone whether it answers: the bus and its services are of this process too."""
    stage.listener.keyboard.confirm(0, 0)


def counted(stage: Adapter) -> int:
    return sum(member == "CharacterCount" for _, member in stage.program.asked)


@FIELDS
@pytest.mark.usefixtures("quick")
async def test_a_field_is_asked_until_it_is_empty_and_again_when_something_happens(stage: Adapter) -> None:
    """Only how long its text is, where it is and whether it is visible; an empty one is asked nothing by the clock."""
    nodes = stage.program.nodes
    assert await give(stage, "/secret") is ControlRole.PASSWORD
    await told(stage, holds=True)
    nodes["/secret"].box = moved = PLACE._replace(y=60)
    await told(stage, holds=True, box=moved)
    nodes["/secret"].characters = 0
    await told(stage, holds=False, box=moved)
    await asyncio.sleep(0.2)
    asked = counted(stage)
    await asyncio.sleep(0.5)
    assert counted(stage) == asked
    nodes["/secret"].characters = 3
    await stage.program.signal("document:load-complete", "/frame")
    await told(stage, holds=True, box=moved)
    assert {member for _, member in stage.program.asked} <= QUESTIONS


@pytest.mark.parametrize("way", ["removed", "defunct", "hidden", "quit", "never visible", "no length"])
@pytest.mark.usefixtures("quick")
async def test_a_field_that_is_gone_or_hidden_holds_nothing(stage: Adapter, way: str) -> None:
    """One that never said that it is visible may be so all the same (the control); so may one with no length."""
    nodes = stage.program.nodes
    if way == "never visible":
        nodes["/secret"].states = SENSITIVE
    if way == "no length":
        stage.program.refused.add("CharacterCount")
    await give(stage, "/secret")
    await told(stage, holds=True)
    if way == "removed":
        del nodes["/secret"]
    elif way == "defunct":
        nodes["/secret"].states = DEFUNCT | VISIBLE
    elif way == "hidden":
        nodes["/secret"].states = SENSITIVE
    elif way == "quit":
        stage.program._bus.disconnect()
    holds = way in ("never visible", "no length")
    many = len(stage.of(FieldSeen)) + holds
    await until(lambda: len(stage.of(FieldSeen)) > many and stage.of(FieldSeen)[-1].holds is holds, "what it says")


@pytest.mark.usefixtures("quick")
async def test_a_field_that_does_not_answer_is_not_known_to_be_empty(stage: Adapter, limits: Limits) -> None:
    """Nothing is reported of it, and it is asked again."""
    await give(stage, "/secret")
    await told(stage, holds=True)
    limits("connection", ANSWER_S=0.05, PATIENCE_S=0.05)
    stage.program.nodes["/secret"].characters = 0
    stage.program.hangs = True
    await stage.program.signal(FOCUSES, "/ok", 0)
    await asyncio.sleep(0.5)
    assert all(seen.holds for seen in stage.of(FieldSeen))
    stage.program.hangs = False


@pytest.mark.usefixtures("quick")
async def test_nothing_is_asked_of_a_field_while_the_gate_is_closed_or_its_program_may_not_be_asked(
    stage: Adapter,
) -> None:
    """It is asked again when the gate opens. Once one of its program's windows is excluded, it stays covered."""

    async def is_asked_nothing() -> bool:
        await asyncio.sleep(0.3)
        asked = counted(stage)
        await asyncio.sleep(0.4)
        return counted(stage) == asked

    await give(stage, "/secret")
    await told(stage, holds=True)
    stage.guard.epoch = None
    assert await is_asked_nothing()
    stage.guard.epoch = 1
    stage.source.begin_anew()
    assert (await told(stage, holds=True)).epoch == 1
    stage.guard.permit = replace(stage.guard.permit, programs={os.getpid(): Access.NOTHING})
    assert await is_asked_nothing()


@BUTTON
async def test_a_field_stays_one_when_its_text_is_shown(stage: Adapter) -> None:
    """Its object says that it is a plain text then; a text that never was a password is one (the control)."""
    assert await give(stage, "/secret") is ControlRole.PASSWORD
    stage.program.nodes["/secret"].role = Role.TEXT
    assert await give(stage, "/ok") is ControlRole.BUTTON
    assert await give(stage, "/secret") is ControlRole.PASSWORD
    assert await give(stage, "/name") is ControlRole.TEXT


@pytest.mark.parametrize("way", ["beside", "gone", "long gone", "never", "unknown place"])
@pytest.mark.usefixtures("quick")
async def test_another_object_in_the_place_of_a_field_is_that_field(stage: Adapter, limits: Limits, way: str) -> None:
    """Some programs make a new one to show the text. Elsewhere, or much later, it is another one (the control)."""
    if way == "long gone":
        limits("fields", REPLACED_NS=0)
    if way != "never":
        await give(stage, "/secret")
        await told(stage, holds=True)
    if way in ("gone", "long gone"):
        del stage.program.nodes["/secret"]
        await told(stage, holds=False)
    if way == "unknown place":
        stage.program.refused.add("GetExtents")
    is_field = way in ("beside", "gone")
    assert await give(stage, "/shown") is (ControlRole.PASSWORD if is_field else ControlRole.TEXT)
    assert await give(stage, "/name") is ControlRole.TEXT


@pytest.mark.parametrize("way", ["leaf", "itself", "elsewhere", "plain", "behind"])
@pytest.mark.usefixtures("quick")
async def test_another_object_that_gets_no_keyboard_is_found_in_the_place_of_a_field(stage: Adapter, way: str) -> None:
    """Who presses a button to see the text does not give the field the keyboard. Behind others nobody can tell."""
    nodes = stage.program.nodes
    await give(stage, "/secret")
    await told(stage, holds=True)
    await stage.program.signal(FOCUSES, "/secret", 0)
    nodes["/shown"].characters = 6
    nodes["/leaf"] = Node(Role.LABEL, "", VISIBLE, box=PLACE._replace(w=50), parent="/shown")
    if way == "elsewhere":
        nodes["/shown"].box = PLACE._replace(y=26, h=90)
    elif way == "plain":
        nodes["/shown"].role = Role.BUTTON
    if way == "behind":
        nodes["/frame"].states = VISIBLE
    else:
        nodes["/frame"].children = ["/shown"]
    if way == "leaf":
        nodes["/shown"].children = ["/leaf"]
        nodes["/leaf"].box = PLACE
    del nodes["/secret"]
    if way == "behind":
        many = len(stage.of(FieldSeen))
        await asyncio.sleep(0.5)
        assert all(seen.holds for seen in stage.of(FieldSeen)[many - 1 :])
        return
    if way in ("leaf", "itself"):
        await told(stage, holds=True, path="/shown", box=nodes["/shown"].box)
    await until(lambda: any(not seen.holds for seen in stage.of(FieldSeen)), "its end")
    assert ("/shown" in {seen.key for seen in stage.of(FieldSeen)}) is (way in ("leaf", "itself"))


@GTK_4
@pytest.mark.usefixtures("quick")
async def test_where_a_field_of_gtk_4_is_nobody_says_later_either(stage: Adapter) -> None:
    """GTK 4 counts from the window."""
    await give(stage, "/secret")
    assert (await told(stage, holds=True, box=None)).box is None


@pytest.mark.usefixtures("quick")
async def test_where_no_program_knows_its_place_nobody_says_where_a_field_is(stage: Adapter) -> None:
    """Under Wayland each counts from its own corner: a box there would be covered at another place of the screen."""
    stage.guard.permit = replace(stage.guard.permit, knows_places=False)
    await give(stage, "/secret")
    assert (await told(stage, holds=True, box=None)).box is None


async def test_so_many_fields_are_asked_and_no_more(stage: Adapter) -> None:
    """The oldest is not asked any more, and so stays covered."""
    for number in range(MAX_FIELDS + 1):
        stage.program.nodes[f"/field{number}"] = Node(Role.PASSWORD, states=VISIBLE, box=PLACE._replace(y=50 * number))
        await give(stage, f"/field{number}")
    assert not stage.listener.fields.knows("/field0")
    assert stage.listener.fields.knows("/field1")


async def test_a_program_that_answers_at_once_is_never_waited_for(stage: Adapter, limits: Limits) -> None:
    """Keys wait no longer for it than ever."""
    limits("keyboard", SOON_S=5.0, HANGING_S=5.0)
    await give(stage, "/name")
    asked = stage.program.asked.count((ROOT, "GetRole"))
    for _ in range(2):
        stage.source.note_typing(os.getpid())
        await until(lambda: not stage.listener.keyboard._confirming, "the answer")
    assert stage.program.asked.count((ROOT, "GetRole")) == asked + 2
    assert not stage.of(AnswerAwaited)
    assert not stage.of(AnswerGiven)


@pytest.mark.parametrize("refuses", [True, False])
async def test_a_program_that_hangs_is_waited_for_until_it_answers(
    stage: Adapter, limits: Limits, *, refuses: bool
) -> None:
    """After that it gets a moment to work off what was typed, and is asked once more; so it is for later letters."""
    limits("keyboard", SOON_S=0.01, HANGING_S=0.05, SETTLE_S=0.05, PATIENCE_S=0.05)
    limits("connection", URGENT_S=0.1, PATIENCE_S=0.1)
    await give(stage, "/name")
    stage.program.hangs = True
    confirm(stage)
    await until(lambda: stage.of(AnswerAwaited), "waiting")
    confirm(stage)
    await asyncio.sleep(0.5)
    assert not stage.of(AnswerGiven)
    stage.program.hangs = False
    if refuses:
        stage.program.refused.add("GetRole")
    await stage.program.signal(FOCUSES, "/ok", 0)
    await until(lambda: stage.of(AnswerGiven), "the answer")
    assert len(stage.of(AnswerAwaited)) == 1
    assert stage.of(AnswerGiven)[0].t_ns > stage.of(AnswerAwaited)[0].t_ns


async def test_nobody_waits_for_a_program_that_answers_slowly_or_may_not_be_asked(
    stage: Adapter, limits: Limits
) -> None:
    """A slow one is asked twice, so that by the second answer it has done what was typed before the first."""
    limits("keyboard", SOON_S=0.01, HANGING_S=0.05, SETTLE_S=0.05)
    await give(stage, "/name")
    before = stage.program.asked.count((ROOT, "GetRole"))
    stage.program.late[ROOT, "GetRole"] = 0.2
    confirm(stage)
    await until(lambda: stage.of(AnswerGiven), "the answer")
    assert stage.program.asked.count((ROOT, "GetRole")) == before + 2
    stage.guard.permit = replace(stage.guard.permit, programs={})
    stage.source.note_typing(os.getpid())
    stage.guard.epoch = None
    stage.source.note_typing(os.getpid())
    await asyncio.sleep(0.2)
    assert stage.program.asked.count((ROOT, "GetRole")) == before + 2
    assert len(stage.of(AnswerGiven)) == 1


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_browser_whose_page_hangs_is_waited_for_whatever_is_said_meanwhile(
    stage: Adapter, limits: Limits, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    """Also one that has not said yet that it is a browser; what it says late does not mean that the page goes on."""
    limits("keyboard", SOON_S=0.01, SETTLE_S=0.05, PAGE_S=0.1)
    hangs: list[None] = []
    times: dict[int, int | None] = {7: None}
    monkeypatch.setattr("daemon.capture.accessibility.atspi.keyboard.page_times", lambda _: dict(times))
    await give(stage, "/name")
    browser = stage.listener.browser
    monkeypatch.setattr(browser, "_is_chromium", False if is_known else None)
    monkeypatch.setattr(browser, "_has_pages", is_known)
    monkeypatch.setattr(browser, "look", lambda: hangs.append(None))
    stage.listener.keyboard.confirm(1 << 62, 0)
    await until(lambda: stage.of(AnswerAwaited), "waiting")
    await give(stage, "/ok")
    await asyncio.sleep(0.4)
    assert hangs
    assert not stage.of(AnswerGiven), "the control: without a page that hangs it is told at once"
    times[7] = 1
    await until(lambda: stage.of(AnswerGiven), "the answer")
    times.clear()
    stage.listener.keyboard.confirm(1 << 62, 0)
    await until(lambda: not stage.listener.keyboard._confirming, "the answer")


async def test_a_field_that_a_page_typed_into_and_passed_is_covered_before_the_answer(
    stage: Adapter, limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that hung gives the keyboard on at once, and of the field it says only that there is more text."""
    limits("keyboard", SOON_S=0.01, SETTLE_S=0.05, PAGE_S=0.1)
    times: dict[int, int | None] = {7: None}
    monkeypatch.setattr("daemon.capture.accessibility.atspi.keyboard.page_times", lambda _: dict(times))
    await give(stage, "/name")
    monkeypatch.setattr(stage.listener.browser, "_is_chromium", False)
    monkeypatch.setattr(stage.listener.browser, "_has_pages", True)
    stage.listener.keyboard.confirm(1 << 62, 0)
    await until(lambda: stage.of(AnswerAwaited), "waiting")
    for path in ("/secret", "/name"):
        await stage.program.signal(WRITES, path, 0)
    await give(stage, "/ok")
    times[7] = 1
    await until(lambda: stage.of(AnswerGiven), "the answer")
    (field, *_) = stage.of(FieldSeen)
    assert (field.key, field.holds) == ("/secret", True)
    assert field.t_ns < stage.of(AnswerGiven)[0].t_ns


async def test_what_got_the_keyboard_in_a_program_that_hangs_is_asked_for_until_it_answers(
    stage: Adapter, limits: Limits
) -> None:
    """Nothing is said of it meanwhile: its keys may be a password."""
    limits("keyboard", READY_S=0.05, PATIENCE_S=0.05, ASK_AGAIN_S=(0.01,))
    limits("connection", URGENT_S=0.05, PATIENCE_S=0.05)
    await give(stage, "/name")
    moved = len(stage.of(FocusMoved))
    stage.program.hangs = True
    await stage.program.signal(FOCUSES, "/secret", 1)
    await asyncio.sleep(1.0)
    assert len(stage.of(FocusMoved)) == moved
    stage.program.hangs = False
    await until(lambda: len(stage.of(FocusMoved)) > moved, "the field")
    found = stage.of(FocusMoved)[-1].control
    assert found is not None
    assert found.role is ControlRole.PASSWORD
