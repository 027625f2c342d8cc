"""Improvised: users who take in the task, think up what to make, and find out what the program offers.

Taking in the task is reading, in the brief or in the document, and making nothing. Thinking is long rests with little
output that is often changed or dropped. Exploring goes over what there is in peace and keeps next to nothing.
"""

from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import front_window_box, move_into_front
from lab.simulation.behaviors.improvised.style import Act, Style
from storage.records import State

_READ, _THINK = "understand what is to be made", "work out what to make and how to lay it out"
_FIND = "find out what the program offers for this"
BEHAVIORS: list[Behavior] = []
_reading = partial(register, BEHAVIORS, State.TASK_UNDERSTANDING, weight=1.2)
_thinking = partial(register, BEHAVIORS, State.IDEATION, weight=1.2)
_exploring = partial(register, BEHAVIORS, State.EXPLORATION, weight=1.5)


def _mark_lines(scene: Scene) -> Act:
    """Return the act of marking a piece of the window in front with the mouse."""

    def mark() -> None:
        user, box = scene.user, front_window_box(scene.user)
        left = box.x + int(user.rng.uniform(0.15, 0.35) * box.w)
        y = box.y + int(user.rng.uniform(0.35, 0.75) * box.h)
        user.hands.drag((left, y), (left + user.rng.randint(60, 240), y + user.rng.choice((0, 0, 18))))

    return mark


@_reading(_READ)
def takes_in_brief(scene: Scene) -> None:
    """Read the brief in a way of one's own: notches, rests, the pointer along lines, now and then a mark."""
    style = Style(scene)
    scene.helpers.open_brief()
    style.rest(1.2)
    style.mix(
        (style.read_window, style.read_window, style.along_window, _mark_lines(scene)), fewest=2, most=4, rest_s=1.2
    ).do_until_end(mishaps=False)


@_reading(_READ)
def skims_then_reads(scene: Scene) -> None:
    """Fly over the brief to its end and back, then read it slowly."""
    user, style = scene.user, Style(scene)
    scene.helpers.open_brief()
    move_into_front(user)
    for way in (-1, 1):
        for _ in range(user.rng.randint(1, 3)):
            user.hands.scroll(way * user.rng.randint(2, 5))
            style.rest(0.5)
    style.mix((style.read_window, style.along_window), fewest=1, most=2, rest_s=1.8, run=4).do_until_end(mishaps=False)


@_reading(_READ)
def brief_and_work_in_turn(scene: Scene) -> None:
    """Read some of the brief, see what that is about in the document, come back for more; spells of any length."""
    user, program, style = scene.user, scene.program, Style(scene)
    reading = style.mix((style.read_window, style.along_window), fewest=1, most=2, rest_s=0.8, run=2)
    seeing = style.mix(
        (style.point_about, style.along_a_line, style.turn_wheel, style.leaf), fewest=1, most=3, rest_s=1.0
    )
    longest = user.rng.randint(1, 3)
    in_brief = user.chance(0.7)
    while user.has_time():
        (scene.helpers.open_brief if in_brief else scene.helpers.back_to_work)()
        for _ in range(user.rng.randint(1, longest)):
            if user.has_time():
                (reading if in_brief else seeing).do_run()
        if not in_brief and user.has_time() and user.chance(0.08):
            program.overview()
        in_brief = not in_brief


@_reading("see what the document holds already")
def sees_what_is_there(scene: Scene) -> None:
    """Take in what others have made so far: along its lines, part by part, with time to understand."""
    style = Style(scene)
    offer = (style.along_a_line, style.along_a_line, style.turn_wheel, style.leaf, style.point_about)
    style.mix(offer, fewest=2, most=4, rest_s=1.6).do_until_end()


@_reading(_READ)
def reads_and_ponders(scene: Scene) -> None:
    """Read one passage, think about what it asks for, now and then see how the document stands to it."""
    user, style = scene.user, Style(scene)
    offer = (style.read_window, style.along_window)
    mix = style.mix(offer, fewest=1, most=2, rest_s=3.4, run=2)
    returns = user.rng.uniform(0.0, 0.3)
    scene.helpers.open_brief()
    while user.has_time():
        mix.do_run()
        if user.has_time() and user.chance(returns):
            scene.helpers.back_to_work()
            style.point_about()
            style.rest(1.5)
            scene.helpers.open_brief()


@_thinking(_THINK)
def thinks_in_own_way(scene: Scene) -> None:
    """Think for long; what the hands do between is tentative and little."""
    program, style = scene.program, Style(scene)
    offer = (style.point_about, style.variant_and_back, style.value_and_back, program.enter_value, style.variant_kept)
    style.mix(offer, fewest=2, most=4, rest_s=3.2, run=2).do_until_end()


@_thinking(_THINK)
def begins_and_drops(scene: Scene) -> None:
    """Begin something, think, drop it or change it, think again; some beginnings stay."""
    user, program, style = scene.user, scene.program, Style(scene)
    begin = style.mix((program.compose, program.enter_value, program.change), fewest=1, most=2, rest_s=0.5)
    drops, mends = user.rng.uniform(0.3, 0.8), user.rng.uniform(0.1, 0.6)
    while user.has_time():
        style.rest(2.4)
        begin.do_one()
        style.rest(2.4)
        if user.has_time() and user.chance(drops):
            program.undo(user.rng.randint(1, 2))
        elif user.has_time() and user.chance(mends):
            user.rng.choice((program.adjust, program.revise_value))()


@_thinking(_THINK)
def looks_for_ideas(scene: Scene) -> None:
    """Look through what is there for something to build on, think about it, note a little."""
    user, program, style = scene.user, scene.program, Style(scene)
    looking = style.mix(
        (style.leaf, style.turn_wheel, style.point_about, program.overview), fewest=1, most=3, rest_s=2.2, run=2
    )
    notes = user.rng.uniform(0.1, 0.35)
    while user.has_time():
        looking.do_run()
        style.rest(2.4)
        if user.has_time() and user.chance(notes):
            user.rng.choice((program.compose, program.enter_value, program.change))()


@_thinking("get a feeling for the layout")
def places_loosely(scene: Scene) -> None:
    """Put things here or there to get a feeling for it, sit back, shift one, sit back."""
    program, style = scene.program, Style(scene)
    offer = (program.drag, program.change, program.adjust, style.variant_and_back, style.point_about)
    style.mix(offer, fewest=2, most=3, rest_s=3.0, run=2).do_until_end()


@_thinking("find the right words")
def words_by_and_by(scene: Scene) -> None:
    """Write a little by fits and starts, change one's mind about it, let it lie, and go on elsewhere."""
    user, program, style = scene.user, scene.program, Style(scene)
    second = style.mix(
        (program.revise_value, program.adjust, style.leaf, style.point_about), fewest=1, most=3, rest_s=2.0, run=1
    )
    doubts = user.rng.uniform(0.3, 0.9)
    while user.has_time():
        user.rng.choice((program.enter_value, program.enter_value, program.compose))()
        style.rest(2.8)
        if user.has_time() and user.chance(doubts):
            second.do_run()
        if user.has_time() and user.chance(0.25):
            program.undo(1)
            style.rest(2.0)


@_exploring(_FIND)
def goes_over_all(scene: Scene) -> None:
    """Go over menus, buttons, dialogs and views, in whatever mix, to see what there is."""
    program, style = scene.program, Style(scene)
    offer = (style.look_into_menus, style.hover_tools, style.look_into_dialog, program.overview, style.variant_and_back)
    style.mix(offer, fewest=2, most=5, rest_s=1.1).do_until_end()


@_exploring(_FIND)
def reads_along_menus(scene: Scene) -> None:
    """Read one menu after the other along the bar, with a look at something else in between."""
    user, program, style = scene.user, scene.program, Style(scene)
    other = style.mix((style.hover_tools, style.point_about, program.overview), fewest=1, most=2, rest_s=0.9, run=1)
    breaks = user.rng.uniform(0.1, 0.5)
    while user.has_time():
        style.look_into_menus()
        style.rest(1.0)
        if user.has_time() and user.chance(breaks):
            other.do_run()


@_exploring("see what things do")
def tries_out_and_puts_back(scene: Scene) -> None:
    """Try what this does and that does, look at it in peace, put it back as it was."""
    user, program, style = scene.user, scene.program, Style(scene)
    offer = (style.variant_and_back, style.value_and_back, style.look_into_dialog, style.hover_tools, program.overview)
    mix = style.mix(offer, fewest=2, most=4, rest_s=1.3, run=2)
    while user.has_time():
        mix.do_run()
        if user.has_time() and user.chance(0.08):
            program.adjust()


@_exploring("find the view that suits")
def turns_over_views(scene: Scene) -> None:
    """Switch views and parts of the window about, look round in each, read what the buttons say."""
    program, style = scene.program, Style(scene)
    offer = (program.overview, program.overview, style.hover_tools, style.leaf, style.turn_wheel, style.look_into_menus)
    style.mix(offer, fewest=2, most=4, rest_s=1.2, run=2).do_until_end()


@_exploring(_FIND)
def looks_behind_doors(scene: Scene) -> None:
    """Look what is behind a dialog and behind menus, leave all of it, get to know the buttons on the way."""
    style = Style(scene)
    on_the_way = style.mix(
        (style.hover_tools, style.point_about, style.turn_wheel), fewest=1, most=2, rest_s=0.6, run=2
    )
    offer = (style.look_into_dialog, style.look_into_dialog, style.look_into_menus, on_the_way.do_run)
    style.mix(offer, fewest=2, most=4, rest_s=1.4, run=2).do_until_end()
