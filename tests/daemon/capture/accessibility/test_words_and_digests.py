"""Classes of texts, labels of undo, and digests that are the same where the trouble is the same."""

import pytest

from daemon.capture.accessibility.digests import Digests, masked
from daemon.capture.accessibility.memory import MAX_AGE_NS, MAX_WORDS, ControlWords
from daemon.capture.accessibility.words import class_of_dialog, class_of_message, undo_label
from storage.records import MessageClass


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Search key not found", MessageClass.ERROR),
        ("error: expected ';' before 'return'", MessageClass.ERROR),
        ("Die Datei konnte nicht geöffnet werden", MessageClass.ERROR),
        ("无法打开文件", MessageClass.ERROR),
        ("Err:508", MessageClass.ERROR),
        ("Malformed expression", MessageClass.ERROR),
        ("The value is out of range", MessageClass.ERROR),
        ("Der Name wird bereits verwendet", MessageClass.ERROR),
        ("The name is already used in this folder", MessageClass.ERROR),
        ("Please enter a valid date", MessageClass.ERROR),
        ("All changes will be lost", MessageClass.WARNING),
        ("Downloading 3 of 7", MessageClass.PROGRESS),
        ("Ready", MessageClass.OTHER),
        ("Mirror the image", MessageClass.OTHER),
        ("", MessageClass.OTHER),
    ],
)
def test_what_a_message_is_about(text: str, about: MessageClass) -> None:
    """By beginnings of words, not by parts of words."""
    assert class_of_message(text) is about


@pytest.mark.parametrize(
    ("title", "text", "password", "about"),
    [
        ("Authentication", "Login failed", True, MessageClass.PASSWORD),
        ("Save", "Do you want to keep this version?", False, MessageClass.QUESTION),
        ("Save", "The disk is full: cannot save. Try again?", False, MessageClass.ERROR),
        ("Unlock the key ring", "", False, MessageClass.PASSWORD),
        ("Find and Replace", "Find:", False, MessageClass.OTHER),
    ],
)
def test_what_a_dialog_is_about(title: str, text: str, about: MessageClass, *, password: bool) -> None:
    """A password field goes before any word, an error before a question."""
    assert class_of_dialog(title, text, asks_password=password) is about


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Undo: Typing: 'hello'", "Typing: 'hello'"),
        ("Rückgängig: Eingabe", "Eingabe"),
        ("Undo", None),
        ("Redo: Typing", None),
        ("Undone: x", None),
    ],
)
def test_the_label_of_an_undo(name: str, label: str | None) -> None:
    """Only an entry that names what it would take back has one."""
    assert undo_label(name) == label


def test_numbers_and_quoted_parts_do_not_change_a_digest() -> None:
    """The same error in another line, of another file, is the same error; another error is not."""
    digests = Digests(b"k" * 32)
    assert digests.of("Line 12: cannot open “a.txt”") == digests.of("line 140:  cannot open “other name.odt”")
    assert digests.of("Line 12: cannot open “a.txt”") != digests.of("Line 12: cannot close “a.txt”")
    assert masked("don't mask 'this part' of it") == 'don\'t mask "" of it'
    assert digests.of("") == digests.of("  ") == ""


def test_with_names_only_numbers_by_themselves_are_masked() -> None:
    """Of two missing names with a number each is another; where they stand is none of it."""
    assert masked("a.c:5:3: no 'price10', 7 lines", with_names=True) == "a.c:#: no 'price10', # lines"
    assert masked("main.ts(3,5): error TS2304", with_names=True) == "main.ts(#): error ts2304"


def test_digests_of_two_sessions_have_nothing_in_common() -> None:
    """Without the key nobody can render a text and look for it."""
    assert Digests(b"a" * 32).of("Save") != Digests(b"b" * 32).of("Save")
    assert Digests(b"a" * 32).of("Save") == Digests(b"a" * 32).of("Save")


def test_words_are_kept_for_a_minute_and_forgotten_at_a_pause() -> None:
    """Neither longer, nor more of them than a card could ever need."""
    words = ControlWords()
    words.remember("d1", "Save", 0)
    assert words.lookup("d1", MAX_AGE_NS) == "Save"
    assert words.lookup("d1", MAX_AGE_NS + 1) is None
    words.remember("d2", "Open", MAX_AGE_NS + 1)
    assert words._words.keys() == {"d2"}
    for number in range(2 * MAX_WORDS):
        words.remember(f"x{number}", "y", MAX_AGE_NS + 2)
    assert len(words._words) == MAX_WORDS
    words.clear()
    assert words.lookup("d2", MAX_AGE_NS + 2) is None
