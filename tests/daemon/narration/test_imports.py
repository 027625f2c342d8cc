"""Words that others wrote down, in four kinds of files, and files that are none."""

import json
from pathlib import Path

import pytest

from daemon.narration.imports import read_words
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.session.transcript import MAX_LENGTH

WEBVTT = """\
WEBVTT - of somebody

NOTE nothing of this is said

1
00:01.000 --> 00:03.500 align:start
<v Ann>Where is <00:02.000><c>the <00:02.400>menu &amp; bar?

00:00:04.000 --> 00:00:05.000
It is gone.
"""

SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Where is\r\nthe menu?</i>\r\n\r\n"
    "2\r\n00:00:04,000 --> 00:00:05,000\r\nGone.\r\n"
)
WHISPERX = {
    "language": "en",
    "segments": [
        {
            "start": 1.0,
            "end": 3.0,
            "text": "Where is 7",
            "words": [
                {"word": "Where", "start": 1.0, "end": 1.4, "score": 0.9},
                {"word": "is", "start": 1.5, "end": 1.6, "score": 0.8},
                {"word": "7"},
            ],
        }
    ],
}
WHISPER = {
    "text": "All of it",
    "language": "de",
    "segments": [
        {"id": 0, "start": 0.5, "end": 2.0, "text": " Wo ist es?", "tokens": [1]},
        {
            "start": 3,
            "end": 4,
            "text": " Weg.",
            "words": [{"word": " Weg.", "start": 3.1, "end": 3.9, "probability": 0.5}],
        },
    ],
}


def words_in(tmp_path: Path, content: str | bytes) -> tuple[list[tuple[float, float, str]], str]:
    path = tmp_path / "said"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    words, language = read_words(path, 10 * NS_PER_S)
    return [(word.start_ns / NS_PER_S - 10, word.end_ns / NS_PER_S - 10, word.text) for word in words], language


@pytest.mark.parametrize(
    ("content", "expected", "language"),
    [
        (WEBVTT, [(1, 2, "Where is"), (2, 2.4, "the"), (2.4, 3.5, "menu & bar?"), (4, 5, "It is gone.")], ""),
        (SRT, [(1, 2.5, "Where is the menu?"), (4, 5, "Gone.")], ""),
        (json.dumps(WHISPERX), [(1, 1.4, "Where"), (1.5, 1.6, "is"), (1.6, 1.6, "7")], "en"),
        (json.dumps(WHISPERX).encode("utf-8-sig"), [(1, 1.4, "Where"), (1.5, 1.6, "is"), (1.6, 1.6, "7")], "en"),
        (json.dumps(WHISPER), [(0.5, 2, "Wo ist es?"), (3.1, 3.9, "Weg.")], "de"),
        (SRT.encode("utf-16"), [(1, 2.5, "Where is the menu?"), (4, 5, "Gone.")], ""),
    ],
)
def test_words_and_their_times_are_read(
    tmp_path: Path, content: str | bytes, expected: list[tuple[float, float, str]], language: str
) -> None:
    found, named = words_in(tmp_path, content)
    assert [(round(start, 3), round(end, 3), text) for start, end, text in found] == expected
    assert named == language


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no words at all",
        b"\xff\xfe\xff",
        "{}",
        "[" * 100_000,
        json.dumps({"segments": [{"start": -1, "end": 2, "text": "x"}]}),
        json.dumps({"segments": [{"start": 1e300, "end": 1e301, "text": "x"}]}),
        '{"segments": [{"start": NaN, "end": 2, "text": "x"}]}',
        "1\n00:00:05,000 --> 00:00:01,000\nbackwards\n",
    ],
)
def test_what_is_none_of_them_is_refused(tmp_path: Path, content: str | bytes) -> None:
    with pytest.raises(BadFile):
        words_in(tmp_path, content)


def test_words_cannot_control_a_terminal_and_have_a_length(tmp_path: Path) -> None:
    found, _ = words_in(tmp_path, f"1\n00:00:01,000 --> 00:00:02,000\n\x1b[31m{'a' * 5000}\n")
    assert "\x1b" not in found[0][2]
    assert len(found[0][2]) == MAX_LENGTH
    whole = "word " * 190  # half a minute of speech may be one segment
    found, _ = words_in(tmp_path, json.dumps({"segments": [{"start": 0, "end": 30, "text": whole}]}))
    assert found[0][2] == whole.strip()
