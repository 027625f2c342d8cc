"""Improvised: users who get on with their work, and users who judge it.

Performing is steady output in many mixes, led by the keyboard or by the pointer. Assessing looks over the result and
makes next to nothing.
"""

from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import maybe_mishap
from lab.simulation.behaviors.improvised.style import Act, Style
from storage.records import State

_MAKE, _JUDGE = "get the work done", "see whether it is right"
BEHAVIORS: list[Behavior] = []
_working = partial(register, BEHAVIORS, State.PERFORMING_ACTIONS, weight=1.9)
_judging = partial(register, BEHAVIORS, State.ASSESSMENT, weight=1.2)


def _by_keyboard(scene: Scene) -> list[Act]:
    program = scene.program
    return [program.compose, program.compose, program.expert, program.enter_value, program.adjust, program.save]


def _by_pointer(scene: Scene, style: Style) -> list[Act]:
    program = scene.program
    return [program.drag, program.adjust, program.repeat_useful, program.change, style.set_in_dialog, program.overview]


def _led(scene: Scene, style: Style) -> list[Act]:
    """Return an offer that the keyboard or the pointer leads, with a little of the other."""
    user = scene.user
    leading, other = _by_keyboard(scene), _by_pointer(scene, style)
    if user.chance(0.4):
        leading, other = other, leading
    return leading + user.rng.sample(other, user.rng.randint(0, 2))


@_working(_MAKE, weight=2.9)
def works_in_any_mix(scene: Scene) -> None:
    """Work along in a mix of one's own, at an even pace."""
    style = Style(scene)
    style.mix(_led(scene, style), fewest=2, most=6, rest_s=0.8).do_until_end()


@_working(_MAKE)
def works_in_spells(scene: Scene) -> None:
    """Do a run of one kind of work, rest a little, do a run of another."""
    style = Style(scene)
    style.mix(_led(scene, style), fewest=2, most=3, rest_s=1.1, run=6).do_until_end()


@_working(_MAKE)
def works_in_rounds(scene: Scene) -> None:
    """Do the same few pieces in the same order again and again, as with entries of a list."""
    user, style = scene.user, Style(scene)
    offer = _led(scene, style)
    pieces = [user.rng.choice(offer) for _ in range(user.rng.randint(2, 4))]
    between_s = user.rng.uniform(0.2, 0.9)
    while user.has_time():
        for piece in pieces:
            if not user.has_time():
                return
            piece()
            style.rest(between_s)
        if user.chance(0.3):
            scene.program.page(1)
        maybe_mishap(scene)


@_working(_MAKE)
def builds_then_polishes(scene: Scene) -> None:
    """Put up something in one go, then go over it and set details right, then the next."""
    user, program, style = scene.user, scene.program, Style(scene)
    building = style.mix((program.compose, program.expert, program.enter_value), fewest=1, most=2, rest_s=0.6, run=4)
    polish = (program.adjust, program.drag, program.change, program.revise_value)
    polishing = style.mix(polish, fewest=1, most=3, rest_s=0.8)
    while user.has_time():
        building.do_run()
        if user.has_time():
            polishing.do_run()
        maybe_mishap(scene)


@_working(_MAKE)
def works_with_looks(scene: Scene) -> None:
    """Work with a look at the result after most pieces, now and then at another part of it."""
    user, style = scene.user, Style(scene)
    work = style.mix(_led(scene, style), fewest=2, most=5, rest_s=0.5, run=2)
    looks = style.mix((style.point_about, style.turn_wheel, style.leaf), fewest=1, most=2, rest_s=0.6, run=1)
    share = user.rng.uniform(0.1, 0.5)
    while user.has_time():
        work.do_run()
        if user.has_time() and user.chance(share):
            looks.do_run()
        maybe_mishap(scene)


@_judging(_JUDGE)
def goes_over_result(scene: Scene) -> None:
    """Go over the result with eyes and pointer, in whatever way, and leave it as it is."""
    style = Style(scene)
    offer = (style.point_about, style.along_a_line, style.turn_wheel, style.leaf, scene.program.overview)
    style.mix(offer, fewest=2, most=5, rest_s=2.0).do_until_end()


@_judging(_JUDGE)
def sits_back(scene: Scene) -> None:
    """Sit back and look; every now and then turn to another part of it."""
    style = Style(scene)
    style.mix(
        (style.leaf, style.turn_wheel, style.point_about, scene.program.overview), fewest=1, most=2, rest_s=4.2, run=1
    ).do_until_end()


@_judging("find what still needs mending")
def proof_reads(scene: Scene) -> None:
    """Go back some way and read it through in order; mend a slip where there is one, which is seldom."""
    user, program, style = scene.user, scene.program, Style(scene)
    for _ in range(user.rng.randint(1, 3)):
        program.page(-1)
    reading = style.mix((style.along_a_line, style.turn_wheel, style.point_about), fewest=1, most=3, rest_s=1.5, run=4)
    slips = user.rng.uniform(0.0, 0.1)
    while user.has_time():
        reading.do_run()
        if user.has_time() and user.chance(slips):
            program.adjust()
        maybe_mishap(scene)


@_judging(_JUDGE)
def samples_places(scene: Scene) -> None:
    """Jump to some place and look closely, then to another far from it."""
    user, program, style = scene.user, scene.program, Style(scene)
    close = style.mix((style.point_about, style.along_a_line), fewest=1, most=2, rest_s=1.8, run=2)
    far = user.rng.randint(1, 4)
    while user.has_time():
        way = user.rng.choice((1, -1))
        for _ in range(user.rng.randint(1, far)):
            program.page(way)
        style.rest(1.2)
        if user.has_time():
            close.do_run()


@_judging("see whether it looks right as a whole")
def judges_whole_and_part(scene: Scene) -> None:
    """Change how it is shown, weigh the whole, look at a part, weigh again."""
    user, program, style = scene.user, scene.program, Style(scene)
    parts = style.mix(
        (style.point_about, style.along_a_line, style.turn_wheel, style.leaf), fewest=1, most=3, rest_s=1.6, run=2
    )
    wholes = user.rng.uniform(0.15, 0.7)
    while user.has_time():
        if user.chance(wholes):
            program.overview()
            style.rest(2.2)
        if user.has_time():
            parts.do_run()
