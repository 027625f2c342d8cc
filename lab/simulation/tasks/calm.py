"""People who get their task done, among them those who could be taken for stuck: each has its look-alike in `stuck`."""

from collections.abc import Callable, Mapping
from itertools import cycle
from types import MappingProxyType

from lab.simulation.tasks.rhythm import Rhythm, near, read_brief, rest
from lab.simulation.tasks.task import Answer, Task, TaskScene

Course = Callable[[TaskScene, Task], None]


def works(scene: TaskScene, _task: Task) -> None:
    """Work steadily at what the program is for."""
    user = scene.user
    while user.has_time():
        scene.program.work()
        user.think(0.9)


def gets_it_done(scene: TaskScene, task: Task) -> None:
    """Do the task as it is done, and go on with the work."""
    user = scene.user
    task.succeed()
    user.think(1.0)
    task.leave()
    while user.has_time():
        scene.program.work()
        user.think(0.9)


def batch(scene: TaskScene, task: Task) -> None:
    """Do the same thing at one target after the other; the same dialog comes each time, and each time it succeeds."""
    user, rhythm = scene.user, Rhythm(scene)
    once = task.again or task.succeed
    while user.has_time():
        once()
        if rhythm.quiet:
            user.think(1.5)
        else:
            rhythm.short()


def one_slip(scene: TaskScene, task: Task) -> None:
    """Try a wrong way once, notice, and do it right: everyday work, no trouble."""
    user = scene.user
    way = user.rng.choice(list(task.wrong))
    way.act(0)
    user.think(1.2)
    user.note_failure()
    if way.answer is Answer.OTHER and way.take_back is not None:
        way.take_back()
    task.succeed()
    task.leave()
    while user.has_time():
        scene.program.work()
        user.think(0.9)


def compares(scene: TaskScene, task: Task) -> None:
    """Try the choices one after the other on purpose, look at each, go back to one, and settle."""
    user = scene.user
    options = list(task.options)
    if not options:
        works(scene, task)
        return
    while user.has_time():
        for option in options:
            if not user.has_time():
                return
            option()
            user.think(1.4)
        for option in user.rng.sample(options, min(2, len(options))):
            if user.has_time():
                option()
                user.think(1.8)


def reads(scene: TaskScene, _task: Task) -> None:
    """Read what stands there for long, with few acts."""
    user = scene.user
    while user.has_time():
        rest(user, 4.0, 12.0, "reading")
        if user.chance(0.6):
            scene.program.look_over()


def reads_the_brief(scene: TaskScene, _task: Task) -> None:
    """Read the brief and go through it."""
    user = scene.user
    scene.helpers.open_brief()
    while user.has_time():
        rest(user, 3.0, 8.0, "reading")
        user.hands.scroll(-user.rng.randint(1, 4))
    scene.helpers.back_to_work()


def follows_the_brief(scene: TaskScene, task: Task) -> None:
    """Work from instructions in another window: read a line there, do it here, and so on; each step succeeds."""
    user = scene.user
    once = task.again or scene.program.work
    while user.has_time():
        scene.helpers.open_brief()
        user.hands.pause(user.rng.uniform(1.5, 4.0), "reading")
        scene.helpers.back_to_work()
        once()
        user.think(0.7)


def looks_it_up(scene: TaskScene, task: Task) -> None:
    """Look up how it is done, and do it as the page says, at one target after the other."""
    user = scene.user
    once = task.again or task.succeed
    while user.has_time():
        user.rng.choice((scene.helpers.search_help, scene.helpers.open_help))()
        user.think(1.2)
        if user.has_time() and user.chance(0.7):
            scene.helpers.open_result()
        rest(user, 2.0, 6.0, "reading")
        scene.helpers.back_to_work()
        for _ in range(user.rng.randint(1, 4)):
            if user.has_time():
                once()
                user.think(0.9)


def is_interrupted(scene: TaskScene, _task: Task) -> None:
    """Work, read something that came in between, and work on where it was left."""
    user = scene.user
    while user.has_time():
        for _ in range(user.rng.randint(2, 4)):
            if user.has_time():
                scene.program.work()
                user.think(0.8)
        if user.has_time():
            read_brief(scene, 2.0, 7.0)


def finishes_later(scene: TaskScene, task: Task) -> None:
    """Begin it, put something else first, and come back to do it: the look-alike of who returns to what failed."""
    user = scene.user
    while user.has_time():
        user.think(1.2)
        task.leave()
        scene.program.work()
        if user.has_time():
            task.begin()
            task.succeed()


def goes_slowly(scene: TaskScene, task: Task) -> None:
    """Do it at one target after the other, as slowly and with as many looks between as in quiet trouble."""
    user, rhythm = scene.user, Rhythm(scene)
    once = task.again or task.succeed
    while user.has_time():
        once()
        rhythm.gap()


def goes_in_and_out(scene: TaskScene, task: Task) -> None:
    """Do it, get out, and begin anew for the next target: the look-alike of who starts over."""
    user = scene.user
    while user.has_time():
        task.succeed()
        user.think(1.0)
        if user.has_time():
            task.leave()
            user.think(0.8)
            task.begin()


def does_the_rounds(scene: TaskScene, task: Task) -> None:
    """Do one kind of thing after the other, each where it is done: the look-alike of who looks for it elsewhere."""
    user = scene.user
    while user.has_time():
        task.succeed()
        user.think(0.9)
        task.leave()
        if user.has_time():
            task = user.rng.choice(list(scene.program.tasks()))
            task.begin()


def takes_notes(scene: TaskScene, _task: Task) -> None:
    """Work, and write down in another window what was done: the look-alike of who types into the wrong one."""
    user = scene.user
    while user.has_time():
        for _ in range(user.rng.randint(1, 3)):
            if user.has_time():
                scene.program.work()
                user.think(0.7)
        if user.has_time():
            scene.helpers.take_note()
            user.think(1.0)
            scene.helpers.back_to_work()


def adjusts_as_it_goes(scene: TaskScene, task: Task) -> None:
    """Set the view as it suits, do it, set it differently, do it again: the look-alike of who changes settings."""
    user = scene.user
    once, options = task.again or task.succeed, cycle(task.options)
    while user.has_time():
        once()
        user.think(1.0)
        if user.has_time():
            next(options)()
            user.think(1.0)


def browses_help(scene: TaskScene, _task: Task) -> None:
    """Read in the help out of interest, following its links: the look-alike of who asks it for a way out."""
    user = scene.user
    scene.helpers.open_help()
    while user.has_time():
        rest(user, 3.0, 9.0, "reading")
        if user.has_time():
            scene.helpers.open_result()
    scene.helpers.back_to_work()


def looks_around(scene: TaskScene, _task: Task) -> None:
    """Look at what there is: rest on buttons and labels, change the view; nothing is tried, nothing fails."""
    user = scene.user
    while user.has_time():
        for _ in range(user.rng.randint(1, 4)):
            user.hands.move(*near(user, user.rng.choice(list(scene.program.places()))))
            user.think(1.0)
        if user.chance(0.5):
            scene.program.look_over()


def thinks(scene: TaskScene, _task: Task) -> None:
    """Sit and think about what to make, put a little of it down, think on."""
    user = scene.user
    while user.has_time():
        user.hands.pause(min(user.hands.about(4.0 * user.persona.pause, 0.5), 12.0), "thinking")
        if user.has_time() and user.chance(0.5):
            scene.program.work()


def checks(scene: TaskScene, _task: Task) -> None:
    """Go over what was made and find it good."""
    user = scene.user
    while user.has_time():
        scene.program.look_over()
        user.think(1.8)
        if user.chance(0.4):
            user.hands.move(*near(user, user.rng.choice(list(scene.program.places()))))
            user.think(0.8)


def checks_against_the_brief(scene: TaskScene, _task: Task) -> None:
    """Look to and fro between what was wanted and what was made, and find it good."""
    user = scene.user
    while user.has_time():
        read_brief(scene, 1.5, 4.0)
        if user.has_time():
            user.hands.move(*near(user, user.rng.choice(list(scene.program.places()))))
            user.think(1.5)
        if user.has_time() and user.chance(0.6):
            scene.program.look_over()


def waits(scene: TaskScene, _task: Task) -> None:
    """Wait for something that takes long."""
    user = scene.user
    scene.helpers.start_progress(max(3.0, user.seconds_left() - 2.0), kind=user.rng.choice(("dialog", "terminal")))
    while user.has_time() and not scene.helpers.progress_is_over():
        user.hands.pause(1.0, "waiting")
    scene.helpers.back_to_work()


PERFORMING: Mapping[str, Course] = MappingProxyType(
    {
        "works": works,
        "gets_it_done": gets_it_done,
        "one_slip": one_slip,
        "is_interrupted": is_interrupted,
        "takes_notes": takes_notes,
    }
)
LOOK_ALIKES: Mapping[str, Course] = MappingProxyType(
    {
        "batch": batch,
        "goes_slowly": goes_slowly,
        "finishes_later": finishes_later,
        "looks_it_up": looks_it_up,
        "follows_the_brief": follows_the_brief,
        "goes_in_and_out": goes_in_and_out,
        "does_the_rounds": does_the_rounds,
        "adjusts_as_it_goes": adjusts_as_it_goes,
    }
)
"""Performing actions as well, and hard negatives."""

EXPLORING: Mapping[str, Course] = MappingProxyType({"looks_around": looks_around})
COMPARING: Mapping[str, Course] = MappingProxyType({"compares": compares})
READING: Mapping[str, Course] = MappingProxyType(
    {"reads_the_brief": reads_the_brief, "reads": reads, "browses_help": browses_help}
)
THINKING: Mapping[str, Course] = MappingProxyType({"thinks": thinks})
CHECKING: Mapping[str, Course] = MappingProxyType(
    {"checks": checks, "checks_against_the_brief": checks_against_the_brief}
)
WAITING: Mapping[str, Course] = MappingProxyType({"waits": waits})
