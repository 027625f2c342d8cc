"""Improvised: people who turn to help outside the program, and people who wait for something that runs by itself.

Who turns to help always reads what was found. Waiting lasts until what runs has ended; what the hands do meanwhile
leads nowhere.
"""

from collections.abc import Callable

from evaluation.simulation.behaviors.behavior import Behavior, Need, Scene
from evaluation.simulation.behaviors.habits import close_menus, go_down, into_front, near, open_menu
from evaluation.simulation.behaviors.improvised.manner import Act, Manner
from storage.records import State

_KINDS = ("dialog", "page", "terminal", "frozen")
_SHORT_S = 9.0
_LONGEST_SIT_S = 8.0


# ---------------------------------------------------------------------- seeking help


def _back_a_page(scene: Scene) -> Act:
    def back() -> None:
        scene.actor.hands.chord("alt+Left")

    return back


def _tries_it(scene: Scene, own: Manner) -> None:
    """Try in the program what was read; it does not come out yet."""
    program, rng = scene.program, scene.actor.rng
    scene.helpers.back_to_work()
    for _ in range(rng.randint(1, 2)):
        rng.choice((own.value_and_back, own.variant_and_back, own.hover_tools, program.enter_value, program.adjust))()
        own.rest(0.9)


def reads_what_is_found(scene: Scene) -> None:
    """Ask once, open something, read it at length in a way of one's own; open another if it does not help."""
    actor, helpers, own = scene.actor, scene.helpers, Manner(scene)
    reading = own.mix((own.read_window, own.along_window), fewest=1, most=2, rest_s=1.0)
    patience = actor.rng.randint(1, 5)
    helpers.open_help()
    if actor.chance(0.7):
        helpers.search_help()
    while actor.has_time():
        helpers.open_result()
        for _ in range(actor.rng.randint(1, patience)):
            if actor.has_time():
                reading.spell()


def wanders_through_pages(scene: Scene) -> None:
    """Go from page to page and back, with a new question here and there, reading bits."""
    actor, helpers, own = scene.actor, scene.helpers, Manner(scene)
    offer = (own.read_window, own.along_window, helpers.open_result, _back_a_page(scene))
    pages = own.mix(offer, fewest=2, most=4, rest_s=1.2, run=2)
    asks = actor.rng.uniform(0.05, 0.25)
    helpers.open_help()
    while actor.has_time():
        if actor.chance(asks):
            helpers.search_help()
            own.rest(0.8)
        helpers.open_result()
        pages.spell()


def reads_then_experiments(scene: Scene) -> None:
    """Read for a good while, experiment for a while with what was read, come back when it does not come out."""
    actor, helpers, own = scene.actor, scene.helpers, Manner(scene)
    reading = own.mix((own.read_window, own.along_window), fewest=1, most=2, rest_s=0.8, run=2)
    longest = actor.rng.randint(2, 4)
    while actor.has_time():
        helpers.open_help()
        (helpers.search_help if actor.chance(0.4) else helpers.open_result)()
        for _ in range(actor.rng.randint(2, longest)):
            if actor.has_time():
                reading.spell()
        if actor.has_time():
            _tries_it(scene, own)


def brief_first_then_help(scene: Scene) -> None:
    """See in the brief what is asked for, then look on the help pages how that is done."""
    actor, helpers, own = scene.actor, scene.helpers, Manner(scene)
    reading = own.mix((own.read_window, own.along_window), fewest=1, most=2, rest_s=1.0, run=2)
    if actor.chance(0.6):
        helpers.open_brief()
        own.read_window()
    helpers.open_help()
    searched = False
    while actor.has_time():
        if not searched or actor.chance(0.15):
            helpers.search_help()
            searched = True
        helpers.open_result()
        for _ in range(actor.rng.randint(1, 3)):
            if actor.has_time():
                reading.spell()


def from_menu_to_pages(scene: Scene) -> None:
    """Look in the program's own help menu or press F1, then go to the help pages and stay there."""
    actor, program, helpers, own = scene.actor, scene.program, scene.helpers, Manner(scene)
    if actor.chance(0.6):
        menu = open_menu(actor, program, program.menu_points()[-1])
        go_down(actor, menu, actor.rng.randint(1, 3), 0.6)
        close_menus(actor, program)
    else:
        actor.hands.chord("F1")
        actor.think(1.6)
        actor.hands.chord("Escape")
    own.rest(0.8)
    helpers.open_help()
    offer = (own.read_window, own.read_window, own.along_window, helpers.open_result)
    pages = own.mix(offer, fewest=2, most=3, rest_s=1.2)
    while actor.has_time():
        helpers.open_result()
        for _ in range(actor.rng.randint(1, 3)):
            if actor.has_time():
                pages.spell()


# ---------------------------------------------------------------------- waiting


def _until_over(scene: Scene, meanwhile: Act) -> None:
    while not scene.helpers.progress_is_over():
        meanwhile()


def _drift_along(scene: Scene) -> Act:
    """Return the act of moving the pointer a little within the window that shows how far it is."""

    def drift() -> None:
        actor = scene.actor
        into_front(actor)
        x, y = actor.hands.at
        actor.hands.move(min(x + actor.rng.randint(-30, 90), 1800), max(y + actor.rng.randint(-15, 15), 60))

    return drift


def waits_in_own_way(scene: Scene) -> None:
    """Start something and stay with it: rests of all lengths, a drifting pointer, a place looked at."""
    actor, own = scene.actor, Manner(scene)
    if actor.chance(0.4):
        scene.program.save()
    scene.helpers.start_progress(max(4.0, 0.8 * actor.left_s()), kind=actor.rng.choice(_KINDS))
    offer = (_drift_along(scene), own.point_about, lambda: own.rest(1.5), lambda: actor.wander(1))
    _until_over(scene, own.mix(offer, fewest=1, most=3, rest_s=2.2, run=2).spell)
    own.rest(1.0)


def hands_in_lap(scene: Scene) -> None:
    """Start something, take the hands off, and take them up again when it has ended."""
    actor, own = scene.actor, Manner(scene)
    scene.helpers.start_progress(max(4.0, 0.8 * actor.left_s()), kind=actor.rng.choice(("page", "terminal", "frozen")))
    stirs = actor.rng.uniform(0.0, 0.25)
    median_s = actor.rng.uniform(2.0, 4.5)

    def sit() -> None:
        actor.hands.pause(min(actor.hands.about(median_s, 0.6), _LONGEST_SIT_S), "waiting")
        if actor.chance(stirs):
            actor.wander(1)

    _until_over(scene, sit)
    own.rest(0.8)


def one_wait_after_another(scene: Scene) -> None:
    """Start one short thing after the other, a look at each outcome between."""
    actor, own = scene.actor, Manner(scene)
    kinds = actor.rng.sample(_KINDS, actor.rng.randint(1, 2))
    offer = (_drift_along(scene), own.point_about, lambda: own.rest(1.0))
    meanwhile = own.mix(offer, fewest=1, most=2, rest_s=1.4, run=1)
    while actor.has_time():
        seconds = min(actor.rng.uniform(0.5, 1.0) * _SHORT_S, max(4.0, actor.left_s()))
        scene.helpers.start_progress(seconds, kind=actor.rng.choice(kinds))
        _until_over(scene, meanwhile.spell)
        own.rest(1.2)


def looks_through_meanwhile(scene: Scene) -> None:
    """Let it run beside the document and pass the time there with idle looks, making nothing."""
    actor, own = scene.actor, Manner(scene)
    scene.helpers.start_progress(max(4.0, 0.8 * actor.left_s()), kind=actor.rng.choice(("dialog", "terminal")))
    offer = (own.point_about, own.turn_wheel, own.hover_tools, _drift_along(scene))
    _until_over(scene, own.mix(offer, fewest=1, most=3, rest_s=3.0, run=1).spell)
    own.rest(1.0)


def tests_whether_it_answers(scene: Scene) -> None:
    """Wait for a busy program or page; once in a while try whether it answers yet, and see that it does not."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    kind = actor.rng.choice(("frozen", "frozen", "dialog"))
    scene.helpers.start_progress(max(4.0, 0.8 * actor.left_s()), kind=kind)
    asks = actor.rng.uniform(0.05, 0.25)

    def meanwhile() -> None:
        own.rest(2.2)
        if actor.chance(asks):
            actor.hands.click(*near(actor, actor.rng.choice(program.dead_points()), reach=10))
        elif actor.chance(asks):
            own.point_about()

    _until_over(scene, meanwhile)
    own.rest(1.0)


def _seek(act: Callable[[Scene], None], fitting: str) -> Behavior:
    return Behavior(
        name=act.__name__,
        state=State.SEEKING_EXTERNAL_HELP,
        act=act,
        intent="learn how this is done",
        help=fitting,
        need=Need.FROM_START,
        seconds=(16.0, 40.0),
        weight=1.2,
    )


def _waits(act: Callable[[Scene], None]) -> Behavior:
    return Behavior(
        name=act.__name__, state=State.WAITING, act=act, intent="go on as soon as this has ended", weight=1.2
    )


BEHAVIORS = (
    _seek(reads_what_is_found, "show the steps for what was searched"),
    _seek(wanders_through_pages, "name the one page that answers it"),
    _seek(reads_then_experiments, "show the advice at the place where it applies"),
    _seek(brief_first_then_help, "show how to do what the brief asks for"),
    _seek(from_menu_to_pages, "explain the control in use"),
    _waits(waits_in_own_way),
    _waits(hands_in_lap),
    _waits(one_wait_after_another),
    _waits(looks_through_meanwhile),
    _waits(tests_whether_it_answers),
)
