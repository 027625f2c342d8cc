"""What a program is asked: what a control is, and what a dialog says. Never a walk of a window.

Children are counted before they are fetched, and never fetched from tables, lists and trees, which may hold millions.
"""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from daemon.capture.accessibility.atspi.connection import Connection, Refused, Unanswered
from daemon.capture.accessibility.atspi.roles import (
    ACTIVE,
    EDITABLE,
    FOCUSED,
    HOLDS_LABELS,
    LABELLED_BY,
    MULTI_LINE,
    PARAGRAPH,
    PASSWORD,
    PLAIN_TEXT,
    has_state,
    role_of,
    state_of,
)
from daemon.capture.accessibility.reports import has_failed
from daemon.capture.accessibility.source import Control
from daemon.capture.accessibility.words import names_secret
from storage.records import Box, ControlRole, ControlState

ACCESSIBLE = "org.a11y.atspi.Accessible"
APPLICATION = "org.a11y.atspi.Application"
COMPONENT = "org.a11y.atspi.Component"
TABLE = "org.a11y.atspi.Table"
TEXT = "org.a11y.atspi.Text"
PROPERTIES = "org.freedesktop.DBus.Properties"
ROOT = "/org/a11y/atspi/accessible/root"
NOTHING = "/org/a11y/atspi/null"
LABELS_S = 0.3
MAX_CHILDREN = 40
MAX_QUESTIONS = 44
MAX_DEPTH = 8
MAX_WINDOWS = 24
MAX_NAME = 2000
MAX_COLUMNS = 4
ROWS_ABOVE = 8
EMBEDDED = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands in a text for an object in it, such as a button."""

SCREEN = 0
FIELDS = (ControlRole.TEXT, ControlRole.ENTRY)
"""Roles of what is typed into; one may be a password field of GTK 4."""

_TYPE_NAME = re.compile(r"(Gtk|Adw)[A-Z]\w+", re.ASCII)
_TYPE_OF_FIELD = re.compile(r"([A-Z][a-z]+)+(Entry|Text|View)", re.ASCII)
"""What GTK 4 calls a control that nobody gave a name: by the type of its widget. People hardly call a field so."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What a dialog says, in reading order, whether it holds a password field, and whether all of it was read.

    `questions` are those that it took.
    """

    text: str = ""
    asks_password: bool = False
    complete: bool = True
    questions: int = 0


async def role_number(connection: Connection, name: str, path: str, *, urgent: bool = False) -> int:
    """Return the number of a control's role.

    Raises:
        Unanswered: the program does not say.
    """
    found = await connection.ask(name, path, ACCESSIBLE, "GetRole", urgent=urgent)
    if not isinstance(found, int):
        raise Unanswered
    return found


async def name_of(connection: Connection, name: str, path: str) -> str:
    """Return a control's name.

    Raises:
        Unanswered: the program does not say.
    """
    found = await connection.property(name, path, ACCESSIBLE, "Name")
    return found[:MAX_NAME] if isinstance(found, str) else ""


async def toolkit_of(connection: Connection, name: str, *, urgent: bool = False) -> str:
    """Return what a program is built with, by the name that the toolkit gives itself.

    Raises:
        Unanswered: the program does not say.
    """
    found = await connection.ask(name, ROOT, PROPERTIES, "Get", "ss", APPLICATION, "ToolkitName", urgent=urgent)
    return found if isinstance(found, str) else ""


def without_type(name: str, role: ControlRole | None = None) -> str:
    """Return a name in GTK 4; nothing where it is only the type of a widget."""
    is_type = _TYPE_NAME.fullmatch(name) or (role in FIELDS and _TYPE_OF_FIELD.fullmatch(name))
    return "" if is_type else name


async def names_secret_of(connection: Connection, name: str, path: str) -> bool:
    """Return whether a field is called a password, itself or, where it has no name, by its label. Neither is kept.

    It counts as one where the program is late to say so.
    """
    try:
        own = await _urgent_name(connection, name, path)
        if without_type(own, ControlRole.ENTRY):
            return names_secret(own)
        label = label_in(await connection.ask(name, path, ACCESSIBLE, "GetRelationSet", urgent=True))
        return label is not None and names_secret(await _urgent_name(connection, name, label))
    except Refused:
        return False
    except Unanswered:
        return True


async def _urgent_name(connection: Connection, name: str, path: str) -> str:
    found = await connection.ask(name, path, PROPERTIES, "Get", "ss", ACCESSIBLE, "Name", urgent=True)
    return found if isinstance(found, str) else ""


async def label_of(connection: Connection, name: str, path: str) -> str:
    """Return the words of what labels a control; none if nothing does, or the program does not say."""
    with contextlib.suppress(Unanswered):
        label = label_in(await connection.ask(name, path, ACCESSIBLE, "GetRelationSet"))
        if label is not None:
            return await name_of(connection, name, label)
    return ""


async def text_of(connection: Connection, name: str, path: str) -> str:
    """Return the text that a part of a page shows itself; Firefox has no objects for it. Never of what can be typed in.

    Raises:
        Unanswered: the program does not say.
    """
    if has_state(await connection.ask(name, path, ACCESSIBLE, "GetState"), EDITABLE):
        return ""
    length = await connection.property(name, path, TEXT, "CharacterCount")
    if not isinstance(length, int) or length <= 0:
        return ""
    found = await connection.ask(name, path, TEXT, "GetText", "ii", 0, min(length, MAX_NAME))
    return found.replace(EMBEDDED, " ").strip() if isinstance(found, str) else ""


async def is_of_many_lines(connection: Connection, name: str, path: str) -> bool:
    """Return whether a text has many lines.

    Raises:
        Unanswered: the program does not say.
    """
    return has_state(await connection.ask(name, path, ACCESSIBLE, "GetState"), MULTI_LINE)


async def written_in(
    connection: Connection, name: str, path: str, span: tuple[int, int], may: Callable[[], Awaitable[bool]]
) -> str:
    """Return what stands between two places of a text of many lines; nothing of any other control.

    A paragraph of a document is none, nor is what has the keyboard, or a field of one line. `may` is asked before each
    question.

    Raises:
        Unanswered: the program does not say.
    """
    if not await may() or await role_number(connection, name, path) != PLAIN_TEXT or not await may():
        return ""
    states = await connection.ask(name, path, ACCESSIBLE, "GetState")
    if has_state(states, FOCUSED) or not has_state(states, MULTI_LINE) or not await may():
        return ""
    found = await connection.ask(name, path, TEXT, "GetText", "ii", *span)
    return found if isinstance(found, str) else ""


async def lacks_result(connection: Connection, name: str, path: str) -> bool:
    """Return whether a cell has a formula and shows nothing: in LibreOffice one with an error has no text.

    Its formula comes with the answer, and only whether there is one is looked at.

    Raises:
        Unanswered: the program does not say, or its cells are others.
    """
    if await connection.property(name, path, TEXT, "CharacterCount") != 0:
        return False
    found = await connection.ask(name, path, ACCESSIBLE, "GetAttributes")
    return isinstance(found, Mapping) and bool(found.get("Formula"))


async def cell_name(connection: Connection, name: str, path: str, row: int, column: int) -> str:
    """Return what a cell of a list says.

    Raises:
        Unanswered: the program does not say.
    """
    cell = object_path(await connection.ask(name, path, TABLE, "GetAccessibleAt", "ii", row, column))
    return await name_of(connection, name, cell) if cell is not None else ""


async def lines_of(connection: Connection, name: str, path: str, first: int, row: int) -> list[str]:
    """Return what rows of a list say, each in one line: from a first one on down to one that was added.

    Those above it are read only where that one says that something failed, since it may not say what.

    Raises:
        Unanswered: the program does not say.
    """
    columns = await connection.property(name, path, TABLE, "NColumns")
    many = min(columns, MAX_COLUMNS) if isinstance(columns, int) else 1

    async def line(number: int) -> str:
        return " ".join(filter(None, [await cell_name(connection, name, path, number, one) for one in range(many)]))

    added = await line(row)
    above = range(max(first, row - ROWS_ABOVE), row) if has_failed(added) else ()
    return [*[await line(number) for number in above], added]


async def box_of(connection: Connection, name: str, path: str, *, urgent: bool = False) -> Box | None:
    """Return where a control is on the desktop; None if it has no place.

    Raises:
        Unanswered: the program does not say.
    """
    return box_from(await connection.ask(name, path, COMPONENT, "GetExtents", "u", SCREEN, urgent=urgent))


def box_from(found: object) -> Box | None:
    """Return the box of an answer; None if it has no room."""
    if isinstance(found, Sequence) and len(found) == 4 and all(isinstance(n, int) for n in found):  # noqa: PLR2004  # x, y, width, height
        box = Box(*found)
        return box if box.w > 0 and box.h > 0 else None
    return None


async def describe(
    connection: Connection, name: str, path: str, role: ControlRole | None = None, *, is_plain: bool = False
) -> Control:
    """Return what a control is: role, if it is not known, name, state and place.

    With `is_plain` its state is known to be plain, and not asked.

    Raises:
        Unanswered: the program does not say.
    """
    if role is None:
        role = role_of(await role_number(connection, name, path))
    if is_plain:
        text, states = await name_of(connection, name, path), None
    else:
        text, states = await asyncio.gather(
            name_of(connection, name, path), connection.ask(name, path, ACCESSIBLE, "GetState")
        )
    try:
        box = await box_of(connection, name, path)
    except Unanswered:
        box = None
    shown = "" if role is ControlRole.PASSWORD else text
    state = ControlState.PLAIN if is_plain else state_of(role, states)
    return Control(key=path, role=role, name=shown, state=state, box=box)


async def windows_of(connection: Connection, name: str) -> list[str]:
    """Return the objects of a program's windows; none where it has too many.

    Raises:
        Unanswered: the program does not say.
    """
    return await _children(connection, name, ROOT, MAX_WINDOWS)


async def active_window(connection: Connection, name: str) -> str | None:
    """Return the object of a program's active window.

    Raises:
        Unanswered: the program does not say.
    """
    for path in await windows_of(connection, name):
        if has_state(await connection.ask(name, path, ACCESSIBLE, "GetState"), ACTIVE):
            return path
    return None


async def labels(connection: Connection, name: str, path: str) -> Labels:
    """Return what a dialog says, as far as it does so in time."""
    texts: list[str] = []
    asks_password, complete = False, True
    left = MAX_QUESTIONS

    async def look(path: str, depth: int) -> None:
        nonlocal asks_password, left
        if depth > MAX_DEPTH or left <= 0:
            return
        for child in await _children(connection, name, path, MAX_CHILDREN):
            left -= 2
            if left <= 0:
                return
            number = await role_number(connection, name, child)
            if number == PASSWORD:
                asks_password = True
            elif number in HOLDS_LABELS:
                await look(child, depth + 1)
            elif role_of(number) in (ControlRole.LABEL, ControlRole.NOTIFICATION) or number == PARAGRAPH:
                text = await name_of(connection, name, child)
                if text:
                    texts.append(text)
                elif number == PARAGRAPH:  # of a page: its words are below it, or in it
                    before = len(texts)
                    await look(child, depth + 1)
                    if len(texts) == before and (text := await text_of(connection, name, child)):
                        texts.append(text)

    try:
        async with asyncio.timeout(LABELS_S):
            await look(path, 0)
            if not texts:
                with contextlib.suppress(Refused):  # few dialogs have a text of their own
                    texts += filter(None, [await text_of(connection, name, path)])
    except (TimeoutError, Unanswered):
        complete = False  # what was read until then is better than nothing
    return Labels("\n".join(texts)[:MAX_NAME], asks_password, complete, MAX_QUESTIONS - left)


async def _children(connection: Connection, name: str, path: str, most: int) -> list[str]:
    count = await connection.property(name, path, ACCESSIBLE, "ChildCount")
    if not isinstance(count, int) or not 0 < count <= most:
        return []
    found = await connection.ask(name, path, ACCESSIBLE, "GetChildren")
    paths = [object_path(child) for child in found[:most]] if isinstance(found, Sequence) else []
    return [path for path in paths if path is not None]


def object_path(reference: object) -> str | None:
    """Return the path of a reference to an object of the same program."""
    if isinstance(reference, Sequence) and len(reference) == 2 and isinstance(reference[1], str):  # noqa: PLR2004  # name and path
        return None if reference[1] == NOTHING else reference[1]
    return None


def label_in(relations: object) -> str | None:
    """Return the object that labels a control, by its relations to others."""
    for relation in relations if isinstance(relations, Sequence) else ():
        match relation:
            case [kind, [target, *_]] if kind == LABELLED_BY and (label := object_path(target)) is not None:
                return label
            case _:
                pass
    return None
