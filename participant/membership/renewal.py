"""A new version of the study: nothing is sent until the person has answered it.

The sender stores a newer bundle, signed by the same key, in the outbox; from then on nothing is due there. What was
packed and never sent is held, and loses what is no longer agreed to.
"""

from collections.abc import Collection
from dataclasses import replace

import msgspec

from daemon.runtime.study.enrolment import study_day
from participant.delivery.outbox import AGREED, BUNDLE, ON_HOLD, PACKED, BrokerAddress, Outbox, ParcelState
from participant.delivery.writer import Writer
from participant.documents.bundle import Bundle, read_bundle
from participant.documents.plan import Plan, Sent
from participant.documents.private_files import replace_private
from participant.documents.rows import decode_rows
from participant.membership.consent import (
    Agreement,
    ConsentFile,
    agreement,
    answered_again,
    consent_row,
    encode_consent,
    open_writer,
    permitted_row,
    read_consent_file,
)
from participant.membership.describe import choose_language, describe_bundle
from participant.membership.folder import ParticipantFolder, joined_folder
from participant.membership.joining import enrolment_of, package_version
from participant.membership.lock import study_lock
from participant.membership.status import enrolment_in_force
from storage.clock import local_time
from storage.enrolment import Enrolment
from storage.errors import BadFile, UsageError
from storage.files import state_file
from storage.state.store import StateStore
from storage.study_text import can_join


def pending_bundle() -> Bundle:
    """Return the newer version of the study in force that the person has not answered."""
    with Outbox(_folder_in_force()[0].outbox) as outbox:
        return _pending(outbox)


def _folder_in_force() -> tuple[ParticipantFolder, Enrolment]:
    enrolment = enrolment_in_force()
    if enrolment is None:
        raise UsageError("you take part in no study", remedy="join one: kairos study join FILE")
    folder = joined_folder(enrolment.study)
    if not folder.outbox.is_file():
        raise BadFile(f"{folder.path} is damaged", remedy="leave the study: kairos study leave")
    return folder, enrolment


def _pending(outbox: Outbox) -> Bundle:
    known, agreed = outbox.fact(BUNDLE), outbox.fact(AGREED)
    if known is None or agreed is None or known == agreed:
        raise UsageError("there is no new version to answer", remedy="how it stands: kairos study status")
    return read_bundle(known, after=read_bundle(agreed))


def answer_again(bundle: Bundle, switches: Collection[str], language: str | None, now_wall_ns: int) -> Agreement:
    """Agree to a new version, which is in force from now on with the seed and the days as they were.

    Raises:
        UsageError: a still newer one has come meanwhile, or the switches do not fit.
        EnvironmentFault: something cannot be written; nothing is sent until it is answered again.
    """
    if not can_join(describe_bundle(bundle), switches):
        raise UsageError("nobody takes part with these switches", remedy="to take no part: kairos study leave")
    answer = agreement(
        bundle,
        tuple(switch for switch in bundle.plan.sends if switch in switches),
        choose_language(bundle, language),
        now_wall_ns,
    )
    with study_lock():
        folder, enrolment = _folder_in_force()
        writer = open_writer(folder)
        with Outbox(folder.outbox) as outbox:
            if _pending(outbox).digest != bundle.digest:
                raise UsageError("a still newer version has come", remedy="kairos study join --again")
            _narrow(outbox, writer, answer.sends)
            with StateStore(state_file()) as state:
                state.save_enrolment(_renewed(enrolment, bundle, writer, answer.sends))
            raw = outbox.fact(BUNDLE) or b""
            replace_private(folder.consent, encode_consent(_answered(folder, bundle, answer)))
            replace_private(folder.bundle, raw)
            outbox.save_address(_moved(outbox.address(), bundle.plan))  # while sending is still stopped
            _add_row(outbox, writer, enrolment, answer, now_wall_ns)
            outbox.save_fact(AGREED, raw)
    return answer


def _narrow(outbox: Outbox, writer: Writer, sends: tuple[Sent, ...]) -> None:
    """Take what is no longer agreed to out of what was never sent; that is held then until it is let go anew."""
    parcels = [parcel for parcel in outbox.parcels() if not parcel.tries and parcel.state is not ParcelState.RECEIVED]
    kept = [
        [row for packed in decode_rows(parcel.rows) if (row := permitted_row(packed, sends)) is not None]
        for parcel in parcels
    ]
    if any(list(decode_rows(parcel.rows)) != rows for parcel, rows in zip(parcels, kept, strict=True)):
        outbox.hold(sent_too=False)
        outbox.replace_held(writer.rewrite(parcels, kept), first=parcels[0].n)


def _renewed(enrolment: Enrolment, bundle: Bundle, writer: Writer, sends: tuple[Sent, ...]) -> Enrolment:
    found = enrolment_of(
        bundle.plan,
        arm=bundle.plan.arms[writer.invited.invitation.arm],
        participant=enrolment.participant,
        sends=sends,
        joined_wall_ns=0,
        seed=enrolment.seed,
    )
    return replace(found, first_day=enrolment.first_day, closed_on=enrolment.closed_on)


def _moved(address: BrokerAddress, plan: Plan) -> BrokerAddress:
    """Return where parcels go by the version that was agreed to; the login stays."""
    broker = plan.broker
    return msgspec.structs.replace(
        address, host=broker.host, port=broker.port, ca=broker.ca, receipts_key=plan.receipts_key
    )


def _answered(folder: ParticipantFolder, bundle: Bundle, answer: Agreement) -> ConsentFile:
    return answered_again(read_consent_file(folder.consent), bundle, answer)


def _add_row(outbox: Outbox, writer: Writer, enrolment: Enrolment, answer: Agreement, now_wall_ns: int) -> None:
    """Pack the answer as a row of its own, behind what waits."""
    row = consent_row(
        answer,
        day=min(study_day(enrolment, local_time(now_wall_ns).date()).day, enrolment.days),
        seed=enrolment.seed,
        key=writer.key.public,
        version=package_version(),
    )
    n, previous = outbox.chain()
    waits = outbox.fact(ON_HOLD) is not None or any(outbox.parcels(ParcelState.HELD))
    outbox.add(
        [writer.write([row], n=n, previous=previous)],
        first=n,
        state=ParcelState.HELD if waits else ParcelState.READY,
        now_wall_ns=now_wall_ns,
        packed=outbox.fact(PACKED) or b"",
    )
