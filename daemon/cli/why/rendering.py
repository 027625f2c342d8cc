"""Renders the decisions of the policy for somebody who knows nothing of gates: totals first, then run by run.

The sentences are those of `storage.messages.REASONS`; an unknown code is printed as it is.
"""

import json
import math
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from daemon.history.decisions import ASKED, DecisionRun, count_decisions, is_unshown
from daemon.history.learned import label_of, learned_sentences
from daemon.history.summary import render_usage
from daemon.models.usage import usage_by_tier
from daemon.runtime import policy_memory
from policies.gates import GATES_BEFORE_UTILITY, REASONS
from storage.clock import NS_PER_S
from storage.messages import ANSWERS, topic_label
from storage.plain_text import (
    format_clock,
    format_count,
    format_duration,
    format_percent,
    format_probability,
    format_short_duration,
    format_time,
    format_times,
    printable,
)
from storage.ports import HelpPage
from storage.records import HelpAnswer, ModelAnswer
from storage.settings import Settings

OPEN = "open"
WIDTH = 110
_TIME_WIDTH = 21
_GATE_WIDTH = 12
_INDENT = " " * (_TIME_WIDTH + _GATE_WIDTH)


def render_runs(runs: Sequence[DecisionRun], title: str, pages: Mapping[str, HelpPage] | None = None) -> Iterator[str]:
    """Yield the totals, then each run with its time, gate, sentence and numbers; `pages` are those offers brought."""
    if not runs:
        yield f"Nothing was decided in {title}: Kairos was not running then, or nothing happened."
        return
    day = _day(runs[0].at)
    last = format_clock(runs[-1].until) if day == _day(runs[-1].until) else format_time(runs[-1].until)
    yield f"Decisions of {title}: from {format_time(runs[0].at)} to {last}"
    yield ""
    yield from _render_totals(runs)
    yield ""
    for run in runs:
        if _day(run.at) != day:
            day = _day(run.at)
            yield day
        yield from _render_run(run, pages or {})


def _day(at_s: float) -> str:
    return format_time(at_s)[:10]


def _render_totals(runs: Sequence[DecisionRun]) -> Iterator[str]:
    counts = count_decisions(runs)
    if counts.offers:
        answers = [(count, ANSWERS.get(answer, answer)) for answer, count in counts.answers.items()]
        listed = ", ".join(f"{count} {answer}" for count, answer in answers) if counts.offers > 1 else answers[0][1]
        yield f"Help was offered {format_times(counts.offers)}: {listed}."
    else:
        yield "No help was offered."
    if counts.unshown:
        yield f"An offer was logged without being shown {format_times(counts.unshown)}."
    if counts.held:
        total = format_times(sum(counts.held.values()))
        yield f"An offer was held back {total} although you seemed to need help:"
        for reason, count in sorted(counts.held.items(), key=lambda item: -item[1]):
            yield f"  {count} x  {_without_prefix(REASONS.get(reason, printable(reason)))}"
    else:
        yield "No offer was held back while you seemed to need help."
    if usage := usage_by_tier(answer for run in runs for answer in run.asked):
        yield f"Models were asked: {'; '.join(render_usage(usage))}."


def _render_run(run: DecisionRun, pages: Mapping[str, HelpPage]) -> Iterator[str]:
    time = format_clock(run.at)
    if run.until - run.at >= 1.0:
        time += f" - {format_clock(run.until)}"
    gate = "OFFER" if run.verdict == "offer" and run.gate != ASKED else printable(run.gate)
    details = [printable(run.sentence)]
    if is_unshown(run) and run.topic is not None and (label := topic_label(run.topic)) is not None:
        details.append(f'It would have been about: "{label}"')
    if run.offer is not None:
        answer, answered_at = run.offer["answer"] or OPEN, run.offer["answered_at"]
        after = "" if answered_at is None else f" after {format_duration(answered_at - run.at)}"
        unseen = "; nobody saw it" if run.offer["counterfactual"] else ""
        details.append(f"{run.offer['title']}. {run.offer['why']}".replace("?.", "?"))
        if page_id := run.offer.get("page_id"):
            details.append(_render_page(page_id, pages.get(page_id)))
        details.append(f"-> {ANSWERS.get(answer, answer)}{after}{unseen}")
    counted = [f"decided {format_times(run.count)}"] if run.count > 1 else []
    if numbers := ", ".join([*counted, *_numbers(run)]):
        details.append(numbers)
    details += [_render_answer(answer) for answer in run.asked if answer.trouble is None]
    left = f"{time:<{_TIME_WIDTH}}{gate:<{_GATE_WIDTH}}"
    for text in details:
        yield from textwrap.wrap(text, WIDTH, initial_indent=left, subsequent_indent=_INDENT)
        left = _INDENT


def _render_page(page_id: str, page: HelpPage | None) -> str:
    if page is None:
        return f"It brought the page {printable(page_id)}, which is not in the help library now."
    source = "general advice" if page.general else printable(page.source)
    return f'It brought the page "{printable(page.title)}" ({source}, {printable(page_id)}).'


def _render_answer(answer: ModelAnswer | HelpAnswer) -> str:
    dollars = f", US$ {answer.dollars:.4f}" if answer.dollars else ""
    cost = f"{format_count(answer.pictures, 'picture')}, {answer.latency_ns / NS_PER_S:.1f} s{dollars}"
    if isinstance(answer, HelpAnswer):
        steps = format_count(answer.steps, "step")
        return f"the {answer.tier} model wrote an answer with {steps}, {answer.tied} of them at a control ({cost})"
    need = "did not say whether help is needed"
    if answer.help_need is not None:
        need = f"estimated need {format_probability(min(max(answer.help_need, 0.0), 1.0))}"
    return f"the {answer.tier} model {need} ({cost})"


def _without_prefix(sentence: str) -> str:
    """Return a sentence of `REASONS` without its first words where the heading above says the same."""
    for start in ("No offer: ", "An offer was made: ", "Not yet: "):
        if sentence.startswith(start):
            return sentence[len(start)].upper() + sentence[len(start) + 1 :]
    return sentence


# ---------------------------------------------------------------- numbers


def explain_numbers(run: DecisionRun) -> str:
    """Return the numbers that led to a decision, in words."""
    return ", ".join(_numbers(run))


def _numbers(run: DecisionRun) -> Iterator[str]:
    numbers = run.numbers
    most = "up to " if run.count > 1 else ""
    yield from _numbers_of_gate(run)
    if "p" in numbers and "threshold" in numbers:
        need, threshold = format_probability(numbers["p"]), format_probability(numbers["threshold"])
        yield f"need {most}{need} (an offer takes {threshold}){_before_answers(numbers)}"
    elif "help_need" in numbers:
        yield f"need {most}{format_probability(numbers['help_need'])}"
    if "sum" in numbers and "upper" in numbers and run.gate in GATES_BEFORE_UTILITY:
        evidence = f"evidence {most}{numbers['sum']:.1f}" if numbers["sum"] > 0 else "no evidence of need"
        yield f"{evidence} (an offer takes {numbers['upper']:.1f})"
    if run.propensity is not None and run.propensity not in (0.0, 1.0):
        yield f"chosen at random with probability {format_probability(run.propensity)}"


def _before_answers(numbers: Mapping[str, float]) -> str:
    """Return what was estimated where a person's answers have moved need away from it."""
    if not {"shift", "scale"} <= numbers.keys() or not 0.0 < numbers["p"] < 1.0 or numbers["scale"] <= 0.0:
        return ""
    log_odds = (math.log(numbers["p"] / (1.0 - numbers["p"])) - numbers["shift"]) / numbers["scale"]
    estimated = 1.0 / (1.0 + math.exp(-min(max(log_odds, -30.0), 30.0)))
    return f", {format_probability(estimated)} before your answers"


def _numbers_of_gate(run: DecisionRun) -> Iterator[str]:
    """Yield what this gate in particular decided by."""
    numbers, duration = run.numbers, format_short_duration
    match run.reason:
        case "quiet_start" if "quiet_start_s" in numbers:
            yield f"the first {duration(numbers['quiet_start_s'])}"
        case "cooldown" if "cooldown_s" in numbers:
            yield f"at least {duration(numbers['cooldown_s'])} between two offers"
        case "hour_full" | "day_full" if "limit" in numbers:
            yield f"at most {numbers['limit']:.0f}"
        case "backoff" if "dismissals" in numbers:
            yield f"dismissed {format_times(round(numbers['dismissals']))} in a row"
        case "at_break" | "wait_over" | "no_break" | "silent" | "withheld" if "waited_s" in numbers:
            if numbers["waited_s"] >= 1.0:
                yield f"after waiting {duration(numbers['waited_s'])}"
            if "idle_s" in numbers and run.reason != "no_break":
                yield f"no input for {duration(numbers['idle_s'])}"
        case "moved_on" | "stale" | "app_changed" if "shown_s" in numbers:
            yield f"after {duration(numbers['shown_s'])} on the screen"
        case _:
            pass


def print_learned(settings: Settings, *, as_json: bool) -> int:
    """Print what was learned, and what follows from it now.

    Raises:
        BadFile: it is damaged.
    """
    facts = policy_memory.read_learned(settings)
    print(json.dumps(facts) if as_json else "\n".join(render_learned(facts)))
    return 0


def forget(*, mutes: bool, as_json: bool) -> int:
    """Forget what was learned, and with `mutes` the muted topics too.

    Raises:
        EnvironmentFault: Kairos is running and does not answer.
    """
    forgotten = policy_memory.forget(mutes=mutes)
    if as_json:
        print(json.dumps({"forgotten": forgotten.names}))
        return 0
    print("What your answers have taught is forgotten: Kairos starts from its settings again.")
    if forgotten.still_muted:
        print("The topics that you muted stay muted. To bring them back too: kairos why --forget all")
        print("One alone: kairos why --learned says how.")
    return 0


def unmute(settings: Settings, topic: str, *, as_json: bool) -> int:
    """Allow offers about a muted topic again, in every application.

    Raises:
        UsageError: the topic is not muted.
        EnvironmentFault: Kairos is running and does not answer.
        BadFile: the saved state is damaged.
    """
    policy_memory.unmute(settings, topic)
    print(json.dumps({"unmuted": topic}) if as_json else f'Offered again, everywhere: "{label_of(topic)}"')
    return 0


def render_learned(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on what was learned, for somebody who only knows the card."""
    taught = [f"  {sentence}" for sentence in learned_sentences(facts)]
    yield "What was learned from your work and your answers:" if taught else "Nothing has been learned yet."
    yield from taught
    yield (
        f"You chose: help {facts['how_often']}, about {facts['offers_an_hour']:g} offers in an hour of calm work "
        "(setting policy.how_often)."
    )
    yield (
        f"Without any answers help is offered from {format_percent(facts['threshold'])} need on. "
        f"Answers move that between {format_percent(facts['threshold_min'])}"
        f" and {format_percent(facts['threshold_max'])}."
    )
    for topic in facts["muted"]:
        yield f'Muted: "{label_of(topic)}". To undo: kairos why --unmute {shlex.quote(printable(topic))}'
    yield "To forget: kairos why --forget, or with muted topics too: kairos why --forget all"
