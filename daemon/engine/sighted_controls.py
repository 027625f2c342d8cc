"""What the accessibility sense saw come back or stand there.

Names and texts are compared by their digests, in which numbers and quoted parts are masked: "line 12" and "line 14" are
the same error.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from daemon.engine.span import IN_VAIN, SPAN_NS, RecentSpan, seconds
from detectors.acts import UNDONE, UndoneSteps
from storage.clock import NS_PER_S
from storage.records import (
    ControlAct,
    ControlRole,
    DialogSeen,
    DocumentLoaded,
    EventKind,
    Focus,
    InputEvent,
    KeyClass,
    MessageClass,
    MessageSeen,
    Record,
    Sighting,
)

AGAIN = 2  # appearances of a message or dialog from which on it came back
PAGES = 3
APART_NS = NS_PER_S  # appearances closer than this are one: a message may be drawn twice
AFTER_NS = 15 * NS_PER_S  # an appearance within this time after an act on a control counts as having come after it
OPEN_NS = 10 * NS_PER_S
RECENT_ERROR_NS = 30 * NS_PER_S
SAME_ACT_NS = NS_PER_S // 2  # a key or click this close to an act on a control is that act
MARKED = frozenset({ControlRole.ENTRY, ControlRole.TEXT, ControlRole.COMBO_BOX, ControlRole.SPIN_BUTTON})
"""What a program marks as wrong: such a message holds the name of the entry, not words of the program."""

_CHOSEN = ("pressed", "chosen", "toggled")
_TYPING = (KeyClass.CHARACTER, KeyClass.BACKSPACE, KeyClass.DELETE, KeyClass.NAVIGATION, KeyClass.MODIFIER)


class Appearance(NamedTuple):
    """Something that appeared: when, the digest of its words, and whether in a dialog."""

    t_ns: int
    words: str
    in_dialog: bool


def find_in_controls(span: RecentSpan) -> Iterator[Sighting]:
    """Yield what was seen, the most telling first."""
    dialogs = [dialog for dialog in span.of_kind(DialogSeen) if dialog.about is MessageClass.ERROR]
    passwords = [dialog for dialog in span.of_kind(DialogSeen) if dialog.about is MessageClass.PASSWORD]
    errors = [error for error in span.of_kind(MessageSeen) if error.about is MessageClass.ERROR]
    formulas = [error for error in errors if _is_formula(error)]
    messages = [error for error in errors if error.role not in MARKED and not _is_formula(error)]
    entries = [error for error in errors if error.role in MARKED]
    yield from _returns(span, [*map(_of_message, messages), *map(_of_dialog, dialogs)])
    yield from _returns(span, list(map(_of_message, entries)), "entry", place="entry")
    yield from _formulas(span, formulas)
    yield from _returns(span, list(map(_of_dialog, passwords)), "password")
    yield from _in_vain(span)
    yield from _open_error(span, dialogs)
    yield from _undone(span)
    yield from _pages(span)
    yield from _recent(span, messages, "error_seen", "message")
    yield from _recent(span, entries, "entry_seen", "entry")


def _of_message(message: MessageSeen) -> Appearance:
    return Appearance(message.t_ns, message.text_digest, in_dialog=False)


def _of_dialog(dialog: DialogSeen) -> Appearance:
    return Appearance(dialog.t_ns, dialog.text_digest or dialog.title_digest, in_dialog=True)


def _returns(
    span: RecentSpan, appearances: Sequence[Appearance], what: str = "", place: str = "message"
) -> Iterator[Sighting]:
    """Yield what appeared again after the person had acted, the most frequent first; `place` is that of its words."""
    groups: dict[str, list[Appearance]] = defaultdict(list)
    for appearance in sorted(appearances):
        group = groups[appearance.words]
        if group and not _is_apart(span, group[-1], appearance):  # a dialog's text may be reported by itself as well
            group[-1] = group[-1]._replace(in_dialog=group[-1].in_dialog or appearance.in_dialog)
        elif appearance.words:
            group.append(appearance)
    for group in sorted(groups.values(), key=lambda group: (-len(group), group[-1:])):
        if len(group) < AGAIN:
            continue
        noun = what or ("dialog" if all(appearance.in_dialog for appearance in group) else "message")
        digests = {place: group[-1].words}
        control = None if what == "password" else _control_before_each(span, group)
        if control is not None:
            digests["control"] = control
        yield _sighting(
            f"{noun}_again" if control is None else f"{noun}_after_control",
            {"count": float(len(group)), "span_s": seconds(group[0].t_ns, group[-1].t_ns)},
            digests,
        )


def _is_formula(error: MessageSeen) -> bool:
    """Return whether an error is that of a formula, which has no words; an error in a list has."""
    return error.role is ControlRole.CELL and not error.text_digest


def _formulas(span: RecentSpan, errors: Sequence[MessageSeen]) -> Iterator[Sighting]:
    """Yield formulas that had no result, once after the other, in whatever cells."""
    found = [before.t_ns for before, one in pairwise(errors) if span.acted_between(before.t_ns, one.t_ns)]
    if len(found) + 1 >= AGAIN:
        numbers = {"count": float(len(found) + 1), "span_s": seconds(found[0], errors[-1].t_ns)}
        yield _sighting("formula_again", numbers, {})


def _is_apart(span: RecentSpan, before: Appearance, one: Appearance) -> bool:
    return one.t_ns - before.t_ns >= APART_NS and span.acted_between(before.t_ns, one.t_ns)


def _control_before_each(span: RecentSpan, group: Sequence[Appearance]) -> str | None:
    """Return the control that was the last thing used before each appearance; None if it was not the same each time."""
    used = {_last_control(span, appearance.t_ns) for appearance in group}
    return used.pop() or None if len(used) == 1 else None


def _last_control(span: RecentSpan, t_ns: int) -> str:
    """Return the control used last before a time, by its name; empty where that is not known.

    What was pressed is not always known: a press after the last known one, or a key that is no typing, leaves it open.
    """
    before = span.between(t_ns - AFTER_NS, t_ns)
    act = next(
        (record for record in reversed(before) if isinstance(record, ControlAct) and record.what in _CHOSEN), None
    )
    if act is None or any(record.t_ns > act.t_ns + SAME_ACT_NS and _may_press(record) for record in before):
        return ""
    return act.name_digest


def _may_press(record: Record) -> bool:
    if not isinstance(record, InputEvent):
        return False
    if record.kind is EventKind.KEY:
        return record.key_class not in _TYPING
    return record.kind in (EventKind.BUTTON_DOWN, EventKind.PROTECTED)


def _in_vain(span: RecentSpan) -> Iterator[Sighting]:
    """Yield the control that was pressed last, if nothing was seen to come of that several times in a row."""
    run: list[ControlAct] = []
    for act in span.of_kind(ControlAct):
        if act.what != "pressed" or not span.is_without_effect(act.t_ns, act.box):
            run = []
        elif run and _identity(run[-1]) != _identity(act):
            run = [act]
        else:
            run.append(act)
    if len(run) >= IN_VAIN:
        numbers = {"count": float(len(run)), "span_s": seconds(run[0].t_ns, run[-1].t_ns)}
        yield _sighting("control_in_vain", numbers, {"control": run[-1].name_digest})


def _identity(act: ControlAct) -> tuple[object, ...]:
    return act.app, act.role, act.name_digest, act.state, None if act.name_digest else act.box


def _open_error(span: RecentSpan, dialogs: Sequence[DialogSeen]) -> Iterator[Sighting]:
    """Yield the newest error dialog if it still has the keyboard: no other window has come to the front since."""
    focus = next((record for record in reversed(span.here) if isinstance(record, Focus) and not record.own), None)
    if not dialogs or focus is None or not focus.dialog:
        return
    dialog = dialogs[-1]
    age_ns = span.now_ns - max(dialog.t_ns, focus.t_ns)
    if abs(focus.t_ns - dialog.t_ns) <= APART_NS and age_ns >= OPEN_NS:
        numbers = {"age_s": float(age_ns // NS_PER_S)}
        yield _sighting("error_open", numbers, {"message": dialog.text_digest or dialog.title_digest})


def _undone(span: RecentSpan) -> Iterator[Sighting]:
    """Yield the kind of step that was undone most: the program had named it as what the next undo takes back."""
    steps = UndoneSteps()
    undone: dict[str, list[InputEvent]] = defaultdict(list)
    goes: dict[str, int] = defaultdict(int)
    for record in span.here:
        label = steps.take(record)
        if label and isinstance(record, InputEvent) and record.t_ns >= span.now_ns - SPAN_NS:
            goes[label] += steps.anew
            undone[label].append(record)
    for digest, presses in sorted(undone.items(), key=lambda item: -sum(press.count for press in item[1])):
        count = sum(press.count for press in presses)
        if count >= UNDONE and goes[digest] >= AGAIN:
            numbers = {
                "count": float(count),
                "tries": float(goes[digest]),
                "span_s": seconds(presses[0].t_ns, presses[-1].t_ns),
            }
            yield _sighting("step_undone", numbers, {"step": digest})


def _pages(span: RecentSpan) -> Iterator[Sighting]:
    groups: dict[str, list[DocumentLoaded]] = defaultdict(list)
    for page in span.of_kind(DocumentLoaded):
        group = groups[page.title_digest]
        if not page.title_digest or (group and not span.acted_between(group[-1].t_ns, page.t_ns)):
            continue
        group.append(page)
    for digest, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        if len(group) >= PAGES:
            numbers = {"count": float(len(group)), "span_s": seconds(group[0].t_ns, group[-1].t_ns)}
            yield _sighting("page_again", numbers, {"page": digest})


def _recent(span: RecentSpan, messages: Sequence[MessageSeen], code: str, place: str) -> Iterator[Sighting]:
    """Yield the newest of the messages, unless a page was loaded since; whether it still stands is not seen."""
    if not messages or span.now_ns - messages[-1].t_ns > RECENT_ERROR_NS:
        return
    newest = messages[-1]
    if any(isinstance(record, DocumentLoaded) for record in span.between(newest.t_ns, span.now_ns)):
        return
    numbers = {"age_s": float(max(1, (span.now_ns - newest.t_ns) // NS_PER_S))}
    yield _sighting(code, numbers, {place: newest.text_digest})


def _sighting(code: str, numbers: Mapping[str, float], digests: Mapping[str, str]) -> Sighting:
    return Sighting(code=code, numbers=numbers, digests={place: digest for place, digest in digests.items() if digest})
