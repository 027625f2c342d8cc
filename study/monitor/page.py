"""The page of a running study: one HTML file without scripts or anything from outside; every text is escaped."""

from collections.abc import Iterator, Sequence

from daemon.figures.page import heading, html_table, page, paragraph
from participant.documents.plan import Plan
from study.monitor.status import SILENT_HOURS, ContentStatus, DeliveryStatus


def monitor_page(plan: Plan, delivery: DeliveryStatus, content: ContentStatus | None, *, made: str) -> str:
    """Return the page as HTML; `made` is when, in words."""
    return page(f"{plan.title} ({plan.name}, version {plan.version})", _parts(delivery, content, made))


def _parts(delivery: DeliveryStatus, content: ContentStatus | None, made: str) -> Iterator[str]:
    yield paragraph(f"As of {made}.", "small")
    if delivery.overdue:
        yield paragraph(
            "1 deletion is overdue." if delivery.overdue == 1 else f"{delivery.overdue} deletions are overdue.", "loud"
        )
    rules = () if content is None else content.rules
    for rule in rules:
        if rule.reached:
            yield paragraph(f"The stopping rule {rule.measure} is reached.", "loud")
    if delivery.closed:
        yield paragraph("The study is closed.")
    yield html_table(
        ("invited", "joined", "left", "of them kept", "finished", "silent", "parcels"),
        [
            [
                f"{count:,}"
                for count in (
                    *(delivery.invited, delivery.joined, delivery.left, delivery.kept, delivery.finished),
                    *(len(delivery.silent), delivery.parcels),
                )
            ]
        ],
    )
    yield paragraph(
        "Of them kept: those who left and allow to keep what they sent. Finished: their days are over.", "small"
    )
    yield heading("Silent")
    yield paragraph(f"Nothing for {SILENT_HOURS} hours or more, and the study is not over for them.", "small")
    yield _table_or_none(
        ("participant", "hours since the last parcel"),
        [[person.participant, f"{person.hours:.0f}"] for person in sorted(delivery.silent, key=lambda who: -who.hours)],
    )
    yield heading("Gaps")
    yield _table_or_none(
        ("participant", "numbers missing"),
        [
            [gap.participant, ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in gap.missing[:20])]
            for gap in delivery.gaps
        ],
    )
    yield heading("Deletions due")
    yield _table_or_none(
        ("participant", "what is still there", "hours left"),
        [
            [due.participant, due.what, "overdue" if due.overdue else f"{due.hours_left:.0f}"]
            for due in sorted(delivery.due, key=lambda deletion: deletion.hours_left)
        ],
    )
    if content is None:
        yield paragraph("The keys are not on this machine: what the parcels hold is not shown.", "small")
        return
    yield heading("Answers by hour of the day")
    yield _table_or_none(
        ("hour", "questions due", "answered"),
        [[f"{hour.hour:02d}", f"{hour.due}", f"{hour.answered}"] for hour in content.hours],
    )
    yield heading("Balance of the assignments")
    by_arm = any(row.arm is not None for row in content.lots)
    yield paragraph(
        ("By arm." if by_arm else "All arms together: which arm somebody is in is not shown.")
        + " Expected: offers by the logged probabilities; z: the difference in standard errors. Beyond 3 or -3 "
        "something is wrong: kairos study audit --study.",
        "small",
    )
    yield _table_or_none(
        ("phase", *(("arm",) if by_arm else ()), "assignments", "offers", "expected", "z"),
        [
            [
                row.phase,
                *((row.arm or "",) if by_arm else ()),
                *(f"{row.lots}", f"{row.offers}", f"{row.expected:.1f}", f"{row.z:+.2f}"),
            ]
            for row in content.lots
        ],
    )
    yield heading("Stopping rules")
    yield paragraph(
        "Reached: the share is above the limit, from enough cases. bad_moments: answers to that question other than "
        "its first choice; dismissed, wrong: of offers whose end is known; left: of those who joined.",
        "small",
    )
    yield _table_or_none(
        ("measure", "share", "cases", "stop above", "from", ""),
        [
            [
                *(rule.measure, "no cases" if rule.share is None else f"{rule.share:.2f}", f"{rule.cases}"),
                *(f"{rule.above:.2f}", f"{rule.after} cases", "REACHED" if rule.reached else ""),
            ]
            for rule in content.rules
        ],
    )
    yield paragraph(f"Rows: {content.rows:,}. Parcels that could not be opened: {content.unreadable:,}.", "small")


def _table_or_none(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table, or that there is nothing in it: a head alone looks as if something had failed."""
    return html_table(heads, rows) if rows else paragraph("None.")
