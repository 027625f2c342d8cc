"""Assessing: people who stop and judge what they have made.

Nothing is wrong here: rests are long, the document hardly changes, and a thing taken back is taken back to compare.
"""

from collections.abc import Callable

from evaluation.simulation.behaviors.behavior import Behavior, Scene
from evaluation.simulation.behaviors.habits import look, mishap, near, point_at, some, work_a_little
from storage.records import State


def pages_through(scene: Scene) -> None:
    """Go through the result page by page and rest on each."""
    actor, program = scene.actor, scene.program
    way = -1
    while actor.has_time():
        program.page(way)
        actor.think(1.9)
        if actor.chance(0.2):
            way = -way
        if actor.chance(0.05):
            work_a_little(scene)
        mishap(scene)


def zooms_to_judge(scene: Scene) -> None:
    """Step back to see the whole, come close to see the detail, judge."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.overview()
        actor.think(2.4)
        point_at(actor, some(actor, program.content_points(), 1, 3), 1.1)
        if actor.chance(0.08):
            program.adjust()
        mishap(scene)


def points_at_items(scene: Scene) -> None:
    """Check one thing after the other with the pointer on it."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        for point in sorted(some(actor, program.content_points(), 3, 6), key=lambda place: place[::-1]):
            if not actor.has_time():
                return
            point_at(actor, (point,), 1.3)
        actor.think(1.5)
        if actor.chance(0.08):
            program.adjust()


def reads_over(scene: Scene) -> None:
    """Read what was written from its start, with small turns of the wheel."""
    actor, program = scene.actor, scene.program
    program.page(-1)
    actor.hands.move(*near(actor, actor.rng.choice(program.content_points()), reach=30))
    while actor.has_time():
        actor.think(2.0)
        actor.hands.scroll(-1 if actor.chance(0.8) else 1)
        if actor.chance(0.25):
            x, y = actor.hands.at
            actor.hands.move(min(x + actor.rng.randint(20, 120), 1700), y + actor.rng.randint(-10, 20))
        if actor.chance(0.06):
            program.adjust()


def holds_against_version_before(scene: Scene) -> None:
    """Put a last touch, go back once to how it was before, forward again, and judge at length."""
    actor, program = scene.actor, scene.program
    steps = program.change()
    look(scene, 2.6)
    program.undo(steps)
    look(scene, 2.6)
    program.redo(steps)
    while actor.has_time():
        look(scene, 2.8)
        if actor.chance(0.3):
            point_at(actor, some(actor, program.content_points(), 1, 2), 1.4)


def last_check(scene: Scene) -> None:
    """Before handing it in: to the end and back, the view as a whole, the brief once more, a save."""
    actor, program = scene.actor, scene.program
    steps: list[Callable[[], None]] = [
        lambda: program.page(1),
        lambda: program.page(1),
        lambda: program.page(-1),
        program.overview,
        program.save,
        lambda: point_at(actor, some(actor, program.content_points(), 2, 3), 1.2),
    ]
    number = 0
    while actor.has_time():
        steps[number % len(steps)]()
        actor.think(1.8)
        number += 1
        if number == len(steps) // 2 and actor.has_time() and actor.chance(0.5):
            scene.helpers.open_brief()
            actor.think(2.4)
            scene.helpers.back_to_work()


def _judges(act: Callable[[Scene], None], intent: str, *, held_out: bool = False) -> Behavior:
    return Behavior(name=act.__name__, state=State.ASSESSMENT, act=act, intent=intent, held_out=held_out)


BEHAVIORS = (
    _judges(pages_through, "see whether the whole is right"),
    _judges(zooms_to_judge, "see whether it looks right from afar and from near"),
    _judges(points_at_items, "see whether nothing is missing"),
    _judges(reads_over, "find what still needs mending"),
    _judges(holds_against_version_before, "decide whether the last touch made it better", held_out=True),
    _judges(last_check, "make sure it can be handed in", held_out=True),
)
