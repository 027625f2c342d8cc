"""Outbursts: frustrated people who no longer try anything in particular. All of it is held out from training.

Nothing is shared with the tries of `trouble` but the pace of an angry hand.
"""

from evaluation.simulation.actor import Actor
from evaluation.simulation.behaviors.behavior import Scene
from evaluation.simulation.behaviors.habits import near
from evaluation.simulation.behaviors.trouble import gap, stuck
from evaluation.simulation.program import Point

_PATIENCE = 2


def mashes_keys(scene: Scene) -> None:
    """Hammer on Escape, Enter and the arrows, as if the program could be woken."""
    actor = scene.actor
    while actor.has_time():
        for _ in range(actor.rng.randint(1, 2)):
            key = actor.rng.choice(("Escape", "Escape", "Return", "Down", "ctrl+z"))
            actor.hands.repeat(key, actor.count(3, 7), gap_s=gap(actor, 0.12))
            actor.hands.wait(gap(actor, 0.5))
        actor.think(1.0)
        actor.failed()
        if actor.chance(0.35):
            actor.wander(2)
        actor.think(1.6)
        if len(actor.failures_ns) >= _PATIENCE and actor.has_time() and actor.chance(0.2):
            scene.program.compose()


def rushes_about(scene: Scene) -> None:
    """Race up and down the document and shake the pointer, looking for what is not there."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        actor.hands.move(*near(actor, actor.rng.choice(program.content_points()), reach=50))
        way = actor.rng.choice((1, -1))
        for _ in range(actor.count(1, 3)):
            actor.hands.scroll(way * actor.count(4, 9))
            way = -way
        _shake(actor, actor.hands.at)
        actor.think(0.6)
        actor.failed()
        if len(actor.failures_ns) >= _PATIENCE and actor.has_time() and actor.chance(0.4):
            program.overview()
        actor.think(1.0)


def _shake(actor: Actor, at: Point) -> None:
    """Swing the pointer to and fro in wide quick strokes."""
    side = 1
    for _ in range(actor.count(3, 7)):
        side = -side
        actor.hands.move(
            min(max(at[0] + side * actor.rng.randint(60, 220), 60), 1860),
            min(max(at[1] + actor.rng.randint(-50, 50), 60), 1000),
        )


def to_and_fro(scene: Scene) -> None:
    """Flip between two states of the view and the same change put on and off, with nothing settled by it."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        steps = program.change()
        actor.hands.wait(gap(actor, 0.5))
        for _ in range(actor.count(1, 2) if actor.failures_ns else 1):
            program.undo(steps)
            actor.hands.wait(gap(actor, 0.3))
            program.redo(steps)
            actor.hands.wait(gap(actor, 0.3))
        actor.failed()
        actor.hands.click(*near(actor, actor.rng.choice(program.dead_points()), reach=6))
        if len(actor.failures_ns) >= _PATIENCE and actor.chance(0.4):
            actor.hands.pause(actor.rng.uniform(1.5, 4.0), "at a loss")
            program.overview()
        actor.think(0.5)


BEHAVIORS = (
    stuck(mashes_keys, "make the program react again", "say what the program is waiting for", held_out=True),
    stuck(rushes_about, "find something in the document", "show how to search in the document", held_out=True),
    stuck(to_and_fro, "get a change to look as meant", "say what the change acts on", held_out=True),
)
