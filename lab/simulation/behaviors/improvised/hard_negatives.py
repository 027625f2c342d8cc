"""Improvised hard negatives: users who are well, over the pairs that are easiest taken for trouble.

Each is drawn anew like the rest, and each has what trouble lacks: a look in peace, a result that stays, or work that
goes on at once.
"""

from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import (
    close_menus,
    hover_entries,
    move_into_front,
    near,
    next_menu,
    open_menu,
)
from lab.simulation.behaviors.improvised.style import Act, Style
from storage.records import State

BEHAVIORS: list[Behavior] = []
_hard = partial(register, BEHAVIORS, hard_negative=True)


@_hard(State.EXPLORATION, "choose between variants", weight=1.1)
def calm_comparisons(scene: Scene) -> None:
    """Put on a few variants, go back through them one by one with a look at each, keep the one that pleases."""
    user, program, style = scene.user, scene.program, Style(scene)
    most, settles = user.rng.randint(1, 3), user.rng.uniform(0.3, 1.0)
    goes_on = style.mix((program.compose, program.adjust, style.point_about), fewest=1, most=2, rest_s=1.0, run=2)
    while user.has_time():
        steps = []
        for _ in range(user.rng.randint(1, most)):
            steps.append(program.change())
            style.rest(1.8)
        back = user.rng.randint(1, len(steps))
        for number in steps[-back:][::-1]:
            program.undo(number)
            style.rest(1.8)
        for number in steps[-back:][: user.rng.randint(0, back)]:
            program.redo(number)
            style.rest(1.6)
        if user.has_time() and user.chance(settles):
            goes_on.do_run()


@_hard(State.PERFORMING_ACTIONS, "get the work done with the right settings", weight=0.8)
def dialogs_that_work(scene: Scene) -> None:
    """Go through a dialog again and again in a round of work, and each time it has done what it should."""
    user, program, style = scene.user, scene.program, Style(scene)
    rest = style.mix(
        (program.compose, program.enter_value, program.expert, style.leaf), fewest=1, most=3, rest_s=0.7, run=2
    )
    controls, pieces = user.rng.randint(1, 2), user.rng.randint(1, 3)
    while user.has_time():
        rest.do_runs(user.rng.randint(1, pieces))
        if not user.has_time():
            return
        program.open_dialog()
        for _ in range(user.rng.randint(1, controls)):
            program.use_dialog()
        program.leave_dialog(apply=True)
        style.rest(0.8)


@_hard(State.PERFORMING_ACTIONS, "get the work done")
def one_slip_amid_flow(scene: Scene) -> None:
    """Work along well; one thing goes wrong in an everyday way, and the work goes on without another thought."""
    user, program, style = scene.user, scene.program, Style(scene)
    offer = (program.compose, program.compose, program.adjust, program.expert, program.enter_value, program.drag)
    flow = style.mix(offer, fewest=2, most=5, rest_s=0.6)

    def click_in_vain() -> None:
        target = user.rng.choice(program.dead_points())
        for _ in range(user.rng.randint(1, 3)):
            user.hands.click(*near(user, target, reach=8))
            user.hands.wait(user.hands.about(0.4))

    def wrong_dialog() -> None:
        program.open_dialog()
        program.leave_dialog(apply=False)

    slips: tuple[Act, ...] = (
        click_in_vain,
        wrong_dialog,
        style.variant_and_back,
        style.value_and_back,
        style.look_into_menus,
    )
    wait = user.rng.randint(1, 3)
    while user.has_time():
        flow.do_runs(wait)
        if user.has_time():
            user.rng.choice(slips)()
            style.rest(0.5)
        if user.has_time():
            flow.do_one()
        wait = user.rng.randint(3, 5)


@_hard(State.PERFORMING_ACTIONS, "use a command and go on", weight=0.8)
def finds_it_in_a_menu(scene: Scene) -> None:
    """Go through a menu or two for a command, find it, use it, and work on with it."""
    user, program, style = scene.user, scene.program, Style(scene)
    use = style.mix((program.change, program.adjust, program.expert), fewest=1, most=2, rest_s=0.6, run=2)
    work = style.mix((program.compose, program.enter_value, program.drag), fewest=1, most=3, rest_s=0.7, run=2)
    entries, rest_s = user.rng.randint(1, 4), user.rng.uniform(0.25, 0.7)
    while user.has_time():
        titles = program.menu_points()
        first = user.rng.randrange(len(titles))
        hover_entries(user, open_menu(user, program, titles[first]), user.rng.randint(1, entries), rest_s)
        if first + 1 < len(titles) and user.chance(0.4):
            menu = next_menu(user, program, titles[first + 1])
            hover_entries(user, menu, user.rng.randint(1, entries), rest_s)
        close_menus(user, program)
        if user.has_time():
            use.do_run()
        if user.has_time():
            work.do_run()


@_hard(State.PERFORMING_ACTIONS, "fill in what belongs in each place", weight=0.8)
def values_place_by_place(scene: Scene) -> None:
    """Put in value after value, each at another place and each to stay; one is set right now and then."""
    user, program, style = scene.user, scene.program, Style(scene)
    between = style.mix((style.leaf, style.point_about, style.turn_wheel), fewest=1, most=2, rest_s=0.4, run=1)
    rights, moves = user.rng.uniform(0.05, 0.35), user.rng.uniform(0.2, 0.8)
    while user.has_time():
        program.enter_value()
        style.rest(0.7)
        if user.has_time() and user.chance(rights):
            program.revise_value()
            style.rest(0.5)
        if user.has_time() and user.chance(moves):
            between.do_run()


@_hard(State.TASK_UNDERSTANDING, "understand what is to be made", weight=1.1)
def reads_with_idle_hands(scene: Scene) -> None:
    """Read slowly with the pointer idle for long; a notch, a line, and long nothing again."""
    user, style = scene.user, Style(scene)
    scene.helpers.open_brief()
    move_into_front(user)
    shortest, longest = user.rng.uniform(2.0, 4.0), user.rng.uniform(5.0, 12.0)
    leads = user.rng.uniform(0.0, 0.3)
    while user.has_time():
        user.hands.pause(min(user.rng.uniform(shortest, longest), user.seconds_left() + 0.5), "reading")
        if user.chance(leads):
            style.along_window()
        else:
            user.hands.scroll(-user.rng.randint(1, 3))


@_hard(State.IDEATION, "find what could be made", weight=1.1)
def variants_in_thought(scene: Scene) -> None:
    """Think up one variant after the other, drop most of them after a long look, and think on."""
    user, program, style = scene.user, scene.program, Style(scene)
    ways: list[Act] = [style.variant_and_back, style.value_and_back]
    variants = style.mix(ways, fewest=1, most=2, rest_s=1.2, run=2)
    keeps, thinks_s = user.rng.uniform(0.05, 0.3), user.rng.uniform(2.0, 3.5)
    while user.has_time():
        style.rest(thinks_s)
        if user.chance(keeps):
            style.variant_kept()
        else:
            variants.do_run()
        if user.has_time() and user.chance(0.2):
            user.rng.choice((program.compose, program.adjust))()


@_hard(State.ASSESSMENT, "see whether it is good as it is", weight=1.1)
def judges_by_trying(scene: Scene) -> None:
    """Look over the result, see how one thing would look otherwise, leave it as it was, look on."""
    user, style = scene.user, Style(scene)
    looks = style.mix(
        (style.point_about, style.along_a_line, style.leaf, style.turn_wheel), fewest=1, most=3, rest_s=2.0
    )
    checks = user.rng.choice((style.variant_and_back, style.look_into_dialog))
    share = user.rng.uniform(0.1, 0.3)
    while user.has_time():
        looks.do_run()
        if user.has_time() and user.chance(share):
            checks()
            style.rest(2.0)


@_hard(State.PERFORMING_ACTIONS, "get the work done fast", weight=0.8)
def fast_and_sure(scene: Scene) -> None:
    """Work at the pace of an angry hand, clicks and shortcuts in bursts, and all of it does something."""
    user, program, style = scene.user, scene.program, Style(scene)
    offer = (program.repeat_useful, program.expert, program.adjust, program.drag, program.enter_value, program.change)
    bursts = style.mix(offer, fewest=2, most=4, rest_s=0.3, run=4)
    while user.has_time():
        bursts.do_run()
        if user.has_time() and user.chance(0.15):
            program.undo(1)
