"""Executing: users who know what they want and get on with it.

A small thing goes wrong here as often as anywhere; nothing ever fails twice.
"""

from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import look, maybe_mishap
from storage.records import State

_MAKE = "get the work done"
BEHAVIORS: list[Behavior] = []
_working = partial(register, BEHAVIORS, State.PERFORMING_ACTIONS)


@_working(_MAKE, weight=2.0)
def composing(scene: Scene) -> None:
    """Make one new thing after the other."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.compose()
        user.think(0.7)
        if user.chance(user.persona.checks * 0.4):
            look(scene, 1.0)
        if user.chance(0.08):
            program.save()
        maybe_mishap(scene)


@_working(_MAKE)
def adjusting(scene: Scene) -> None:
    """Set right one thing after the other, each with a clear intent."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.adjust()
        user.think(0.8)
        if user.chance(user.persona.checks * 0.4):
            look(scene, 1.1)
        maybe_mishap(scene)


@_working(_MAKE, weight=2.0)
def steady_mix(scene: Scene) -> None:
    """Work along as most people do most of the time: new things, corrections, a look, saving."""
    user, program = scene.user, scene.program
    pieces = (program.compose, program.adjust, program.expert, program.enter_value, program.drag, program.save)
    while user.has_time():
        user.rng.choices(pieces, (5, 3, 2, 2, 1, 1))[0]()
        user.think(0.9)
        if user.chance(0.12):
            program.page(user.rng.choice((1, -1)))
        maybe_mishap(scene)


@_working(_MAKE)
def copying_runs(scene: Scene) -> None:
    """Bring material in by copy and paste, then touch it up."""
    user, program = scene.user, scene.program
    while user.has_time():
        for _ in range(user.rng.randint(1, 3)):
            program.expert()
            if not user.has_time():
                return
        user.think(0.6)
        program.adjust()
        maybe_mishap(scene)


@_working(_MAKE)
def tool_in_hand(scene: Scene) -> None:
    """Keep to one tool and use it here and there."""
    user, program = scene.user, scene.program
    piece = user.rng.choice((program.drag, program.enter_value, program.adjust))
    while user.has_time():
        for _ in range(user.rng.randint(2, 4)):
            if not user.has_time():
                return
            piece()
            user.think(0.6)
        if user.chance(0.5):
            program.repeat_useful()
        maybe_mishap(scene)


@_working("set small things right all through the document", held_out=True)
def walks_and_mends(scene: Scene) -> None:
    """Go through the document and set something right on every page."""
    user, program = scene.user, scene.program
    way = 1
    while user.has_time():
        program.page(way)
        user.think(0.6)
        if user.chance(0.75):
            program.adjust()
        if user.chance(0.2):
            way = -way
            program.save()
        maybe_mishap(scene)


@_working(_MAKE, held_out=True)
def settings_first(scene: Scene) -> None:
    """Set what is needed in a dialog, confirm it, then make things with it."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.open_dialog()
        user.think(0.5)
        program.use_dialog()
        program.leave_dialog(apply=True)
        for _ in range(user.rng.randint(2, 3)):
            if not user.has_time():
                return
            user.rng.choice((program.compose, program.enter_value))()
            user.think(0.6)
