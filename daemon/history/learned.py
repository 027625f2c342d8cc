"""Says in sentences what answers have taught the policy, from the plain values of `policies.memory.export_memory`."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from daemon.history.program_names import named
from storage.messages import topic_label
from storage.plain_text import format_percent, format_short_duration, printable
from storage.translation import ENGLISH, Language, translatable

_EXAMPLE = 0.6
"""The estimate by which a person is shown what answers have moved."""

_SAME, _LITTLE, _MUCH = 0.05, 0.4, 0.8
"""Differences in log-odds from which on need counts a little, clearly and much more or less."""

_LEAST_HOURS = 0.1
"""Less use than this says nothing yet."""

_LEAST = 0.05
"""An answer that counts for less than this has faded."""


HELP_ABOUT = translatable(
    'Help about "{topic}" in {app}: your answers count {accepted:g} for it and {refused:g} against it (older ones '
    "less). It is offered there once need reaches {threshold}."
)
TIMING = translatable('Answers so far: {early:g} "too early", {late:g} "too late" (older ones count less).')
LEVEL = translatable(
    "In {app}, help is offered once signs of trouble add up to {level:.1f}; in programs that are new to you, to "
    "{elsewhere:.1f}. Kairos knows {hours:.1f} hours of your work there."
)
SNOOZED = translatable("You asked for quiet for another {length}.")
BACKOFF = translatable('Quiet for another {length}: "{topic}" in {app}, dismissed {count:times} in a row.')
NEED = translatable("{where}, help need counts {compared} estimated: {example} counts as {counts} ({answers}).")
HELPED = translatable("In {app}, {answers:answer that helped comes|answers that helped come} first next time.")
IN_APP, IN_OTHERS = translatable("In {app}"), translatable("In other programs")
EVERYWHERE = translatable("Everywhere")
ANSWERS, ANSWERS_IN_ALL = translatable("{answers:answer|answers}"), translatable("{answers:answer|answers} in all")
COMPARED = (
    translatable("about as"),
    translatable("a little more than"),
    translatable("more than"),
    translatable("much more than"),
    translatable("a little less than"),
    translatable("less than"),
    translatable("much less than"),
)
"""How need counts against what was estimated."""


def learned_sentences(facts: Mapping[str, Any], language: Language = ENGLISH) -> Iterator[str]:
    """Yield all that was learned; nothing where nothing was."""
    yield from need_sentences(facts["need"], language)
    for row in facts["need_levels"]:
        if row["app"] and row["hours"] >= _LEAST_HOURS:
            values = {"app": named(row["app"]), "level": row["level"], "elsewhere": row["level_elsewhere"]}
            yield language.say(LEVEL, values | {"hours": row["hours"]})
    for row in facts["answers"]:
        if row["accepted"] + row["refused"] >= _LEAST:
            values = {
                "topic": label_of(row["topic"], language),
                "app": named(row["app"]),
                "accepted": round(row["accepted"], 1),
                "refused": round(row["refused"], 1),
                "threshold": format_percent(row["threshold"]),
            }
            yield language.say(HELP_ABOUT, values)
    for app, helped in facts["helped"].items():
        yield language.say(HELPED, {"app": named(app), "answers": helped})
    if facts["too_early"] or facts["too_late"]:
        yield language.say(TIMING, {"early": round(facts["too_early"], 1), "late": round(facts["too_late"], 1)})
    for row in facts["backoffs"]:
        if row["left_s"] > 0:
            values = {
                "length": format_short_duration(row["left_s"]),
                "topic": label_of(row["topic"], language),
                "app": named(row["app"]),
                "count": row["dismissals"],
            }
            yield language.say(BACKOFF, values)
    if facts["snoozed_left_s"] > 0:
        yield language.say(SNOOZED, {"length": format_short_duration(facts["snoozed_left_s"])})


def need_sentences(rows: Sequence[Mapping[str, Any]], language: Language = ENGLISH) -> Iterator[str]:
    """Yield a sentence for each program on how need there differs from the estimate, and one for all others."""
    if not rows:
        return
    overall, *programs = rows
    for row in [*programs, overall]:
        log_odds = math.log(_EXAMPLE / (1.0 - _EXAMPLE))
        counts = row["scale"] * log_odds + row["shift"]
        where = IN_APP if row["app"] else IN_OTHERS if programs else EVERYWHERE
        answers = {"answers": max(1, round(row["answers"]))}
        values = {
            "where": language.say(where, {"app": named(row["app"])}),
            "compared": language.find(compare_need(counts - log_odds)),
            "example": format_percent(_EXAMPLE),
            "counts": format_percent(1.0 / (1.0 + math.exp(-counts))),
            "answers": language.say(ANSWERS if row["app"] else ANSWERS_IN_ALL, answers),
        }
        yield language.say(NEED, values)


def compare_need(difference: float) -> str:
    """Return a difference in log-odds in words, one of `COMPARED`."""
    if abs(difference) < _SAME:
        return COMPARED[0]
    size = 0 if abs(difference) < _LITTLE else 2 if abs(difference) >= _MUCH else 1
    return COMPARED[1 + size + (0 if difference > 0 else 3)]


def label_of(topic: str, language: Language = ENGLISH) -> str:
    """Return a topic in words."""
    return topic_label(topic, language) or printable(topic)
