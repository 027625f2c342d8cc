"""What a search starts from: names of one program, from the last minute, and nothing older than a pause."""

from dataclasses import replace

import pytest

from daemon.capture.accessibility.digests import ControlWords
from daemon.help.context import CAME_BACK
from daemon.help.moment import MAX_NAMES, WorkMoment
from storage.clock import NS_PER_S
from storage.records import (
    ControlAct,
    ControlRole,
    DialogSeen,
    EventKind,
    Focus,
    InputEvent,
    KeyClass,
    MessageClass,
    MessageSeen,
    Record,
    State,
    Switch,
    SwitchName,
    UndoLabel,
)
from storage.testing import plain
from tests.fakes.detectors.fake_detectors import estimate_of

S = NS_PER_S


class Desk:
    """A moment of work, and the memory of words that it looks into."""

    def __init__(self) -> None:
        self.words = ControlWords()
        self.moment = WorkMoment(self.words.lookup)
        self.focus("calc", "budget.ods")

    def digest(self, text: str, at_s: float) -> str:
        self.words.remember(f"d-{text}", text, round(at_s * S))
        return f"d-{text}" if text else ""

    def take(self, *rows: Record) -> None:
        self.moment.observe(rows)

    def focus(self, app: str, title: str, at_s: float = 0.0, *, dialog: bool = False) -> None:
        at_ns = round(at_s * S)
        self.take(plain(Focus, at_ns, at_ns=at_ns, app=app, title_digest=self.digest(title, at_s), dialog=dialog))

    def press(self, name: str, at_s: float, app: str = "calc", role: ControlRole = ControlRole.BUTTON) -> None:
        digest = self.digest(name, at_s)
        self.take(ControlAct(t_ns=round(at_s * S), app=app, what="pressed", role=role, name_digest=digest))


def test_a_moment_has_the_words_of_its_program_alone() -> None:
    desk = Desk()
    desk.press("Insert", 1)
    desk.press("Back", 2, app="browser")
    desk.press("Freeze", 3)
    desk.press("A12", 3, role=ControlRole.CELL)
    failed = desk.digest("It failed", 4)
    error = plain(MessageSeen, 4 * S, app="calc", text_digest=failed, about=MessageClass.ERROR)
    desk.take(error, replace(error, text_digest=desk.digest("Loading", 4), about=MessageClass.PROGRESS))
    undo = InputEvent(t_ns=6 * S, kind=EventKind.KEY, key_class=KeyClass.UNDO)
    desk.take(undo)
    desk.take(UndoLabel(t_ns=5 * S, app="calc", label_digest=desk.digest("Delete rows", 5)), undo, undo)
    estimate = replace(estimate_of(0.9), app="calc")
    desk.take(estimate)
    found = desk.moment.context(10 * S, words="freeze")
    assert (found.app, found.title, found.words) == ("calc", "budget.ods", "freeze")
    assert found.controls == ("Insert", "Freeze")
    assert found.messages == found.errors == ("It failed",)
    assert found.undone == ("Delete rows", "Delete rows")
    assert found.state is State.FRUSTRATION
    assert found.evidence == tuple(evidence.code for evidence in estimate.evidence)


@pytest.mark.parametrize(
    ("acts", "typed_in"),
    [
        ((), None),
        (("pressed", ControlRole.ENTRY), None),
        (("entered", ControlRole.ENTRY, "entered", ControlRole.TEXT, "pressed", ControlRole.BUTTON), ControlRole.TEXT),
        (("chosen", ControlRole.CELL, "entered", ControlRole.TEXT), ControlRole.CELL),
    ],
)
def test_a_moment_knows_what_was_typed_into_last(
    acts: tuple[str | ControlRole, ...], typed_in: ControlRole | None
) -> None:
    """Calc tells the text that is typed into a cell, and the cell as it is chosen."""
    desk = Desk()
    for what, role in zip(acts[::2], acts[1::2], strict=True):
        desk.take(ControlAct(t_ns=S, app="calc", what=what, role=ControlRole(role), name_digest=""))
    assert desk.moment.context(2 * S).typed_in is typed_in
    assert desk.moment.context(90 * S).typed_in is None


def test_a_dialog_belongs_to_the_program_before_it() -> None:
    desk = Desk()
    desk.focus("soffice", "Cell format", 1, dialog=True)
    desk.press("Apply", 2, app="soffice")
    found = desk.moment.context(3 * S)
    assert (found.app, found.title, found.dialog, found.controls) == ("calc", "budget.ods", "Cell format", ("Apply",))
    desk.focus("calc", "budget.ods", 4)
    assert desk.moment.context(5 * S).dialog == ""


def test_a_pause_leaves_nothing() -> None:
    """Whatever the memory of words still holds, a pause ends the moment."""
    desk = Desk()
    desk.press("Freeze", 1)
    save = desk.digest("Save?", 1)
    dialog = plain(DialogSeen, S, app="calc", title_digest="", text_digest=save, about=MessageClass.QUESTION)
    desk.take(dialog, replace(estimate_of(0.9), app="calc"))
    before = desk.moment.context(2 * S)
    assert (before.messages, before.errors) == (("Save?",), ())
    desk.take(Switch(name=SwitchName.PAUSED, on=True, by="person"))
    found = desk.moment.context(2 * S)
    assert (found.title, found.controls, found.messages, found.state, found.evidence) == ("", (), (), None, ())


@pytest.mark.parametrize(
    ("kind", "about", "role", "times_s", "came_back"),
    [
        (MessageSeen, MessageClass.ERROR, ControlRole.LABEL, (2, 4), True),
        (DialogSeen, MessageClass.ERROR, ControlRole.DIALOG, (2, 4), True),
        (DialogSeen, MessageClass.QUESTION, ControlRole.DIALOG, (2, 4), False),
        (MessageSeen, MessageClass.ERROR, ControlRole.ENTRY, (2, 4), False),  # that has a page of its own
        (MessageSeen, MessageClass.ERROR, ControlRole.LABEL, (2, 80), False),
        (MessageSeen, MessageClass.ERROR, ControlRole.LABEL, (1, 1), False),  # reported twice
        (MessageSeen, MessageClass.ERROR, ControlRole.LABEL, (0, 4), False),  # nobody has acted
    ],
)
def test_what_came_back_after_an_act_is_the_weightiest_evidence(
    kind: type[MessageSeen] | type[DialogSeen],
    about: MessageClass,
    role: ControlRole,
    times_s: tuple[int, int],
    came_back: bool,
) -> None:
    acted_s, again_s = times_s
    desk = Desk()
    desk.take(InputEvent(t_ns=0, kind=EventKind.BUTTON_DOWN))
    first = plain(kind, S, app="calc", text_digest=desk.digest("It failed", 1), about=about, role=role)
    desk.take(first)
    if acted_s:
        desk.take(InputEvent(t_ns=acted_s * S, kind=EventKind.BUTTON_DOWN))
    desk.take(replace(first, t_ns=again_s * S))
    evidence = desk.moment.context((again_s + 1) * S).evidence
    assert evidence == ((CAME_BACK,) if came_back else ())


def test_control_words_that_are_gone_from_memory_are_nowhere() -> None:
    """The moment holds digests: what the memory forgets is forgotten."""
    desk = Desk()
    desk.press("Freeze", 1)
    desk.words.clear()
    assert desk.moment.context(2 * S).controls == ()


def test_what_a_dialog_chooses_by_itself_as_it_opens_is_nobodys_act() -> None:
    """Lists are set up before anybody has touched it; what follows an input counts, as it does in a window."""
    desk = Desk()

    def choose(name: str, at_s: float) -> None:
        chosen = {"what": "chosen", "role": ControlRole.LIST_ITEM, "name_digest": desk.digest(name, at_s)}
        desk.take(plain(ControlAct, round(at_s * S), app="calc", **chosen))

    choose("Sheet1", 1)
    desk.take(InputEvent(t_ns=2 * S, kind=EventKind.KEY, key_class=KeyClass.SHORTCUT))
    desk.focus("Soffice", "Format Cells", 3, dialog=True)
    choose("Text Extension", 4)
    desk.take(InputEvent(t_ns=5 * S, kind=EventKind.BUTTON_DOWN))
    choose("Percent", 6)
    assert desk.moment.context(7 * S).controls == ("Sheet1", "Percent")


def test_only_the_newest_names_of_a_minute_are_there() -> None:
    desk = Desk()
    for number in range(MAX_NAMES + 3):
        desk.press(f"name {number}", 1)
        desk.press(f"name {number}", 1)
    found = desk.moment.context(2 * S).controls
    assert found == tuple(f"name {number}" for number in range(3, MAX_NAMES + 3))
    assert desk.moment.context(62 * S).controls == ()


def test_a_dialog_that_was_left_counts_among_what_was_used() -> None:
    desk = Desk()
    desk.press("Format", 1)
    desk.focus("Soffice", "Format Cells", 2, dialog=True)
    assert desk.moment.context(3 * S).controls == ("Format",)
    desk.focus("calc", "budget.ods", 4)
    desk.press("Bold", 5)
    left = desk.moment.context(6 * S)
    assert (left.dialog, left.controls) == ("", ("Format", "Format Cells", "Bold"))
    desk.moment.clear()
    assert desk.moment.context(6 * S).controls == ()
