"""TOML that anybody may have written: what is no TOML, or takes minutes, is refused with one kind of error."""

import pytest

from storage.settings_file import parse_toml


def test_tables_are_read() -> None:
    """The control: ordinary TOML, also with a few dots."""
    assert parse_toml('a.b.c = 1\n[x."y.z"]\nd = [true]\n') == {"a": {"b": {"c": 1}}, "x": {"y.z": {"d": [True]}}}


@pytest.mark.parametrize(
    "text",
    [
        "a = ",
        "a." * 30_000 + "a = 1",
        "[" + '"b".' * 200 + "c]",
        "a = " + "[" * 30_000,
        "a = " + "9" * 5_000,
        "a = 1\na = 2",
        "a = \0",
    ],
    ids=["cut off", "long name", "long quoted name", "deep", "many digits", "twice", "NUL"],
)
def test_what_is_not_written_by_people_is_refused(text: str) -> None:
    """Each with a ValueError, at once; `tomllib` alone takes 48 s for the long name."""
    with pytest.raises(ValueError):
        parse_toml(text)
