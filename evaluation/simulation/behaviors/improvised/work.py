"""Improvised: users who get on with their work, and users who judge it.

Performing is steady output in many mixes, led by the keyboard or by the pointer. Assessing looks over the result and
makes next to nothing.
"""

from functools import partial

from evaluation.simulation.behaviors.behavior import Behavior, Scene, register
from evaluation.simulation.behaviors.common_acts import mishap
from evaluation.simulation.behaviors.improvised.style import Act, Manner
from storage.records import State

_MAKE, _JUDGE = "get the work done", "see whether it is right"
BEHAVIORS: list[Behavior] = []
_working = partial(register, BEHAVIORS, State.PERFORMING_ACTIONS, weight=1.9)
_judging = partial(register, BEHAVIORS, State.ASSESSMENT, weight=1.2)


def _by_keyboard(scene: Scene) -> list[Act]:
    program = scene.program
    return [program.compose, program.compose, program.expert, program.enter_value, program.adjust, program.save]


def _by_pointer(scene: Scene, own: Manner) -> list[Act]:
    program = scene.program
    return [program.drag, program.adjust, program.repeat_useful, program.change, own.set_in_dialog, program.overview]


def _led(scene: Scene, own: Manner) -> list[Act]:
    """Return an offer that the keyboard or the pointer leads, with a little of the other."""
    user = scene.user
    leading, other = _by_keyboard(scene), _by_pointer(scene, own)
    if user.chance(0.4):
        leading, other = other, leading
    return leading + user.rng.sample(other, user.rng.randint(0, 2))


@_working(_MAKE, weight=2.9)
def works_in_any_mix(scene: Scene) -> None:
    """Work along in a mix of one's own, at an even pace."""
    own = Manner(scene)
    own.mix(_led(scene, own), fewest=2, most=6, rest_s=0.8).go_on()


@_working(_MAKE)
def works_in_spells(scene: Scene) -> None:
    """Do a run of one kind of work, rest a little, do a run of another."""
    own = Manner(scene)
    own.mix(_led(scene, own), fewest=2, most=3, rest_s=1.1, run=6).go_on()


@_working(_MAKE)
def works_in_rounds(scene: Scene) -> None:
    """Do the same few pieces in the same order again and again, as with entries of a list."""
    user, own = scene.user, Manner(scene)
    offer = _led(scene, own)
    pieces = [user.rng.choice(offer) for _ in range(user.rng.randint(2, 4))]
    between_s = user.rng.uniform(0.2, 0.9)
    while user.has_time():
        for piece in pieces:
            if not user.has_time():
                return
            piece()
            own.rest(between_s)
        if user.chance(0.3):
            scene.program.page(1)
        mishap(scene)


@_working(_MAKE)
def builds_then_polishes(scene: Scene) -> None:
    """Put up something in one go, then go over it and set details right, then the next."""
    user, program, own = scene.user, scene.program, Manner(scene)
    building = own.mix((program.compose, program.expert, program.enter_value), fewest=1, most=2, rest_s=0.6, run=4)
    polish = (program.adjust, program.drag, program.change, program.revise_value)
    polishing = own.mix(polish, fewest=1, most=3, rest_s=0.8)
    while user.has_time():
        building.spell()
        if user.has_time():
            polishing.spell()
        mishap(scene)


@_working(_MAKE)
def works_with_looks(scene: Scene) -> None:
    """Work with a look at the result after most pieces, now and then at another part of it."""
    user, own = scene.user, Manner(scene)
    work = own.mix(_led(scene, own), fewest=2, most=5, rest_s=0.5, run=2)
    looks = own.mix((own.point_about, own.turn_wheel, own.leaf), fewest=1, most=2, rest_s=0.6, run=1)
    share = user.rng.uniform(0.1, 0.5)
    while user.has_time():
        work.spell()
        if user.has_time() and user.chance(share):
            looks.spell()
        mishap(scene)


@_judging(_JUDGE)
def goes_over_result(scene: Scene) -> None:
    """Go over the result with eyes and pointer, in whatever way, and leave it as it is."""
    own = Manner(scene)
    offer = (own.point_about, own.along_a_line, own.turn_wheel, own.leaf, scene.program.overview)
    own.mix(offer, fewest=2, most=5, rest_s=2.0).go_on()


@_judging(_JUDGE)
def sits_back(scene: Scene) -> None:
    """Sit back and look; every now and then turn to another part of it."""
    own = Manner(scene)
    own.mix(
        (own.leaf, own.turn_wheel, own.point_about, scene.program.overview), fewest=1, most=2, rest_s=4.2, run=1
    ).go_on()


@_judging("find what still needs mending")
def proof_reads(scene: Scene) -> None:
    """Go back some way and read it through in order; mend a slip where there is one, which is seldom."""
    user, program, own = scene.user, scene.program, Manner(scene)
    for _ in range(user.rng.randint(1, 3)):
        program.page(-1)
    reading = own.mix((own.along_a_line, own.turn_wheel, own.point_about), fewest=1, most=3, rest_s=1.5, run=4)
    slips = user.rng.uniform(0.0, 0.1)
    while user.has_time():
        reading.spell()
        if user.has_time() and user.chance(slips):
            program.adjust()
        mishap(scene)


@_judging(_JUDGE)
def samples_places(scene: Scene) -> None:
    """Jump to some place and look closely, then to another far from it."""
    user, program, own = scene.user, scene.program, Manner(scene)
    close = own.mix((own.point_about, own.along_a_line), fewest=1, most=2, rest_s=1.8, run=2)
    far = user.rng.randint(1, 4)
    while user.has_time():
        way = user.rng.choice((1, -1))
        for _ in range(user.rng.randint(1, far)):
            program.page(way)
        own.rest(1.2)
        if user.has_time():
            close.spell()


@_judging("see whether it looks right as a whole")
def judges_whole_and_part(scene: Scene) -> None:
    """Change how it is shown, weigh the whole, look at a part, weigh again."""
    user, program, own = scene.user, scene.program, Manner(scene)
    parts = own.mix((own.point_about, own.along_a_line, own.turn_wheel, own.leaf), fewest=1, most=3, rest_s=1.6, run=2)
    wholes = user.rng.uniform(0.15, 0.7)
    while user.has_time():
        if user.chance(wholes):
            program.overview()
            own.rest(2.2)
        if user.has_time():
            parts.spell()
