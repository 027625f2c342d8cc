"""Frustration: people who are stuck and keep at it without a plan.

Each script is a row of tries in vain, each ended by `actor.failed()` when it has failed in this person's eyes; the
second usually falls 5 to 14 s after the start. Between tries people rest, look away or get something else done, and
after a while they may do the same thing more angrily; the temper says how much so.
"""

from collections.abc import Callable

from evaluation.simulation.actor import Actor
from evaluation.simulation.behaviors.behavior import Behavior, Need, Scene
from evaluation.simulation.behaviors.habits import close_menus, go_down, look, near, next_menu, open_menu, work_a_little
from storage.records import State

_EPISODE_S = (30.0, 80.0)
_PATIENCE = 2


def gap(actor: Actor, seconds: float) -> float:
    """Return a gap between two angry acts: hot tempers leave less."""
    return actor.hands.about(seconds * (1.3 - 0.8 * actor.temperament.temper))


def _over_and_over(scene: Scene, attempt: Callable[[int], None]) -> None:
    """Try again and again; between tries rest at a loss, look about, or get something else done."""
    actor = scene.actor
    number = 0
    while actor.has_time():
        attempt(number)
        actor.failed()
        number += 1
        actor.think(1.1 * (1.2 - 0.5 * actor.temperament.temper))
        if number < _PATIENCE or not actor.has_time():
            continue
        aside = actor.rng.choices(("on", "work", "rest", "page"), (60 * actor.temperament.patience, 16, 14, 10))[0]
        if aside == "work":
            work_a_little(scene)
        elif aside == "rest":
            actor.hands.pause(actor.rng.uniform(2.0, 5.0), "at a loss")
        elif aside == "page":
            scene.program.page(actor.rng.choice((1, -1)))


def rage_clicks(scene: Scene) -> None:
    """Click on something that does not answer, in bursts that grow, all round the same place."""
    actor = scene.actor
    target = actor.rng.choice(scene.program.dead_points())

    def attempt(number: int) -> None:
        nonlocal target
        if number >= _PATIENCE and actor.chance(0.25):
            target = actor.rng.choice(scene.program.dead_points())
        for _ in range(actor.count(2, 4) + min(number, 4)):
            actor.hands.click(*near(actor, target, reach=8), count=2 if actor.chance(0.2) else 1)
            actor.hands.wait(gap(actor, 0.35))
        look(scene, 0.9)

    _over_and_over(scene, attempt)


def undo_storm(scene: Scene) -> None:
    """Get something that was not wanted, take back that and more, bring back too much, lose the thread."""
    actor, program = scene.actor, scene.program

    def attempt(number: int) -> None:
        steps = sum(program.change() for _ in range(1 if number < _PATIENCE else actor.rng.randint(1, 2)))
        actor.think(0.7)
        extra = actor.count(0, 3)
        program.undo(steps + extra)
        if extra and actor.chance(0.7):
            actor.think(0.6)
            program.redo(extra)

    _over_and_over(scene, attempt)


def same_menus(scene: Scene) -> None:
    """Look for an entry in the same few menus again and again and never find it."""
    actor, program = scene.actor, scene.program
    titles = program.menu_points()
    first = actor.rng.randrange(max(1, len(titles) - 2))
    suspects = list(titles[first : first + 3])

    def attempt(number: int) -> None:
        if number and actor.chance(0.4):
            actor.rng.shuffle(suspects)
        menu = open_menu(actor, program, suspects[0])
        go_down(actor, menu, actor.rng.randint(2, 3), 0.35)
        for title in suspects[1 : 1 + actor.rng.randint(0, 2)]:
            menu = next_menu(actor, program, title)
            go_down(actor, menu, actor.rng.randint(1, 3), 0.3)
        close_menus(actor, program)

    _over_and_over(scene, attempt)


def dialog_again(scene: Scene) -> None:
    """Open the same dialog, change something, leave it, see that it did not help, and open it once more."""
    actor, program = scene.actor, scene.program

    def attempt(number: int) -> None:
        program.open_dialog()
        for _ in range(actor.rng.randint(1, 1 + min(number, 2))):
            program.use_dialog()
        program.leave_dialog(apply=actor.chance(0.4))
        look(scene, 0.8)

    _over_and_over(scene, attempt)


def written_and_wiped(scene: Scene) -> None:
    """Put something in, find it wrong, take it out again and put it in anew."""
    actor, program = scene.actor, scene.program

    def attempt(number: int) -> None:
        if number == 0 or actor.chance(0.5):
            program.enter_value()
        else:
            program.revise_value()
        actor.think(0.7)
        if actor.chance(0.6):
            program.undo(1 if number < _PATIENCE else actor.rng.randint(1, 3))

    _over_and_over(scene, attempt)


def drags_in_vain(scene: Scene) -> None:
    """Pull at something that ends up in the wrong place each time."""
    actor, program = scene.actor, scene.program

    def attempt(number: int) -> None:
        for _ in range(1 if number == 0 or actor.chance(0.6) else 2):
            program.drag()
            actor.hands.wait(gap(actor, 0.5))
        look(scene, 0.7)
        program.undo(1)

    _over_and_over(scene, attempt)


def _small_try(scene: Scene) -> None:
    """Try one small thing without effect: a click, a menu, a change that is taken back."""
    actor, program = scene.actor, scene.program
    kind = actor.rng.choice(("click", "menu", "change"))
    if kind == "click":
        actor.hands.click(*near(actor, actor.rng.choice(program.dead_points()), reach=5))
    elif kind == "menu":
        menu = open_menu(actor, program, actor.rng.choice(program.menu_points()))
        go_down(actor, menu, 2, 0.4)
        close_menus(actor, program)
    else:
        steps = program.change()
        actor.think(0.8)
        program.undo(steps)


def this_and_that(scene: Scene) -> None:
    """Try whatever comes to hand, one thing right after the other, none for long."""
    actor, program = scene.actor, scene.program

    def attempt(number: int) -> None:
        for _ in range(1 if number == 0 else actor.rng.randint(1, 2)):
            _small_try(scene)
            actor.hands.wait(gap(actor, 0.5))
        if number >= _PATIENCE and actor.chance(0.3):
            program.open_dialog()
            program.leave_dialog(apply=False)

    _over_and_over(scene, attempt)


def sits_and_sighs(scene: Scene) -> None:
    """Try one small thing, then sit there for a long time, then another small thing."""
    actor = scene.actor
    while actor.has_time():
        _small_try(scene)
        actor.think(0.8)
        actor.failed()
        actor.hands.pause(min(actor.hands.about(3.2 * actor.temperament.pause), 9.0), "at a loss")
        if actor.chance(actor.temperament.fidget):
            actor.wander(actor.rng.randint(1, 4), reach=240)


def stuck(act: Callable[[Scene], None], intent: str, fitting: str, *, held_out: bool = False) -> Behavior:
    """Return a behavior of frustration, in which help comes to be needed."""
    return Behavior(
        name=act.__name__,
        state=State.FRUSTRATION,
        act=act,
        intent=intent,
        help=fitting,
        need=Need.AFTER_FAILURES,
        held_out=held_out,
        seconds=_EPISODE_S,
    )


BEHAVIORS = (
    stuck(rage_clicks, "make a control answer", "say why the control is inactive and what enables it"),
    stuck(undo_storm, "get back to the state before things went wrong", "show how to go back to a known good state"),
    stuck(same_menus, "find a command in the menus", "say where the command is"),
    stuck(dialog_again, "get a setting to take effect", "say which setting does it and when it applies"),
    stuck(written_and_wiped, "enter a value that is accepted", "show an example of a value that works here"),
    stuck(drags_in_vain, "put something in its place", "show how to place it exactly, with snapping or numbers"),
    stuck(this_and_that, "get past the thing that blocks the work", "say what stands in the way"),
    stuck(sits_and_sighs, "find any way on", "offer a next step"),
)
