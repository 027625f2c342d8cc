"""What a day comes down to: stretches of work in one program, time by program and phase, sentences that lead on."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from storage.clock import NS_PER_S
from storage.messages import PHASES
from storage.plain_text import plain
from storage.records import phase_of
from storage.timeline import Moment, MomentKind
from storage.translation import tr
from ui.views.text import local_time

GAP_NS = 120 * NS_PER_S
"""Work goes on as one stretch over a break that is not longer."""

NEEDY = 0.5
"""Help need from which on somebody is perhaps stuck."""

MOST_SENTENCES = 3

_APP_LIMIT, _MINUTE_S, _HOUR_S = 40, 60, 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySentence:
    """What stands out on a day, and what it leads to: a stretch, words to search for, or the offers."""

    text: str
    begin_wall_ns: int = 0
    end_wall_ns: int = 0
    words: str = ""
    marked: bool = False


def fold_work(moments: Iterable[Moment]) -> dict[str, tuple[Moment, ...]]:
    """Return windows of work by the id of the stretch that they are: of one session, program and task, in one go.

    `moments` are in the order of time. Offers and labels do not end a stretch; time without watching does.
    """
    found: list[list[Moment]] = []
    goes_on = False
    for moment in moments:
        if moment.kind is MomentKind.OFF:
            goes_on = False
        elif moment.kind is MomentKind.WORK:
            before = found[-1][-1] if goes_on else None
            if before is not None and _go_together(before, moment):
                found[-1].append(moment)
            else:
                found.append([moment])
            goes_on = True
    return {parts[0].moment_id.replace("/", "/+", 1): tuple(parts) for parts in found}


def _go_together(before: Moment, moment: Moment) -> bool:
    same = (before.session, before.app, before.task) == (moment.session, moment.app, moment.task)
    gap_ns = moment.begin_wall_ns - before.end_wall_ns
    return same and -GAP_NS <= gap_ns <= GAP_NS


def merge_work(stretch_id: str, parts: Sequence[Moment]) -> Moment:
    """Return a stretch as one row: its task is the title, its time by phases the second line."""
    first, last = parts[0], parts[-1]
    needs = [part.help_need for part in parts if part.help_need is not None]
    length_ns = sum(part.end_wall_ns - part.begin_wall_ns for part in parts)
    told = [_span(length_ns), *_named_times(time_by_phase(parts))] if needs else [_span(length_ns)]
    return replace(
        first,
        moment_id=stretch_id,
        kind=MomentKind.STRETCH,
        end_wall_ns=max(last.end_wall_ns, first.begin_wall_ns),
        end_ns=last.end_ns,
        state="",
        help_need=max(needs, default=None),
        estimates=sum(part.estimates for part in parts),
        why="",
        title=first.task,
        detail=" · ".join(told),
        frame=next((part.frame for part in reversed(parts) if part.frame), 0),
    )


def time_by_program(moments: Iterable[Moment]) -> list[tuple[str, int]]:
    """Return the nanoseconds of work in each program, most first."""
    return _named(_times((moment.named, moment) for moment in moments), lambda name: plain(name, _APP_LIMIT))


def time_by_phase(moments: Iterable[Moment]) -> list[tuple[str, int]]:
    """Return the nanoseconds of work in each phase by its name, most first; what has no estimate is in none."""
    return _named(_times((moment.state, moment) for moment in moments), _phase)


def _phase(state: str) -> str:
    phase = phase_of(state)
    return tr(PHASES[phase]) if phase else ""


def _times(keyed: Iterable[tuple[str, Moment]]) -> Counter[str]:
    times: Counter[str] = Counter()
    for key, moment in keyed:
        if moment.kind is MomentKind.WORK:
            times[key] += moment.end_wall_ns - moment.begin_wall_ns
    return times


def _named(times: Counter[str], name_of: Callable[[str], str]) -> list[tuple[str, int]]:
    """Return times by what people call them: a day has few names and many rows."""
    named: Counter[str] = Counter()
    for key, length_ns in times.items():
        if name := name_of(key):
            named[name] += length_ns
    return named.most_common()


def _named_times(times: Sequence[tuple[str, int]]) -> list[str]:
    return [f"{name} {_span(length_ns)}" for name, length_ns in times]


def view_times(moments: Sequence[Moment]) -> tuple[tuple[str, str], ...]:
    """Say how long was worked in each program, and in each phase."""
    programs, phases = time_by_program(moments), time_by_phase(moments)
    return (
        (tr("Programs"), "\n".join(_named_times(programs)) or tr("none")),
        (tr("Phases of work"), "\n".join(_named_times(phases)) or tr("none")),
    )


def view_sentences(moments: Sequence[Moment]) -> list[DaySentence]:
    """Return what stands out, three sentences at most: trouble, help, and where the time went."""
    found = [*_trouble(moments), *_help(moments)]
    for app, length_ns in time_by_program(moments)[:1]:
        text = tr("Most of the time: {length} in {app}.", length=_span(length_ns), app=app)
        found.append(DaySentence(text=text, words=app))
    return found


def _trouble(moments: Sequence[Moment]) -> Iterable[DaySentence]:
    work = [moment for moment in moments if moment.kind is MomentKind.WORK and moment.app]
    needy = [moment for moment in work if (moment.help_need or 0.0) >= NEEDY]
    by_app: dict[str, list[tuple[Moment, ...]]] = {}
    for parts in fold_work(sorted(needy, key=lambda one: one.begin_wall_ns)).values():
        by_app.setdefault(parts[0].named, []).append(parts)
    if not by_app:
        return
    app, stretches = max(by_app.items(), key=lambda item: sum(map(_length_ns, item[1])))
    longest = max(stretches, key=_length_ns)
    begin_ns, end_ns = longest[0].begin_wall_ns, longest[-1].end_wall_ns
    at = local_time(begin_ns)
    said = {
        "count": len(stretches),
        "app": plain(app, _APP_LIMIT),
        "time": f"{at:%H:%M}" if at is not None else "",
        "length": _span(_length_ns(longest)),
    }
    offers = [moment for moment in moments if moment.kind is MomentKind.OFFER and not moment.asked]
    offered = [offer for offer in offers if begin_ns <= offer.begin_wall_ns <= end_ns]
    if len(stretches) == 1:
        text = tr("You may have been stuck in {app} at {time}, for {length}.", **said)
    else:
        text = tr("You may have been stuck {count:times} in {app}, longest at {time}, for {length}.", **said)
    if offered:
        title = plain(offered[0].title, _APP_LIMIT * 2)
        text += f" {title}" if title.endswith(("?", "!", ".", "…")) else f" {title}."
    yield DaySentence(text=text, begin_wall_ns=begin_ns, end_wall_ns=end_ns)


def _help(moments: Sequence[Moment]) -> Iterable[DaySentence]:
    cards = [moment for moment in moments if moment.kind is MomentKind.OFFER]
    asked = sum(card.asked for card in cards)
    accepted = sum(card.answer == "accepted" and not card.asked for card in cards)
    said = []
    if len(cards) > asked:
        offers = len(cards) - asked
        said.append(tr("Help was offered {count:times}, accepted {accepted:times}.", count=offers, accepted=accepted))
    if asked:
        said.append(tr("You asked for help {count:times}.", count=asked))
    if said:
        yield DaySentence(text=" ".join(said), marked=True)


def _length_ns(parts: Sequence[Moment]) -> int:
    return sum(part.end_wall_ns - part.begin_wall_ns for part in parts)


def _span(length_ns: int) -> str:
    return view_length(length_ns / NS_PER_S)


def view_length(seconds: float) -> str:
    """Say how long something took."""
    whole = round(seconds)
    if whole < _MINUTE_S:
        return f"{whole} s"
    if whole < _HOUR_S:
        return f"{whole // _MINUTE_S} min"
    return f"{whole // _HOUR_S} h {whole % _HOUR_S // _MINUTE_S} min"
