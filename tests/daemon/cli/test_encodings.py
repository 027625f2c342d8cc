"""Text from outside may begin with a byte order mark or be UTF-16, wherever one hands it in."""

import codecs
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.cli.main import main
from storage.files import decode_text, read_lines
from storage.testing import SessionBuilder
from tests.fakes.sessions.agentnet import write_recording

Encode = Callable[[str], bytes]
ENCODINGS: dict[str, Encode] = {
    "plain": str.encode,
    "mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "UTF-16": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "UTF-16, the other way round": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "so, the other way round": lambda text: text.encode("utf-16-be"),
    "lines of Windows": lambda text: codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode(),
}
as_written = pytest.mark.parametrize("encode", [pytest.param(value, id=name) for name, value in ENCODINGS.items()])


def anew(path: Path, encode: Encode) -> None:
    path.write_bytes(encode(path.read_text()))


def settings(folder: Path, encode: Encode) -> list[str]:
    file = folder / "xdg/config/kairos/settings.toml"
    file.parent.mkdir(parents=True)
    file.write_bytes(encode('[interface]\nlanguage = "de"\n'))
    return ["config", "show"]


def agentnet(folder: Path, encode: Encode) -> list[str]:
    recording = write_recording(folder / "recording", video=False)
    for name in ("events.jsonl", "metadata.json", "top_window.jsonl"):
        anew(recording / name, encode)
    return ["sessions", "import", str(recording)]


def records(folder: Path, encode: Encode) -> list[str]:
    session = SessionBuilder()
    session.keys(20)
    lines = folder / "list.jsonl"
    assert main(["sessions", "export", str(session.end().write(folder)), "--jsonl", "--out", str(lines)]) == 0
    anew(lines, encode)
    return ["sessions", "import", str(lines)]


def consent(folder: Path, encode: Encode) -> list[str]:
    assert main(["consent", "--out", str(folder / "consent.json")]) == 0
    anew(folder / "consent.json", encode)
    return ["run", "--headless", "--consent", str(folder / "consent.json")]


def study(folder: Path, encode: Encode) -> list[str]:
    assert main(["study", "create", str(folder / "study")]) == 0
    for file in (folder / "study").glob("*.toml"):
        anew(file, encode)
    for file in (folder / "study").glob("consent.*.md"):
        anew(file, encode)
    return ["study", "check", str(folder / "study")]


@as_written
@pytest.mark.parametrize("given", [settings, agentnet, records, consent, study])
def test_what_is_written_otherwise_is_read_as_the_plain_file_is(
    given: Callable[[Path, Encode], list[str]], encode: Encode, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for name, how in (("a", str.encode), ("b", encode)):
        (tmp_path / name).mkdir()
        with pytest.MonkeyPatch.context() as patch:
            for place in ("CONFIG", "STATE"):
                patch.setenv(f"XDG_{place}_HOME", str(tmp_path / name / "xdg" / place.lower()))
            words = given(tmp_path / name, how)
            capsys.readouterr()
            code = main([*words, "--json"])
        out = json.loads(capsys.readouterr().out)
        told = ("settings", "duration_s", "events", "problems", "error")
        found.append((code, str({key: out.get(key) for key in told}).replace(str(tmp_path / name), "")))
    assert found[0] == found[1]


@as_written
def test_lines_are_utf_8_and_no_longer_than_allowed(encode: Encode, tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(encode("Größe; 1,5\n" + "x" * 50 + "\nend"))
    lines = [line.strip() for line in read_lines(tmp_path / "lines", longest=30)]
    assert lines == ["Größe; 1,5".encode(), b"?", b"end"]


def test_bytes_that_are_no_text_are_none() -> None:
    """The control: nothing else is guessed."""
    for raw in (b"Gr\xf6\xdfe", "text".encode("utf-16-le") + b"\xff", codecs.BOM_UTF16_LE + b"odd"):
        with pytest.raises(UnicodeDecodeError):
            decode_text(raw)


def test_a_recording_of_which_no_line_can_be_read_is_not_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = write_recording(tmp_path / "recording", video=False)
    lines = (recording / "events.jsonl").read_text().splitlines()
    for events, code in ((["not json"] * 3, 4), (["not json", *lines], 0)):
        (recording / "events.jsonl").write_text("\n".join(events))
        assert main(["sessions", "import", str(recording), "--sessions", str(tmp_path / "sessions")]) == code
    said = capsys.readouterr()
    assert "no line of" in said.err
    assert "1 lines could not be read" in said.out
