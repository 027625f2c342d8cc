"""Who goes on with a try gives it again once something else stands there: it would succeed otherwise."""

import pytest

from lab.simulation.programs.meld import MeldProgram
from lab.simulation.programs.sqlitebrowser import SqlitebrowserProgram
from tests.fakes.lab.task_program import FakeLog, fake_task_scene


def test_a_search_goes_on_only_while_its_own_word_is_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    user = fake_task_scene(1).user
    assert isinstance(user.log, FakeLog)
    lines, program = user.log.lines, MeldProgram(user)
    monkeypatch.setattr(program, "_into_text", lambda: None)  # no window

    def presses(number: int) -> list[str]:
        before = len(lines)
        program._find_on(number)
        return [line["keys"] for line in lines[before:] if line["kind"] == "key"]

    assert presses(0)[0] == "Control_L+f"
    assert set(presses(1)) == {"Control_L+g"}
    program._find("choir")
    assert presses(2)[0] == "Control_L+f"
    program._leave_search()
    assert presses(3)[0] == "Control_L+f"


def test_a_query_is_run_again_only_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the lot says: a query of the work in between has an answer."""
    user = fake_task_scene(1).user
    program = SqlitebrowserProgram(user)
    asked: list[str] = []

    def ask(query: str) -> None:
        asked.append(query)
        program._stands = query

    monkeypatch.setattr(program, "_ask", ask)
    monkeypatch.setattr(program, "_run", lambda: None)  # no window
    monkeypatch.setattr(user, "chance", lambda _: False)  # never typed again by whim
    program._insist("wrong", 0)
    program._insist("wrong", 1)
    assert asked == ["wrong"]
    ask("right")
    program._insist("wrong", 2)
    assert asked == ["wrong", "right", "wrong"]
