"""Improvised: users who turn to help outside the program, and users who wait for something that runs by itself.

Who turns to help always reads what was found. Waiting lasts until what runs has ended; what the hands do meanwhile
leads without_folder.
"""

from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import close_menus, hover_entries, move_into_front, near, open_menu
from lab.simulation.behaviors.improvised.style import Act, Style
from storage.records import State

_KINDS = ("dialog", "page", "terminal", "frozen")
_SHORT_S = 9.0
_LONGEST_SIT_S = 8.0
BEHAVIORS: list[Behavior] = []
_seeking = partial(
    register, BEHAVIORS, State.SEEKING_EXTERNAL_HELP, "learn how this is done", seconds=(16.0, 40.0), weight=1.2
)
_waiting = partial(register, BEHAVIORS, State.WAITING, "go on as soon as this has ended", weight=1.2)


def _back_a_page(scene: Scene) -> Act:
    def back() -> None:
        scene.user.hands.chord("alt+Left")

    return back


def _tries_it(scene: Scene, style: Style) -> None:
    """Try in the program what was read; it does not come out yet."""
    program, rng = scene.program, scene.user.rng
    scene.helpers.back_to_work()
    for _ in range(rng.randint(1, 2)):
        rng.choice(
            (style.value_and_back, style.variant_and_back, style.hover_tools, program.enter_value, program.adjust)
        )()
        style.rest(0.9)


@_seeking("show the steps for what was searched")
def reads_what_is_found(scene: Scene) -> None:
    """Ask once, open something, read it at length in a way of one's own; open another if it does not help."""
    user, helpers, style = scene.user, scene.helpers, Style(scene)
    reading = style.mix((style.read_window, style.along_window), fewest=1, most=2, rest_s=1.0)
    patience = user.rng.randint(1, 5)
    helpers.open_help()
    if user.chance(0.7):
        helpers.search_help()
    while user.has_time():
        helpers.open_result()
        reading.do_runs(user.rng.randint(1, patience))


@_seeking("name the one page that answers it")
def wanders_through_pages(scene: Scene) -> None:
    """Go from page to page and back, with a new question here and there, reading bits."""
    user, helpers, style = scene.user, scene.helpers, Style(scene)
    offer = (style.read_window, style.along_window, helpers.open_result, _back_a_page(scene))
    pages = style.mix(offer, fewest=2, most=4, rest_s=1.2, run=2)
    asks = user.rng.uniform(0.05, 0.25)
    helpers.open_help()
    while user.has_time():
        if user.chance(asks):
            helpers.search_help()
            style.rest(0.8)
        helpers.open_result()
        pages.do_run()


@_seeking("show the advice at the place where it applies")
def reads_then_experiments(scene: Scene) -> None:
    """Read for a good while, experiment for a while with what was read, come back when it does not come out."""
    user, helpers, style = scene.user, scene.helpers, Style(scene)
    reading = style.mix((style.read_window, style.along_window), fewest=1, most=2, rest_s=0.8, run=2)
    longest = user.rng.randint(2, 4)
    while user.has_time():
        helpers.open_help()
        (helpers.search_help if user.chance(0.4) else helpers.open_result)()
        reading.do_runs(user.rng.randint(2, longest))
        if user.has_time():
            _tries_it(scene, style)


@_seeking("show how to do what the brief asks for")
def brief_first_then_help(scene: Scene) -> None:
    """See in the brief what is asked for, then look on the help pages how that is done."""
    user, helpers, style = scene.user, scene.helpers, Style(scene)
    reading = style.mix((style.read_window, style.along_window), fewest=1, most=2, rest_s=1.0, run=2)
    if user.chance(0.6):
        helpers.open_brief()
        style.read_window()
    helpers.open_help()
    searched = False
    while user.has_time():
        if not searched or user.chance(0.15):
            helpers.search_help()
            searched = True
        helpers.open_result()
        reading.do_runs(user.rng.randint(1, 3))


@_seeking("explain the control in use")
def from_menu_to_pages(scene: Scene) -> None:
    """Look in the program's own help menu or press F1, then go to the help pages and stay there."""
    user, program, helpers, style = scene.user, scene.program, scene.helpers, Style(scene)
    if user.chance(0.6):
        menu = open_menu(user, program, program.menu_points()[-1])
        hover_entries(user, menu, user.rng.randint(1, 3), 0.6)
        close_menus(user, program)
    else:
        user.hands.chord("F1")
        user.think(1.6)
        user.hands.chord("Escape")
    style.rest(0.8)
    helpers.open_help()
    offer = (style.read_window, style.read_window, style.along_window, helpers.open_result)
    pages = style.mix(offer, fewest=2, most=3, rest_s=1.2)
    while user.has_time():
        helpers.open_result()
        pages.do_runs(user.rng.randint(1, 3))


def _until_over(scene: Scene, meanwhile: Act) -> None:
    while not scene.helpers.progress_is_over():
        meanwhile()


def _drift_along(scene: Scene) -> Act:
    """Return the act of moving the pointer a little within the window that shows how far it is."""

    def drift() -> None:
        user = scene.user
        move_into_front(user)
        x, y = user.hands.at
        user.hands.move(min(x + user.rng.randint(-30, 90), 1800), max(y + user.rng.randint(-15, 15), 60))

    return drift


@_waiting()
def waits_in_own_way(scene: Scene) -> None:
    """Start something and stay with it: rests of all lengths, a drifting pointer, a place looked at."""
    user, style = scene.user, Style(scene)
    if user.chance(0.4):
        scene.program.save()
    scene.helpers.start_progress(max(4.0, 0.8 * user.seconds_left()), kind=user.rng.choice(_KINDS))
    offer = (_drift_along(scene), style.point_about, lambda: style.rest(1.5), lambda: user.wander(1))
    _until_over(scene, style.mix(offer, fewest=1, most=3, rest_s=2.2, run=2).do_run)
    style.rest(1.0)


@_waiting()
def hands_in_lap(scene: Scene) -> None:
    """Start something, take the hands off, and take them up again when it has ended."""
    user, style = scene.user, Style(scene)
    scene.helpers.start_progress(
        max(4.0, 0.8 * user.seconds_left()), kind=user.rng.choice(("page", "terminal", "frozen"))
    )
    stirs = user.rng.uniform(0.0, 0.25)
    median_s = user.rng.uniform(2.0, 4.5)

    def sit() -> None:
        user.hands.pause(min(user.hands.about(median_s, 0.6), _LONGEST_SIT_S), "waiting")
        if user.chance(stirs):
            user.wander(1)

    _until_over(scene, sit)
    style.rest(0.8)


@_waiting()
def one_wait_after_another(scene: Scene) -> None:
    """Start one short thing after the other, a look at each outcome between."""
    user, style = scene.user, Style(scene)
    kinds = user.rng.sample(_KINDS, user.rng.randint(1, 2))
    offer = (_drift_along(scene), style.point_about, lambda: style.rest(1.0))
    meanwhile = style.mix(offer, fewest=1, most=2, rest_s=1.4, run=1)
    while user.has_time():
        seconds = min(user.rng.uniform(0.5, 1.0) * _SHORT_S, max(4.0, user.seconds_left()))
        scene.helpers.start_progress(seconds, kind=user.rng.choice(kinds))
        _until_over(scene, meanwhile.do_run)
        style.rest(1.2)


@_waiting()
def looks_through_meanwhile(scene: Scene) -> None:
    """Let it run beside the document and pass the time there with idle looks, making nothing."""
    user, style = scene.user, Style(scene)
    scene.helpers.start_progress(max(4.0, 0.8 * user.seconds_left()), kind=user.rng.choice(("dialog", "terminal")))
    offer = (style.point_about, style.turn_wheel, style.hover_tools, _drift_along(scene))
    _until_over(scene, style.mix(offer, fewest=1, most=3, rest_s=3.0, run=1).do_run)
    style.rest(1.0)


@_waiting()
def tests_whether_it_answers(scene: Scene) -> None:
    """Wait for a busy program or page; once in a while try whether it answers yet, and see that it does not."""
    user, program, style = scene.user, scene.program, Style(scene)
    kind = user.rng.choice(("frozen", "frozen", "dialog"))
    scene.helpers.start_progress(max(4.0, 0.8 * user.seconds_left()), kind=kind)
    asks = user.rng.uniform(0.05, 0.25)

    def meanwhile() -> None:
        style.rest(2.2)
        if user.chance(asks):
            user.hands.click(*near(user, user.rng.choice(program.dead_points()), reach=10))
        elif user.chance(asks):
            style.point_about()

    _until_over(scene, meanwhile)
    style.rest(1.0)
