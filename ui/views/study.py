"""What tray, notices and windows say of the study that somebody takes part in.

Words of a study come from outside: they are reduced to plain text of limited length.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from storage.plain_text import plain
from storage.ports import StudyParcel, StudyProgress, StudyReply, StudyRequest
from ui.views.notice import NoticeView

STUDY_NOTICE = "study"
"""Code of the notice that says what became of a request."""

TITLE_LIMIT = 120
ROW_LIMIT = 2000
REPLY_LIMIT = 400

REVOKE = "Take back my consent and quit"
REVOKE_IN_STUDY = "Take back my consent, leave the study and quit"
LOOK = "Look before it goes\u2026"
HOLD = "Pause the study's sending"
RESUME = "Resume the study's sending"
LEAVE = "Leave the study\u2026"

LEAVE_TITLE = "Leave the study?"
LEAVE_TEXT = (
    "From then on nothing is collected, asked or sent for it. What has been sent is deleted, within the days that the "
    "study states, and you get a signed receipt. You need not say why, and you cannot join again."
)
LEAVE_KEEP = "What was sent until now may be &kept"

REVIEW_TITLE = "Before it goes"
_REVIEW_LEADS: Mapping[str, str] = {
    "ask": "These parcels wait until you press Send, or until your first week is over, unless you chose otherwise.",
    "daily": "These parcels wait. Each is sent an hour after the midnight that follows, or when you press Send.",
    "hold": "The study's sending is paused. These parcels are sent only if you press Send.",
}
_NOTHING_WAITS = "No parcel waits."
LEAVE_OUT = "To leave a row out, in a terminal: kairos study review --leave-out N.ROW"

_HELD = NoticeView("The study's sending is paused", "Parcels are made and stay here until you resume or let them go.")
_RESUMED = NoticeView(
    "The study's sending goes on", "You are asked before each parcel: in the tray menu, Look before it goes."
)
_LEFT = NoticeView(
    "You have left the study", "Nothing more is collected or sent, except the message to the researchers that you left."
)
_UNTOLD = NoticeView(
    "You have left the study",
    "Nothing more is collected or sent. Its folder is damaged, so nobody could be told: write to the researchers.",
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
        return "Study: closed by its researchers, today is its end"
    if study.day < 1:
        return "Study: the quiet time before day 1"
    return f"Study: day {min(study.day, study.days)} of {study.days}"


def view_review(reply: StudyReply) -> ReviewView:
    """Say what waits to be sent."""
    if not reply.parcels:
        return ReviewView(_NOTHING_WAITS, "", "")
    lines = [line for parcel in reply.parcels for line in _lines(parcel)]
    lead = _REVIEW_LEADS.get(reply.mode, _REVIEW_LEADS["ask"])
    return ReviewView(lead, "\n".join(lines), reply.parcels[-1].sha256)


def _lines(parcel: StudyParcel) -> list[str]:
    head = f"Parcel {parcel.n}: {parcel.size} bytes, SHA-256 {plain(parcel.sha256, 64)}"
    rows = [f"  {parcel.n}.{place}  {plain(row, ROW_LIMIT)}" for place, row in enumerate(parcel.rows, 1)]
    return [head, *rows, ""]


def view_reply(reply: StudyReply) -> NoticeView:
    """Say what became of a request."""
    if not reply.done:
        return NoticeView("That did not work", plain(reply.text, REPLY_LIMIT) or "See: kairos study status")
    match reply.request:
        case StudyRequest.HOLD:
            return _HELD
        case StudyRequest.RESUME:
            return _RESUMED
        case StudyRequest.LEAVE | StudyRequest.LEAVE_KEEP:
            return _LEFT if reply.told else _UNTOLD
        case _:
            parcels = "1 parcel is" if reply.released == 1 else f"{reply.released} parcels are"
            return NoticeView("Let go", f"{parcels} sent when the researchers' server can be reached.")
