"""Who goes on with a try gives it again once something else stands there: it would succeed otherwise."""

from lab.simulation.programs.meld import MeldProgram
from lab.simulation.programs.sqlitebrowser import SqlitebrowserProgram
from tests.fakes.lab.task_program import FakeLog, fake_task_scene


def test_a_search_goes_on_only_while_its_own_word_is_sought() -> None:
    user = fake_task_scene(1).user
    assert isinstance(user.log, FakeLog)
    lines, program = user.log.lines, MeldProgram(user)
    program._into_text = lambda: None  # type: ignore[method-assign]  # no window

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


def test_a_query_is_run_again_only_where_it_stands() -> None:
    """Whatever the lot says: a query of the work in between has an answer."""
    user = fake_task_scene(1).user
    program = SqlitebrowserProgram(user)
    asked: list[str] = []

    def ask(query: str) -> None:
        asked.append(query)
        program._stands = query

    program._ask, program._run = ask, lambda: None  # type: ignore[method-assign]  # no window
    user.chance = lambda share: False  # type: ignore[method-assign]  # never typed again by whim
    program._insist("wrong", 0)
    program._insist("wrong", 1)
    assert asked == ["wrong"]
    ask("right")
    program._insist("wrong", 2)
    assert asked == ["wrong", "right", "wrong"]
