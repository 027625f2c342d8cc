"""Which texts that a program writes after a command report an error, and which of their lines names it."""

import pytest

from daemon.capture.accessibility.digests import masked
from daemon.capture.accessibility.reports import MAX_REPORT, error_in, has_failed, went_well

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
