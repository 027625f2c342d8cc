"""What a notice says: a problem and its remedy, or the summary of a quiet first day."""

from dataclasses import dataclass

from storage.messages import PROBLEMS, UNKNOWN_TOPIC, topic_label
from storage.ports import QuietDaySummary
from storage.translation import current_language, tr, translatable
from ui.views.text import local_time, weekday_clock

OPEN_CONTROL = translatable("Open a small window")
CLOSE, LOOK = translatable("Close"), translatable("Have a look")
NO_TRAY = "no_tray"  # problem code of the interface's own: no panel shows tray icons

FIRST_DAY = "first_day"  # code of the notice that sums the quiet first day up
FIRST_DAY_TITLE = translatable("The quiet first day is over")
FIRST_DAY_LINES = 6  # offers that the summary of the first day names one by one

NOT_NOW = "asked_while_off"  # code of the notice that says why nothing can be asked
NOT_NOW_TEXT = translatable("Nothing is seen until then, so there is nothing to ask about.")

UNKNOWN_PROBLEM = translatable("Something is wrong")
UNKNOWN_REMEDY = translatable("See: kairos doctor")
"""For a problem code that our table does not know."""


@dataclass(frozen=True, slots=True)
class NoticeView:
    """What happened and what to do about it."""

    title: str
    text: str


def view_problem(code: str) -> NoticeView:
    """Say what a problem code means."""
    title, text = PROBLEMS.get(code, (UNKNOWN_PROBLEM, UNKNOWN_REMEDY))
    return NoticeView(tr(title), tr(text))


def view_first_day(day: QuietDaySummary) -> NoticeView:
    """Sum up what would have been offered on a quiet first day: how often, when and about what."""
    after = tr("From now on offers are shown. What Kairos saw has every moment with its reason.")
    count = len(day.offers)
    if not count:
        looked = tr("Kairos judged {count} moments, and would have offered help at none of them.", count=day.decisions)
        return NoticeView(tr(FIRST_DAY_TITLE), f"{looked} {after}")
    lines = []
    for offer in day.offers[:FIRST_DAY_LINES]:
        at = local_time(offer.wall_ns)
        label = topic_label(offer.topic, current_language()) or tr(UNKNOWN_TOPIC.label)
        lines.append(f"{weekday_clock(at, short=True) if at is not None else ''}  {label}")
    if count > FIRST_DAY_LINES:
        lines.append(tr("and {count} more", count=count - FIRST_DAY_LINES))
    looked = tr(
        "Kairos judged {decisions} moments. Help would have been offered {count:times}:",
        decisions=day.decisions,
        count=count,
    )
    return NoticeView(tr(FIRST_DAY_TITLE), "\n".join((looked, *lines, after)))
