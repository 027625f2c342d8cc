"""Folds for choosing: each hides a program, its people and a share of the behaviors, as the held-out test does.

The test part is another split of the manifest and is never read here. Within the training part a fold is scored on all
sessions of some programs; it learns from the other programs' sessions of other people, without a third of the scripts
of every state, in whatever task. One application in two toolkits, and one program with tasks and without, are hidden
together. So a candidate that memorizes programs, people or scripts scores badly. The browser alone is never hidden as a
program, since work in it can be separated from reading only after training on such work: the sessions of half its
people are scored by what learned from the other half. On data too small for all of that, first behaviors and then
people are no longer hidden, and the fold says so.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.training.dataset import AWAY, STATES, Samples
from storage.errors import BadFile

HIDDEN_SHARE = 1 / 3
"""Share of each state's scripts that a fold hides; at least one where there are two."""

BROWSER = "chromium"

MOST_FOLDS = 8
"""Without the browser's; of more applications several are hidden together."""

MIN_SESSIONS = 2
MIN_STATE_CLIPS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Which samples to learn from and which to score; `hides` names what these do not share."""

    name: str
    learn: NDArray[np.bool_]
    score: NDArray[np.bool_]
    unseen: NDArray[np.bool_]
    hides: tuple[str, ...]


def check(samples: Samples) -> None:
    """Make sure that there is enough to learn from.

    Raises:
        BadFile: fewer than two sessions, a state that hardly occurs, or nobody who needs help.
    """
    sessions = len(np.unique(samples.session))
    if sessions < MIN_SESSIONS:
        raise BadFile(
            f"{sessions} labelled session is too little to learn from and to check against",
            remedy="simulate at least two: kairos simulate --out DIR --minutes 20",
        )
    clips = [len(np.unique(samples.group[samples.clip & (samples.state == number)])) for number in range(len(STATES))]
    lacking = [state.value for state, many in zip(STATES, clips, strict=True) if many < MIN_STATE_CLIPS]
    if lacking:
        raise BadFile(
            f"the labelled sessions hold fewer than {MIN_STATE_CLIPS} clips of: {', '.join(lacking)}",
            remedy="simulate longer: kairos simulate --out DIR --minutes 20",
        )
    if samples.need.all() or not samples.need.any():
        raise BadFile("help is needed always or never in these sessions", remedy="simulate longer ones")


def folds(samples: Samples) -> Iterator[Fold]:
    """Yield one fold for each program, two for the browser; one for each session where there is only one program.

    Raises:
        BadFile: a fold would have nothing of some state to learn from.
    """
    for number, (name, inside, what) in enumerate(_parts(samples)):
        yield _fold(samples, name, inside, number, what)


def _parts(samples: Samples) -> Iterator[tuple[str, NDArray[np.bool_], tuple[str, ...]]]:
    """Yield name and samples of what is scored together, and what is hidden by that alone."""
    programs = samples.program
    known = np.unique(programs)
    if len(known) == 1:
        names = np.array([facts.name for facts in samples.sessions])[samples.session]
        for name in np.unique(names):
            yield str(name), names == name, ("session",)
        return
    for group in _groups(samples, known.tolist()):
        inside = np.isin(programs, group)
        people = np.unique(samples.person[inside])
        if group != [BROWSER] or len(people) == 1:
            yield ", ".join(group), inside, ("program",)
        else:
            for half in (0, 1):
                yield f"{BROWSER} {half + 1}", inside & np.isin(samples.person, people[half::2]), ()


def application_of(program: str) -> str:
    """Return the application of a program's name: "signup" of "signup-qt", "calc" of "calc-tasks"."""
    return program.partition("-")[0]


def _groups(samples: Samples, programs: Sequence[str]) -> list[list[str]]:
    """Return the programs by application, dealt to at most `MOST_FOLDS` groups of about equal size.

    The browser has a group of its own.
    """
    many = Counter(samples.program[samples.plain].tolist())
    applications: dict[str, list[str]] = {}
    for program in programs:
        applications.setdefault(application_of(program), []).append(program)
    browser = applications.pop(BROWSER, [])
    groups: list[list[str]] = [[] for _ in range(min(MOST_FOLDS, len(applications)))]
    for application in sorted(applications.values(), key=lambda one: (-sum(many[name] for name in one), one)):
        min(groups, key=lambda group: sum(many[name] for name in group)).extend(application)
    return sorted([*groups, browser] if browser else groups)


def _fold(samples: Samples, name: str, inside: NDArray[np.bool_], number: int, what: tuple[str, ...]) -> Fold:
    hidden = _hidden_scripts(samples, number)
    unseen = np.isin(samples.script, hidden)
    strangers = ~np.isin(samples.person, np.unique(samples.person[inside]))
    attempts = (
        ((*what, "people", "behaviors"), ~inside & strangers & ~unseen),
        ((*what, "people"), ~inside & strangers),
        ((*what, "behaviors"), ~inside & ~unseen),
        (what, ~inside),
    )
    wanted = set(np.unique(samples.state)) - {AWAY}
    for hides, learn in attempts:
        if wanted <= set(samples.state[learn]) and set(samples.need[learn]) == {True, False}:
            return Fold(
                name=name,
                learn=learn,
                score=inside & (samples.plain | samples.blank),
                unseen=unseen if "behaviors" in hides else np.zeros(len(samples), np.bool_),
                hides=hides,
            )
    raise BadFile(f"without {name!r} some state is missing from the labelled sessions", remedy="simulate more of them")


def _hidden_scripts(samples: Samples, number: int) -> list[str]:
    """Return the scripts that the fold hides, in every task; the folds take turns."""
    of_samples = samples.script
    hidden: list[str] = []
    for state in range(len(STATES)):
        scripts = [str(name) for name in np.unique(of_samples[samples.state == state])]
        if len(scripts) > 1:
            many = max(1, round(len(scripts) * HIDDEN_SHARE))
            hidden += [scripts[(number * many + step) % len(scripts)] for step in range(many)]
    return hidden
