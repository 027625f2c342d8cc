"""What the accessibility sense saw come back or stand there.

Names and texts are compared by their digests, in which numbers and quoted parts are masked: "line 12" and "line 14" are
the same error.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from daemon.engine.sightings.span import SPAN_NS, Span, seconds
from storage.clock import NS_PER_S
from storage.records import (
    Box,
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
    UndoLabel,
)

AGAIN = 2
"""Appearances of a message or dialog from which on it came back."""

IN_VAIN = 3
UNDONE = 3
PAGES = 3
APART_NS = NS_PER_S
"""Appearances so close to each other are one: a message may be drawn twice."""

AFTER_NS = 15 * NS_PER_S
"""So long after an act on a control an appearance counts as having come after it."""

OPEN_NS = 10 * NS_PER_S
RECENT_ERROR_NS = 30 * NS_PER_S
MARGIN_PX = 6
"""A pressed control may draw so far around its box: shadow, focus ring."""

SAME_ACT_NS = NS_PER_S // 2
"""A key or click so close to an act on a control is that act."""

MARKED = frozenset({ControlRole.ENTRY, ControlRole.TEXT, ControlRole.COMBO_BOX, ControlRole.SPIN_BUTTON})
"""What a program marks as wrong: such a message holds the name of the entry, not words of the program."""

_CHOSEN = ("pressed", "chosen", "toggled")
_TYPING = (KeyClass.CHARACTER, KeyClass.BACKSPACE, KeyClass.DELETE, KeyClass.NAVIGATION, KeyClass.MODIFIER)


class Appearance(NamedTuple):
    """Something that appeared: when, the digest of its words, and whether in a dialog."""

    t_ns: int
    words: str
    in_dialog: bool


def find_in_controls(span: Span) -> Iterator[Sighting]:
    """Yield what was seen, the most telling first."""
    dialogs = [one for one in span.of_kind(DialogSeen) if one.about is MessageClass.ERROR]
    passwords = [one for one in span.of_kind(DialogSeen) if one.about is MessageClass.PASSWORD]
    errors = [one for one in span.of_kind(MessageSeen) if one.about is MessageClass.ERROR]
    formulas = [one for one in errors if _is_formula(one)]
    messages = [one for one in errors if one.role not in MARKED and not _is_formula(one)]
    entries = [one for one in errors if one.role in MARKED]
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
    span: Span, appearances: Sequence[Appearance], what: str = "", place: str = "message"
) -> Iterator[Sighting]:
    """Yield what appeared again after the person had acted, the most frequent first; `place` is that of its words."""
    groups: dict[str, list[Appearance]] = defaultdict(list)
    for one in sorted(appearances):
        group = groups[one.words]
        if group and not _is_apart(span, group[-1], one):  # the text of a dialog may be reported by itself as well
            group[-1] = group[-1]._replace(in_dialog=group[-1].in_dialog or one.in_dialog)
        elif one.words:
            group.append(one)
    for group in sorted(groups.values(), key=lambda group: (-len(group), group[-1:])):
        if len(group) < AGAIN:
            continue
        noun = what or ("dialog" if all(one.in_dialog for one in group) else "message")
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


def _formulas(span: Span, errors: Sequence[MessageSeen]) -> Iterator[Sighting]:
    """Yield formulas that had no result, once after the other, in whatever cells."""
    found = [before.t_ns for before, one in pairwise(errors) if span.acted_between(before.t_ns, one.t_ns)]
    if len(found) + 1 >= AGAIN:
        numbers = {"count": float(len(found) + 1), "span_s": seconds(found[0], errors[-1].t_ns)}
        yield _sighting("formula_again", numbers, {})


def _is_apart(span: Span, before: Appearance, one: Appearance) -> bool:
    return one.t_ns - before.t_ns >= APART_NS and span.acted_between(before.t_ns, one.t_ns)


def _control_before_each(span: Span, group: Sequence[Appearance]) -> str | None:
    """Return the control that was the last thing used before each appearance; None if it was not the same each time."""
    used = {_last_control(span, one.t_ns) for one in group}
    return used.pop() or None if len(used) == 1 else None


def _last_control(span: Span, t_ns: int) -> str:
    """Return the control used last before a time, by its name; empty where that is not known.

    What was pressed is not always known: a press after the last known one, or a key that is no typing, leaves it open.
    """
    before = span.between(t_ns - AFTER_NS, t_ns)
    act = next((one for one in reversed(before) if isinstance(one, ControlAct) and one.what in _CHOSEN), None)
    if act is None or any(one.t_ns > act.t_ns + SAME_ACT_NS and _may_press(one) for one in before):
        return ""
    return act.name_digest


def _may_press(record: Record) -> bool:
    if not isinstance(record, InputEvent):
        return False
    if record.kind is EventKind.KEY:
        return record.key_class not in _TYPING
    return record.kind in (EventKind.BUTTON_DOWN, EventKind.PROTECTED)


def _in_vain(span: Span) -> Iterator[Sighting]:
    """Yield the control that was pressed last, if nothing was seen to come of that several times in a row."""
    run: list[ControlAct] = []
    for act in span.of_kind(ControlAct):
        if act.what != "pressed" or not span.is_without_effect(act.t_ns, _around(act.box)):
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


def _around(box: Box | None) -> Box | None:
    if box is None:
        return None
    return Box(box.x - MARGIN_PX, box.y - MARGIN_PX, box.w + 2 * MARGIN_PX, box.h + 2 * MARGIN_PX)


def _open_error(span: Span, dialogs: Sequence[DialogSeen]) -> Iterator[Sighting]:
    """Yield the newest error dialog if it still has the keyboard: no other window has come to the front since."""
    focus = next((one for one in reversed(span.here) if isinstance(one, Focus) and not one.own), None)
    if not dialogs or focus is None or not focus.dialog:
        return
    dialog = dialogs[-1]
    age_ns = span.now_ns - max(dialog.t_ns, focus.t_ns)
    if abs(focus.t_ns - dialog.t_ns) <= APART_NS and age_ns >= OPEN_NS:
        numbers = {"age_s": float(age_ns // NS_PER_S)}
        yield _sighting("error_open", numbers, {"message": dialog.text_digest or dialog.title_digest})


def _undone(span: Span) -> Iterator[Sighting]:
    """Yield the kind of step that was undone most: the program had named it as what the next undo takes back."""
    label = ""
    undone: dict[str, list[InputEvent]] = defaultdict(list)
    goes: dict[str, int] = defaultdict(int)
    acted = True
    for record in span.here:
        if isinstance(record, UndoLabel):
            label = record.label_digest
        elif isinstance(record, InputEvent) and _is_key(record, KeyClass.UNDO):
            if label and record.t_ns >= span.now_ns - SPAN_NS:
                goes[label] += acted
                undone[label].append(record)
            acted = False
        elif _does_work(record):
            acted = True
    for digest, presses in sorted(undone.items(), key=lambda item: -sum(press.count for press in item[1])):
        count = sum(press.count for press in presses)
        if count >= UNDONE and goes[digest] >= AGAIN:
            numbers = {
                "count": float(count),
                "tries": float(goes[digest]),
                "span_s": seconds(presses[0].t_ns, presses[-1].t_ns),
            }
            yield _sighting("step_undone", numbers, {"step": digest})


def _is_key(event: InputEvent, key_class: KeyClass) -> bool:
    return event.kind is EventKind.KEY and event.key_class is key_class


def _does_work(record: Record) -> bool:
    if not isinstance(record, InputEvent):
        return False
    if record.kind is EventKind.KEY:
        return record.key_class not in (KeyClass.MODIFIER, KeyClass.UNDO, KeyClass.REDO)
    return record.kind is EventKind.BUTTON_DOWN


def _pages(span: Span) -> Iterator[Sighting]:
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


def _recent(span: Span, messages: Sequence[MessageSeen], code: str, place: str) -> Iterator[Sighting]:
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
