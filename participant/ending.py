"""Ends a study that its researchers have closed: what the sender stored is checked again and put into force.

The sender opens the outbox alone, so it cannot; the hourly work, `send` and `receive` do it after it. The date of the
closing becomes the person's last day: offers, lots and questions end with it, and what was packed is still sent.
"""

import datetime as dt

from participant.answers import check_closing
from participant.folder import ParticipantFolder
from participant.outbox import BUNDLE, CLOSED, Outbox
from storage.enrolment import EPOCH
from storage.errors import BadFile
from storage.paths import state_file
from storage.state.store import StateStore
from storage.translation import translatable


def end_closed_study(folder: ParticipantFolder) -> bool:
    """Put the signed end of a study into force; return whether it was not before. The caller holds the lock.

    Raises:
        BadFile: what is stored is damaged, or not what the researchers signed.
        EnvironmentFault: something cannot be read or written.
    """
    last_day = closing_day(folder)
    if last_day is None or not state_file().exists():
        return False
    with StateStore(state_file()) as state:
        return state.close_enrolment(folder.study, last_day)


def closing_day(folder: ParticipantFolder) -> dt.date | None:
    """Return the day on which the researchers closed a study; None if nothing says that they did.

    Raises:
        BadFile: what is stored is damaged, or not what the researchers signed.
        EnvironmentFault: it cannot be read.
    """
    if not folder.outbox.exists():
        return None
    with Outbox(folder.outbox) as outbox:
        return closing_day_in(outbox)


def closing_day_in(outbox: Outbox) -> dt.date | None:
    """Return the same from an outbox that is open.

    Raises:
        BadFile: what is stored is damaged, or not what the researchers signed.
    """
    raw = outbox.fact(CLOSED)
    if raw is None:
        return None
    try:
        return EPOCH + dt.timedelta(days=check_closing(raw, outbox.fact(BUNDLE)).date)
    except BadFile as error:
        raise BadFile(error.what, remedy=translatable("leave the study: kairos study leave")) from None
