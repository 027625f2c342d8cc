"""Improvised: users who take in the task, think up what to make, and find out what the program offers.

Taking in the task is reading, in the brief or in the document, and making nothing. Thinking is long rests with little
output that is often changed or dropped. Exploring goes over what there is in peace and keeps next to nothing.
"""

from functools import partial

from evaluation.simulation.behaviors.behavior import Behavior, Scene, register
from evaluation.simulation.behaviors.common_acts import front_box, into_front
from evaluation.simulation.behaviors.improvised.style import Act, Manner
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
        user, box = scene.user, front_box(scene.user)
        left = box.x + int(user.rng.uniform(0.15, 0.35) * box.w)
        y = box.y + int(user.rng.uniform(0.35, 0.75) * box.h)
        user.hands.drag((left, y), (left + user.rng.randint(60, 240), y + user.rng.choice((0, 0, 18))))

    return mark


@_reading(_READ)
def takes_in_brief(scene: Scene) -> None:
    """Read the brief in a way of one's own: notches, rests, the pointer along lines, now and then a mark."""
    own = Manner(scene)
    scene.helpers.open_brief()
    own.rest(1.2)
    own.mix(
        (own.read_window, own.read_window, own.along_window, _mark_lines(scene)), fewest=2, most=4, rest_s=1.2
    ).go_on(mishaps=False)


@_reading(_READ)
def skims_then_reads(scene: Scene) -> None:
    """Fly over the brief to its end and back, then read it slowly."""
    user, own = scene.user, Manner(scene)
    scene.helpers.open_brief()
    into_front(user)
    for way in (-1, 1):
        for _ in range(user.rng.randint(1, 3)):
            user.hands.scroll(way * user.rng.randint(2, 5))
            own.rest(0.5)
    own.mix((own.read_window, own.along_window), fewest=1, most=2, rest_s=1.8, run=4).go_on(mishaps=False)


@_reading(_READ)
def brief_and_work_in_turn(scene: Scene) -> None:
    """Read some of the brief, see what that is about in the document, come back for more; spells of any length."""
    user, program, own = scene.user, scene.program, Manner(scene)
    reading = own.mix((own.read_window, own.along_window), fewest=1, most=2, rest_s=0.8, run=2)
    seeing = own.mix((own.point_about, own.along_a_line, own.turn_wheel, own.leaf), fewest=1, most=3, rest_s=1.0)
    longest = user.rng.randint(1, 3)
    in_brief = user.chance(0.7)
    while user.has_time():
        (scene.helpers.open_brief if in_brief else scene.helpers.back_to_work)()
        for _ in range(user.rng.randint(1, longest)):
            if user.has_time():
                (reading if in_brief else seeing).spell()
        if not in_brief and user.has_time() and user.chance(0.08):
            program.overview()
        in_brief = not in_brief


@_reading("see what the document holds already")
def sees_what_is_there(scene: Scene) -> None:
    """Take in what others have made so far: along its lines, part by part, with time to understand."""
    own = Manner(scene)
    offer = (own.along_a_line, own.along_a_line, own.turn_wheel, own.leaf, own.point_about)
    own.mix(offer, fewest=2, most=4, rest_s=1.6).go_on()


@_reading(_READ)
def reads_and_ponders(scene: Scene) -> None:
    """Read one passage, think about what it asks for, now and then see how the document stands to it."""
    user, own = scene.user, Manner(scene)
    offer = (own.read_window, own.along_window)
    mix = own.mix(offer, fewest=1, most=2, rest_s=3.4, run=2)
    returns = user.rng.uniform(0.0, 0.3)
    scene.helpers.open_brief()
    while user.has_time():
        mix.spell()
        if user.has_time() and user.chance(returns):
            scene.helpers.back_to_work()
            own.point_about()
            own.rest(1.5)
            scene.helpers.open_brief()


@_thinking(_THINK)
def thinks_in_own_way(scene: Scene) -> None:
    """Think for long; what the hands do between is tentative and little."""
    program, own = scene.program, Manner(scene)
    offer = (own.point_about, own.variant_and_back, own.value_and_back, program.enter_value, own.variant_kept)
    own.mix(offer, fewest=2, most=4, rest_s=3.2, run=2).go_on()


@_thinking(_THINK)
def begins_and_drops(scene: Scene) -> None:
    """Begin something, think, drop it or change it, think again; some beginnings stay."""
    user, program, own = scene.user, scene.program, Manner(scene)
    begin = own.mix((program.compose, program.enter_value, program.change), fewest=1, most=2, rest_s=0.5)
    drops, mends = user.rng.uniform(0.3, 0.8), user.rng.uniform(0.1, 0.6)
    while user.has_time():
        own.rest(2.4)
        begin.one()
        own.rest(2.4)
        if user.has_time() and user.chance(drops):
            program.undo(user.rng.randint(1, 2))
        elif user.has_time() and user.chance(mends):
            user.rng.choice((program.adjust, program.revise_value))()


@_thinking(_THINK)
def looks_for_ideas(scene: Scene) -> None:
    """Look through what is there for something to build on, think about it, note a little."""
    user, program, own = scene.user, scene.program, Manner(scene)
    looking = own.mix(
        (own.leaf, own.turn_wheel, own.point_about, program.overview), fewest=1, most=3, rest_s=2.2, run=2
    )
    notes = user.rng.uniform(0.1, 0.35)
    while user.has_time():
        looking.spell()
        own.rest(2.4)
        if user.has_time() and user.chance(notes):
            user.rng.choice((program.compose, program.enter_value, program.change))()


@_thinking("get a feeling for the layout")
def places_loosely(scene: Scene) -> None:
    """Put things here or there to get a feeling for it, sit back, shift one, sit back."""
    program, own = scene.program, Manner(scene)
    offer = (program.drag, program.change, program.adjust, own.variant_and_back, own.point_about)
    own.mix(offer, fewest=2, most=3, rest_s=3.0, run=2).go_on()


@_thinking("find the right words")
def words_by_and_by(scene: Scene) -> None:
    """Write a little by fits and starts, change one's mind about it, let it lie, and go on elsewhere."""
    user, program, own = scene.user, scene.program, Manner(scene)
    second = own.mix(
        (program.revise_value, program.adjust, own.leaf, own.point_about), fewest=1, most=3, rest_s=2.0, run=1
    )
    doubts = user.rng.uniform(0.3, 0.9)
    while user.has_time():
        user.rng.choice((program.enter_value, program.enter_value, program.compose))()
        own.rest(2.8)
        if user.has_time() and user.chance(doubts):
            second.spell()
        if user.has_time() and user.chance(0.25):
            program.undo(1)
            own.rest(2.0)


@_exploring(_FIND)
def goes_over_all(scene: Scene) -> None:
    """Go over menus, buttons, dialogs and views, in whatever mix, to see what there is."""
    program, own = scene.program, Manner(scene)
    offer = (own.look_into_menus, own.hover_tools, own.look_into_dialog, program.overview, own.variant_and_back)
    own.mix(offer, fewest=2, most=5, rest_s=1.1).go_on()


@_exploring(_FIND)
def reads_along_menus(scene: Scene) -> None:
    """Read one menu after the other along the bar, with a look at something else in between."""
    user, program, own = scene.user, scene.program, Manner(scene)
    other = own.mix((own.hover_tools, own.point_about, program.overview), fewest=1, most=2, rest_s=0.9, run=1)
    breaks = user.rng.uniform(0.1, 0.5)
    while user.has_time():
        own.look_into_menus()
        own.rest(1.0)
        if user.has_time() and user.chance(breaks):
            other.spell()


@_exploring("see what things do")
def tries_out_and_puts_back(scene: Scene) -> None:
    """Try what this does and that does, look at it in peace, put it back as it was."""
    user, program, own = scene.user, scene.program, Manner(scene)
    offer = (own.variant_and_back, own.value_and_back, own.look_into_dialog, own.hover_tools, program.overview)
    mix = own.mix(offer, fewest=2, most=4, rest_s=1.3, run=2)
    while user.has_time():
        mix.spell()
        if user.has_time() and user.chance(0.08):
            program.adjust()


@_exploring("find the view that suits")
def turns_over_views(scene: Scene) -> None:
    """Switch views and parts of the window about, look round in each, read what the buttons say."""
    program, own = scene.program, Manner(scene)
    offer = (program.overview, program.overview, own.hover_tools, own.leaf, own.turn_wheel, own.look_into_menus)
    own.mix(offer, fewest=2, most=4, rest_s=1.2, run=2).go_on()


@_exploring(_FIND)
def looks_behind_doors(scene: Scene) -> None:
    """Look what is behind a dialog and behind menus, leave all of it, get to know the buttons on the way."""
    own = Manner(scene)
    on_the_way = own.mix((own.hover_tools, own.point_about, own.turn_wheel), fewest=1, most=2, rest_s=0.6, run=2)
    offer = (own.look_into_dialog, own.look_into_dialog, own.look_into_menus, on_the_way.spell)
    own.mix(offer, fewest=2, most=4, rest_s=1.4, run=2).go_on()
