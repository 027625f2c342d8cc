"""Improvised: people who get on with their work, and people who judge it.

Performing is steady output in many mixes, led by the keyboard or by the pointer. Assessing looks over the result and
makes next to nothing.
"""

from collections.abc import Callable

from evaluation.simulation.behaviors.behavior import Behavior, Scene
from evaluation.simulation.behaviors.habits import mishap
from evaluation.simulation.behaviors.improvised.manner import Act, Manner
from storage.records import State

# ---------------------------------------------------------------------- performing


def _by_keyboard(scene: Scene) -> list[Act]:
    program = scene.program
    return [program.compose, program.compose, program.expert, program.enter_value, program.adjust, program.save]


def _by_pointer(scene: Scene, own: Manner) -> list[Act]:
    program = scene.program
    return [program.drag, program.adjust, program.repeat_useful, program.change, own.set_in_dialog, program.overview]


def _led(scene: Scene, own: Manner) -> list[Act]:
    """Return an offer that the keyboard or the pointer leads, with a little of the other."""
    actor = scene.actor
    leading, other = _by_keyboard(scene), _by_pointer(scene, own)
    if actor.chance(0.4):
        leading, other = other, leading
    return leading + actor.rng.sample(other, actor.rng.randint(0, 2))


def works_in_any_mix(scene: Scene) -> None:
    """Work along in a mix of one's own, at an even pace."""
    own = Manner(scene)
    own.mix(_led(scene, own), fewest=2, most=6, rest_s=0.8).go_on()


def works_in_spells(scene: Scene) -> None:
    """Do a run of one kind of work, rest a little, do a run of another."""
    own = Manner(scene)
    own.mix(_led(scene, own), fewest=2, most=3, rest_s=1.1, run=6).go_on()


def works_in_rounds(scene: Scene) -> None:
    """Do the same few pieces in the same order again and again, as with entries of a list."""
    actor, own = scene.actor, Manner(scene)
    offer = _led(scene, own)
    pieces = [actor.rng.choice(offer) for _ in range(actor.rng.randint(2, 4))]
    between_s = actor.rng.uniform(0.2, 0.9)
    while actor.has_time():
        for piece in pieces:
            if not actor.has_time():
                return
            piece()
            own.rest(between_s)
        if actor.chance(0.3):
            scene.program.page(1)
        mishap(scene)


def builds_then_polishes(scene: Scene) -> None:
    """Put up something in one go, then go over it and set details right, then the next."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    building = own.mix((program.compose, program.expert, program.enter_value), fewest=1, most=2, rest_s=0.6, run=4)
    polish = (program.adjust, program.drag, program.change, program.revise_value)
    polishing = own.mix(polish, fewest=1, most=3, rest_s=0.8)
    while actor.has_time():
        building.spell()
        if actor.has_time():
            polishing.spell()
        mishap(scene)


def works_with_looks(scene: Scene) -> None:
    """Work with a look at the result after most pieces, now and then at another part of it."""
    actor, own = scene.actor, Manner(scene)
    work = own.mix(_led(scene, own), fewest=2, most=5, rest_s=0.5, run=2)
    looks = own.mix((own.point_about, own.turn_wheel, own.leaf), fewest=1, most=2, rest_s=0.6, run=1)
    share = actor.rng.uniform(0.1, 0.5)
    while actor.has_time():
        work.spell()
        if actor.has_time() and actor.chance(share):
            looks.spell()
        mishap(scene)


# ---------------------------------------------------------------------- assessing


def goes_over_result(scene: Scene) -> None:
    """Go over the result with eyes and pointer, in whatever way, and leave it as it is."""
    own = Manner(scene)
    offer = (own.point_about, own.along_a_line, own.turn_wheel, own.leaf, scene.program.overview)
    own.mix(offer, fewest=2, most=5, rest_s=2.0).go_on()


def sits_back(scene: Scene) -> None:
    """Sit back and look; every now and then turn to another part of it."""
    own = Manner(scene)
    own.mix(
        (own.leaf, own.turn_wheel, own.point_about, scene.program.overview), fewest=1, most=2, rest_s=4.2, run=1
    ).go_on()


def proof_reads(scene: Scene) -> None:
    """Go back some way and read it through in order; mend a slip where there is one, which is seldom."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    for _ in range(actor.rng.randint(1, 3)):
        program.page(-1)
    reading = own.mix((own.along_a_line, own.turn_wheel, own.point_about), fewest=1, most=3, rest_s=1.5, run=4)
    slips = actor.rng.uniform(0.0, 0.1)
    while actor.has_time():
        reading.spell()
        if actor.has_time() and actor.chance(slips):
            program.adjust()
        mishap(scene)


def samples_places(scene: Scene) -> None:
    """Jump to some place and look closely, then to another far from it."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    close = own.mix((own.point_about, own.along_a_line), fewest=1, most=2, rest_s=1.8, run=2)
    far = actor.rng.randint(1, 4)
    while actor.has_time():
        way = actor.rng.choice((1, -1))
        for _ in range(actor.rng.randint(1, far)):
            program.page(way)
        own.rest(1.2)
        if actor.has_time():
            close.spell()


def judges_whole_and_part(scene: Scene) -> None:
    """Change how it is shown, weigh the whole, look at a part, weigh again."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    parts = own.mix((own.point_about, own.along_a_line, own.turn_wheel, own.leaf), fewest=1, most=3, rest_s=1.6, run=2)
    wholes = actor.rng.uniform(0.15, 0.7)
    while actor.has_time():
        if actor.chance(wholes):
            program.overview()
            own.rest(2.2)
        if actor.has_time():
            parts.spell()


def _does(act: Callable[[Scene], None], state: State, intent: str, weight: float) -> Behavior:
    return Behavior(name=act.__name__, state=state, act=act, intent=intent, weight=weight)


_MAKE, _JUDGE = "get the work done", "see whether it is right"

BEHAVIORS = (
    _does(works_in_any_mix, State.PERFORMING_ACTIONS, _MAKE, 2.9),
    _does(works_in_spells, State.PERFORMING_ACTIONS, _MAKE, 1.9),
    _does(works_in_rounds, State.PERFORMING_ACTIONS, _MAKE, 1.9),
    _does(builds_then_polishes, State.PERFORMING_ACTIONS, _MAKE, 1.9),
    _does(works_with_looks, State.PERFORMING_ACTIONS, _MAKE, 1.9),
    _does(goes_over_result, State.ASSESSMENT, _JUDGE, 1.2),
    _does(sits_back, State.ASSESSMENT, _JUDGE, 1.2),
    _does(proof_reads, State.ASSESSMENT, "find what still needs mending", 1.2),
    _does(samples_places, State.ASSESSMENT, _JUDGE, 1.2),
    _does(judges_whole_and_part, State.ASSESSMENT, "see whether it looks right as a whole", 1.2),
)
