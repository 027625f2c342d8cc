"""What the field to ask in shows: candidates as lines, and why there may be less. Plain values, without Qt.

Names of commands and pages come from elsewhere: they are cut to a length and stripped of control characters.
"""

from dataclasses import dataclass

from storage.ports import CandidateKind, CandidateNote, HelpCandidate, HelpCandidates
from storage.translation import tr, translatable
from ui.views.text import PATH_LIMIT, SOURCE_LIMIT, TITLE_LIMIT, keys_text, one_line

MAX_ROWS = 7
WORDS_LIMIT = 60
"""Lines that the field shows at most, and characters of the typed words that are said again."""

NOTHING = translatable("Nothing found for “{words}” in {app}.")
UNSEARCHED = translatable("Nothing could be searched in {app}.")
GREYED = translatable("greyed out now")
ON = translatable("on already")
IN_NO_MENU = translatable("in no menu")
KEYS = translatable("Enter shows where it is, Ctrl+Enter only the page. Escape closes.")
UNMATCHED = translatable("No match for: {words}")
THIS_PROGRAM = translatable("this program")
IN_LANGUAGE = translatable("The documentation of {app} here is in {language}.")
LANGUAGES = {"en": translatable("English"), "de": translatable("German")}
_NOTES = {
    CandidateNote.NO_CONTROLS: translatable(
        "Commands of the program are found too once you switch on “understand controls” in the settings."
    ),
    CandidateNote.NO_COMMANDS: translatable("{app} does not tell its commands."),
    CandidateNote.NOT_SEEN: translatable("{app} was not in front since Kairos began to watch."),
    CandidateNote.READING: translatable("The commands of {app} are being read."),
    CandidateNote.NO_LIBRARY: translatable("No documentation is searched."),
    CandidateNote.NO_PAGES: translatable("No documentation of {app} is indexed."),
    CandidateNote.NO_WINDOW: translatable("No window was in use yet."),
}


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One line: what it is, where it is, its keys, and all of it as a screen reader says it."""

    page_id: str
    title: str
    place: str
    keys: str
    spoken: str


@dataclass(frozen=True, slots=True)
class FieldView:
    """All lines, what stands below them, and what the empty field says."""

    rows: tuple[CandidateRow, ...]
    notes: tuple[str, ...]
    placeholder: str


def view_candidates(found: HelpCandidates) -> FieldView:
    """Say what answers the words that were typed."""
    app = program_name(found)
    notes = list(notes_of(found))
    if found.words.strip() and not found.candidates and CandidateNote.READING not in found.notes:
        notes.insert(0, nothing_found(found))
    return FieldView(
        rows=tuple(row_of(candidate) for candidate in found.candidates[:MAX_ROWS]),
        notes=tuple(notes),
        placeholder=tr("What do you want to do in {app}?", app=app),
    )


def row_of(candidate: HelpCandidate) -> CandidateRow:
    """Return a candidate as a line: a command with its path, a page with where it comes from."""
    title = one_line(candidate.page.title, TITLE_LIMIT)
    keys = keys_text(one_line(candidate.keys, PATH_LIMIT))
    place = one_line(candidate.page.source, SOURCE_LIMIT)
    if candidate.kind is CandidateKind.COMMAND:
        path = candidate.page.steps[0].controls
        place = " > ".join(one_line(name, PATH_LIMIT) for name in path) or tr(IN_NO_MENU)
    remarks = [tr(GREYED)] if candidate.greyed else [tr(ON)] if candidate.on else []
    place = ", ".join(filter(None, (place, *remarks)))
    return CandidateRow(candidate.page.page_id, title, place, keys, ", ".join(filter(None, (title, place, keys))))


def notes_of(found: HelpCandidates) -> tuple[str, ...]:
    """Say which words match nothing, and why there may be less than somebody expects."""
    app = program_name(found)
    notes = [tr(_NOTES[note], app=app) if "{app}" in _NOTES[note] else tr(_NOTES[note]) for note in found.notes]
    language = LANGUAGES.get(found.language)
    if found.words and not found.candidates and language is not None:
        notes.insert(0, tr(IN_LANGUAGE, app=app, language=tr(language)))
    if found.unmatched and found.candidates:
        notes.insert(0, tr(UNMATCHED, words=one_line(", ".join(found.unmatched), WORDS_LIMIT)))
    return tuple(notes)


def nothing_found(found: HelpCandidates) -> str:
    """Say that nothing answers the words that were typed, or that there was nothing to search."""
    if found.unsearched is not None:
        return tr(UNSEARCHED, app=program_name(found))
    return tr(NOTHING, words=one_line(found.words, WORDS_LIMIT), app=program_name(found))


def program_name(found: HelpCandidates) -> str:
    """Return the program as people name it."""
    return one_line(found.program, WORDS_LIMIT) or tr(THIS_PROGRAM)
