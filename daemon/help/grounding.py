"""Words for a control -> the control that is on the screen now. Pure.

Names are compared as people read them: without case, mnemonics, accelerators, dots and colons. First whole names count,
then names whose words are nearly the same, one by one and in order: "Insert Rows Above" is never "Insert Rows Below".
What a step calls a control ("the Numbers tab") decides between controls of one name.
"""

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

from daemon.help.context import GroundedStep
from storage.ports import HelpPage, HelpStep
from storage.records import ControlRole, ControlState, Element

SIMILAR = 0.8
"""Two words that begin alike, one with letters that the other lacks, count as the same from this ratio on; a guess.

"Colour" is "color" and "columns" is "column"; "ascending" is not "descending", nor "increase" "decrease"."""

LEAST = 0.75
"""Lowest name similarity (0-1) at which a control is accepted; a guess."""

NAMED = 0.95
"""From here on a name is the very one, with a value behind it at most ("Undo: Typing")."""

MAX_NAME = 200
"""Characters of a name that is compared; a longer one is a text."""

_MENUS = frozenset({ControlRole.MENU, ControlRole.MENU_ITEM})
_FIELDS = frozenset({ControlRole.ENTRY, ControlRole.SPIN_BUTTON, ControlRole.COMBO_BOX})
_ROLE_WORDS: tuple[tuple[str, frozenset[str]], ...] = (
    (r"menu|submenu|context menu", _MENUS),
    (r"tab|page|register", frozenset({ControlRole.TAB})),
    (r"check ?box|option", frozenset({ControlRole.CHECK_BOX, ControlRole.TOGGLE, ControlRole.RADIO_BUTTON})),
    (r"radio button", frozenset({ControlRole.RADIO_BUTTON})),
    (r"button|icon", frozenset({ControlRole.BUTTON, ControlRole.TOGGLE})),
    (r"link", frozenset({ControlRole.LINK})),
    (r"list ?box|drop-?down|combo ?box|list", frozenset({ControlRole.COMBO_BOX, ControlRole.LIST_ITEM})),
    (r"spin ?box", frozenset({ControlRole.SPIN_BUTTON})),
    (r"field|text ?box|input box|box|entry", _FIELDS),
)
"""What a text may call a control, right behind its name, and the roles that are meant."""

_CALLED = r"[\s\"'\u201d\u2019*_]+"
"""What stands between a name and what it is called. No sign of a path: in "Document > Tab Size" nothing is a tab."""

_ON_A_BAR = r"[\"'\u201d\u2019*_]*\s+(?:icon|button)\s+(?:on|in|from)\s+the\s+(?:\w+\s+){0,3}(?:tool)?bar\b"
"""What a text says behind the name of a control that is on a bar."""

_ACCELERATOR = re.compile(
    r"(?:\t|\s{2,}|\s*\()\s*(?:(?:ctrl|control|shift|alt|super|meta|cmd|strg|⌘|⇧|⌥)\s*\+\s*)+\S+?\)?\s*$|\t\s*F\d{1,2}\s*$",
    re.IGNORECASE,
)
_MNEMONIC_IN_BRACKETS = re.compile(r"\s*\([_&~]?[A-Za-z0-9]\)$")
_MNEMONIC = re.compile(r"(?<![\w])[_~](?=\w)|(?<=\w)[_~&](?=\w)|&(?=\w)")
_TRAILING = re.compile(r"[\s.…:]+$")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+(?:['\u2019\-]\w+)*")
_SMALL = frozenset({"a", "an", "and", "the", "of", "to"})


def ground(step: HelpStep, elements: Sequence[Element], *, complete: bool = True, opened: str = "") -> GroundedStep:
    """Return a step with the control to point at.

    It is the first of the step's controls that is there; of a menu that stands open it is what is chosen next. Where
    the way to a control is not there, only its very name counts: "Format > Page" is no "Pages" of a dialog. A step that
    names controls none of which is there is `missing`; where nothing or not all is known of the screen, none is. A
    control that takes no click now is not pointed at: the step is `greyed`.

    Args:
        step: what to do.
        elements: the controls on the screen.
        complete: whether those are all.
        opened: the menu that was opened for this step before, if one was: what comes next is in it.
    """
    menu = _find(opened, step, [candidate for candidate in elements if _may_be_menu(candidate)]) if opened else None
    if menu is not None:
        elements = [control for control in elements if not _is_beside(control, menu)]
    named: list[Element | None] = []
    for name in step.controls:
        shown = [control for control in elements if control.role not in _MENUS] if _is_tab(name, step) else elements
        found = _find(name, step, shown) or _field_without_name(name, step, elements)
        named.append(found if not named or any(named) or _is_named(name, found) else None)
    at = next((number for number, found in enumerate(named) if found is not None), None)
    if at is None:
        return GroundedStep(step=step, missing=complete and bool(step.controls) and bool(elements))
    element = named[at]
    for name in step.controls[at + 1 :]:
        if element is None or not (_may_be_menu(element) or element.role == ControlRole.BUTTON):
            break
        below = _find(
            name,
            step,
            [
                control
                for control in elements
                if (_may_be_menu(element) and _may_be_menu(control) and not _is_beside(control, named[at]))
                or control.role == ControlRole.MENU_ITEM  # a button may open a menu, too, and is no title in a bar
            ],
        )
        if below is None:
            break
        element = below
    if element is not None and element.state is ControlState.DISABLED:
        return GroundedStep(step=step, greyed=True)
    return GroundedStep(step=step, element=element)


def _is_tab(name: str, step: HelpStep) -> bool:
    """Return whether the text of a step calls a name a tab: "the Styles tab" is no menu."""
    return re.search(rf"\b{re.escape(plain_name(name))}{_CALLED}tab\b", step.text, re.IGNORECASE) is not None


def tab_in_text(step: HelpStep, elements: Sequence[Element]) -> Element | None:
    """Return the tab that the text of a step calls so: "click the Cell Protection tab"."""
    for element in elements:
        name = plain_name(element.name or "")
        is_tab = element.role == ControlRole.TAB and element.state is not ControlState.DISABLED and bool(name)
        if is_tab and re.search(rf"\b{re.escape(name)}{_CALLED}(?:tab|page)\b", step.text, re.IGNORECASE):
            return element
    return None


def is_opened_by(step: HelpStep, title: str) -> bool:
    """Return whether a dialog of this title is what a step opens: "Format > Cells" opens "Format Cells"."""
    opened = _words(step.controls[-1:])
    return bool(opened) and opened <= set(_WORD.findall(title.casefold()))


def is_all_of(step: HelpStep, title: str) -> bool:
    """Return whether a dialog of this title is opened by a step, and no word of it comes from elsewhere.

    "Insert" is a button in "Insert Table", and does not open it.
    """
    return is_opened_by(step, title) and _words((title,)) <= _words(step.controls)


def _words(names: Sequence[str]) -> set[str]:
    return {word for name in names for word in _WORD.findall(plain_name(name)) if word not in _SMALL}


def ground_page(page: HelpPage, elements: Sequence[Element], *, complete: bool = True) -> tuple[GroundedStep, ...]:
    """Return all steps of a page, each with the control to point at.

    What a step opens is not there yet, so behind a step that has its control only a menu can be missing, and only
    where menus are in sight.
    """
    found: list[GroundedStep] = []
    has_menus = any(element.role in _MENUS for element in elements)
    for step in page.steps:
        one = ground(step, elements, complete=complete)
        may_come = any(before.element is not None or before.greyed for before in found)
        if one.missing and may_come and not (has_menus and len(step.controls) > 1):
            one = GroundedStep(step=step)
        found.append(one)
    return tuple(found)


def plain_name(name: str) -> str:
    """Return a control's name as people read it: without mnemonics, accelerators, dots, colons and case."""
    shown = unicodedata.normalize("NFKC", name)
    shown = _ACCELERATOR.sub("", shown)
    shown = _TRAILING.sub("", shown)
    shown = _MNEMONIC_IN_BRACKETS.sub("", shown)
    shown = _MNEMONIC.sub("", shown)
    shown = _TRAILING.sub("", shown)
    return _SPACE.sub(" ", shown).strip().casefold()


def likeness(wanted: str, name: str) -> float:
    """Return how well a name fits the words for a control, from 0 to 1."""
    if len(name) > MAX_NAME or len(wanted) > MAX_NAME:
        return 0.0
    wanted, name = plain_name(wanted), plain_name(name)
    if not wanted or not name:
        return 0.0
    if wanted == name:
        return 1.0
    if name.partition(":")[0].rstrip() == wanted:  # "Undo: Typing"
        return NAMED
    return 0.9 * _words_alike(wanted, name)


def _words_alike(first: str, second: str) -> float:
    """Return how alike two names are, word by word; 0 where one has a word that the other has not."""
    left = [word for word in _WORD.findall(first) if word not in _SMALL]
    right = [word for word in _WORD.findall(second) if word not in _SMALL]
    if not left or len(left) != len(right):
        return 0.0
    ratios = [_word_alike(one, other) for one, other in zip(left, right, strict=True)]
    return sum(ratios) / len(ratios) if min(ratios) >= SIMILAR else 0.0


def _word_alike(one: str, other: str) -> float:
    if one == other:
        return 1.0
    longer, shorter = sorted((one, other), key=len, reverse=True)
    letters = iter(longer)
    is_within = one[0] == other[0] and all(letter in letters for letter in shorter)
    if not is_within or any(character.isdigit() for character in longer):
        return 0.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _find(name: str, step: HelpStep, elements: Sequence[Element]) -> Element | None:
    """Return the control that fits a name best; of equals the first one."""
    meant = _meant_roles(name, step)
    least = NAMED if _is_on_a_bar(name, step) else LEAST
    best: tuple[float, bool, bool] = (0.0, False, False)
    found: Element | None = None
    for element in elements:
        like = likeness(name, element.name or "")
        if like < least:
            continue
        rank = (like, element.role in meant, element.state is not ControlState.DISABLED)
        if rank > best:
            best, found = rank, element
    return found


def _field_without_name(name: str, step: HelpStep, elements: Sequence[Element]) -> Element | None:
    """Return what a step calls a field in a dialog where only one field has no name: its label is not tied to it."""
    if _meant_roles(name, step) != _FIELDS or any(element.role in _MENUS for element in elements):
        return None
    fields = [element for element in elements if element.role == ControlRole.ENTRY and not (element.name or "").strip()]
    return fields[0] if len(fields) == 1 else None


def _meant_roles(name: str, step: HelpStep) -> frozenset[str]:
    """Return the roles that a step's words give a control; menus for all but the last of a path."""
    if name in step.controls[:-1] and len(step.controls) > 1:
        return _MENUS
    for found in re.finditer(re.escape(name), step.text, re.IGNORECASE) if name else ():
        behind = step.text[found.end() : found.end() + 20]
        for words, roles in _ROLE_WORDS:
            if re.match(rf"[\s\"'\u201d\u2019*_]*(?:{words})\b", behind, re.IGNORECASE):
                return roles
    return frozenset()


def _is_on_a_bar(name: str, step: HelpStep) -> bool:
    """Return whether a step says that a control is on a bar: then a similar name elsewhere is another control.

    "The Function icon on the Formula Bar" is no "Functions" of the side bar, and no box says which bar it is in.
    """
    return bool(name) and re.search(rf"{re.escape(name)}{_ON_A_BAR}", step.text, re.IGNORECASE) is not None


def _is_named(name: str, element: Element | None) -> bool:
    return element is not None and likeness(name, element.name or "") == 1.0


def _is_beside(element: Element, menu: Element | None) -> bool:
    """Return whether a control is another title in the bar that a menu is opened from, and so nothing that is in it.

    "View > Styles" is no way to the menu "Styles" beside "View".
    """
    if menu is None or element.role == ControlRole.MENU_ITEM or not _may_be_menu(element):
        return False
    both = min(element.box.y + element.box.h, menu.box.y + menu.box.h) - max(element.box.y, menu.box.y)
    return both > min(element.box.h, menu.box.h) / 2


def _may_be_menu(element: Element) -> bool:
    """Return whether a control is a menu or in one; of a text that was read off a picture nobody knows."""
    return element.role in _MENUS or element.role == ControlRole.TEXT
