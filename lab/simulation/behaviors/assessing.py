"""Assessing: users who stop and judge what they have made.

Nothing is wrong here: rests are long, the document hardly changes, and what is undone is undone to compare.
"""

from collections.abc import Callable
from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import do_some_work, look, maybe_mishap, near, pick_points, point_at
from storage.records import State

BEHAVIORS: list[Behavior] = []
_judging = partial(register, BEHAVIORS, State.ASSESSMENT)


@_judging("see whether the whole is right")
def pages_through(scene: Scene) -> None:
    """Go through the result page by page and rest on each."""
    user, program = scene.user, scene.program
    way = -1
    while user.has_time():
        program.page(way)
        user.think(1.9)
        if user.chance(0.2):
            way = -way
        if user.chance(0.05):
            do_some_work(scene)
        maybe_mishap(scene)


@_judging("see whether it looks right from afar and from near")
def zooms_to_judge(scene: Scene) -> None:
    """Step back to see the whole, come close to see the detail, judge."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.overview()
        user.think(2.4)
        point_at(user, pick_points(user, program.content_points(), 1, 3), 1.1)
        if user.chance(0.08):
            program.adjust()
        maybe_mishap(scene)


@_judging("see whether nothing is missing")
def points_at_items(scene: Scene) -> None:
    """Check one thing after the other with the pointer on it."""
    user, program = scene.user, scene.program
    while user.has_time():
        for point in sorted(pick_points(user, program.content_points(), 3, 6), key=lambda place: place[::-1]):
            if not user.has_time():
                return
            point_at(user, (point,), 1.3)
        user.think(1.5)
        if user.chance(0.08):
            program.adjust()


@_judging("find what still needs mending")
def reads_over(scene: Scene) -> None:
    """Read what was written from its start, with small turns of the wheel."""
    user, program = scene.user, scene.program
    program.page(-1)
    user.hands.move(*near(user, user.rng.choice(program.content_points()), reach=30))
    while user.has_time():
        user.think(2.0)
        user.hands.scroll(-1 if user.chance(0.8) else 1)
        if user.chance(0.25):
            x, y = user.hands.at
            user.hands.move(min(x + user.rng.randint(20, 120), 1700), y + user.rng.randint(-10, 20))
        if user.chance(0.06):
            program.adjust()


@_judging("decide whether the last touch made it better", held_out=True)
def holds_against_version_before(scene: Scene) -> None:
    """Put a last touch, go back once to how it was before, forward again, and judge at length."""
    user, program = scene.user, scene.program
    steps = program.change()
    look(scene, 2.6)
    program.undo(steps)
    look(scene, 2.6)
    program.redo(steps)
    while user.has_time():
        look(scene, 2.8)
        if user.chance(0.3):
            point_at(user, pick_points(user, program.content_points(), 1, 2), 1.4)


@_judging("make sure it can be handed in", held_out=True)
def last_check(scene: Scene) -> None:
    """Before handing it in: to the end and back, the view as a whole, the brief once more, a save."""
    user, program = scene.user, scene.program
    steps: list[Callable[[], None]] = [
        lambda: program.page(1),
        lambda: program.page(1),
        lambda: program.page(-1),
        program.overview,
        program.save,
        lambda: point_at(user, pick_points(user, program.content_points(), 2, 3), 1.2),
    ]
    number = 0
    while user.has_time():
        steps[number % len(steps)]()
        user.think(1.8)
        number += 1
        if number == len(steps) // 2 and user.has_time() and user.chance(0.5):
            scene.helpers.open_brief()
            user.think(2.4)
            scene.helpers.back_to_work()
