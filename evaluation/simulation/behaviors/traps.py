"""Hard negatives: people who are well, and whom a hasty judge would take for stuck.

Each keeps its proper state and needs no help: what looks like trouble here is deliberate, productive or mere absence.
"""

from collections.abc import Callable

from evaluation.simulation.behaviors.behavior import Behavior, Scene
from evaluation.simulation.behaviors.habits import (
    close_menus,
    go_down,
    into_front,
    look,
    near,
    open_menu,
    point_at,
    some,
)
from storage.records import State

_SLOW_HAND = 0.55
_MANY_SLIPS = 0.14


def weighs_two_variants(scene: Scene) -> None:
    """Switch between two variants by undo and redo, look at each in peace, decide."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        steps = program.change()
        look(scene, 1.6)
        for _ in range(actor.rng.randint(1, 3)):
            if not actor.has_time():
                break
            program.undo(steps)
            look(scene, 1.7)
            program.redo(steps)
            look(scene, 1.7)
        if actor.has_time() and actor.chance(0.5):
            program.compose()


def clicks_to_some_end(scene: Scene) -> None:
    """Click the same control many times because each click does something."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        for _ in range(actor.rng.randint(1, 3)):
            if not actor.has_time():
                return
            program.repeat_useful()
            actor.think(0.7)
        if actor.chance(0.5):
            program.adjust()


def reads_for_long(scene: Scene) -> None:
    """Read the brief for a long time with the hands off everything."""
    actor = scene.actor
    scene.helpers.open_brief()
    into_front(actor)
    while actor.has_time():
        actor.hands.pause(min(actor.rng.uniform(5.0, 14.0), actor.left_s() + 0.5), "reading")
        actor.hands.scroll(-actor.rng.randint(1, 5))


def shortcuts_at_speed(scene: Scene) -> None:
    """Work by shortcuts, one right after the other."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.expert()
        actor.hands.wait(actor.hands.about(0.4))
        if actor.chance(0.15):
            program.save()


def gone_away(scene: Scene) -> None:
    """Leave the desk; nothing moves until the person is back."""
    actor = scene.actor
    while actor.has_time():
        actor.hands.pause(min(8.0, max(0.2, actor.left_s())), "away")


def slow_and_careful(scene: Scene) -> None:
    """Type slowly, mistype often, put each slip right at once."""
    actor, program = scene.actor, scene.program
    rate, slips = actor.rate, actor.slips
    actor.rate, actor.slips = max(1.6, rate * _SLOW_HAND), _MANY_SLIPS
    try:
        while actor.has_time():
            program.compose()
            actor.think(1.2)
            if actor.chance(0.2):
                program.undo(1)
                actor.think(0.6)
    finally:
        actor.rate, actor.slips = rate, slips


def stares_content(scene: Scene) -> None:
    """Sit back after a piece of work and look at it for long without touching anything."""
    actor, program = scene.actor, scene.program
    program.compose()
    while actor.has_time():
        actor.hands.pause(min(actor.rng.uniform(4.0, 10.0), actor.left_s() + 0.5), "looking")
        if actor.chance(0.4):
            actor.wander(1)


def mends_and_goes_on(scene: Scene) -> None:
    """Make a mistake, take it back and go straight on: the first failure is everyday work."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.compose()
        actor.think(0.8)
        if actor.chance(0.5):
            steps = program.change()
            actor.think(0.7)
            program.undo(steps)
        elif actor.chance(0.4):
            actor.hands.click(*near(actor, actor.rng.choice(program.dead_points()), reach=4))
            actor.think(0.5)
        if actor.has_time():
            program.adjust()
        actor.think(0.7)


# ---------------------------------------------------------------------- held out


def waits_for_export(scene: Scene) -> None:
    """Save, export, and do nothing at all until that is through."""
    actor = scene.actor
    scene.program.save()
    actor.think(0.8)
    scene.helpers.start_progress(max(4.0, 0.75 * actor.left_s()), kind="dialog")
    while not scene.helpers.progress_is_over():
        actor.hands.pause(3.0, "waiting")
    look(scene, 1.5)


def curious_about_menus(scene: Scene) -> None:
    """Read one menu from top to bottom at leisure, later the same one again, out of curiosity."""
    actor, program = scene.actor, scene.program
    titles = some(actor, program.menu_points(), 1, 2)
    while actor.has_time():
        menu = open_menu(actor, program, actor.rng.choice(titles))
        go_down(actor, menu, actor.rng.randint(4, 6), 0.8)
        close_menus(actor, program)
        actor.think(1.6)
        if actor.has_time() and actor.chance(0.4):
            program.compose()


def looks_up_and_goes_on(scene: Scene) -> None:
    """Look something up as one looks into a dictionary, and go on writing; all goes well."""
    actor, program, helpers = scene.actor, scene.program, scene.helpers
    while actor.has_time():
        for _ in range(actor.rng.randint(1, 3)):
            program.compose()
            actor.think(0.6)
            if not actor.has_time():
                return
        actor.rng.choice((helpers.open_help, helpers.open_brief))()
        actor.think(1.6)
        helpers.back_to_work()


def same_dialog_for_each(scene: Scene) -> None:
    """Go through the same dialog for one thing after the other, and each time it does its work."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        actor.hands.move(*near(actor, actor.rng.choice(program.content_points())))
        program.open_dialog()
        program.use_dialog()
        program.leave_dialog(apply=True)
        look(scene, 0.8)
        if actor.has_time() and actor.chance(0.4):
            program.adjust()


def drags_one_by_one(scene: Scene) -> None:
    """Pull several things to their places in a row, each with success."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        for _ in range(actor.rng.randint(2, 4)):
            if not actor.has_time():
                return
            program.drag()
            actor.think(0.7)
        point_at(actor, some(actor, program.content_points(), 1, 2), 0.9)


def _trap(
    act: Callable[[Scene], None], state: State | None, intent: str, *, held_out: bool = False, weight: float = 0.7
) -> Behavior:
    return Behavior(
        name=act.__name__,
        state=state,
        act=act,
        intent=intent,
        hard_negative=True,
        held_out=held_out,
        weight=weight,
    )


BEHAVIORS = (
    _trap(weighs_two_variants, State.EXPLORATION, "decide between two variants"),
    _trap(clicks_to_some_end, State.PERFORMING_ACTIONS, "set something by steps"),
    _trap(reads_for_long, State.TASK_UNDERSTANDING, "understand what is to be made"),
    _trap(shortcuts_at_speed, State.PERFORMING_ACTIONS, "get the work done fast"),
    _trap(gone_away, None, "be back later", weight=1.0),
    _trap(slow_and_careful, State.PERFORMING_ACTIONS, "get the words right"),
    _trap(stares_content, State.ASSESSMENT, "see whether it is good as it is"),
    _trap(mends_and_goes_on, State.PERFORMING_ACTIONS, "get the work done"),
    _trap(waits_for_export, State.WAITING, "have the result exported", held_out=True),
    _trap(curious_about_menus, State.EXPLORATION, "get to know the program", held_out=True),
    _trap(looks_up_and_goes_on, State.PERFORMING_ACTIONS, "get the details right", held_out=True),
    _trap(same_dialog_for_each, State.PERFORMING_ACTIONS, "set the same thing in several places", held_out=True),
    _trap(drags_one_by_one, State.PERFORMING_ACTIONS, "put several things in their places", held_out=True),
)
