"""Executing: people who know what they want and get on with it.

A small thing goes wrong here as often as anywhere; nothing ever fails twice.
"""

from evaluation.simulation.behaviors.behavior import Behavior, Scene
from evaluation.simulation.behaviors.habits import look, mishap
from storage.records import State


def composing(scene: Scene) -> None:
    """Make one new thing after the other."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.compose()
        actor.think(0.7)
        if actor.chance(actor.temperament.checks * 0.4):
            look(scene, 1.0)
        if actor.chance(0.08):
            program.save()
        mishap(scene)


def adjusting(scene: Scene) -> None:
    """Set right one thing after the other, each with a clear intent."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.adjust()
        actor.think(0.8)
        if actor.chance(actor.temperament.checks * 0.4):
            look(scene, 1.1)
        mishap(scene)


def steady_mix(scene: Scene) -> None:
    """Work along as most people do most of the time: new things, corrections, a look, saving."""
    actor, program = scene.actor, scene.program
    pieces = (program.compose, program.adjust, program.expert, program.enter_value, program.drag, program.save)
    while actor.has_time():
        actor.rng.choices(pieces, (5, 3, 2, 2, 1, 1))[0]()
        actor.think(0.9)
        if actor.chance(0.12):
            program.page(actor.rng.choice((1, -1)))
        mishap(scene)


def copying_runs(scene: Scene) -> None:
    """Bring material in by copy and paste, then touch it up."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        for _ in range(actor.rng.randint(1, 3)):
            program.expert()
            if not actor.has_time():
                return
        actor.think(0.6)
        program.adjust()
        mishap(scene)


def tool_in_hand(scene: Scene) -> None:
    """Keep to one tool and use it here and there."""
    actor, program = scene.actor, scene.program
    piece = actor.rng.choice((program.drag, program.enter_value, program.adjust))
    while actor.has_time():
        for _ in range(actor.rng.randint(2, 4)):
            if not actor.has_time():
                return
            piece()
            actor.think(0.6)
        if actor.chance(0.5):
            program.repeat_useful()
        mishap(scene)


def walks_and_mends(scene: Scene) -> None:
    """Go through the document and set something right on every page."""
    actor, program = scene.actor, scene.program
    way = 1
    while actor.has_time():
        program.page(way)
        actor.think(0.6)
        if actor.chance(0.75):
            program.adjust()
        if actor.chance(0.2):
            way = -way
            program.save()
        mishap(scene)


def settings_first(scene: Scene) -> None:
    """Set what is needed in a dialog, confirm it, then make things with it."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.open_dialog()
        actor.think(0.5)
        program.use_dialog()
        program.leave_dialog(apply=True)
        for _ in range(actor.rng.randint(2, 3)):
            if not actor.has_time():
                return
            actor.rng.choice((program.compose, program.enter_value))()
            actor.think(0.6)


_MAKE = "get the work done"

BEHAVIORS = (
    Behavior(name="composing", state=State.PERFORMING_ACTIONS, act=composing, intent=_MAKE, weight=2.0),
    Behavior(name="adjusting", state=State.PERFORMING_ACTIONS, act=adjusting, intent=_MAKE),
    Behavior(name="steady_mix", state=State.PERFORMING_ACTIONS, act=steady_mix, intent=_MAKE, weight=2.0),
    Behavior(name="copying_runs", state=State.PERFORMING_ACTIONS, act=copying_runs, intent=_MAKE),
    Behavior(name="tool_in_hand", state=State.PERFORMING_ACTIONS, act=tool_in_hand, intent=_MAKE),
    Behavior(
        name="walks_and_mends",
        state=State.PERFORMING_ACTIONS,
        act=walks_and_mends,
        intent="set small things right all through the document",
        held_out=True,
    ),
    Behavior(name="settings_first", state=State.PERFORMING_ACTIONS, act=settings_first, intent=_MAKE, held_out=True),
)
