"""What a message, a dialog or the end of a run is about, and digests of what is said."""

import pytest

from daemon.capture.accessibility.digests import MAX_AGE_NS, MAX_WORDS, ControlWords, Digests, masked
from daemon.capture.message_texts import (
    MAX_REPORT,
    class_of_dialog,
    class_of_message,
    error_in,
    has_failed,
    undo_label,
    went_well,
)
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


TRACEBACK = """>python3 -u "sum.py"
Traceback (most recent call last):
  File "/home/me/sum.py", line 4, in <module>
    print('total', sum(prices) + tax)
NameError: name 'tax' is not defined
>Exit code: 1"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (TRACEBACK, "NameError: name 'tax' is not defined"),
        ("sum.c: In function 'main':\nsum.c:5:3: error: 'x' undeclared", "sum.c:5:3: error: 'x' undeclared"),
        ("error[E0308]: mismatched types\n --> src/main.rs:4:5", "error[E0308]: mismatched types"),
        ("main.ts(3,5): error TS2304: Cannot find it.", "main.ts(3,5): error TS2304: Cannot find it."),
        ("ERROR 1064 (42000): You have an error", "ERROR 1064 (42000): You have an error"),
        ("LINK : fatal error LNK1120: 1 unresolved", "LINK : fatal error LNK1120: 1 unresolved"),
        ("Execution finished with errors.\nResult: no such table: a", "Result: no such table: a"),
        ("(./a.tex\n! Undefined control sequence.\nl.5 \\foo", "! Undefined control sequence."),
        ("java.lang.IllegalStateException: Closed\n\tat a.B.c(B.java:5)", "java.lang.IllegalStateException: Closed"),
        ("a.go:5:2: undefined: tax", "a.go:5:2: undefined: tax"),
        ("a.py:3:0: E0602: Undefined variable 'tax'", "a.py:3:0: E0602: Undefined variable 'tax'"),
        ("a.py:3:8: F821 undefined name 'tax'", "a.py:3:8: F821 undefined name 'tax'"),
        ("/a.js\n  3:5  error  'tax' is not defined  no-undef", "  3:5  error  'tax' is not defined  no-undef"),
        ("a.rb:1:in `<main>': no name tax (NameError)", "a.rb:1:in `<main>': no name tax (NameError)"),
        ("thread 'main' panicked at src/main.rs:4", "thread 'main' panicked at src/main.rs:4"),
        ("ORA-00942: table or view does not exist", "ORA-00942: table or view does not exist"),
        ("fatal: not a git repository", "fatal: not a git repository"),
        ("CMake Error at CMakeLists.txt:3 (add): no target", "CMake Error at CMakeLists.txt:3 (add): no target"),
        ("[ERROR] /a/B.java:[5,3] cannot be applied", "[ERROR] /a/B.java:[5,3] cannot be applied"),
        ("main.cpp|5|error: no member", "main.cpp|5|error: no member"),
        ('syntax error at a.pl line 3, near "+;"', 'syntax error at a.pl line 3, near "+;"'),
        ("ERROR on line 3: Unknown variable.", "ERROR on line 3: Unknown variable."),
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("Fehler: Datei fehlt", "Fehler: Datei fehlt"),
        ("错误: 没有这个文件", "错误: 没有这个文件"),
        ("E       TypeError: 1 is no text\n1 failed, 3 passed in 0.1s", "E       TypeError: 1 is no text"),
    ],
)
def test_the_line_that_names_an_error_is_found(text: str, line: str) -> None:
    """As compilers, interpreters, databases and build tools write it."""
    assert error_in(text) == line
    assert error_in(f"total 5\n{text}") == line
    assert has_failed(text)


@pytest.mark.parametrize(
    "text",
    [
        "1 failed, 3 passed in 0.1s",
        "gcc -c a.c\nCompilation failed.",
        "Process finished with exit code 1",
        "The command make exited with error code 512.",
        "make: *** [all] Error 2",
        "1 error(s), 0 warning(s)",
    ],
)
def test_that_a_run_failed_need_not_say_by_which_error(text: str) -> None:
    """Two such runs may have failed by different errors."""
    assert has_failed(text)
    assert error_in(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "total 9.75\n>Exit code: 0",
        "mean error: 0.05",
        "a.py:3:5: F841 local variable 'tax' is assigned to but never used",
        "a.py:3:80: E501 line too long (85 > 79 characters)",
        "a.py:1:0: C0114: Missing module docstring",
        "error: 5 %\nloss: 3e-4",
        "Error rate: 5 of 100",
        "Build finished: 0 errors, 0 warnings",
        "Compilation finished successfully.",
        "error.log\nfailed_logins.csv",
        "12 failed logins are listed below",
        "Average error: 0.05 m",
        "Relative error: 12 ms",
        "Error: None",
        "error: 0 of 5",
        "undeclared income of two years",
        "! 5 new messages",
        "12:05 <bob> permission denied again",
        "query returned 5 rows",
        "FAILED: 0, PASSED: 5",
        "5 passed, 0 FAILED",
        "3 errors fixed in this version",
        "Errors are part of work, and exceptions prove rules",
        "error: handled, going on\ndone\n>Exit code: 0",
    ],
)
def test_a_result_is_no_error_whatever_words_are_in_it(text: str) -> None:
    """Numbers, names of files and prose; and what a run that went well has printed on its way."""
    assert error_in(text) is None
    assert not has_failed(text)


def test_the_same_error_is_known_again_though_it_stands_elsewhere_by_now() -> None:
    """Its digest is of the line without numbers."""
    moved = TRACEBACK.replace("line 4", "line 14")
    longer = error_in("a.c:14:3: error: 'x' undeclared")
    first = error_in("a.c:5:3: error: 'x' undeclared")
    assert error_in(TRACEBACK) == error_in(moved)
    assert first is not None
    assert longer is not None
    assert masked(first, with_names=True) == masked(longer, with_names=True)


def test_only_the_end_of_a_long_text_is_looked_at() -> None:
    """Where a run ends stands last."""
    assert error_in("error: early\n" + "line\n" * MAX_REPORT) is None
    assert error_in("line\n" * MAX_REPORT + "error: late") == "error: late"


@pytest.mark.parametrize(
    ("ending", "well"), [("exit code 0", True), ("0 errors", True), ("done", False), ("0 errors\nexit code 2", False)]
)
def test_a_run_went_well_where_its_ending_says_so(ending: str, *, well: bool) -> None:
    """And says nothing else."""
    assert went_well(ending) is well
