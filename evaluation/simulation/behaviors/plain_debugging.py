"""Debugging in its plainest forms: the same question asked again and again at one place, and nothing else.

What people do who are sure that it is this value, this setting or this change, and cannot get it right. Those of
`debugging` ask about many things and get other work done; these do not.
"""

from dataclasses import replace

from evaluation.simulation.behaviors.behavior import Scene
from evaluation.simulation.behaviors.debugging import hunt
from evaluation.simulation.behaviors.habits import near
from evaluation.simulation.behaviors.plain_trouble import PLAIN_S


def one_value_to_and_fro(scene: Scene) -> None:
    """Enter a value, look what it does, and change it at the same place; then change it again."""
    actor, program = scene.actor, scene.program
    program.enter_value()
    actor.think(1.2)
    while actor.has_time():
        program.revise_value()
        actor.think(1.2)
        actor.failed()
        actor.think(0.6)


def same_setting_again(scene: Scene) -> None:
    """Set something in a dialog, see that it is not right, go back to the same dialog and set it otherwise."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.open_dialog()
        program.use_dialog()
        program.leave_dialog(apply=True)
        actor.think(1.3)
        actor.failed()


def one_change_after_another(scene: Scene) -> None:
    """Change one thing, look at the spot that matters, take the change back and try the next."""
    actor, program = scene.actor, scene.program
    spot = actor.rng.choice(program.content_points())
    while actor.has_time():
        steps = program.change()
        actor.hands.move(*near(actor, spot))
        actor.think(1.3)
        actor.failed()
        program.undo(steps)
        actor.think(0.7)


def puts_it_on_and_off(scene: Scene) -> None:
    """Put one thing on, look, put it off, look, and on again: neither is right."""
    actor, program = scene.actor, scene.program
    anew = True
    while actor.has_time():
        for _ in range(2 * actor.rng.randint(1, 2)):
            program.toggle(anew=anew)
            anew = False
            actor.think(0.7)
        actor.failed()
        actor.think(1.2)
        anew = actor.chance(0.15)


BEHAVIORS = tuple(
    replace(one, plain=True, seconds=PLAIN_S)
    for one in (
        hunt(one_value_to_and_fro, "find the value that gives the wanted result", "explain how the value is used"),
        hunt(same_setting_again, "find how this has to be set", "say what the setting acts on"),
        hunt(one_change_after_another, "find the change that mends it", "name the likeliest cause"),
        hunt(puts_it_on_and_off, "see what makes it look wrong", "say what else has to be set with it"),
    )
)
