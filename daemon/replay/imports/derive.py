"""Derives a whole session from source records that were made elsewhere, so that it replays like one of ours.

The path is the live one: ticks are inserted when the engine is due, and the engine numbers every row. Settings,
detector and policy are those in force here. Nobody saw the offers, so they expire as ignored.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from daemon.capture.keys import cell_end, cell_start, with_coarse_keys
from daemon.engine.engine import Engine
from daemon.engine.session_start import first_row
from detectors import registry as detector_registry
from policies import registry as policy_registry
from storage.clock import NS_PER_S
from storage.plain_text import visible_line
from storage.records import EventKind, Frame, InputEvent, Record, SessionEnd, SessionStart, is_derived
from storage.session.log import MAX_WALL_NS
from storage.session.transfer.archive import staging_folder
from storage.session.transfer.import_session import (
    check_row,
    check_rows,
    publish_session,
    read_record_list,
    reserved_folder,
    without_lost_pictures,
    write_rows,
)
from storage.session.video import read_picture
from storage.settings import Settings


def derive_rows(
    sources: Iterable[tuple[int, Record]],
    *,
    settings: Settings,
    session_id: str,
    wall_ns: int,
    end_ns: int = 0,
    recording: bool,
    imported_from: str,
    pictures: Path | None = None,
) -> Iterator[Record]:
    """Yield every row of the session that the source records result in, from its first to its last.

    `sources` are session times and records in the order of time, without `SessionStart` and `SessionEnd`; `wall_ns` is
    the wall-clock time of the first. The session ends with the last source, or at `end_ns` if that is later.
    `pictures` is the folder of the frames' pictures, for a detector that uses them. Times of keys are rounded as those
    of our own capture are.
    """
    detector = detector_registry.load(settings.detector)
    policy = policy_registry.load(settings.policy, settings.detector.base_rate)
    start = first_row(
        settings=settings,
        detector=detector,
        policy=policy,
        session_id=session_id,
        wall_ns=wall_ns,
        recording=recording,
        imported_from=imported_from,
    )
    images = _FramePictures(pictures) if pictures is not None and detector.uses_images else None
    engine = Engine(detector=detector, policy=policy, settings=settings, images=images)
    began = False
    now_ns = 0
    for at_ns, record in chain(_with_coarse_keys(sources), [(None, SessionEnd(reason="imported"))]):
        now_ns = max(now_ns, end_ns) if at_ns is None else at_ns
        if not began:
            yield from engine.take(start, now_ns)
            began = True
        for rows in engine.take_with_ticks(record, now_ns):
            if images is not None:
                images.add(rows[0])
            yield from rows


def import_list(path: Path, sessions_dir: Path, settings: Settings) -> Path:
    """Import a list of records as a session; return its folder.

    A whole session (numbered from its first row on) is imported as it is. From any other list the source records are
    used, in their order, and everything else is derived. The file is read twice, and never held in memory.

    Raises:
        BadFile: a line is no record, or the rows do not fit together.
        EnvironmentFault: the session cannot be written.
    """
    end_ns = max(row.at_ns for row in read_record_list(path))
    rows = read_record_list(path)
    first = next(rows)
    rows = chain([first], rows)
    with staging_folder(sessions_dir) as staging:
        new = staging / "new"
        new.mkdir(mode=0o700)
        if isinstance(first, SessionStart) and first.seq > 0:
            return publish_session(check_rows(rows, path.name), frozenset(), new, sessions_dir)
        wall_ns = first.wall_ns if isinstance(first, SessionStart) else round(path.stat().st_mtime * NS_PER_S)
        wall_ns = min(max(0, wall_ns), MAX_WALL_NS - 1)
        with reserved_folder(sessions_dir, wall_ns) as target:
            derived = derive_rows(
                _timed(without_lost_pictures(rows, frozenset()), path.name),
                settings=settings,
                session_id=target.name,
                wall_ns=wall_ns,
                recording=False,
                imported_from=visible_line(f"list {path.name}")[:200],
                end_ns=end_ns,
            )
            write_rows(derived, new)
            new.rename(target)
        return target


def _timed(rows: Iterable[Record], name: str) -> Iterator[tuple[int, Record]]:
    """Yield source records with their times; one without a time gets that of the record before it."""
    now_ns = 0
    for row in rows:
        if is_derived(row) or isinstance(row, (SessionStart, SessionEnd)):
            continue
        now_ns = max(now_ns, row.at_ns or getattr(row, "t_ns", 0))
        check_row(row, now_ns, name)
        yield now_ns, row


def _with_coarse_keys(sources: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, Record]]:
    """Yield the sources with coarse times of keys; their session times tell no more, and never decrease."""

    def coarsely_timed() -> Iterator[Record]:
        now_ns = 0
        for at_ns, record in sources:
            coarse_ns = at_ns
            if isinstance(record, InputEvent) and record.kind is EventKind.KEY and at_ns < cell_end(record.t_ns):
                coarse_ns = cell_start(record.t_ns)
            now_ns = max(now_ns, coarse_ns)
            yield replace(record, at_ns=now_ns)

    return ((record.at_ns, record) for record in with_coarse_keys(coarsely_timed()))


class _FramePictures:
    """Pictures of the frames that the engine has taken so far."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._refs: dict[int, str] = {}

    def add(self, record: Record) -> None:
        if isinstance(record, Frame) and record.image_ref is not None:
            self._refs[record.seq] = record.image_ref

    def jpeg(self, frame_seq: int) -> bytes | None:
        ref = self._refs.get(frame_seq)
        return None if ref is None else read_picture(self._folder, ref)
