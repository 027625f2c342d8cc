"""What the window "What Kairos saw" says: rows of the timeline, sums of a day, what is sent, stored and learned.

Words from the screen and from models are untrusted: they are plain text of limited length.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from storage.clock import NS_PER_S
from storage.messages import ANSWERS, SENT_FOR, SENT_OUTCOMES, STATES
from storage.plain_text import plain
from storage.timeline import ForgetScope, Moment, MomentKind, SentRow, StoredFacts, TimelineDay, TimelineFacts
from storage.translation import current_language, tr, translatable
from ui.views.day import view_length
from ui.views.forget import LAST_MINUTES
from ui.views.text import local_time, long_day, month_day

LINE_LIMIT = 240
APP_LIMIT = 40
NAMED_APPS = 4  # programs that are named of those in selected rows
MB, GB = 1_000_000, 1_000_000_000

TITLE = translatable("What Kairos saw")
TIMELINE, TIME, SENT = translatable("Timeline"), translatable("Time"), translatable("Sent")
STORED, LEARNED = translatable("Stored"), translatable("Learned")
TABS = (TIMELINE, TIME, SENT, STORED, LEARNED)
READING = translatable("Reading…")

DAY = translatable("The day")
EARLIER, LATER = translatable("Earlier day"), translatable("Later day")
ONLY_MARKED = translatable("&Only offers, and what you said")
IN_DETAIL = translatable("E&very moment")
SEARCH, SEARCH_HINT = translatable("Search this day"), translatable("Search programs and words")
NOTHING_FOUND = translatable("Nothing on this day has these words.")
ZOOM_IN, ZOOM_OUT = translatable("Zoom in"), translatable("Zoom out")
PICTURE, PICTURE_LOST = translatable("&Look at it"), translatable("This picture is gone.")
NO_PROGRAM = translatable("No program")
NOTHING_ON_DAY = translatable("Nothing was seen on this day.")
NOTHING_MARKED = translatable("No help was offered on this day, and you said nothing about it.")
LEGEND = translatable(
    "\u25c6 help offered   \u25cf you were stuck   \u25cb you were fine   \u2571\u2571 nothing watched"
)
LIST_NAME = translatable("Moments of the day")
BAND_NAME = translatable("Help need over the day")
BAND_HINT = translatable("Drag over a stretch to select it; the list below says the same in words.")

STUCK, FINE = translatable("I was &stuck here"), translatable("I was f&ine here")
LABEL = translatable("Say &more…")
SAID_STUCK, SAID_FINE = translatable("You were stuck here"), translatable("You were fine here")
SELECT_HINT = translatable(
    "Select one or more rows, then say how it was: Kairos learns from it how need shows in your work."
)
REPORTING = translatable("Noting it…")
REPORTED = translatable("Noted. Kairos has learned from it.")

FORGET = translatable("&Forget…")
FORGET_CHOICES: Mapping[ForgetScope, str] = {
    ForgetScope.LAST: translatable("The last {minutes:minute|minutes}"),
    ForgetScope.HOUR: translatable("The last hour"),
    ForgetScope.DAY: translatable("This day"),
    ForgetScope.ALL: translatable("Everything"),
}
"""By scope; `view_forget_choices` puts them into words."""
FORGETTING = translatable("Forgetting… Nothing is captured until it is done.")

_OFF: Mapping[str, str] = {
    "paused": translatable("Paused: nothing was watched"),
    "private": translatable("Private: nothing was watched"),
    "excluded": translatable("An excluded window was open: nothing was watched"),
}
_NO_OPINION = translatable("No estimate")


@dataclass(frozen=True, slots=True)
class TimelineRowView:
    """A row of the timeline.

    `need` is from 0 to 1, None without an estimate. `mark` is how it stands out: "offer", "stuck", "fine", "off" or
    nothing. `spoken` says all of it, for screen readers.
    """

    time: str
    head: str
    line: str
    need: float | None
    need_text: str
    mark: str
    spoken: str


@dataclass(frozen=True, slots=True)
class DetailView:
    """What is said of the rows that are selected: a heading and lines, and whether they can be labelled."""

    head: str
    lines: tuple[str, ...]
    can_report: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of one session, in its own time."""

    session: str
    start_ns: int
    end_ns: int


def view_forget_choices() -> dict[ForgetScope, str]:
    """Say what can be forgotten."""
    return {scope: tr(text, minutes=LAST_MINUTES) for scope, text in FORGET_CHOICES.items()}


# ---------------------------------------------------------------- the timeline


def view_row(moment: Moment) -> TimelineRowView:
    """Say what a row shows."""
    clock = _clock(moment.begin_wall_ns)[: 5 if moment.kind is MomentKind.STRETCH else None]
    app = _line(moment.named, APP_LIMIT)
    need_text = "" if moment.help_need is None else f"{round(100 * moment.help_need)} %"
    match moment.kind:
        case MomentKind.OFFER if moment.asked:
            head, mark = _line(moment.title, LINE_LIMIT), "offer"
            line = " ".join(filter(None, (moment.detail, f"{_answer(moment.answer)}." if moment.answer else "")))
        case MomentKind.STRETCH:
            head = tr("{app}: {task}", app=app, task=_line(moment.task, APP_LIMIT)) if moment.task else app
            head, line, mark = head or tr(NO_PROGRAM), moment.detail, ""
        case MomentKind.OFFER:
            head = tr("Help was offered: {title}", title=_line(moment.title, LINE_LIMIT))
            line, mark = f"{_answer(moment.answer)}. {tr(moment.why)}".strip(), "offer"
        case MomentKind.REPORT:
            head, mark = (tr(SAID_STUCK), "stuck") if moment.needed else (tr(SAID_FINE), "fine")
            line = _clock_span(moment.begin_wall_ns, moment.end_wall_ns)
        case MomentKind.OFF:
            head, mark = tr(_OFF.get(moment.title, _OFF["paused"])), "off"
            line = _length(moment)
        case _:
            head = tr(STATES.get(moment.state, _NO_OPINION))
            if app:
                head = tr("{state} in {app}", state=head, app=app)
            line, mark = _line(tr(moment.why), LINE_LIMIT), ""
    where = f" {app}." if app and moment.kind is MomentKind.OFFER else ""
    need = f" {tr('Help need {need}.', need=need_text)}" if need_text else ""
    spoken = f"{clock}. {head}.{where}{need} {line}".strip()
    return TimelineRowView(clock, head, line, moment.help_need, need_text, mark, spoken)


def view_details(moments: Sequence[Moment]) -> DetailView:
    """Say more about the rows that are selected."""
    if not moments:
        return DetailView("", (tr(SELECT_HINT),), can_report=False)
    begin, end = min(moment.begin_wall_ns for moment in moments), max(moment.end_wall_ns for moment in moments)
    head = _clock_span(begin, end)
    can_report = bool(stretches(moments))
    if len(moments) == 1:
        row, one = view_row(moments[0]), moments[0]
        lines = list(dict.fromkeys((row.head, "" if one.asked else _line(one.detail, LINE_LIMIT), row.line)))
        if one.help_need is not None and one.estimates:
            text = tr("Help need up to {need}, estimated {count:times}.", need=row.need_text, count=one.estimates)
            lines.append(text)
        elif row.need_text:
            lines.append(tr("Help need {need}.", need=row.need_text))
        return DetailView(head, tuple(line for line in lines if line), can_report=can_report)
    need = max((moment.help_need for moment in moments if moment.help_need is not None), default=None)
    apps = list(dict.fromkeys(_line(moment.named, APP_LIMIT) for moment in moments if moment.app))
    offers = sum(moment.kind is MomentKind.OFFER and not moment.asked for moment in moments)
    named = ", ".join(apps[:NAMED_APPS])
    if not apps:
        lines = [tr("{rows} rows.", rows=len(moments))]
    elif len(apps) > NAMED_APPS:
        lines = [tr("{rows} rows in {apps} and others.", rows=len(moments), apps=named)]
    else:
        lines = [tr("{rows} rows in {apps}.", rows=len(moments), apps=named)]
    if need is not None:
        said = [tr("Help need up to {need}.", need=f"{round(100 * need)} %")]
        if offers:
            said.append(tr("Help was offered {count:times}.", count=offers))
        lines.append(" ".join(said))
    return DetailView(head, tuple(line for line in lines if line), can_report=can_report)


def stretches(moments: Sequence[Moment]) -> list[Stretch]:
    """Return what a label of these rows is about: one stretch for each session; nothing where nothing was watched."""
    found: dict[str, Stretch] = {}
    for moment in moments:
        if moment.kind is MomentKind.OFF:
            continue
        known = found.get(moment.session)
        start_ns = moment.start_ns if known is None else min(known.start_ns, moment.start_ns)
        end_ns = moment.end_ns if known is None else max(known.end_ns, moment.end_ns)
        found[moment.session] = Stretch(moment.session, start_ns, end_ns)
    return [_without_edges(stretch) for stretch in found.values()]


def _without_edges(one: Stretch) -> Stretch:
    """Leave the edges out: windows touch, and the next one is not meant."""
    if one.end_ns - one.start_ns <= 2:  # noqa: PLR2004  # an edge on each side
        return one
    return Stretch(one.session, one.start_ns + 1, one.end_ns - 1)


def has_words(moment: Moment, words: Sequence[str]) -> bool:
    """Tell whether a row says all of these, in lower case."""
    said = (moment.named, moment.app, moment.task, moment.title, moment.detail, tr(moment.why))
    kind = STATES.get(moment.state) or _OFF.get(moment.title, "")
    told = " ".join((*said, tr(kind), _clock(moment.begin_wall_ns))).casefold()
    return all(word in told for word in words)


def is_marked(moment: Moment) -> bool:
    """Tell whether a row stays while only offers and what the person said are shown."""
    return moment.kind in (MomentKind.OFFER, MomentKind.REPORT)


def day_title(day: dt.date, today: dt.date) -> str:
    """Name a day."""
    name = long_day(day)
    return tr("Today, {day}", day=name) if day == today else name


def view_summary(day: TimelineDay, moments: Sequence[Moment]) -> str:
    """Sum a day up in one line; of an empty one the list says so."""
    work = [moment for moment in moments if moment.kind is MomentKind.WORK]
    text = _day_sum(work, moments) if moments else ""
    if day.left_out:
        text += " " + tr("The {count} oldest rows are left out.", count=day.left_out)
    if day.unreadable:
        text += " " + tr(
            "{sessions:session|sessions} cannot be read: kairos sessions verify {name}",
            sessions=len(day.unreadable),
            name=day.unreadable[0],
        )
    text = text.strip()
    return text[:1].upper() + text[1:]


def _day_sum(work: Sequence[Moment], moments: Sequence[Moment]) -> str:
    watched_s = sum(moment.end_wall_ns - moment.begin_wall_ns for moment in work) / NS_PER_S
    cards = [moment for moment in moments if moment.kind is MomentKind.OFFER]
    offers = [card for card in cards if not card.asked]
    asked = len(cards) - len(offers)
    accepted = sum(offer.answer == "accepted" for offer in offers)
    said = sum(moment.kind is MomentKind.REPORT for moment in moments)
    estimates = sum(moment.estimates for moment in work)
    offered = tr("no help offered")
    if offers:
        offered = tr("help offered {count:times}, accepted {accepted:times}", count=len(offers), accepted=accepted)
    parts = [
        tr("{length} of work seen", length=view_length(watched_s)),
        tr("need estimated {count:times}", count=estimates),
        offered,
    ]
    if asked:
        parts.append(tr("you asked for help {count:times}", count=asked))
    if said:
        parts.append(tr("you said how it was {count:times}", count=said))
    return "; ".join(parts) + "."


# ---------------------------------------------------------------- sent, stored, learned


def view_sent_lead(facts: TimelineFacts) -> str:
    """Say how much was sent."""
    said = []
    if not facts.sent_count:
        said.append(tr("Nothing was sent to a model."))
    else:
        said.append(
            tr(
                "{requests:request|requests} to models on all days, {size} as stored.",
                requests=facts.sent_count,
                size=_size(facts.sent_bytes),
            )
        )
        if len(facts.sent) < facts.sent_count:
            said.append(tr("The newest {count} are listed.", count=len(facts.sent)))
        said.append(tr("Double-click one, or press Return on it, to read what was sent."))
    if facts.joined_study:
        said.append(
            tr("The study that you take part in sends parcels of its own: in the tray menu, Look before it goes.")
        )
    return " ".join(said)


def view_sent_row(row: SentRow) -> str:
    """Say where a request went, and what it was."""
    at = local_time(row.at_wall_ns)
    parts = [
        f"{at:%Y-%m-%d %H:%M:%S}" if at is not None else "",
        _line(row.address, 80),
        _line(row.model, 60),
        tr(SENT_FOR[row.purpose]) if row.purpose in SENT_FOR else _line(row.purpose, 40),
        _size(row.size),
        tr("{pictures:picture|pictures}", pictures=row.pictures) if row.pictures else tr("no picture"),
        _sent_outcome(row.outcome),
    ]
    if row.dollars:
        parts.append(tr("US$ {dollars:.4f}", dollars=row.dollars))
    return "  ·  ".join(part for part in parts if part)


def _sent_outcome(outcome: str) -> str:
    if not outcome:
        return tr("on its way")
    return tr(SENT_OUTCOMES[outcome]) if outcome in SENT_OUTCOMES else _line(outcome, 40)


def view_stored(stored: StoredFacts) -> tuple[tuple[str, str], ...]:
    """Return headed facts about what lies on the disk."""
    oldest = local_time(stored.oldest_wall_ns or None)
    sessions = tr("{sessions:session|sessions}", sessions=stored.sessions)
    if oldest is not None:
        sessions = tr(
            "{sessions:session|sessions}, the oldest from {day}", sessions=stored.sessions, day=month_day(oldest)
        )
    on_disk = tr("{size} of sessions and copies", size=_size(stored.rows + stored.pictures + stored.sent))
    if stored.free is not None:
        on_disk = tr("{used}; {free} free", used=on_disk, free=_size(stored.free))
    what = tr("{size}: times, kinds of keys, programs, estimates and decisions", size=_size(stored.rows))
    how_long = tr(
        "Sessions are deleted after {days:day|days}, or the oldest when all take more than {gb:g} GB, with a notice "
        "before.",
        days=stored.keep_days,
        gb=stored.keep_gb,
    )
    return (
        (tr("Sessions"), sessions),
        (tr("What happened"), what),
        (tr("Pictures and sound"), _size(stored.pictures) if stored.pictures else tr("none are stored")),
        (tr("Sent to models"), tr("{size}: copies of what was sent", size=_size(stored.sent))),
        (tr("Learned"), tr("{size}, with your consent and the count of offers", size=_size(stored.learned))),
        (tr("Index of help"), _size(stored.library)),
        (tr("On the disk"), on_disk),
        (tr("How long"), how_long),
        (tr("Where"), stored.folder),
    )


LEARNED_LEAD = translatable("What your answers, and what you said in the timeline, have taught Kairos:")
NOTHING_LEARNED = translatable(
    "Nothing yet. Kairos learns from your answers to offers, and from what you say in the timeline."
)
MUTED, UNMUTE = translatable("You do not want offers about “{topic}”."), translatable("Offer it again")
FORGET_LEARNED = translatable("&Forget what was learned…")
FORGET_LEARNED_TITLE = translatable("Forget what was learned?")
FORGET_LEARNED_TEXT = translatable(
    "Kairos goes by its defaults again, as on the first day, and learns from your answers anew. What you "
    "muted may be offered again."
)
FORGET_LEARNED_YES = translatable("&Forget it")
CHANGE_SETTINGS = translatable("&Settings…")


# ---------------------------------------------------------------- words


def _line(text: str, limit: int) -> str:
    """Return text from elsewhere as one plain line."""
    return plain(text, limit).replace("\n", " ")


def _answer(code: str) -> str:
    words = tr(ANSWERS.get(code or "open", ""))
    return words[:1].upper() + words[1:]


def _clock(wall_ns: int) -> str:
    at = local_time(wall_ns)
    return f"{at:%H:%M:%S}" if at is not None else ""


def _clock_span(begin_ns: int, end_ns: int) -> str:
    """Return from when to when, or the one time where both read the same."""
    begin, end = _clock(begin_ns), _clock(end_ns)
    return begin if begin == end else tr("{begin} to {end}", begin=begin, end=end)


def _length(moment: Moment) -> str:
    seconds = (moment.end_wall_ns - moment.begin_wall_ns) / NS_PER_S
    return tr("for {length}", length=view_length(seconds)) if seconds >= 1 else ""


def _size(size: int) -> str:
    if size >= GB:
        return f"{current_language().number(size / GB, '.1f')} GB"
    if size >= MB // 10:
        return f"{current_language().number(size / MB, '.1f')} MB"
    return f"{max(1, round(size / 1000)) if size else 0} kB"
