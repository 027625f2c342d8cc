"""The labels of a session: one file in its folder, a line of JSON for each, written whole at every change.

So a kill loses the label that was being made and no other, and what a person took back is not left in the file. It is
no row of the log: replays do not know it. It has the time of the rows beside it, which says how old a session is.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import msgspec

from storage.errors import BadFile, EnvironmentFault, UsageError, os_words
from storage.files import create_file, hold_lock, open_regular, write_whole
from storage.records import MAX_RATER, MAX_WORDS, ME, SegmentLabel
from storage.session.log import DATABASE, SessionReader
from storage.translation.sentences import translatable

LABELS = "said.jsonl"
VERSION = 1
MAX_BYTES = 8 << 20
MAX_LABELS = 20_000

Labels = tuple[SegmentLabel, ...]


class _Head(msgspec.Struct, kw_only=True):
    format: str = "kairos-labels"
    version: int = VERSION


class _SavedHead(_Head, kw_only=True):
    """The head of a file for elsewhere, which says of which recording it is."""

    recording: str = ""


_HEAD = msgspec.json.Decoder(_SavedHead)
_LABEL = msgspec.json.Decoder(SegmentLabel)


def read_labels(folder: Path, *, copied_from: Path | None = None) -> Labels:
    """Return the labels of a session, in the order of time; none where there is no such file.

    Messages name the folder that it was `copied_from`.

    Raises:
        BadFile: it is damaged, or of another version.
    """
    path = folder / LABELS
    if not path.exists() and not path.is_symlink():
        return ()
    return _read(path, (copied_from or folder) / LABELS)[1]


def _read(path: Path, named: Path) -> tuple[_SavedHead, Labels]:
    """Return the head and the labels of a file.

    Raises:
        BadFile: it is damaged, or of another version.
    """
    with open_regular(path) as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise BadFile(translatable("{path} is larger than a file of labels may be", path=named))
    head, *lines = raw.splitlines() or [b""]
    try:
        found = _HEAD.decode(head)
        labels = [_LABEL.decode(line) for line in lines]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile(
            translatable("{path} holds no labels that can be read", path=named),
            remedy=translatable("move it out of the session's folder"),
        ) from error
    if (found.format, found.version) != ("kairos-labels", VERSION):
        raise BadFile(translatable("{path} was written by another version of Kairos", path=named))
    if len(labels) > MAX_LABELS or not all(map(_is_possible, labels)):
        raise BadFile(translatable("{path} holds an impossible label", path=named))
    return found, _in_order(labels)


def _is_possible(label: SegmentLabel) -> bool:
    short = (
        max(map(len, (label.wanted, label.would_help, label.reason))) <= MAX_WORDS and 0 < len(label.rater) <= MAX_RATER
    )
    return short and len(label.quiz) <= MAX_RATER and 0 <= label.start_ns < label.end_ns < 2**63


def _in_order(labels: Iterable[SegmentLabel]) -> Labels:
    return tuple(sorted(labels, key=lambda label: (label.start_ns, label.rater, label.label_id)))


def put_label(folder: Path, label: SegmentLabel, expected: Collection[str] = ()) -> Labels:
    """Keep a label in place of the one with its id; return all.

    Args:
        folder: the session's.
        label: what is said.
        expected: the ids of labels that must still be there: where one was deleted, this one may have been, too.

    Raises:
        UsageError: the label cannot be, is about no time of the session, or labels were deleted meanwhile.
        BadFile: the file of labels, or the session, is damaged.
        EnvironmentFault: it cannot be written, or the session is gone.
    """

    def change(labels: Labels) -> Labels:
        if not set(expected) <= {other.label_id for other in labels}:
            raise UsageError(translatable("labels of this session were deleted meanwhile"))
        return (*(other for other in labels if other.label_id != label.label_id), label)

    return change_labels(folder, change)


def change_labels(folder: Path, change: Callable[[Labels], Iterable[SegmentLabel]]) -> Labels:
    """Change the labels of a session, whole or not at all, and no other change meanwhile; return all.

    Raises:
        UsageError: a new label cannot be, or is about no time of the session, as after a purge of its end.
        BadFile: the file of labels, or the session, is damaged.
        EnvironmentFault: it cannot be written, or the session is gone.
    """
    try:
        with hold_lock(folder, folder=True, waits=True):
            before = read_labels(folder)
            after = _in_order(change(before))
            if after != before:
                _check(folder, set(after) - set(before), len(after))
                _write(folder, after)
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be written: {why}", path=folder / LABELS, why=os_words(error)),
            remedy=translatable("check that the session is still there, and the free space"),
        ) from error
    return after


def _check(folder: Path, new: Collection[SegmentLabel], count: int) -> None:
    """Refuse what could not be read again, and what is about no time of the session."""
    if not new:
        return
    if count > MAX_LABELS or not all(map(_is_possible, new)):
        raise UsageError(translatable("this label cannot be kept: it is too long, or there are too many"))
    with SessionReader(folder) as reader:
        begin_ns, end_ns = reader.first().at_ns, reader.last_at_ns() or 0
    if any(label.start_ns < begin_ns or label.end_ns > end_ns for label in new):
        raise UsageError(translatable("this label is about no time of the session"))


def encode_labels(labels: Iterable[SegmentLabel], recording: str = "") -> bytes:
    """Return labels as a file of them has them."""
    head = _SavedHead(recording=recording) if recording else _Head()
    return b"\n".join([msgspec.json.encode(head), *map(msgspec.json.encode, labels), b""])


def save_labels(folder: Path, rater: str, target: Path) -> int:
    """Write what one rater said into a new file, for who has the same recording elsewhere; return how many labels.

    Raises:
        UsageError: they said nothing, or the file exists.
        BadFile: the session or its labels cannot be read.
        EnvironmentFault: it cannot be written.
    """
    own = [label for label in read_labels(folder) if label.rater == rater and not label.proposed]
    if not own:
        raise UsageError(f"nobody of that name has said anything of {folder.name}", remedy="see: kairos label --list")
    try:
        with create_file(target) as file:
            file.write(encode_labels(own, _recording(folder)))
    except FileExistsError:
        raise UsageError(f"{target} exists already", remedy="choose another file name") from None
    except OSError as error:
        raise EnvironmentFault(f"{target} cannot be written: {os_words(error)}") from error
    return len(own)


def merge_labels(folder: Path, path: Path) -> tuple[str, Labels]:
    """Take in what somebody said of the same recording elsewhere, in place of what they had said; return who, and all.

    Raises:
        UsageError: it is older than what is here, or of nobody who is named.
        BadFile: it is no such file, or of another recording.
        EnvironmentFault: it cannot be written.
    """
    head, said = _read(path, path)
    if not head.recording:
        raise BadFile(f"{path.name} was not written by kairos label --save", remedy="choose a file that was")
    if head.recording != _recording(folder):
        raise BadFile(f"{path.name} is not of the recording {folder.name}", remedy="name the session that it is of")
    rater = said[0].rater if said else ME
    if rater == ME or any(label.rater != rater or label.proposed for label in said):
        raise UsageError(
            f"{path.name} is not of one named rater", remedy="kairos label SESSION --rater NAME --save FILE"
        )

    def change(labels: Labels) -> Iterable[SegmentLabel]:
        before = [label for label in labels if label.rater == rater]
        if max((label.at_wall_ns for label in before), default=0) > max(label.at_wall_ns for label in said):
            raise UsageError(f"who labelled {folder.name} has done so again since", remedy="ask for a newer file")
        if any(label.proposed for label in before):
            raise UsageError(f"that is the name of who proposed labels of {folder.name}", remedy="take another")
        return (*(label for label in labels if label.rater != rater), *said)

    return rater, change_labels(folder, change)


def _recording(folder: Path) -> str:
    """Return what tells a recording from others, wherever it was imported."""
    with SessionReader(folder) as reader:
        start = reader.first()
    return hashlib.blake2b(f"{start.wall_ns} {start.at_ns}".encode(), digest_size=16).hexdigest()


def _write(folder: Path, labels: Labels) -> None:
    written_ns = (folder / DATABASE).stat().st_mtime_ns
    if not labels:
        (folder / LABELS).unlink(missing_ok=True)
        return
    content = encode_labels(labels)
    if len(content) > MAX_BYTES:
        raise UsageError(translatable("this label cannot be kept: it is too long, or there are too many"))
    write_whole(folder / LABELS, content, mtime_ns=written_ns)
