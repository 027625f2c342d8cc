"""Shortens videos and sound of a session: later files go, the one across the cut is written anew without its end.

Packets are copied as they are, so what stays is bit for bit what was recorded; nothing is encoded again.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from daemon.purge.rows import NEW
from storage.db.connection import disk_fault, is_disk_full
from storage.errors import BadFile, os_words
from storage.files import create_file, open_regular, put_in_place, sync_folder
from storage.session.transfer.archive import MEDIA_NAME
from storage.session.video_sandbox import SOUND, open_pinned
from storage.translation import translatable


def shorten_videos(folder: Path, last_ms: Mapping[str, int]) -> list[str]:
    """Leave in each video, or sound, what is there up to a millisecond, and remove those that are not named.

    Returns:
        The names of videos that could not be read, and were removed for that.

    Raises:
        EnvironmentFault: one cannot be removed or written.
    """
    unreadable = []
    try:
        for unfinished in folder.glob(f"*.mp4{NEW}"):  # left by a kill
            unfinished.unlink()
        for path in sorted(entry for entry in folder.iterdir() if MEDIA_NAME.fullmatch(entry.name)):
            if path.name not in last_ms:
                path.unlink()
            elif not _shorten(path, last_ms[path.name]):
                path.unlink()
                unreadable.append(path.name)
        sync_folder(folder)
    except OSError as error:
        what = translatable("a video in {folder} cannot be shortened: {why}", folder=folder, why=os_words(error))
        raise disk_fault(what, error, remedy=translatable("check who owns the folder")) from error
    return unreadable


def _shorten(path: Path, last_ms: int) -> bool:
    from av.error import FFmpegError

    new = path.with_name(path.name + NEW)
    new.unlink(missing_ok=True)
    create_file(new).close()
    try:
        _copy(path, new, last_ms)
        put_in_place(new, path)
    except (BadFile, FFmpegError, ValueError) as error:
        if is_disk_full(error):
            raise
        return False
    finally:
        new.unlink(missing_ok=True)
    return True


def _copy(path: Path, new: Path, last_ms: int) -> None:
    import av

    with (
        open_regular(path) as file,
        open_pinned(file, path.name, sound=path.name.startswith(SOUND)) as source,
        ExitStack() as opened,
    ):
        stream = source.streams[0]
        scale = {"video_track_timescale": str(stream.time_base.denominator)} if stream.time_base is not None else {}
        # One piece, unlike a recording: it is finished before it counts. In fragments, a video whose pictures refer to
        # later ones would be moved in time.
        target = opened.enter_context(av.open(str(new), "w", format="mp4", options=scale))
        copied = target.add_stream_from_template(stream)
        for packet in source.demux(stream):
            if packet.pts is None or packet.time_base is None:
                continue  # the end of the file
            if round(packet.pts * packet.time_base * 1000) <= last_ms:
                packet.stream = copied
                target.mux(packet)
