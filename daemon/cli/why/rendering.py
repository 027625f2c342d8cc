"""Tells moments of the policy to somebody who knows nothing of gates: first in sum, then one by one, numbers in words.

The sentences are those of `storage.messages.REASONS`; a code from elsewhere stands for itself.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from daemon.history.decisions import DecisionRun, count_decisions
from daemon.history.summary import clock_time, printable, span, times
from daemon.history.summary import moment as day_and_time
from daemon.models.usage import render_usage, usage_by_tier
from storage.clock import NS_PER_S
from storage.messages import EVIDENCE, REASONS
from storage.records import ModelAnswer

OPEN = "open"
WIDTH = 110
_WHEN_WIDTH = 21
_GATE_WIDTH = 12
_INDENT = " " * (_WHEN_WIDTH + _GATE_WIDTH)


def told(moments: Sequence[DecisionRun], title: str) -> Iterator[str]:
    """Yield lines that tell somebody who knows nothing of gates: first in sum, then one by one."""
    if not moments:
        yield f"Nothing was decided in {title}: Kairos was not running then, or nothing happened."
        return
    same_day = day_and_time(moments[0].at)[:10] == day_and_time(moments[-1].until)[:10]
    last = clock_time(moments[-1].until) if same_day else day_and_time(moments[-1].until)
    yield f"Why and why not, {title}: from {day_and_time(moments[0].at)} to {last}"
    yield ""
    yield from _told_sum(moments)
    day = day_and_time(moments[0].at)[:10]
    yield ""
    for row in moments:
        if (its_day := day_and_time(row.at)[:10]) != day:
            day = its_day
            yield day
        yield from _told_moment(row)


def _told_sum(moments: Sequence[DecisionRun]) -> Iterator[str]:
    summary = count_decisions(moments)
    if summary.offers:
        given = [(count, _ANSWERS.get(answer, answer)) for answer, count in summary.answers.items()]
        answers = ", ".join(f"{count} {answer}" for count, answer in given) if summary.offers > 1 else given[0][1]
        yield f"Help was offered {times(summary.offers)}: {answers}."
    else:
        yield "No help was offered."
    if summary.unshown:
        yield f"An offer was made only on paper {times(summary.unshown)}: it was written down and not shown."
    if summary.held:
        yield f"It was held back {times(sum(summary.held.values()))} although you seemed to need it:"
        for reason, count in sorted(summary.held.items(), key=lambda item: -item[1]):
            yield f"  {count} x  {_bare(REASONS.get(reason, printable(reason)))}"
    else:
        yield "It was not held back at any moment at which you seemed to need it."
    if prices := usage_by_tier(answer for moment in moments for answer in moment.asked):
        yield f"Models were asked: {'; '.join(render_usage(prices))}."


def _told_moment(row: DecisionRun) -> Iterator[str]:
    when = clock_time(row.at)
    if row.until - row.at >= 1.0:
        when += f" - {clock_time(row.until)}"
    gate = "OFFER" if row.verdict == "offer" else printable(row.gate)
    details = [printable(row.sentence)]
    if row.unshown and row.topic is not None and row.topic in EVIDENCE:
        details.append(f'It would have been: "{EVIDENCE[row.topic].title}"')
    if row.offer is not None:
        answer, answered_at = row.offer["answer"] or OPEN, row.offer["answered_at"]
        after = "" if answered_at is None else f" after {span(answered_at - row.at)}"
        unseen = "; nobody saw it" if row.offer["counterfactual"] else ""
        details.append(f'"{row.offer["title"]}" {row.offer["why"]}')
        details.append(f"-> {_ANSWERS.get(answer, answer)}{after}{unseen}")
    if words := ", ".join(part for part in (f"decided {times(row.count)}" * (row.count > 1), in_words(row)) if part):
        details.append(words)
    details += [_of_answer(answer) for answer in row.asked if answer.trouble is None]
    left = f"{when:<{_WHEN_WIDTH}}{gate:<{_GATE_WIDTH}}"
    for text in details:
        yield textwrap.fill(text, WIDTH, initial_indent=left, subsequent_indent=_INDENT)
        left = _INDENT


def _of_answer(answer: ModelAnswer) -> str:
    """Say what a model made of a moment."""
    said = "nothing of need" if answer.help_need is None else f"need {_percent(min(max(answer.help_need, 0.0), 1.0))}"
    paid = f", US$ {answer.dollars:.4f}" if answer.dollars else ""
    return (
        f"the {answer.rung} model said: {said} ({answer.pictures} pictures, {answer.latency_ns / NS_PER_S:.1f} s{paid})"
    )


_ANSWERS: Mapping[str, str] = {
    OPEN: "no answer so far",
    "too_early": "too early",
    "too_late": "too late",
    "muted": "topic muted",
    "withdrawn": "taken back",
    "ignored": "not answered",
}


def _bare(sentence: str) -> str:
    """Return a sentence of `REASONS` without the part that a column says already."""
    for start in ("No offer: ", "An offer was made: ", "Not yet: "):
        if sentence.startswith(start):
            return sentence[len(start)].upper() + sentence[len(start) + 1 :]
    return sentence


# ---------------------------------------------------------------- numbers

_BEFORE_WORTH = ("consent", "manners", "budget", "evidence", "withdrawal")
"""Gates at which the evidence is what can be said; later ones know what an offer is worth."""


def in_words(row: DecisionRun) -> str:
    """Say the numbers of a moment that decided it, without formulas."""
    numbers = row.numbers
    most = "up to " if row.count > 1 else ""
    parts = [*_of_gate(row)]
    if "p" in numbers and "threshold" in numbers:
        parts.append(f"need {most}{_percent(numbers['p'])} (worth an offer from {_percent(numbers['threshold'])} on)")
    elif "help_need" in numbers:
        parts.append(f"need {most}{_percent(numbers['help_need'])}")
    if "sum" in numbers and "upper" in numbers and row.gate in _BEFORE_WORTH:
        found = f"evidence {most}{numbers['sum']:.1f}" if numbers["sum"] > 0 else "no evidence of need"
        parts.append(f"{found} (an offer takes {numbers['upper']:.1f})")
    if row.propensity not in (0.0, 1.0):
        parts.append(f"by lot, with a chance of {_percent(row.propensity)}")
    return ", ".join(parts)


def _of_gate(row: DecisionRun) -> Iterator[str]:
    """Yield what this gate in particular looked at."""
    numbers = row.numbers
    match row.reason:
        case "quiet_start" if "quiet_start_s" in numbers:
            yield f"the first {_length(numbers['quiet_start_s'])}"
        case "cooldown" if "cooldown_s" in numbers:
            yield f"{_length(numbers['cooldown_s'])} must lie between two offers"
        case "hour_full" | "day_full" if "limit" in numbers:
            yield f"at most {numbers['limit']:.0f}"
        case "backoff" if "dismissals" in numbers:
            yield f"dismissed {times(round(numbers['dismissals']))} in a row"
        case "at_break" | "wait_over" | "no_break" | "silent" | "withheld" if "waited_s" in numbers:
            if numbers["waited_s"] >= 1.0:
                yield f"after waiting {_length(numbers['waited_s'])}"
            if "idle_s" in numbers and row.reason != "no_break":
                yield f"your hands had rested {_length(numbers['idle_s'])}"
        case "moved_on" | "stale" | "app_changed" if "shown_s" in numbers:
            yield f"after {_length(numbers['shown_s'])} on the screen"
        case _:
            pass


def _percent(share: float) -> str:
    return f"{100 * share if share >= 1.0 else min(100 * share, 99):.0f} %"  # nothing short of it reads as certain


def _length(seconds: float) -> str:
    if seconds < 9.95:  # noqa: PLR2004  # tenths matter below ten
        return f"{seconds:.1f} s"
    return span(seconds).removesuffix(" 0 s").removesuffix(" 0 min")
