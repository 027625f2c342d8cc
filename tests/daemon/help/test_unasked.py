"""What an offer brings that nobody asked for: commands weigh pages, a model's words name one, or it asks back."""

from dataclasses import replace

import pytest

from daemon.help.commands.command import Command, CommandList
from daemon.help.content import FittingPage
from daemon.help.context import CAME_BACK, HelpContext, HelpMatch
from daemon.help.unasked import KnownCommands, asks_what_for, is_question_better, wanted_command, weigh
from storage.ports import HelpPage, HelpStep
from storage.records import ControlRole, ControlState

CALC = KnownCommands(
    CommandList(
        app="calc",
        commands=(
            Command(path=("Format", "Cells")),
            Command(path=("Tools", "Protect Sheet"), state=ControlState.DISABLED),
            Command(path=("View", "Freeze Cells", "Freeze First Row")),
        ),
        language="en",
    )
)


def page(name: str, *paths: tuple[str, ...], score: float = 0.4) -> HelpMatch:
    steps = tuple(HelpStep(text="Do it", controls=path) for path in paths)
    return HelpMatch(page=HelpPage(page_id=name, title=name, steps=steps, source="Help"), score=score)


CELLS = page("cells", ("Format", "Cells...", "Cell Protection"), score=0.5)
SHEET = page("sheet", ("Tools", "Protect Sheet"))
OLD = page("old", ("Window", "Freeze"))
BOTH = page("both", ("Format", "Cells"), ("Tools", "Protect Sheet"), score=0.45)
SILENT = page("silent", ("OK",), (), score=0.3)


def ordered(
    *matches: HelpMatch, limit: int = 3, controls: tuple[str, ...] = (), undone: tuple[str, ...] = ()
) -> list[str]:
    found = weigh(matches, HelpContext(app="calc", controls=controls, undone=undone), CALC, limit)
    return [match.page.page_id for match in found]


def test_a_page_about_nothing_but_what_was_used_just_now_comes_later() -> None:
    assert ordered(CELLS, SHEET) == ["cells", "sheet"]
    assert ordered(CELLS, SHEET, controls=("Format", "Cells...")) == ["sheet", "cells"]
    assert ordered(CELLS, BOTH, undone=("cells",)) == ["both", "cells"]


def test_pages_are_weighed_without_what_finds_commands_by_words() -> None:
    """It takes a second on a busy machine, while an offer waits."""
    known = KnownCommands(CALC.commands)
    context = HelpContext(app="calc")
    weigh([], context, known, 3)
    assert wanted_command(context, known, []) is None
    assert "matcher" not in vars(known)
    assert known.matcher is known.matcher


def test_of_equal_pages_the_one_comes_first_whose_path_is_in_the_program_greyed_or_not() -> None:
    assert ordered(OLD, SHEET, SILENT) == ["sheet", "old", "silent"]
    assert ordered(OLD, SHEET, SILENT, limit=1) == ["sheet"]


def test_a_path_is_there_as_far_as_it_is_a_menu_and_with_menus_left_out() -> None:
    assert CALC.names_in(CELLS.page) == [("cells",)]
    assert CALC.names_in(page("short", ("View", "Freeze First Row")).page) == [("freeze", "first", "row")]
    assert CALC.names_in(page("turned", ("Freeze First Row", "View")).page) == []
    assert CALC.names_in(SILENT.page) == []


@pytest.mark.parametrize(
    ("wanted", "used", "page_helps", "found"),
    [
        ((), (), 0.0, None),
        (("Freeze First Row",), (), 0.5, "Freeze First Row"),
        (("zzz", "protect sheet"), (), 0.0, "Protect Sheet"),
        (("Freeze First Row",), ("Freeze First Row",), 0.0, None),
        (("Freeze First Row",), (), 0.95, None),
    ],
)
def test_a_command_is_what_a_model_says_and_nobody_has_used(
    wanted: tuple[str, ...], used: tuple[str, ...], page_helps: float, found: str | None
) -> None:
    """And what is likelier than the best page to help."""
    pages = [replace(CELLS, score=page_helps)]
    match = wanted_command(HelpContext(app="calc", wanted=wanted, controls=used), CALC, pages)
    assert (match.command.name if match is not None else None) == found


ENDNOTES = HelpContext(
    app="libreoffice-writer",
    controls=("Footnote and Endnote", "Endnote", "Page Style...", "Footnote", "Numbering", "Start at"),
    undone=("Insert endnote",),
)
WRITER = KnownCommands(
    CommandList(
        app="writer",
        commands=(
            *(Command(path=("Format", name)) for name in ("Character", "Paragraph", "Page Style")),
            Command(path=("Tools", "Footnotes and Endnotes")),
        ),
    )
)


def and_also(*path: str) -> KnownCommands:
    return KnownCommands(replace(WRITER.commands, commands=(Command(path=path), *WRITER.commands.commands)))


@pytest.mark.parametrize(
    ("known", "used", "page_helps", "found"),
    [
        (WRITER, (), 0.3, "Footnotes and Endnotes"),
        (WRITER, ("Footnotes and Endnotes...",), 0.3, None),
        (WRITER, (), 0.95, None),
        (KnownCommands(replace(WRITER.commands, language="de")), (), 0.0, None),
        (CALC, (), 0.0, None),
        (and_also("View", "Footnotes and Endnotes"), (), 0.0, None),
        (and_also("View", "Footnotes and Endnotes"), ("Tools",), 0.0, "Footnotes and Endnotes"),
    ],
    ids=["sought", "used just now", "a page is likelier", "in German", "not there", "two of a name", "one is near"],
)
def test_without_a_model_a_command_is_what_the_last_minute_looks_for(
    known: KnownCommands, used: tuple[str, ...], page_helps: float, found: str | None
) -> None:
    pages = [replace(CELLS, score=page_helps)]
    context = replace(ENDNOTES, controls=(*ENDNOTES.controls, *used))
    match = wanted_command(context, known, pages)
    assert (match.command.name if match is not None else None) == found
    assert match is None or match.command.path[0] == "Tools"
    unknown = replace(context, undone=(), evidence=("undo_bursts",))
    assert wanted_command(unknown, known, pages) is None, "what was taken back is not known"
    told = wanted_command(replace(context, wanted=("paragraph",)), WRITER, [])
    assert told is not None
    assert told.command.name == "Paragraph"


@pytest.mark.parametrize(
    ("evidence", "messages", "asks"),
    [
        ((), (), False),
        (("menu_wandering", "undo_bursts"), (), True),
        (("undo_bursts", "menu_wandering"), (), False),
        (("dialog_loop",), ("Invalid value.",), False),
        ((CAME_BACK, "dialog_loop"), (), False),
    ],
)
def test_who_does_not_know_the_way_is_asked(evidence: tuple[str, ...], messages: tuple[str, ...], asks: bool) -> None:
    assert asks_what_for(HelpContext(app="calc", evidence=evidence, messages=messages)) is asks


@pytest.mark.parametrize(
    ("typed_in", "asks"),
    [(None, True), (ControlRole.TEXT, True), (ControlRole.CELL, False), (ControlRole.ENTRY, False)],
)
def test_who_tries_things_out_is_asked_but_where_an_entry_may_be_refused(
    typed_in: ControlRole | None, *, asks: bool
) -> None:
    assert asks_what_for(HelpContext(app="calc", evidence=("value_flip_flop",), typed_in=typed_in)) is asks


@pytest.mark.parametrize(
    ("page_id", "evidence", "messages", "asks"),
    [
        ("general/find_command", ("long_pause",), (), True),
        ("general/find_command", ("long_pause",), ("Wrong data",), False),
        ("general/copy_paste", ("long_pause",), (), False),
        (None, ("long_pause",), (), False),
        (None, ("menu_wandering",), (), True),
    ],
)
def test_the_question_stands_in_place_of_a_page_on_finding_commands(
    page_id: str | None, evidence: tuple[str, ...], messages: tuple[str, ...], *, asks: bool
) -> None:
    fitting = None if page_id is None else FittingPage(match=page(page_id), steps=(), checked=False)
    assert is_question_better(fitting, HelpContext(app="calc", evidence=evidence, messages=messages)) is asks
