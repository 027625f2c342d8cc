"""Joining a study, and answering a new version of one.

A folder is there as a whole or not at all, and last comes what puts the study into force. A join that is cut off
anywhere before has joined nothing: the daemon asks nothing and offers as before, and nothing is sent of a study that is
not in force. The next join removes what is left of it.

A newer bundle, signed by the same key, is stored in the outbox by the sender; from then on nothing is due there until
the person has answered it. What was packed and never sent is held, and loses what is no longer agreed to.
"""

import secrets
from collections.abc import Collection
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import msgspec

from daemon.runtime.control_client import send
from daemon.runtime.study.enrolment import first_study_day, study_day
from participant.delivery.outbox import AGREED, BUNDLE, ON_HOLD, PACKED, BrokerAddress, Outbox, ParcelState
from participant.delivery.review import Mode, start_review
from participant.delivery.writer import Writer
from participant.documents.bundle import Bundle, read_bundle
from participant.documents.invitation import MAX_INVITATION_BYTES, Invited, read_invitation
from participant.documents.keys import SIGNING_KIND, SigningKey, format_public, write_key
from participant.documents.plan import Plan, Sent
from participant.documents.private_files import destroy_folder, replace_private, write_private
from participant.documents.rows import decode_rows
from participant.membership.consent import (
    Agreement,
    ConsentFile,
    agreement,
    answered_again,
    consent_file,
    consent_row,
    encode_consent,
    open_writer,
    permitted_row,
    read_consent_file,
)
from participant.membership.describe import choose_language, describe_bundle
from participant.membership.folder import ParticipantFolder, joined_folder, studies_folder
from participant.membership.lock import study_lock
from participant.membership.status import ENDED, Membership, enrolment_in_force, joined_folders, membership_of
from storage.clock import local_time
from storage.enrolment import Enrolment, Phase, QuestionItem, QuestionPlan, StudyTask
from storage.errors import BadFile, EnvironmentFault, KairosError, UsageError
from storage.files import open_regular, private_folder, state_file, sync_folder
from storage.state.store import StateStore
from storage.study_text import can_join

DISTRIBUTION = "kairos-assistant"
SEED_BITS = 63
MAKING = ".joining"
"""The folder in which a joined study is made."""


def open_invitation(path: Path) -> Invited:
    """Return the invitation in a file, checked.

    Raises:
        BadFile: it is no plain file, damaged, changed, or asks for what no study may.
    """
    with open_regular(path, follow_links=True) as file:
        raw = file.read(MAX_INVITATION_BYTES + 1)
    try:
        return read_invitation(raw)
    except BadFile as error:
        raise BadFile(
            f"{path}: {error.what}", remedy=error.remedy or "ask whoever gave it to you for another"
        ) from None


def chosen(invited: Invited, switches: Collection[str]) -> tuple[Sent, ...]:
    """Return the switches that are on, in the order of the study.

    Raises:
        UsageError: none is, one is not part of the study, or needs another one.
    """
    view = describe_bundle(invited.bundle)
    offered = ", ".join(choice.code for choice in view.choices)
    if unknown := sorted(set(switches) - {choice.code for choice in view.choices}):
        raise UsageError(f"this study does not ask for {unknown[0]}", remedy=f"it asks for: {offered}")
    if not can_join(view, switches):
        raise UsageError(
            "nobody takes part with these switches: at least one must be on, and none without the one it needs",
            remedy=f"the study asks for: {offered}",
        )
    return tuple(switch for switch in invited.bundle.plan.sends if switch in switches)


def join(
    invited: Invited,
    switches: Collection[str],
    language: str | None,
    now_wall_ns: int,
    *,
    mode: Mode | None = None,
    seed: int | None = None,
) -> Enrolment:
    """Join a study; return what is in force from now on.

    `mode`: how they want to look at what is sent; None: asked in the first week, then daily. On hold, what they agreed
    to stays here too. `seed`: gives every lot; None draws one. A rehearsal gives its own, so that it can be repeated.

    Raises:
        UsageError: they take part in a study already, took part in this one, or agreed to nothing.
        BadFile: the data of the study in force is damaged.
        EnvironmentFault: something cannot be written; nothing is joined then.
    """
    sends = chosen(invited, switches)
    answer = agreement(invited.bundle, sends, choose_language(invited.bundle, language), now_wall_ns)
    with study_lock(), StateStore(state_file()) as state:
        _check_free(state, invited, now_wall_ns)
        enrolment = enrolment_of(
            invited.bundle.plan,
            arm=invited.arm,
            participant=invited.invitation.participant,
            sends=sends,
            joined_wall_ns=now_wall_ns,
            seed=secrets.randbits(SEED_BITS) if seed is None else seed,
        )
        folder = _make_folder(invited, answer, enrolment, mode)
        try:
            state.save_enrolment(enrolment)
        except KairosError:
            destroy_folder(folder.path)
            raise
    return enrolment


def enrolment_of(
    plan: Plan, *, arm: str, participant: str, sends: Collection[Sent], joined_wall_ns: int, seed: int
) -> Enrolment:
    """Return what the daemon acts on: the phases of one arm, and questions and tasks if they were agreed to."""
    phases = tuple(
        Phase(
            name=phase.name,
            days=phase.days,
            settings={f"policy.{name}": value for name, value in phase.policy_in(arm).values().items()},
        )
        for phase in plan.phases
    )
    return Enrolment(
        study=plan.name,
        participant=participant,
        title=plan.title,
        first_day=first_study_day(local_time(joined_wall_ns)),
        phases=phases,
        seed=seed,
        questions=_questions(plan) if Sent.QUESTIONS in sends else None,
        tasks=tuple(StudyTask(**msgspec.structs.asdict(task)) for task in plan.tasks) if Sent.TASKS in sends else (),
    )


def _questions(plan: Plan) -> QuestionPlan | None:
    if plan.prompts is None:
        return None
    return replace(
        QuestionPlan(),
        blocks=plan.prompts.random_per_day,
        apart_s=plan.prompts.apart_minutes * 60.0,
        event_probability=plan.prompts.event_probability,
        items=tuple(
            QuestionItem(code=question.code, text=question.text, choices=question.choices)
            for question in plan.questions
        ),
    )


def tell_daemon() -> bool:
    """Tell a running daemon that a study was joined, answered or left; return whether one runs."""
    try:
        send("study")
    except (EnvironmentFault, UsageError):  # none runs, or it will notice when its next session begins
        return False
    return True


def package_version() -> str:
    """Return the version of Kairos, as rows carry it."""
    return version(DISTRIBUTION)


# ---------------------------------------------------------------- before


def _check_free(state: StateStore, invited: Invited, now_wall_ns: int) -> None:
    """Check that the person can join, and remove what joins that were cut off have left.

    Raises:
        UsageError: they cannot.
    """
    last = state.last_answer()
    if last is not None and not last.journal:
        raise UsageError(
            "Kairos may not watch, since you took your consent back or refused it",
            remedy="without it there is no study; start Kairos and agree first: kairos run",
        )
    current = state.enrolment()
    destroy_folder(studies_folder() / MAKING)
    for folder in joined_folders():
        found = membership_of(folder, current, now_wall_ns)
        if found.standing is Membership.NOTHING_SENT:
            destroy_folder(folder.path)
    if current is not None:
        _check_current(current, invited, now_wall_ns)
    if joined_folder(invited.invitation.study).path.exists():
        raise UsageError(
            f"you took part in {invited.invitation.study} before, and nobody can take part twice",
            remedy="how it stands: kairos study status",
        )


def _check_current(current: Enrolment, invited: Invited, now_wall_ns: int) -> None:
    day = study_day(current, local_time(now_wall_ns).date())
    if current.study == invited.invitation.study:
        if current.participant != invited.invitation.participant:
            raise UsageError(
                f"you take part in {current.study} already, with another invitation",
                remedy="an invitation is for one person alone: give this one back",
            )
        if day.over:
            raise UsageError(f"the study {current.study} is over for you", remedy="how it stands: kairos study status")
        raise UsageError(f"you take part in {current.study} already", remedy="how it stands: kairos study status")
    folder = joined_folder(current.study)
    if not day.over:
        raise UsageError(
            f"you take part in {current.study}, and one study at a time is possible",
            remedy=f"wait until {current.last_day:%Y-%m-%d} has passed, or: kairos study leave",
        )
    if folder.outbox.exists():
        with Outbox(folder.outbox) as outbox:
            waiting = sum(parcel.state is not ParcelState.RECEIVED for parcel in outbox.parcels())
            if waiting:
                raise UsageError(
                    f"{current.study} is over, and not everything of it has arrived yet ({waiting})",
                    remedy="send it: kairos study review --send, kairos study work; or: kairos study leave --keep",
                )
            outbox.save_fact(ENDED, b"1")


# ---------------------------------------------------------------- the folder


def _make_folder(invited: Invited, answer: Agreement, enrolment: Enrolment, mode: Mode | None) -> ParticipantFolder:
    """Make the folder beside its place, and move it there when all of it is on the disk."""
    making = ParticipantFolder(private_folder(studies_folder() / MAKING))
    folder = joined_folder(enrolment.study)
    try:
        _fill_folder(making, invited, answer, enrolment, mode)
        sync_folder(making.path)
        making.path.rename(folder.path)
        sync_folder(folder.path.parent)
    except KairosError:
        destroy_folder(making.path)
        raise
    except OSError as error:
        destroy_folder(making.path)
        raise EnvironmentFault(
            f"{folder.path} cannot be made: {error.strerror}", remedy="nothing was joined"
        ) from error
    return folder


def _fill_folder(
    making: ParticipantFolder, invited: Invited, answer: Agreement, enrolment: Enrolment, mode: Mode | None
) -> None:
    key, participant, now_wall_ns = SigningKey.generate(), enrolment.participant, answer.at_wall_ns
    write_key(making.key, key)
    write_private(making.invitation, invited.raw)
    write_private(making.bundle, invited.invitation.bundle)
    consent = consent_file(invited.bundle, participant, format_public(SIGNING_KIND, key.public), (answer,))
    write_private(making.consent, encode_consent(consent))
    row = consent_row(answer, day=0, seed=enrolment.seed, key=key.public, version=package_version())
    with Outbox(making.outbox) as outbox:
        outbox.save_address(address_of(invited))
        outbox.save_fact(BUNDLE, invited.invitation.bundle)
        outbox.save_fact(AGREED, invited.invitation.bundle)
        start_review(outbox, now_wall_ns, mode)
        n, previous = outbox.chain()
        writer = Writer(invited=invited, key=key)
        parcel = writer.write([row], n=n, previous=previous, joining=invited.invitation.join(key))
        state = ParcelState.HELD if mode is Mode.HOLD else ParcelState.READY
        outbox.add([parcel], first=n, state=state, now_wall_ns=now_wall_ns, packed=b"")


def address_of(invited: Invited) -> BrokerAddress:
    """Return where the parcels of an invitation go."""
    plan = invited.bundle.plan
    return BrokerAddress(
        study=plan.name,
        participant=invited.invitation.participant,
        host=plan.broker.host,
        port=plan.broker.port,
        ca=plan.broker.ca,
        password=invited.password,
        receipts_key=plan.receipts_key,
    )


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
