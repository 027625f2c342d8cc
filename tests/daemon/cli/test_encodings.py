"""Text from outside may begin with a byte order mark, wherever one hands it in; nothing else is guessed."""

import codecs
from pathlib import Path

import pytest

from daemon.cli.main import main
from storage.files import config_file, decode_text, read_lines
from tests.fakes.sessions.agentnet import write_recording


def test_a_mark_is_no_part_of_the_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of settings, and of lines, of which none is longer than allowed; UTF-16 is refused."""
    config_file().parent.mkdir(parents=True)
    config_file().write_bytes(codecs.BOM_UTF8 + b'[interface]\r\nlanguage = "de"\r\n')
    assert main(["config", "get", "interface.language"]) == 0
    assert capsys.readouterr().out == '"de"\n'
    (tmp_path / "lines").write_bytes(codecs.BOM_UTF8 + "Größe; 1,5\r\n".encode() + b"x" * 50 + b"\nend")
    lines = [line.strip() for line in read_lines(tmp_path / "lines", longest=30)]
    assert lines == ["Größe; 1,5".encode(), b"?", b"end"]
    for raw in (b"Gr\xf6\xdfe", "text".encode("utf-16")):
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
