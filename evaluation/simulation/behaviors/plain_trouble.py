"""Frustration in its plainest forms: the same try over and over, with rests and nothing else in between.

What people do who search for one thing they take to be there: a dialog, a command, a control that should answer. No
work gets done meanwhile. The tries of `trouble` are broken up by other things; these are not. Rests are short, but for
people who sit before it.
"""

from collections.abc import Callable
from dataclasses import replace

from evaluation.simulation.actor import Actor
from evaluation.simulation.behaviors.behavior import Scene
from evaluation.simulation.behaviors.habits import close_menus, go_down, near, next_menu, open_menu, point_at, some
from evaluation.simulation.behaviors.trouble import gap, stuck

PLAIN_S = (20.0, 50.0)
"""How long plain trouble lasts: nobody does the very same thing for much longer."""


def _again(scene: Scene, attempt: Callable[[], None]) -> None:
    """Try until the time is over; what lies between tries is a look at the screen, seldom a longer one."""
    actor = scene.actor
    while actor.has_time():
        attempt()
        actor.failed()
        actor.think(2.6 if actor.chance(0.15) else 0.7)


def pokes_at_a_dialog(scene: Scene) -> None:
    """Open a dialog, change a thing or two or only look, leave it, and open it again."""
    actor, program = scene.actor, scene.program
    applies = actor.chance(0.3)

    def attempt() -> None:
        program.open_dialog()
        for _ in range(actor.rng.randint(0, 2)):
            program.use_dialog()
        actor.think(0.6)
        program.leave_dialog(apply=applies and actor.chance(0.5))

    _again(scene, attempt)


def hunts_in_menus(scene: Scene) -> None:
    """Go through menus entry by entry, leave them, and go through them again."""
    actor, program = scene.actor, scene.program
    titles = list(program.menu_points())
    first, most = actor.rng.randrange(max(1, len(titles) - 1)), actor.rng.randint(1, 3)

    def attempt() -> None:
        place = min(first + actor.rng.randint(-1, 1), len(titles) - 1)
        menu = open_menu(actor, program, titles[max(place, 0)])
        go_down(actor, menu, actor.rng.randint(1, 4), 0.35)
        for title in titles[max(place, 0) + 1 :][: actor.rng.randint(0, most)]:
            menu = next_menu(actor, program, title)
            go_down(actor, menu, actor.rng.randint(1, 4), 0.3)
        close_menus(actor, program)

    _again(scene, attempt)


def takes_all_back(scene: Scene) -> None:
    """Change something, dislike it, take it back with a row of undos, and do it anew."""
    actor, program = scene.actor, scene.program
    redoes = actor.chance(0.4)

    def attempt() -> None:
        steps = sum(program.change() for _ in range(actor.rng.randint(1, 2)))
        actor.think(0.6)
        program.undo(steps + actor.count(0, 2))
        if redoes and actor.chance(0.5):
            actor.hands.wait(gap(actor, 0.5))
            program.redo(1)

    _again(scene, attempt)


def clicks_what_is_dead(scene: Scene) -> None:
    """Click on what does not answer, wait a moment, and click there again."""
    actor = scene.actor
    target = actor.rng.choice(scene.program.dead_points())
    _again(scene, lambda: _clicks(actor, target))


def _clicks(actor: Actor, target: tuple[int, int]) -> None:
    for _ in range(actor.count(1, 4)):
        actor.hands.click(*near(actor, target, reach=6), count=2 if actor.chance(0.25) else 1)
        actor.hands.wait(gap(actor, 0.6))


def enters_it_anew(scene: Scene) -> None:
    """Enter a value, see that it is not what was wanted, and enter another at the same place."""
    actor, program = scene.actor, scene.program
    program.enter_value()
    actor.think(0.8)

    def attempt() -> None:
        program.revise_value()
        actor.think(0.7)
        if actor.chance(0.3):
            program.undo(1)

    _again(scene, attempt)


def hovers_for_a_name(scene: Scene) -> None:
    """Rest on one button after the other until its name shows, press none, and go over them again."""
    actor = scene.actor
    suspects = some(actor, scene.program.tool_points(), 3, 5)

    def attempt() -> None:
        point_at(actor, suspects[: actor.rng.randint(2, len(suspects))], 1.0)
        if actor.chance(0.3):
            actor.hands.click(*near(actor, actor.rng.choice(scene.program.dead_points()), reach=5))
        if actor.chance(0.3):
            actor.rng.shuffle(suspects)

    _again(scene, attempt)


def sits_before_it(scene: Scene) -> None:
    """Try something, try it again at once, and then sit before it for longer and longer between tries."""
    actor, program = scene.actor, scene.program

    def takes_back() -> None:
        program.undo(program.change())

    one = actor.rng.choice((takes_back, program.drag, program.enter_value))
    rests = iter((0.5, 1.5))

    def attempt() -> None:
        one()
        actor.hands.pause(min(actor.hands.about(next(rests, 6.0) * actor.temperament.pause), 14.0), "at a loss")

    _again(scene, attempt)


BEHAVIORS = tuple(
    replace(one, plain=True, seconds=PLAIN_S)
    for one in (
        stuck(pokes_at_a_dialog, "find a setting", "say in which dialog the setting is"),
        stuck(hunts_in_menus, "find a command", "say where the command is, or how to search for it"),
        stuck(takes_all_back, "get something to look as meant", "say which setting makes it look so"),
        stuck(clicks_what_is_dead, "make something react", "say what must be selected or closed first"),
        stuck(enters_it_anew, "enter something that is accepted", "show an example of what works here"),
        stuck(hovers_for_a_name, "find the button for this", "say which button it is, or how to search for commands"),
        stuck(sits_before_it, "get past what does not work", "offer a next step"),
    )
)
