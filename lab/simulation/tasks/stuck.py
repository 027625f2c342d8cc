"""People who are stuck at a task: they hold a wrong idea of it, and the program answers the same each time.

A try is a `Way`; it has failed once its answer was there to be seen. From the second failed try on help is needed
(`recording.labels`). What differs between the courses is how a person goes on after a failure; which state that is
follows from the way: one that changes a detail and looks again is debugging, anything else frustration.
"""

from collections.abc import Callable, Mapping
from itertools import cycle
from types import MappingProxyType

from lab.simulation.tasks.rhythm import Rhythm, point_at_places, read_brief, rest
from lab.simulation.tasks.task import Answer, Task, TaskScene, Way

Course = Callable[[TaskScene, Task], None]


def _some_way(scene: TaskScene, task: Task, *, systematic: bool) -> Way:
    """Return a way of that kind, or any where the task has none of it."""
    return scene.user.rng.choice([way for way in task.wrong if way.systematic is systematic] or list(task.wrong))


def _attempt(scene: TaskScene, way: Way, number: int, rhythm: Rhythm) -> None:
    """Try once, look at the answer, and note that it failed; what was not wanted is mostly taken back."""
    user = scene.user
    way.act(number)
    user.think(1.0 if rhythm.quiet else 0.6)
    user.note_failure()
    if way.answer is Answer.OTHER and way.take_back is not None and user.chance(0.35 if rhythm.quiet else 0.75):
        way.take_back()


def insists(scene: TaskScene, task: Task) -> None:
    """Try the same way over and over: it ought to work."""
    user, rhythm = scene.user, Rhythm(scene)
    way = _some_way(scene, task, systematic=False)
    number = 0
    while user.has_time():
        _attempt(scene, way, number, rhythm)
        number += 1
        rhythm.gap()


def hammers(scene: TaskScene, task: Task) -> None:
    """Do the same two or three times at once, sit back, and do it again: now it must work."""
    user, rhythm = scene.user, Rhythm(scene)
    way = _some_way(scene, task, systematic=False)
    number = 0
    while user.has_time():
        for _ in range(user.rng.randint(2, 3)):
            if user.has_time():
                way.act(number)
                user.think(0.4)
                user.note_failure()
                number += 1
        rhythm.gap(1.6)


def ponders(scene: TaskScene, task: Task) -> None:
    """Try the one idea there is, think for long, and try it again; once in a while something near it."""
    user, rhythm = scene.user, Rhythm(scene)
    first, *others = user.rng.sample(list(task.wrong), len(task.wrong))
    number = 0
    while user.has_time():
        _attempt(scene, user.rng.choice(others) if user.chance(0.2) else first, number, rhythm)
        number += 1
        if user.has_time():
            rest(user, 4.0, 12.0, "thinking")


def alternates(scene: TaskScene, task: Task) -> None:
    """Go to and fro between two or three ways, with no plan in it."""
    user, rhythm = scene.user, Rhythm(scene)
    ways = user.rng.sample(list(task.wrong), min(len(task.wrong), user.rng.randint(2, 3)))
    number, at = 0, 0
    while user.has_time():
        _attempt(scene, ways[at], number, rhythm)
        number += 1
        at = (at + 1) % len(ways) if user.chance(0.75) else user.rng.randrange(len(ways))
        rhythm.gap()


def varies(scene: TaskScene, task: Task) -> None:
    """Change one detail, look at the answer for a while, change another: the cause must be somewhere here."""
    user, rhythm = scene.user, Rhythm(scene)
    way = _some_way(scene, task, systematic=True)
    number = 0
    while user.has_time():
        _attempt(scene, way, number, rhythm)
        number += 1
        rhythm.gap(1.3)


def inspects(scene: TaskScene, task: Task) -> None:
    """Change one detail, then go over what is there for what it did; change another."""
    user, rhythm = scene.user, Rhythm(scene)
    way = _some_way(scene, task, systematic=True)
    number = 0
    while user.has_time():
        _attempt(scene, way, number, rhythm)
        number += 1
        point_at_places(scene, 3)
        if user.has_time() and user.chance(0.5):
            scene.program.look_over()
        rhythm.gap(0.6)


def rereads(scene: TaskScene, task: Task) -> None:
    """Read again what is wanted, change one detail of what was tried, and look at the answer."""
    user, rhythm = scene.user, Rhythm(scene)
    way = _some_way(scene, task, systematic=True)
    number = 0
    while user.has_time():
        for _ in range(user.rng.randint(1, 2)):
            if user.has_time():
                _attempt(scene, way, number, rhythm)
                number += 1
                rhythm.gap(0.7)
        if user.has_time():
            read_brief(scene, 1.5, 5.0)


def searches(scene: TaskScene, task: Task) -> None:
    """Look for the place where it is done, try what is near, and search on."""
    user, rhythm = scene.user, Rhythm(scene)
    number = 0
    while user.has_time():
        point_at_places(scene, 3)
        if user.chance(0.4):
            scene.program.look_over()
        _attempt(scene, user.rng.choice(list(task.wrong)), number, rhythm)
        number += 1
        rhythm.gap(0.7)


def returns(scene: TaskScene, task: Task) -> None:
    """Try, let it be, get something else done, and come back to the same."""
    user, rhythm = scene.user, Rhythm(scene)
    way = user.rng.choice(list(task.wrong))
    number = 0
    while user.has_time():
        _attempt(scene, way, number, rhythm)
        number += 1
        rhythm.gap()
        if number >= 2 and user.has_time() and user.chance(0.35):  # noqa: PLR2004  # not before it has failed twice
            task.leave()
            scene.program.work()
            task.begin()


def starts_over(scene: TaskScene, task: Task) -> None:
    """Try, get out of it, and begin again from the start in the same way: something must have gone wrong before."""
    user, rhythm = scene.user, Rhythm(scene)
    way = _some_way(scene, task, systematic=False)
    while user.has_time():
        _attempt(scene, way, 0, rhythm)
        rhythm.gap(0.8)
        if user.has_time():
            task.leave()
            user.think(0.8)
            task.begin()


def looks_elsewhere(scene: TaskScene, task: Task) -> None:
    """Try, look for it where other things are done, find nothing there, and try here again."""
    user, rhythm = scene.user, Rhythm(scene)
    others = [other for other in scene.program.tasks() if other.name != task.name]
    way = user.rng.choice(list(task.wrong))
    number = 0
    while user.has_time():
        _attempt(scene, way, number, rhythm)
        number += 1
        rhythm.gap(0.5)
        if user.has_time():
            other = user.rng.choice(others)
            task.leave()
            other.begin()
            point_at_places(scene, 3)
            other.leave()
            task.begin()


def types_elsewhere(scene: TaskScene, task: Task) -> None:
    """Read what is wanted, type it into that window, notice, come back, and fail here as well."""
    user, rhythm = scene.user, Rhythm(scene)
    way = user.rng.choice(list(task.wrong))
    number = 0
    while user.has_time():
        scene.helpers.open_brief()
        rest(user, 1.0, 3.0, "reading")
        user.write(user.rng.choice(("select", "garden", "about 90", "next one")))
        user.think(1.2)
        user.note_failure()
        scene.helpers.back_to_work()
        for _ in range(user.rng.randint(1, 2)):
            if user.has_time():
                _attempt(scene, way, number, rhythm)
                number += 1
                rhythm.gap(0.7)


def steps_back(scene: TaskScene, task: Task) -> None:
    """Try, undo one step after the other to see where it went wrong, do them again, and try again."""
    user, rhythm = scene.user, Rhythm(scene)
    way = _some_way(scene, task, systematic=True)
    number = 0
    while user.has_time():
        _attempt(scene, way, number, rhythm)
        number += 1
        rhythm.gap(0.6)
        if user.has_time():
            steps = user.count(2, 5)
            user.hands.repeat("ctrl+z", steps, gap_s=0.5)
            user.think(1.0)
            user.hands.repeat(scene.program.redo, steps, gap_s=0.5)


def changes_settings(scene: TaskScene, task: Task) -> None:
    """Set something else differently each time, which has nothing to do with it, and try the same again."""
    user, rhythm = scene.user, Rhythm(scene)
    way = _some_way(scene, task, systematic=False)
    for number, option in enumerate(cycle(task.options)):
        _attempt(scene, way, number, rhythm)
        rhythm.gap(0.6)
        if not user.has_time():
            return
        option()
        user.think(1.0)


def asks_on(scene: TaskScene, _task: Task) -> None:
    """Ask the help one question after the other and read page after page; look back at the work, and ask again."""
    user = scene.user
    while user.has_time():
        scene.helpers.search_help()
        user.think(1.2)
        for _ in range(user.rng.randint(1, 2)):
            if user.has_time():
                scene.helpers.open_result()
                rest(user, 2.0, 6.0, "reading")
        user.note_failure()
        if user.has_time() and user.chance(0.4):
            scene.helpers.back_to_work()
            point_at_places(scene, 2)


def reads_and_tries(scene: TaskScene, task: Task) -> None:
    """Look it up, come back, and fail in the same way: the page was about something else."""
    user, rhythm = scene.user, Rhythm(scene)
    way = user.rng.choice(list(task.wrong))
    number = 0
    while user.has_time():
        scene.helpers.search_help()
        user.think(1.5)
        if user.has_time():
            scene.helpers.open_result()
            user.hands.pause(user.rng.uniform(2.0, 6.0), "reading")
        scene.helpers.back_to_work()
        _attempt(scene, way, number, rhythm)
        number += 1
        rhythm.gap(0.6)


FRUSTRATED: Mapping[str, Course] = MappingProxyType(
    {
        "insists": insists,
        "hammers": hammers,
        "ponders": ponders,
        "alternates": alternates,
        "searches": searches,
        "returns": returns,
        "starts_over": starts_over,
        "looks_elsewhere": looks_elsewhere,
        "types_elsewhere": types_elsewhere,
    }
)
"""Courses without a plan; they are frustration from the second failure on."""

DEBUGGING: Mapping[str, Course] = MappingProxyType(
    {
        "varies": varies,
        "inspects": inspects,
        "rereads": rereads,
        "steps_back": steps_back,
        "changes_settings": changes_settings,
    }
)
SEEKING: Mapping[str, Course] = MappingProxyType({"reads_and_tries": reads_and_tries, "asks_on": asks_on})
