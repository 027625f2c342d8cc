"""A packed session comes back as it was sensed, is the same every time, and nothing else is taken for one."""

import hashlib
import json
import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.simulation.recording import pack
from lab.simulation.recording.pack import Manifest, read_manifest, read_packed, write_manifest, write_packed
from storage.errors import BadFile
from storage.records import Element, Elements, Focus, Frame, SessionStart, Tick, is_derived
from tests.fakes.lab.packs import head, label, packed, session, start


def rewritten(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> Path:
    lines = change(lzma.decompress(path.read_bytes()).splitlines())
    path.write_bytes(lzma.compress(b"\n".join(lines) + b"\n"))
    return path


def with_head(path: Path, **facts: Any) -> Path:
    return rewritten(path, lambda lines: [json.dumps(json.loads(lines[0]) | facts).encode(), *lines[1:]])


def test_what_was_sensed_comes_back_and_nothing_derived_does(tmp_path: Path) -> None:
    there = read_packed(packed(tmp_path).path(tmp_path))
    sources = [row for row in session() if not is_derived(row)]
    assert len(there.rows) == len(sources) < len(session())
    for now, then in zip(there.rows, sources, strict=True):
        if isinstance(then, SessionStart):
            assert isinstance(now, SessionStart)
            assert now.settings == {"storage": {"sessions_dir": "", "flush_s": 0.5}}
        elif not isinstance(then, (Focus, Frame)):
            assert now == then
    assert [row.digest for row in there.rows if isinstance(row, Frame)] == ["1", "2", "1", "3"]
    assert [row.title_digest for row in there.rows if isinstance(row, Focus)] == ["1", "2", "1", "3"]
    assert any(isinstance(row, Tick) for row in there.rows)
    assert there.head == replace(head(), rows=len(sources))
    assert (there.name, there.program, there.person, there.split) == ("train-1-0000-mousepad", "mousepad", 4, "train")
    assert there.labels == head().labels


def test_the_same_session_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    """Names, digests and hash are those of the content, however often it is packed."""
    entries = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        entries.append(packed(tmp_path / name))
    assert entries[0] == entries[1]
    assert hashlib.sha256(entries[0].path(tmp_path / "one").read_bytes()).hexdigest() == entries[0].sha256
    assert write_packed(tmp_path, head(), session()[:-1]).sha256 != entries[0].sha256
    assert (entries[0].recorded_s, entries[0].labelled_s, entries[0].late_p95_ms) == (59.0, 44.0, 3.0)


@pytest.mark.parametrize(
    "row",
    [
        start(recording=True),
        replace(next(row for row in session() if isinstance(row, Focus)), title="Letter to Ann"),
        replace(next(row for row in session() if isinstance(row, Frame)), image_ref="screen-000.mp4@0"),
        Elements(t_ns=1, app="Mousepad", elements=(Element(role="button", box=(0, 0, 1, 1), name="Send"),)),  # type: ignore[arg-type]  # a tuple will do
    ],
    ids=["recording", "title", "picture", "control"],
)
def test_a_session_with_titles_names_or_pictures_is_not_packed(row: Any, tmp_path: Path) -> None:
    """What only the recording keeps never gets into a packed file, and its text is not told."""
    rows = session()
    place = 0 if isinstance(row, SessionStart) else 1
    rows[place] = replace(row, seq=rows[place].seq, at_ns=rows[place].at_ns)
    with pytest.raises(BadFile, match="titles or pictures is never packed") as caught:
        write_packed(tmp_path, head(), rows)
    assert "Ann" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_controls_without_names_and_journals_are_packed(tmp_path: Path) -> None:
    """The control to the test above: the same row without the name is fine."""
    rows = session()
    element = Element(role="button", box=(0, 0, 1, 1))  # type: ignore[arg-type]  # a tuple will do
    rows[1] = Elements(seq=2, at_ns=rows[1].at_ns, t_ns=1, app="Mousepad", elements=(element,))
    assert read_packed(write_packed(tmp_path, head(), rows).path(tmp_path)).rows


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_a_cut_off_file_is_refused(share: float, tmp_path: Path) -> None:
    """Wherever a copy broke off, it says so."""
    path = packed(tmp_path).path(tmp_path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(BadFile, match=r"cut off|damaged"):
        read_packed(path)


@pytest.mark.parametrize(
    "content",
    [
        b"SQLite format 3\0" + bytes(100),
        lzma.compress(b""),
        lzma.compress(b"{}\n"),
        lzma.compress(b"[" * 100_000 + b"\n"),
        lzma.compress(b"\xff\xfe\n"),
        lzma.compress(b'{"packed": "one"}\n'),
        lzma.compress(b"x\n", format=lzma.FORMAT_ALONE),
    ],
)
def test_foreign_files_are_refused(content: bytes, tmp_path: Path) -> None:
    """Another kind of file, an empty one, one with something else in it: a BadFile, nothing worse."""
    path = tmp_path / "foreign.jsonl.xz"
    path.write_bytes(content)
    with pytest.raises(BadFile):
        read_packed(path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(
            lambda path: rewritten(
                path, lambda lines: [line.replace(b'"title":null', b'"title":"secret"') for line in lines]
            ),
            "line 3: a session with titles",
            id="a title in it",
        ),
        pytest.param(lambda path: rewritten(path, lambda lines: lines[:-2]), "its head says", id="cut before packing"),
        pytest.param(lambda path: path.write_bytes(lzma.compress(b"{}")), "cut off", id="a last line without end"),
        pytest.param(
            lambda path: path.write_bytes(path.read_bytes() + lzma.compress(b"more\n")),
            "follows its end",
            id="something after the end",
        ),
        pytest.param(lambda path: with_head(path, packed=2), "version 2", id="a later version"),
    ],
)
def test_a_packed_file_that_was_changed_is_refused_by_what_was_changed(
    damage: Callable[[Path], object], message: str, tmp_path: Path
) -> None:
    """Reading is as strict as writing, and quotes nothing."""
    path = packed(tmp_path).path(tmp_path)
    damage(path)
    with pytest.raises(BadFile, match=message) as caught:
        read_packed(path)
    assert "secret" not in str(caught.value)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl.xz"
    link.symlink_to(packed(tmp_path).path(tmp_path))
    with pytest.raises(BadFile):
        read_packed(link)


def test_a_file_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.jsonl.xz"
    path.write_bytes(lzma.compress(bytes(3 << 20)))
    monkeypatch.setattr(pack, "MAX_BYTES", 1 << 20)
    with pytest.raises(BadFile, match="larger"):
        read_packed(path)


def test_a_file_from_before_catalogues_were_kept_is_read(tmp_path: Path) -> None:
    """Its head has no such field, one that names its catalogue keeps it, and one with something else is refused."""
    path = packed(tmp_path, catalogue="c0de").path(tmp_path)
    assert read_packed(path).head.catalogue == "c0de"
    rewritten(path, lambda lines: [lines[0].replace(b'"catalogue":"c0de",', b""), *lines[1:]])
    assert b"catalogue" not in lzma.decompress(path.read_bytes())
    assert read_packed(path).head.catalogue is None
    with pytest.raises(BadFile, match="head"):
        read_packed(with_head(path, catalogue=1))


@pytest.mark.parametrize(
    "labels", [(label(30.0, 20.0),), (label(2.0, 20.0), label(10.0, 30.0))], ids=["backwards", "overlapping"]
)
def test_labels_that_cannot_be_are_refused(labels: tuple[Any, ...], tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="label"):
        write_packed(tmp_path, head("bad", *labels), session())


def test_rows_out_of_order_or_derived_are_refused(tmp_path: Path) -> None:
    path = packed(tmp_path).path(tmp_path)
    rewritten(path, lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]])
    with pytest.raises(BadFile, match="does not follow"):
        read_packed(path)
    path = packed(tmp_path).path(tmp_path)
    derived = b'{"record":"withdrawal","seq":4,"at_ns":2000000000,"offer_id":"1","reason":"x"}'
    rewritten(path, lambda lines: [*lines[:4], derived, *lines[5:]])
    with pytest.raises(BadFile, match="line 5 is derived"):
        read_packed(path)


# ---------------------------------------------------------------------- the manifest


def test_a_manifest_lists_and_vouches_for_its_files(tmp_path: Path) -> None:
    entries = [packed(tmp_path, name) for name in ("b", "a")]
    manifest = Manifest()
    for entry in entries:
        manifest = manifest.with_entry(entry)
    write_manifest(tmp_path, manifest)
    there = read_manifest(tmp_path)
    assert [entry.name for entry in there.sessions] == ["a", "b"]
    assert there == manifest
    path = entries[0].path(tmp_path)
    content = path.read_bytes()
    for damaged in (content[:-1], content + b"x", b"y" + content[1:]):
        path.write_bytes(damaged)
        with pytest.raises(BadFile, match=r"differs from what manifest\.json says"):
            read_manifest(tmp_path)
    path.unlink()
    with pytest.raises(BadFile, match=r"b\.jsonl\.xz"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"sessions": [{"name": "a"}]}', b'{"version": 9}'])
def test_what_is_no_manifest_is_refused(content: bytes, tmp_path: Path) -> None:
    """A manifest that cannot be read, or is of another version, is a bad file."""
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(BadFile):
        read_manifest(tmp_path)


def test_a_manifest_cannot_point_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    entry = packed(tmp_path)
    write_manifest(tmp_path / "inner", Manifest(sessions=(replace(entry, name=f"../{entry.name}"),)))
    with pytest.raises(BadFile, match="outside"):
        read_manifest(tmp_path / "inner")


def test_an_entry_replaces_the_one_of_its_name(tmp_path: Path) -> None:
    """A session that was played again is listed once."""
    manifest = Manifest().with_entry(packed(tmp_path)).with_entry(packed(tmp_path, planned_s=30.0))
    assert [entry.planned_s for entry in manifest.sessions] == [30.0]
