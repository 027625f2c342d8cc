"""The task of a study that is under way at a time."""

from storage.records import TaskMark, TaskStep, task_at


def test_the_task_under_way_is_the_one_begun_last_and_none_after_its_end() -> None:
    """Two rows at one time count in their order: the end of one task, and the beginning of the next."""
    begun, done, other = (
        TaskMark(seq=seq, at_ns=at_ns, code=code, step=step, title=code)
        for seq, at_ns, code, step in (
            (1, 10, "a", TaskStep.BEGUN),
            (2, 30, "a", TaskStep.DONE),
            (3, 30, "b", TaskStep.BEGUN),
        )
    )
    assert [task_at((begun, done), at_ns) for at_ns in (5, 10, 29, 30)] == [None, begun, begun, None]
    assert task_at((begun, done, other), 30) is other
