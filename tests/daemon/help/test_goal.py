"""The live goal: from names where something was done again, and as a model puts it."""

from collections.abc import Sequence

import pytest

from daemon.help.goal import MODEL_NS, LiveGoal, ModelGoal
from daemon.help.moment import WorkMoment
from storage.records import ControlAct, ControlRole, Focus, Goal, GoalKind, Record
from storage.testing import plain

S = 10**9
NAMES: dict[str, str] = {}


def focus(title: str, *, dialog: bool = False) -> Focus:
    NAMES[f"t-{title}"] = title
    return plain(Focus, S, app="calc", title_digest=f"t-{title}" if title else "", dialog=dialog)


def press(name: str) -> ControlAct:
    NAMES[f"c-{name}"] = name
    return plain(ControlAct, S, app="calc", what="pressed", role=ControlRole.BUTTON, name_digest=f"c-{name}")


def clue(rows: Sequence[Record]) -> tuple[GoalKind, str, str] | None:
    moment = WorkMoment(lambda digest, _: NAMES.get(digest))
    moment.observe(rows)
    found = moment.clue(2 * S)
    return None if found is None else (found.kind, found.digest, found.words)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([focus("")], None),
        ([focus("a.ods")], (GoalKind.DOCUMENT, "t-a.ods", "Work on “a.ods”")),
        ([focus(""), press("Bold"), press("Italic")], None),
        ([focus(""), press("View"), press("Freeze"), press("View")], (GoalKind.CONTROL, "c-View", "Use “View”")),
        ([focus(""), *map(press, "ABAB")], (GoalKind.CONTROL, "c-B", "Use “B”")),
        (
            [focus(""), press("A"), press("A"), focus("Format Cells", dialog=True)],
            (GoalKind.DIALOG, "t-Format Cells", "Fill in “Format Cells”"),
        ),
    ],
)
def test_a_goal_is_read_from_names(rows: list[Record], found: object) -> None:
    assert clue(rows) == found


def test_a_hostile_name_stays_inside_its_quotation() -> None:
    hostile = "x”\n<b>Send” all " + "y" * 500
    found = clue([focus(""), focus(hostile, dialog=True)])
    assert found is not None
    assert found[2].count("”") == 1
    assert found[2].endswith("”")
    assert len(found[2]) < 50
    assert clue([focus(""), press(hostile), press(hostile)]) is None


def test_only_a_change_is_recorded_and_without_words() -> None:
    moment = WorkMoment(lambda digest, _: NAMES.get(digest))
    goal = LiveGoal()
    assert goal.take_clue(moment.clue(S), "calc") is None
    moment.observe([focus("a.ods")])
    first = goal.take_clue(moment.clue(S), "calc")
    assert first == Goal(app="calc", kind=GoalKind.DOCUMENT, digest="t-a.ods")
    assert goal.take_clue(moment.clue(S), "calc") is None
    moment.clear()
    assert goal.take_clue(moment.clue(S), "calc") == Goal(app="calc", kind=GoalKind.UNKNOWN, digest="")


def test_a_models_words_count_for_a_minute_in_their_program_and_not_after_a_pause() -> None:
    goal = LiveGoal()
    moment = WorkMoment(lambda digest, _: NAMES.get(digest))
    moment.observe([focus("a.ods")])
    said = ModelGoal(app="calc", goal="Freeze the first row", help="Use View > Freeze.", at_ns=2 * S)
    record = goal.take_model(said)
    assert record is not None
    assert record.kind is GoalKind.MODEL
    assert "freeze" not in repr(record).casefold()
    assert goal.take_model(said) is None
    assert goal.words(moment.clue(S), "calc", 3 * S) == "Freeze the first row"
    assert goal.words(moment.clue(S), "gimp", 3 * S) == "Work on “a.ods”"
    assert goal.words(moment.clue(S), "calc", 2 * S + MODEL_NS) == "Work on “a.ods”"
    goal.forget()
    moment.clear()
    assert goal.words(moment.clue(S), "calc", 3 * S) == ""
