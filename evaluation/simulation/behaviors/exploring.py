"""Exploring: people who find out what the program can do and choose between its ways.

Trying a thing and taking it back is exploration as long as it is done in peace; nothing here ever fails twice.
"""

from evaluation.simulation.behaviors.behavior import Behavior, Scene
from evaluation.simulation.behaviors.habits import (
    close_menus,
    go_down,
    look,
    mishap,
    near,
    next_menu,
    open_menu,
    point_at,
    some,
)
from storage.records import State

_LOOKS = 2
"""How often one dialog is looked at in peace."""


def menu_tour(scene: Scene) -> None:
    """Go along the menu bar and read what there is; now and then try something out."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        titles = program.menu_points()
        first = actor.rng.randrange(len(titles))
        menu = open_menu(actor, program, titles[first])
        go_down(actor, menu, actor.rng.randint(2, 4), 0.7)
        for title in titles[first + 1 : first + 1 + actor.rng.randint(0, 2)]:
            if not actor.has_time():
                break
            menu = next_menu(actor, program, title)
            go_down(actor, menu, actor.rng.randint(2, 4), 0.7)
        close_menus(actor, program)
        actor.think(1.2)
        if actor.has_time() and actor.chance(0.35):
            steps = program.change()
            look(scene, 1.5)
            if actor.chance(0.5):
                program.undo(steps)
        mishap(scene)


def tool_hovering(scene: Scene) -> None:
    """Rest on one button after the other until its tip shows; sometimes use what was found."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        point_at(actor, some(actor, program.tool_points(), 2, 4), 1.1)
        if actor.chance(0.35):
            actor.rng.choice((program.repeat_useful, program.overview, program.adjust))()
            look(scene, 1.2)
        mishap(scene)


def dialog_look(scene: Scene) -> None:
    """Open a dialog to see what can be set there, try a control or two, leave it as it was or take it over.

    Who has looked twice knows it, and looks at other things.
    """
    actor, program = scene.actor, scene.program
    looks = 0
    while actor.has_time():
        if looks == _LOOKS:
            point_at(actor, some(actor, program.tool_points(), 1, 3), 0.9)
            actor.rng.choice((program.adjust, program.compose, program.overview))()
            look(scene, 1.4)
            continue
        looks += 1
        program.open_dialog()
        actor.think(1.6)
        for _ in range(actor.rng.randint(0, 3)):
            if not actor.has_time():
                break
            program.use_dialog()
            actor.think(1.4)
        program.leave_dialog(apply=actor.chance(0.35))
        look(scene, 1.8)
        if actor.has_time() and actor.chance(0.6):
            point_at(actor, some(actor, program.tool_points(), 1, 3), 0.8)
        if actor.has_time() and actor.chance(0.4):
            actor.rng.choice((program.adjust, program.compose, program.overview))()


def tries_looks(scene: Scene) -> None:
    """Put on one look after the other, in peace, and keep what pleases."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        steps = program.change()
        look(scene, 1.7)
        if actor.chance(0.55):
            program.undo(steps)
            actor.think(0.9)
        elif actor.chance(0.4):
            program.adjust()
        if actor.chance(0.3):
            point_at(actor, some(actor, program.tool_points(), 1, 2), 0.8)
        mishap(scene)


def view_toggling(scene: Scene) -> None:
    """Switch panels, zooms and sheets on and off to see what they show."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.overview()
        look(scene, 1.5)
        if actor.chance(0.35):
            program.page(actor.rng.choice((1, -1)))
        if actor.chance(0.35):
            point_at(actor, some(actor, program.tool_points(), 1, 2), 0.7)
        mishap(scene)


def sees_what_it_does(scene: Scene) -> None:
    """Put a thing on to see what it does, leave it or put it off again, and go on to something else."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.toggle(anew=True)
        look(scene, 1.5)
        if actor.chance(0.6):
            program.toggle(anew=False)
            look(scene, 1.0)
        if actor.has_time():
            actor.rng.choice((program.adjust, program.compose, program.overview))()
        point_at(actor, some(actor, program.tool_points(), 1, 2), 0.8)


def from_tool_to_place(scene: Scene) -> None:
    """Go from a button to the place it could be used on and back, weighing it up; try it once in a while."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        place = actor.rng.choice(program.content_points())
        for tool in some(actor, program.tool_points(), 1, 3):
            actor.hands.move(*near(actor, tool, reach=4))
            actor.think(0.8)
            actor.hands.move(*near(actor, place, reach=20))
            actor.think(0.9)
        if actor.has_time() and actor.chance(0.5):
            actor.rng.choice((program.drag, program.enter_value))()
            look(scene, 1.6)
            if actor.chance(0.4):
                program.undo(1)


def steps_through(scene: Scene) -> None:
    """Step a control through its range, stop to look at each stage, compare with a glance at the rest."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.repeat_useful()
        look(scene, 2.0)
        if actor.has_time() and actor.chance(0.5):
            point_at(actor, some(actor, program.content_points(), 1, 3), 0.9)
        if actor.has_time() and actor.chance(0.3):
            menu = open_menu(actor, program, actor.rng.choice(program.menu_points()))
            go_down(actor, menu, actor.rng.randint(3, 5), 0.8)
            close_menus(actor, program)


_FIND = "find out what the program offers for this"

BEHAVIORS = (
    Behavior(name="menu_tour", state=State.EXPLORATION, act=menu_tour, intent=_FIND),
    Behavior(name="tool_hovering", state=State.EXPLORATION, act=tool_hovering, intent=_FIND),
    Behavior(name="dialog_look", state=State.EXPLORATION, act=dialog_look, intent=_FIND),
    Behavior(name="tries_looks", state=State.EXPLORATION, act=tries_looks, intent="choose between several looks"),
    Behavior(name="sees_what_it_does", state=State.EXPLORATION, act=sees_what_it_does, intent=_FIND),
    Behavior(name="view_toggling", state=State.EXPLORATION, act=view_toggling, intent="find the view that suits"),
    Behavior(
        name="from_tool_to_place",
        state=State.EXPLORATION,
        act=from_tool_to_place,
        intent="decide which tool to use where",
        held_out=True,
    ),
    Behavior(
        name="steps_through",
        state=State.EXPLORATION,
        act=steps_through,
        intent="see what a setting does over its range",
        held_out=True,
    ),
)
