"""Improvised: people who take in the task, think up what to make, and find out what the program offers.

Taking in the task is reading, in the brief or in what is there, and making nothing. Thinking is long rests with little
output that is often changed or dropped. Exploring goes over what there is in peace and keeps next to nothing.
"""

from collections.abc import Callable

from evaluation.simulation.behaviors.behavior import Behavior, Scene
from evaluation.simulation.behaviors.habits import front_box, into_front
from evaluation.simulation.behaviors.improvised.manner import Act, Manner
from storage.records import State

# ---------------------------------------------------------------------- taking in the task


def _mark_lines(scene: Scene) -> Act:
    """Return the act of marking a piece of the window in front with the mouse."""

    def mark() -> None:
        actor, box = scene.actor, front_box(scene.actor)
        left = box.x + int(actor.rng.uniform(0.15, 0.35) * box.w)
        y = box.y + int(actor.rng.uniform(0.35, 0.75) * box.h)
        actor.hands.drag((left, y), (left + actor.rng.randint(60, 240), y + actor.rng.choice((0, 0, 18))))

    return mark


def takes_in_brief(scene: Scene) -> None:
    """Read the brief in a way of one's own: notches, rests, the pointer along lines, now and then a mark."""
    own = Manner(scene)
    scene.helpers.open_brief()
    own.rest(1.2)
    own.mix(
        (own.read_window, own.read_window, own.along_window, _mark_lines(scene)), fewest=2, most=4, rest_s=1.2
    ).go_on(mishaps=False)


def skims_then_reads(scene: Scene) -> None:
    """Fly over the brief to its end and back, then read it slowly."""
    actor, own = scene.actor, Manner(scene)
    scene.helpers.open_brief()
    into_front(actor)
    for way in (-1, 1):
        for _ in range(actor.rng.randint(1, 3)):
            actor.hands.scroll(way * actor.rng.randint(2, 5))
            own.rest(0.5)
    own.mix((own.read_window, own.along_window), fewest=1, most=2, rest_s=1.8, run=4).go_on(mishaps=False)


def brief_and_work_in_turn(scene: Scene) -> None:
    """Read some of the brief, see what that is about in the document, come back for more; spells of any length."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    reading = own.mix((own.read_window, own.along_window), fewest=1, most=2, rest_s=0.8, run=2)
    seeing = own.mix((own.point_about, own.along_a_line, own.turn_wheel, own.leaf), fewest=1, most=3, rest_s=1.0)
    longest = actor.rng.randint(1, 3)
    in_brief = actor.chance(0.7)
    while actor.has_time():
        (scene.helpers.open_brief if in_brief else scene.helpers.back_to_work)()
        for _ in range(actor.rng.randint(1, longest)):
            if actor.has_time():
                (reading if in_brief else seeing).spell()
        if not in_brief and actor.has_time() and actor.chance(0.08):
            program.overview()
        in_brief = not in_brief


def sees_what_is_there(scene: Scene) -> None:
    """Take in what others have made so far: along its lines, part by part, with time to understand."""
    own = Manner(scene)
    offer = (own.along_a_line, own.along_a_line, own.turn_wheel, own.leaf, own.point_about)
    own.mix(offer, fewest=2, most=4, rest_s=1.6).go_on()


def reads_and_ponders(scene: Scene) -> None:
    """Read one passage, think about what it asks for, now and then see how the document stands to it."""
    actor, own = scene.actor, Manner(scene)
    offer = (own.read_window, own.along_window)
    mix = own.mix(offer, fewest=1, most=2, rest_s=3.4, run=2)
    returns = actor.rng.uniform(0.0, 0.3)
    scene.helpers.open_brief()
    while actor.has_time():
        mix.spell()
        if actor.has_time() and actor.chance(returns):
            scene.helpers.back_to_work()
            own.point_about()
            own.rest(1.5)
            scene.helpers.open_brief()


# ---------------------------------------------------------------------- thinking it up


def thinks_in_own_way(scene: Scene) -> None:
    """Think for long; what the hands do between is tentative and little."""
    program, own = scene.program, Manner(scene)
    offer = (own.point_about, own.variant_and_back, own.value_and_back, program.enter_value, own.variant_kept)
    own.mix(offer, fewest=2, most=4, rest_s=3.2, run=2).go_on()


def begins_and_drops(scene: Scene) -> None:
    """Begin something, think, drop it or change it, think again; some beginnings stay."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    begin = own.mix((program.compose, program.enter_value, program.change), fewest=1, most=2, rest_s=0.5)
    drops, mends = actor.rng.uniform(0.3, 0.8), actor.rng.uniform(0.1, 0.6)
    while actor.has_time():
        own.rest(2.4)
        begin.one()
        own.rest(2.4)
        if actor.has_time() and actor.chance(drops):
            program.undo(actor.rng.randint(1, 2))
        elif actor.has_time() and actor.chance(mends):
            actor.rng.choice((program.adjust, program.revise_value))()


def looks_for_ideas(scene: Scene) -> None:
    """Look through what is there for something to build on, think about it, note a little."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    looking = own.mix(
        (own.leaf, own.turn_wheel, own.point_about, program.overview), fewest=1, most=3, rest_s=2.2, run=2
    )
    notes = actor.rng.uniform(0.1, 0.35)
    while actor.has_time():
        looking.spell()
        own.rest(2.4)
        if actor.has_time() and actor.chance(notes):
            actor.rng.choice((program.compose, program.enter_value, program.change))()


def places_loosely(scene: Scene) -> None:
    """Put things here or there to get a feeling for it, sit back, shift one, sit back."""
    program, own = scene.program, Manner(scene)
    offer = (program.drag, program.change, program.adjust, own.variant_and_back, own.point_about)
    own.mix(offer, fewest=2, most=3, rest_s=3.0, run=2).go_on()


def words_by_and_by(scene: Scene) -> None:
    """Write a little by fits and starts, change one's mind about it, let it lie, and go on elsewhere."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    second = own.mix(
        (program.revise_value, program.adjust, own.leaf, own.point_about), fewest=1, most=3, rest_s=2.0, run=1
    )
    doubts = actor.rng.uniform(0.3, 0.9)
    while actor.has_time():
        actor.rng.choice((program.enter_value, program.enter_value, program.compose))()
        own.rest(2.8)
        if actor.has_time() and actor.chance(doubts):
            second.spell()
        if actor.has_time() and actor.chance(0.25):
            program.undo(1)
            own.rest(2.0)


# ---------------------------------------------------------------------- exploring


def goes_over_all(scene: Scene) -> None:
    """Go over menus, buttons, dialogs and views, in whatever mix, to see what there is."""
    program, own = scene.program, Manner(scene)
    offer = (own.look_into_menus, own.hover_tools, own.look_into_dialog, program.overview, own.variant_and_back)
    own.mix(offer, fewest=2, most=5, rest_s=1.1).go_on()


def reads_along_menus(scene: Scene) -> None:
    """Read one menu after the other along the bar, with a look at something else in between."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    other = own.mix((own.hover_tools, own.point_about, program.overview), fewest=1, most=2, rest_s=0.9, run=1)
    breaks = actor.rng.uniform(0.1, 0.5)
    while actor.has_time():
        own.look_into_menus()
        own.rest(1.0)
        if actor.has_time() and actor.chance(breaks):
            other.spell()


def tries_out_and_puts_back(scene: Scene) -> None:
    """Try what this does and that does, look at it in peace, put it back as it was."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    offer = (own.variant_and_back, own.value_and_back, own.look_into_dialog, own.hover_tools, program.overview)
    mix = own.mix(offer, fewest=2, most=4, rest_s=1.3, run=2)
    while actor.has_time():
        mix.spell()
        if actor.has_time() and actor.chance(0.08):
            program.adjust()


def turns_over_views(scene: Scene) -> None:
    """Switch views and parts of the window about, look round in each, read what the buttons say."""
    program, own = scene.program, Manner(scene)
    offer = (program.overview, program.overview, own.hover_tools, own.leaf, own.turn_wheel, own.look_into_menus)
    own.mix(offer, fewest=2, most=4, rest_s=1.2, run=2).go_on()


def looks_behind_doors(scene: Scene) -> None:
    """Look what is behind a dialog and behind menus, leave all of it, get to know the buttons on the way."""
    own = Manner(scene)
    on_the_way = own.mix((own.hover_tools, own.point_about, own.turn_wheel), fewest=1, most=2, rest_s=0.6, run=2)
    offer = (own.look_into_dialog, own.look_into_dialog, own.look_into_menus, on_the_way.spell)
    own.mix(offer, fewest=2, most=4, rest_s=1.4, run=2).go_on()


def _plans(act: Callable[[Scene], None], state: State, intent: str, weight: float) -> Behavior:
    return Behavior(name=act.__name__, state=state, act=act, intent=intent, weight=weight)


_READ, _THINK = "understand what is to be made", "work out what to make and how to lay it out"
_FIND = "find out what the program offers for this"

BEHAVIORS = (
    _plans(takes_in_brief, State.TASK_UNDERSTANDING, _READ, 1.2),
    _plans(skims_then_reads, State.TASK_UNDERSTANDING, _READ, 1.2),
    _plans(brief_and_work_in_turn, State.TASK_UNDERSTANDING, _READ, 1.2),
    _plans(sees_what_is_there, State.TASK_UNDERSTANDING, "see what the document holds already", 1.2),
    _plans(reads_and_ponders, State.TASK_UNDERSTANDING, _READ, 1.2),
    _plans(thinks_in_own_way, State.IDEATION, _THINK, 1.2),
    _plans(begins_and_drops, State.IDEATION, _THINK, 1.2),
    _plans(looks_for_ideas, State.IDEATION, _THINK, 1.2),
    _plans(places_loosely, State.IDEATION, "get a feeling for the layout", 1.2),
    _plans(words_by_and_by, State.IDEATION, "find the right words", 1.2),
    _plans(goes_over_all, State.EXPLORATION, _FIND, 1.5),
    _plans(reads_along_menus, State.EXPLORATION, _FIND, 1.5),
    _plans(tries_out_and_puts_back, State.EXPLORATION, "see what things do", 1.5),
    _plans(turns_over_views, State.EXPLORATION, "find the view that suits", 1.5),
    _plans(looks_behind_doors, State.EXPLORATION, _FIND, 1.5),
)
