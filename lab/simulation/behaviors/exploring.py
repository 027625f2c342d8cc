"""Exploring: users who find out what the program can do and choose between its ways.

Trying a thing and undoing it is exploration as long as it is done in peace; nothing here ever fails twice.
"""

from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import (
    close_menus,
    hover_entries,
    look,
    maybe_mishap,
    near,
    next_menu,
    open_menu,
    pick_points,
    point_at,
)
from storage.records import State

_LOOKS = 2
_FIND = "find out what the program offers for this"
BEHAVIORS: list[Behavior] = []
_exploring = partial(register, BEHAVIORS, State.EXPLORATION)


@_exploring(_FIND)
def menu_tour(scene: Scene) -> None:
    """Go along the menu bar and read what there is; now and then try something out."""
    user, program = scene.user, scene.program
    while user.has_time():
        titles = program.menu_points()
        first = user.rng.randrange(len(titles))
        menu = open_menu(user, program, titles[first])
        hover_entries(user, menu, user.rng.randint(2, 4), 0.7)
        for title in titles[first + 1 : first + 1 + user.rng.randint(0, 2)]:
            if not user.has_time():
                break
            menu = next_menu(user, program, title)
            hover_entries(user, menu, user.rng.randint(2, 4), 0.7)
        close_menus(user, program)
        user.think(1.2)
        if user.has_time() and user.chance(0.35):
            steps = program.change()
            look(scene, 1.5)
            if user.chance(0.5):
                program.undo(steps)
        maybe_mishap(scene)


@_exploring(_FIND)
def tool_hovering(scene: Scene) -> None:
    """Rest on one button after the other until its tip shows; sometimes use what was found."""
    user, program = scene.user, scene.program
    while user.has_time():
        point_at(user, pick_points(user, program.tool_points(), 2, 4), 1.1)
        if user.chance(0.35):
            user.rng.choice((program.repeat_useful, program.overview, program.adjust))()
            look(scene, 1.2)
        maybe_mishap(scene)


@_exploring(_FIND)
def dialog_look(scene: Scene) -> None:
    """Open a dialog to see what can be set there, try a control or two, leave it as it was or take it over.

    Who has looked twice knows it, and looks at other things.
    """
    user, program = scene.user, scene.program
    looks = 0
    while user.has_time():
        if looks == _LOOKS:
            point_at(user, pick_points(user, program.tool_points(), 1, 3), 0.9)
            user.rng.choice((program.adjust, program.compose, program.overview))()
            look(scene, 1.4)
            continue
        looks += 1
        program.open_dialog()
        user.think(1.6)
        for _ in range(user.rng.randint(0, 3)):
            if not user.has_time():
                break
            program.use_dialog()
            user.think(1.4)
        program.leave_dialog(apply=user.chance(0.35))
        look(scene, 1.8)
        if user.has_time() and user.chance(0.6):
            point_at(user, pick_points(user, program.tool_points(), 1, 3), 0.8)
        if user.has_time() and user.chance(0.4):
            user.rng.choice((program.adjust, program.compose, program.overview))()


@_exploring("choose between several looks")
def tries_looks(scene: Scene) -> None:
    """Put on one look after the other, in peace, and keep what pleases."""
    user, program = scene.user, scene.program
    while user.has_time():
        steps = program.change()
        look(scene, 1.7)
        if user.chance(0.55):
            program.undo(steps)
            user.think(0.9)
        elif user.chance(0.4):
            program.adjust()
        if user.chance(0.3):
            point_at(user, pick_points(user, program.tool_points(), 1, 2), 0.8)
        maybe_mishap(scene)


@_exploring(_FIND)
def sees_what_it_does(scene: Scene) -> None:
    """Put a thing on to see what it does, leave it or put it off again, and go on to something else."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.toggle(anew=True)
        look(scene, 1.5)
        if user.chance(0.6):
            program.toggle(anew=False)
            look(scene, 1.0)
        if user.has_time():
            user.rng.choice((program.adjust, program.compose, program.overview))()
        point_at(user, pick_points(user, program.tool_points(), 1, 2), 0.8)


@_exploring("find the view that suits")
def view_toggling(scene: Scene) -> None:
    """Switch panels, zooms and sheets on and off to see what they show."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.overview()
        look(scene, 1.5)
        if user.chance(0.35):
            program.page(user.rng.choice((1, -1)))
        if user.chance(0.35):
            point_at(user, pick_points(user, program.tool_points(), 1, 2), 0.7)
        maybe_mishap(scene)


@_exploring("decide which tool to use where", held_out=True)
def from_tool_to_place(scene: Scene) -> None:
    """Go from a button to the place it could be used on and back, weighing it up; try it once in a while."""
    user, program = scene.user, scene.program
    while user.has_time():
        place = user.rng.choice(program.content_points())
        for tool in pick_points(user, program.tool_points(), 1, 3):
            user.hands.move(*near(user, tool, reach=4))
            user.think(0.8)
            user.hands.move(*near(user, place, reach=20))
            user.think(0.9)
        if user.has_time() and user.chance(0.5):
            user.rng.choice((program.drag, program.enter_value))()
            look(scene, 1.6)
            if user.chance(0.4):
                program.undo(1)


@_exploring("see what a setting does over its range", held_out=True)
def steps_through(scene: Scene) -> None:
    """Step a control through its range, stop to look at each stage, compare with a glance at the rest."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.repeat_useful()
        look(scene, 2.0)
        if user.has_time() and user.chance(0.5):
            point_at(user, pick_points(user, program.content_points(), 1, 3), 0.9)
        if user.has_time() and user.chance(0.3):
            menu = open_menu(user, program, user.rng.choice(program.menu_points()))
            hover_entries(user, menu, user.rng.randint(3, 5), 0.8)
            close_menus(user, program)
