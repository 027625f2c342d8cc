"""What tray, notices and windows say of the study that somebody takes part in.

Words of a study come from outside: they are reduced to plain text of limited length.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from storage.plain_text import plain
from storage.ports import StudyParcel, StudyProgress, StudyReply, StudyRequest, TaskCard
from storage.translation import tr, translatable
from ui.views.notice import NoticeView
from ui.views.text import view_fault

STUDY_NOTICE = "study"  # code of the notice that says what became of a request
TITLE_LIMIT = 120
ROW_LIMIT = 2000
REPLY_LIMIT = 400

REVOKE = translatable("Take back my consent and quit")
REVOKE_IN_STUDY = translatable("Take back my consent, leave the study and quit")
LOOK = translatable("Look before it goes\u2026")
HOLD = translatable("Pause the study's sending")
RESUME = translatable("Resume the study's sending")
LEAVE = translatable("Leave the study\u2026")

LEAVE_TITLE = translatable("Leave the study?")
LEAVE_TEXT = translatable(
    "From then on nothing is collected, asked or sent for it. What has been sent is deleted, within the days that the "
    "study states, and you get a signed receipt. You need not say why, and you cannot join again."
)
LEAVE_KEEP = translatable("What was sent until now may be &kept")

TASK_TITLE = translatable("A task of the study")
TASK_PLACE = translatable("Task {number} of {count}")
TASK_END = translatable("It is done when: {end}")
TASK_SKILL = translatable("How well do you know {program}? You may leave this out.")
SKILLS = (
    translatable("Not at all"),
    translatable("A little"),
    translatable("Fairly well"),
    translatable("Well"),
    translatable("Very well"),
)
"""How well somebody knows a program, from 1 to 5."""

TASK_RUNS = translatable("Under way. You may close this window: the tray menu brings it back.")
TASKS_DONE = translatable("That was the last task. Thank you.")
TASK_TEXT_LIMIT = 600

REVIEW_TITLE = translatable("Before it goes")
_REVIEW_LEADS: Mapping[str, str] = {
    "ask": translatable(
        "These parcels wait until you press Send, or until your first week is over, unless you chose otherwise."
    ),
    "daily": translatable(
        "These parcels wait. Each is sent an hour after the midnight that follows, or when you press Send."
    ),
    "hold": translatable("The study's sending is paused. These parcels are sent only if you press Send."),
}
_NOTHING_WAITS = translatable("No parcel waits.")
LEAVE_OUT = translatable("To leave a row out, in a terminal: kairos study review --leave-out N.ROW")

_HELD = (
    translatable("The study's sending is paused"),
    translatable("Parcels are made and stay here until you resume or let them go."),
)
_RESUMED = (
    translatable("The study's sending goes on"),
    translatable("You are asked before each parcel: in the tray menu, Look before it goes."),
)
_LEFT = (
    translatable("You have left the study"),
    translatable("Nothing more is collected or sent, except the message to the researchers that you left."),
)
_UNTOLD = (
    translatable("You have left the study"),
    translatable(
        "Nothing more is collected or sent. Its folder is damaged, so nobody could be told: write to the researchers."
    ),
)


@dataclass(frozen=True, slots=True)
class ReviewView:
    """What waits to be sent: a sentence, the rows as text, and the digest of the last parcel; empty if none waits."""

    lead: str
    text: str
    through: str


def study_line(study: StudyProgress) -> str:
    """Return the line of the tray menu."""
    if study.closed:
        return tr("Study: closed by its researchers, today is its end")
    if study.day < 1:
        return tr("Study: the quiet time before day 1")
    return tr("Study: day {day} of {days}", day=min(study.day, study.days), days=study.days)


def task_line(task: TaskCard | None) -> str:
    """Return the line of the tray menu that opens the window of the next task."""
    if task is None:
        return tr("Task of the study\u2026")
    return tr("Task {number} of {count} of the study\u2026", number=task.number, count=task.count)


def view_review(reply: StudyReply) -> ReviewView:
    """Say what waits to be sent."""
    if not reply.parcels:
        return ReviewView(tr(_NOTHING_WAITS), "", "")
    lines = [line for parcel in reply.parcels for line in _lines(parcel)]
    lead = _REVIEW_LEADS.get(reply.mode, _REVIEW_LEADS["ask"])
    return ReviewView(tr(lead), "\n".join(lines), reply.parcels[-1].sha256)


def _lines(parcel: StudyParcel) -> list[str]:
    digest = plain(parcel.sha256, 64)
    head = tr("Parcel {n}: {size:byte|bytes}, SHA-256 {digest}", n=parcel.n, size=parcel.size, digest=digest)
    rows = [f"  {parcel.n}.{place}  {plain(row, ROW_LIMIT)}" for place, row in enumerate(parcel.rows, 1)]
    return [head, *rows, ""]


def view_reply(reply: StudyReply) -> NoticeView:
    """Say what became of a request."""
    if not reply.done:
        text = view_fault(reply.text, reply.remedy, limit=REPLY_LIMIT)
        return NoticeView(tr("That did not work"), text or tr("See: kairos study status"))
    match reply.request:
        case StudyRequest.HOLD:
            title, text = _HELD
        case StudyRequest.RESUME:
            title, text = _RESUMED
        case StudyRequest.LEAVE | StudyRequest.LEAVE_KEEP:
            title, text = _LEFT if reply.told else _UNTOLD
        case _:
            sent = tr(
                "{parcels:parcel is|parcels are} sent when the researchers' server can be reached.",
                parcels=reply.released,
            )
            return NoticeView(tr("Let go"), sent)
    return NoticeView(tr(title), tr(text))
