"""Hard negatives: users who are well, and who could be taken for stuck.

Each keeps its proper state and needs no help: what looks like trouble here is deliberate, productive or mere absence.
"""

from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import (
    close_menus,
    hover_entries,
    look,
    move_into_front,
    near,
    open_menu,
    pick_points,
    point_at,
)
from storage.records import State

_SLOW_HAND = 0.55
_MANY_SLIPS = 0.14
BEHAVIORS: list[Behavior] = []
_hard = partial(register, BEHAVIORS, hard_negative=True, weight=0.7)


@_hard(State.EXPLORATION, "decide between two variants")
def weighs_two_variants(scene: Scene) -> None:
    """Switch between two variants by undo and redo, look at each in peace, decide."""
    user, program = scene.user, scene.program
    while user.has_time():
        steps = program.change()
        look(scene, 1.6)
        for _ in range(user.rng.randint(1, 3)):
            if not user.has_time():
                break
            program.undo(steps)
            look(scene, 1.7)
            program.redo(steps)
            look(scene, 1.7)
        if user.has_time() and user.chance(0.5):
            program.compose()


@_hard(State.PERFORMING_ACTIONS, "set something by steps")
def clicks_to_some_end(scene: Scene) -> None:
    """Click the same control many times because each click does something."""
    user, program = scene.user, scene.program
    while user.has_time():
        for _ in range(user.rng.randint(1, 3)):
            if not user.has_time():
                return
            program.repeat_useful()
            user.think(0.7)
        if user.chance(0.5):
            program.adjust()


@_hard(State.TASK_UNDERSTANDING, "understand what is to be made")
def reads_for_long(scene: Scene) -> None:
    """Read the brief for a long time with the hands off everything."""
    user = scene.user
    scene.helpers.open_brief()
    move_into_front(user)
    while user.has_time():
        user.hands.pause(min(user.rng.uniform(5.0, 14.0), user.seconds_left() + 0.5), "reading")
        user.hands.scroll(-user.rng.randint(1, 5))


@_hard(State.PERFORMING_ACTIONS, "get the work done fast")
def shortcuts_at_speed(scene: Scene) -> None:
    """Work by shortcuts, one right after the other."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.expert()
        user.hands.wait(user.hands.about(0.4))
        if user.chance(0.15):
            program.save()


@_hard(None, "be back later", weight=1.0)
def gone_away(scene: Scene) -> None:
    """Leave the desk; nothing moves until the user is back."""
    user = scene.user
    while user.has_time():
        user.hands.pause(min(8.0, max(0.2, user.seconds_left())), "away")


@_hard(State.PERFORMING_ACTIONS, "get the words right")
def slow_and_careful(scene: Scene) -> None:
    """Type slowly, mistype often, put each slip right at once."""
    user, program = scene.user, scene.program
    rate, slips = user.rate, user.slips
    user.rate, user.slips = max(1.6, rate * _SLOW_HAND), _MANY_SLIPS
    try:
        while user.has_time():
            program.compose()
            user.think(1.2)
            if user.chance(0.2):
                program.undo(1)
                user.think(0.6)
    finally:
        user.rate, user.slips = rate, slips


@_hard(State.ASSESSMENT, "see whether it is good as it is")
def stares_content(scene: Scene) -> None:
    """Sit back after a piece of work and look at it for long without touching anything."""
    user, program = scene.user, scene.program
    program.compose()
    while user.has_time():
        user.hands.pause(min(user.rng.uniform(4.0, 10.0), user.seconds_left() + 0.5), "looking")
        if user.chance(0.4):
            user.wander(1)


@_hard(State.PERFORMING_ACTIONS, "get the work done")
def mends_and_goes_on(scene: Scene) -> None:
    """Make a mistake, take it back and go straight on: the first failure is everyday work."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.compose()
        user.think(0.8)
        if user.chance(0.5):
            steps = program.change()
            user.think(0.7)
            program.undo(steps)
        elif user.chance(0.4):
            user.hands.click(*near(user, user.rng.choice(program.dead_points()), reach=4))
            user.think(0.5)
        if user.has_time():
            program.adjust()
        user.think(0.7)


@_hard(State.WAITING, "have the result exported", held_out=True)
def waits_for_export(scene: Scene) -> None:
    """Save, export, and do nothing at all until that is through."""
    user = scene.user
    scene.program.save()
    user.think(0.8)
    scene.helpers.start_progress(max(4.0, 0.75 * user.seconds_left()), kind="dialog")
    while not scene.helpers.progress_is_over():
        user.hands.pause(3.0, "waiting")
    look(scene, 1.5)


@_hard(State.EXPLORATION, "get to know the program", held_out=True)
def curious_about_menus(scene: Scene) -> None:
    """Read one menu from top to bottom at leisure, later the same one again, out of curiosity."""
    user, program = scene.user, scene.program
    titles = pick_points(user, program.menu_points(), 1, 2)
    while user.has_time():
        menu = open_menu(user, program, user.rng.choice(titles))
        hover_entries(user, menu, user.rng.randint(4, 6), 0.8)
        close_menus(user, program)
        user.think(1.6)
        if user.has_time() and user.chance(0.4):
            program.compose()


@_hard(State.PERFORMING_ACTIONS, "get the details right", held_out=True)
def looks_up_and_goes_on(scene: Scene) -> None:
    """Look something up as one looks into a dictionary, and go on writing; all goes well."""
    user, program, helpers = scene.user, scene.program, scene.helpers
    while user.has_time():
        for _ in range(user.rng.randint(1, 3)):
            program.compose()
            user.think(0.6)
            if not user.has_time():
                return
        user.rng.choice((helpers.open_help, helpers.open_brief))()
        user.think(1.6)
        helpers.back_to_work()


@_hard(State.PERFORMING_ACTIONS, "set the same thing in several places", held_out=True)
def same_dialog_for_each(scene: Scene) -> None:
    """Go through the same dialog for one thing after the other, and each time it does its work."""
    user, program = scene.user, scene.program
    while user.has_time():
        user.hands.move(*near(user, user.rng.choice(program.content_points())))
        program.open_dialog()
        program.use_dialog()
        program.leave_dialog(apply=True)
        look(scene, 0.8)
        if user.has_time() and user.chance(0.4):
            program.adjust()


@_hard(State.PERFORMING_ACTIONS, "put several things in their places", held_out=True)
def drags_one_by_one(scene: Scene) -> None:
    """Pull several things to their places in a row, each with success."""
    user, program = scene.user, scene.program
    while user.has_time():
        for _ in range(user.rng.randint(2, 4)):
            if not user.has_time():
                return
            program.drag()
            user.think(0.7)
        point_at(user, pick_points(user, program.content_points(), 1, 2), 0.9)
