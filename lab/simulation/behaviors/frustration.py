"""Frustration: users who are stuck and keep at it without a plan.

Each script is a row of failed tries, each ended by `note_failure()` when it has failed in the user's eyes; the second
usually falls 5 to 14 s after the start. Three kinds: tries broken up by rests, looks and other work, and repeated more
angrily after a while (the temper says how much so); plain ones, the same try over and over with short rests and no work
done in between; and, held out from training, outbursts of users who no longer try anything in particular. Outbursts
share nothing with the tries but the pace of an angry hand.
"""

from collections.abc import Callable
from functools import partial

from lab.simulation.behaviors.behavior import EPISODE_S, PLAIN_S, Behavior, Scene, register
from lab.simulation.behaviors.common_acts import (
    close_menus,
    do_some_work,
    hover_entries,
    look,
    near,
    next_menu,
    open_menu,
    pick_points,
    point_at,
)
from lab.simulation.program import Point
from lab.simulation.simulated_user import SimulatedUser
from storage.records import State

_PATIENCE = 2
BEHAVIORS: list[Behavior] = []
_stuck = partial(register, BEHAVIORS, State.FRUSTRATION, seconds=EPISODE_S)
_plainly_stuck = partial(register, BEHAVIORS, State.FRUSTRATION, plain=True, seconds=PLAIN_S)


def gap(user: SimulatedUser, seconds: float) -> float:
    """Return a gap between two angry acts: hot tempers leave less."""
    return user.hands.about(seconds * (1.3 - 0.8 * user.persona.temper))


def _over_and_over(scene: Scene, attempt: Callable[[int], None]) -> None:
    """Try again and again; between tries rest at a loss, look about, or get something else done."""
    user = scene.user
    number = 0
    while user.has_time():
        attempt(number)
        user.note_failure()
        number += 1
        user.think(1.1 * (1.2 - 0.5 * user.persona.temper))
        if number < _PATIENCE or not user.has_time():
            continue
        aside = user.rng.choices(("on", "work", "rest", "page"), (60 * user.persona.patience, 16, 14, 10))[0]
        if aside == "work":
            do_some_work(scene)
        elif aside == "rest":
            user.hands.pause(user.rng.uniform(2.0, 5.0), "at a loss")
        elif aside == "page":
            scene.program.page(user.rng.choice((1, -1)))


@_stuck("make a control answer", "say why the control is inactive and what enables it")
def rage_clicks(scene: Scene) -> None:
    """Click on something that does not answer, in bursts that grow, all round the same place."""
    user = scene.user
    target = user.rng.choice(scene.program.dead_points())

    def attempt(number: int) -> None:
        nonlocal target
        if number >= _PATIENCE and user.chance(0.25):
            target = user.rng.choice(scene.program.dead_points())
        for _ in range(user.count(2, 4) + min(number, 4)):
            user.hands.click(*near(user, target, reach=8), count=2 if user.chance(0.2) else 1)
            user.hands.wait(gap(user, 0.35))
        look(scene, 0.9)

    _over_and_over(scene, attempt)


@_stuck("get back to the state before things went wrong", "show how to go back to a known good state")
def undo_storm(scene: Scene) -> None:
    """Get something that was not wanted, take back that and more, bring back too much, lose the thread."""
    user, program = scene.user, scene.program

    def attempt(number: int) -> None:
        steps = sum(program.change() for _ in range(1 if number < _PATIENCE else user.rng.randint(1, 2)))
        user.think(0.7)
        extra = user.count(0, 3)
        program.undo(steps + extra)
        if extra and user.chance(0.7):
            user.think(0.6)
            program.redo(extra)

    _over_and_over(scene, attempt)


@_stuck("find a command in the menus", "say where the command is")
def same_menus(scene: Scene) -> None:
    """Look for an entry in the same few menus again and again and never find it."""
    user, program = scene.user, scene.program
    titles = program.menu_points()
    first = user.rng.randrange(max(1, len(titles) - 2))
    suspects = list(titles[first : first + 3])

    def attempt(number: int) -> None:
        if number and user.chance(0.4):
            user.rng.shuffle(suspects)
        menu = open_menu(user, program, suspects[0])
        hover_entries(user, menu, user.rng.randint(2, 3), 0.35)
        for title in suspects[1 : 1 + user.rng.randint(0, 2)]:
            menu = next_menu(user, program, title)
            hover_entries(user, menu, user.rng.randint(1, 3), 0.3)
        close_menus(user, program)

    _over_and_over(scene, attempt)


@_stuck("get a setting to take effect", "say which setting does it and when it applies")
def dialog_again(scene: Scene) -> None:
    """Open the same dialog, change something, leave it, see that it did not help, and open it once more."""
    user, program = scene.user, scene.program

    def attempt(number: int) -> None:
        program.open_dialog()
        for _ in range(user.rng.randint(1, 1 + min(number, 2))):
            program.use_dialog()
        program.leave_dialog(apply=user.chance(0.4))
        look(scene, 0.8)

    _over_and_over(scene, attempt)


@_stuck("enter a value that is accepted", "show an example of a value that works here")
def written_and_wiped(scene: Scene) -> None:
    """Put something in, find it wrong, take it out again and put it in anew."""
    user, program = scene.user, scene.program

    def attempt(number: int) -> None:
        if number == 0 or user.chance(0.5):
            program.enter_value()
        else:
            program.revise_value()
        user.think(0.7)
        if user.chance(0.6):
            program.undo(1 if number < _PATIENCE else user.rng.randint(1, 3))

    _over_and_over(scene, attempt)


@_stuck("put something in its place", "show how to place it exactly, with snapping or numbers")
def drags_in_vain(scene: Scene) -> None:
    """Pull at something that ends up in the wrong place each time."""
    user, program = scene.user, scene.program

    def attempt(number: int) -> None:
        for _ in range(1 if number == 0 or user.chance(0.6) else 2):
            program.drag()
            user.hands.wait(gap(user, 0.5))
        look(scene, 0.7)
        program.undo(1)

    _over_and_over(scene, attempt)


def _small_try(scene: Scene) -> None:
    """Try one small thing without effect: a click, a menu, a change that is taken back."""
    user, program = scene.user, scene.program
    kind = user.rng.choice(("click", "menu", "change"))
    if kind == "click":
        user.hands.click(*near(user, user.rng.choice(program.dead_points()), reach=5))
    elif kind == "menu":
        menu = open_menu(user, program, user.rng.choice(program.menu_points()))
        hover_entries(user, menu, 2, 0.4)
        close_menus(user, program)
    else:
        steps = program.change()
        user.think(0.8)
        program.undo(steps)


@_stuck("get past the thing that blocks the work", "say what stands in the way")
def this_and_that(scene: Scene) -> None:
    """Try whatever comes to hand, one thing right after the other, none for long."""
    user, program = scene.user, scene.program

    def attempt(number: int) -> None:
        for _ in range(1 if number == 0 else user.rng.randint(1, 2)):
            _small_try(scene)
            user.hands.wait(gap(user, 0.5))
        if number >= _PATIENCE and user.chance(0.3):
            program.open_dialog()
            program.leave_dialog(apply=False)

    _over_and_over(scene, attempt)


@_stuck("find any way on", "offer a next step")
def sits_and_sighs(scene: Scene) -> None:
    """Try one small thing, then sit there for a long time, then another small thing."""
    user = scene.user
    while user.has_time():
        _small_try(scene)
        user.think(0.8)
        user.note_failure()
        user.hands.pause(min(user.hands.about(3.2 * user.persona.pause), 9.0), "at a loss")
        if user.chance(user.persona.fidget):
            user.wander(user.rng.randint(1, 4), reach=240)


def _again(scene: Scene, attempt: Callable[[], None]) -> None:
    """Try until the time is over; what lies between tries is a look at the screen, seldom a longer one."""
    user = scene.user
    while user.has_time():
        attempt()
        user.note_failure()
        user.think(2.6 if user.chance(0.15) else 0.7)


@_plainly_stuck("find a setting", "say in which dialog the setting is")
def pokes_at_a_dialog(scene: Scene) -> None:
    """Open a dialog, change a thing or two or only look, leave it, and open it again."""
    user, program = scene.user, scene.program
    applies = user.chance(0.3)

    def attempt() -> None:
        program.open_dialog()
        for _ in range(user.rng.randint(0, 2)):
            program.use_dialog()
        user.think(0.6)
        program.leave_dialog(apply=applies and user.chance(0.5))

    _again(scene, attempt)


@_plainly_stuck("find a command", "say where the command is, or how to search for it")
def hunts_in_menus(scene: Scene) -> None:
    """Go through menus entry by entry, leave them, and go through them again."""
    user, program = scene.user, scene.program
    titles = list(program.menu_points())
    first, most = user.rng.randrange(max(1, len(titles) - 1)), user.rng.randint(1, 3)

    def attempt() -> None:
        place = min(first + user.rng.randint(-1, 1), len(titles) - 1)
        menu = open_menu(user, program, titles[max(place, 0)])
        hover_entries(user, menu, user.rng.randint(1, 4), 0.35)
        for title in titles[max(place, 0) + 1 :][: user.rng.randint(0, most)]:
            menu = next_menu(user, program, title)
            hover_entries(user, menu, user.rng.randint(1, 4), 0.3)
        close_menus(user, program)

    _again(scene, attempt)


@_plainly_stuck("get something to look as meant", "say which setting makes it look so")
def takes_all_back(scene: Scene) -> None:
    """Change something, dislike it, take it back with a row of undos, and do it anew."""
    user, program = scene.user, scene.program
    redoes = user.chance(0.4)

    def attempt() -> None:
        steps = sum(program.change() for _ in range(user.rng.randint(1, 2)))
        user.think(0.6)
        program.undo(steps + user.count(0, 2))
        if redoes and user.chance(0.5):
            user.hands.wait(gap(user, 0.5))
            program.redo(1)

    _again(scene, attempt)


@_plainly_stuck("make something react", "say what must be selected or closed first")
def clicks_what_is_dead(scene: Scene) -> None:
    """Click on what does not answer, wait a moment, and click there again."""
    user = scene.user
    target = user.rng.choice(scene.program.dead_points())
    _again(scene, lambda: _clicks(user, target))


def _clicks(user: SimulatedUser, target: tuple[int, int]) -> None:
    for _ in range(user.count(1, 4)):
        user.hands.click(*near(user, target, reach=6), count=2 if user.chance(0.25) else 1)
        user.hands.wait(gap(user, 0.6))


@_plainly_stuck("enter something that is accepted", "show an example of what works here")
def enters_it_anew(scene: Scene) -> None:
    """Enter a value, see that it is not what was wanted, and enter another at the same place."""
    user, program = scene.user, scene.program
    program.enter_value()
    user.think(0.8)

    def attempt() -> None:
        program.revise_value()
        user.think(0.7)
        if user.chance(0.3):
            program.undo(1)

    _again(scene, attempt)


@_plainly_stuck("find the button for this", "say which button it is, or how to search for commands")
def hovers_for_a_name(scene: Scene) -> None:
    """Rest on one button after the other until its name shows, press none, and go over them again."""
    user = scene.user
    suspects = pick_points(user, scene.program.tool_points(), 3, 5)

    def attempt() -> None:
        point_at(user, suspects[: user.rng.randint(2, len(suspects))], 1.0)
        if user.chance(0.3):
            user.hands.click(*near(user, user.rng.choice(scene.program.dead_points()), reach=5))
        if user.chance(0.3):
            user.rng.shuffle(suspects)

    _again(scene, attempt)


@_plainly_stuck("get past what does not work", "offer a next step")
def sits_before_it(scene: Scene) -> None:
    """Try something, try it again at once, and then sit before it for longer and longer between tries."""
    user, program = scene.user, scene.program

    def takes_back() -> None:
        program.undo(program.change())

    one = user.rng.choice((takes_back, program.drag, program.enter_value))
    rests = iter((0.5, 1.5))

    def attempt() -> None:
        one()
        user.hands.pause(min(user.hands.about(next(rests, 6.0) * user.persona.pause), 14.0), "at a loss")

    _again(scene, attempt)


@_stuck("make the program react again", "say what the program is waiting for", held_out=True)
def mashes_keys(scene: Scene) -> None:
    """Hammer on Escape, Enter and the arrows, as if the program could be woken."""
    user = scene.user
    while user.has_time():
        for _ in range(user.rng.randint(1, 2)):
            key = user.rng.choice(("Escape", "Escape", "Return", "Down", "ctrl+z"))
            user.hands.repeat(key, user.count(3, 7), gap_s=gap(user, 0.12))
            user.hands.wait(gap(user, 0.5))
        user.think(1.0)
        user.note_failure()
        if user.chance(0.35):
            user.wander(2)
        user.think(1.6)
        if len(user.failures_ns) >= _PATIENCE and user.has_time() and user.chance(0.2):
            scene.program.compose()


@_stuck("find something in the document", "show how to search in the document", held_out=True)
def rushes_about(scene: Scene) -> None:
    """Race up and down the document and shake the pointer, looking for what is not there."""
    user, program = scene.user, scene.program
    while user.has_time():
        user.hands.move(*near(user, user.rng.choice(program.content_points()), reach=50))
        way = user.rng.choice((1, -1))
        for _ in range(user.count(1, 3)):
            user.hands.scroll(way * user.count(4, 9))
            way = -way
        _shake(user, user.hands.at)
        user.think(0.6)
        user.note_failure()
        if len(user.failures_ns) >= _PATIENCE and user.has_time() and user.chance(0.4):
            program.overview()
        user.think(1.0)


def _shake(user: SimulatedUser, at: Point) -> None:
    """Swing the pointer to and fro in wide quick strokes."""
    side = 1
    for _ in range(user.count(3, 7)):
        side = -side
        user.hands.move(
            min(max(at[0] + side * user.rng.randint(60, 220), 60), 1860),
            min(max(at[1] + user.rng.randint(-50, 50), 60), 1000),
        )


@_stuck("get a change to look as meant", "say what the change acts on", held_out=True)
def to_and_fro(scene: Scene) -> None:
    """Flip between two states of the view and the same change put on and off, with nothing settled by it."""
    user, program = scene.user, scene.program
    while user.has_time():
        steps = program.change()
        user.hands.wait(gap(user, 0.5))
        for _ in range(user.count(1, 2) if user.failures_ns else 1):
            program.undo(steps)
            user.hands.wait(gap(user, 0.3))
            program.redo(steps)
            user.hands.wait(gap(user, 0.3))
        user.note_failure()
        user.hands.click(*near(user, user.rng.choice(program.dead_points()), reach=6))
        if len(user.failures_ns) >= _PATIENCE and user.chance(0.4):
            user.hands.pause(user.rng.uniform(1.5, 4.0), "at a loss")
            program.overview()
        user.think(0.5)
