"""The reader of the window for labels: a session as lanes, its pictures, and its labels, kept at once.

Its thread lives from `open` to `close`. Of pictures only the newest that was requested is read. Where a purge, in this
process or another one, takes something of the session away, nothing of it stays here or in the window.
"""

import logging
import queue
import threading
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.history.program_names import named, program_name
from storage.clock import NS_PER_S, Clock
from storage.errors import BadFile, KairosError
from storage.plain_text import printable
from storage.records import Frame, SegmentLabel, TaskMark
from storage.session.derived import take_out_of_copies
from storage.session.labels import Labels, change_labels, put_label, read_labels
from storage.session.log import DATABASE, SessionReader, find_session
from storage.session.transcript import Transcript, read_transcript
from storage.session.video import PictureSeeker
from storage.session.voice import Loudness, files_of, loudness_of, voiced
from storage.timeline import (
    LabelledAct,
    LabelReply,
    LabelsClosed,
    LabelsKept,
    LabelView,
    SaidWord,
    SessionPicture,
    SessionToLabel,
    SpeechHeard,
    TimelineTrouble,
)
from storage.translation import translatable

if TYPE_CHECKING:
    from daemon.history.trajectory.steps import FoundStep

logger = logging.getLogger(__name__)

WENT_WRONG = TimelineTrouble(what=translatable("Something went wrong here"), remedy=translatable("See: kairos doctor"))

WATCH_S = 2.0
"""How often it is looked whether something of the session was taken away."""

SETTLED_S = 0.2
"""Where a jump ends its picture is decoded after this time; on the way one that is ready is shown."""

Request = Callable[[], None]


class LabelService:
    """Implements `storage.timeline.LabelRequests`."""

    def __init__(self, sessions_dir: Path, state_file: Path, clock: Clock) -> None:
        """Prepare; nothing runs before `open`."""
        self._sessions_dir = sessions_dir
        self._state_file = state_file
        self._clock = clock
        self._view: LabelView | None = None
        self._reading: _Reading | None = None

    def attach(self, view: LabelView) -> None:
        """Name the view."""
        self._view = view

    def open(self, session: str) -> None:
        """Start the thread, and read the session in it."""
        from daemon.history.decisions import masked_studies

        self.close()
        studies = masked_studies(self._state_file)
        reading = self._reading = _Reading(self._reply)
        reading.do(lambda: reading.read(find_session(session, self._sessions_dir), studies, self._clock.wall_ns()))

    def request_picture(self, at_ns: int, width: int) -> None:
        """Request a picture, in place of the one that was requested before."""
        if self._reading is not None:
            self._reading.want(at_ns, width)

    def put(self, label: SegmentLabel) -> None:
        """Keep a label."""
        if self._reading is not None:
            kept = replace(label, at_wall_ns=self._clock.wall_ns())
            self._reading.keep(lambda folder, known: put_label(folder, kept, known), label.rater)

    def remove(self, label_id: str) -> None:
        """Delete a label."""
        if self._reading is not None:
            self._reading.keep(
                lambda folder, _: change_labels(
                    folder, lambda labels: [label for label in labels if label.label_id != label_id]
                )
            )

    def close(self) -> None:
        """End the thread, and wait until what was put is kept."""
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.end()

    def drop(self) -> None:
        """End, and have the window close: what it shows may be forgotten. From any thread."""
        if self._reading is not None:
            self.close()
            self._reply(LabelsClosed())

    def _reply(self, reply: LabelReply) -> None:
        if self._view is not None:
            self._view.show_reply(reply)


class _Reading:
    """The thread of one session that is labelled."""

    def __init__(self, reply: Callable[[LabelReply], None]) -> None:
        self._reply = reply
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._wanted: tuple[int, int] | None = None
        self._owed: tuple[int, int] | None = None
        self._folder: Path | None = None
        self._inode, self._size = 0, 0
        self._known: Labels = ()
        self._has_removed = False
        self._seeker: PictureSeeker | None = None
        self._at_ns: list[int] = []
        self._refs: list[str] = []
        self._thread = threading.Thread(target=self._run, name="labels", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------ from any thread

    def do(self, request: Request) -> None:
        self._requests.put(request)

    def want(self, at_ns: int, width: int) -> None:
        self._wanted = at_ns, width
        self._requests.put(self._read_wanted)

    def keep(self, change: Callable[[Path, Collection[str]], Labels], rater: str | None = None) -> None:
        """Change the labels; `change` gets the folder, and the ids that must still be there of a rater who adds."""

        def kept() -> None:
            if self._folder is None:
                return
            known = {label.label_id for label in self._known if label.rater == rater}
            try:
                before, self._known = self._known, change(self._folder, known)
                self._has_removed |= not {label.label_id for label in before} <= {x.label_id for x in self._known}
                self._reply(LabelsKept(labels=self._known))
            except Exception as error:  # noqa: BLE001  # as in the thread's loop
                self._tell(error)
                self._take_stock(known)

        self._requests.put(kept)

    def end(self) -> None:
        self._wanted = None
        self._requests.put(None)
        self._thread.join()

    # ------------------------------------------------------------ in the thread

    def _run(self) -> None:
        while (request := self._next()) is not None:
            try:
                if self._folder is not None and self._is_taken_away(self._folder):
                    self._drop()
                request()
            except Exception as error:  # noqa: BLE001  # a bug here must not leave a window that no longer answers
                self._tell(error)
        if self._seeker is not None:
            self._seeker.close()
        if self._has_removed and self._folder is not None:
            take_out_of_copies([self._folder], renews=True)

    def _next(self) -> Request | None:
        try:
            return self._requests.get(timeout=WATCH_S if self._owed is None else SETTLED_S)
        except queue.Empty:
            return self._read_owed

    def _tell(self, error: Exception) -> None:
        if isinstance(error, KairosError):
            self._reply(TimelineTrouble(what=error.what, remedy=error.remedy))
        else:
            logger.error("labelling failed with %s", type(error).__name__)  # an error may quote the screen
            self._reply(WENT_WRONG)

    def _take_stock(self, known: Collection[str]) -> None:
        """Say what is kept after a change has failed; where labels that were there are gone, this is over."""
        try:
            self._known = read_labels(self._folder) if self._folder is not None else ()
        except BadFile:
            self._known = ()
        else:
            if not set(known) <= {label.label_id for label in self._known}:
                self._drop()
                return
        self._reply(LabelsKept(labels=self._known, failed=True))

    def _is_taken_away(self, folder: Path) -> bool:
        """Tell whether rows that were read may be gone: a purge puts a smaller database in the place of that one."""
        try:
            found = (folder / DATABASE).stat()
        except OSError:
            return True
        return found.st_ino != self._inode or found.st_size < self._size

    def _drop(self) -> None:
        if self._seeker is not None:
            self._seeker.close()
        self._folder = self._seeker = self._owed = None
        self._at_ns, self._refs, self._known = [], [], ()
        self._reply(LabelsClosed())

    def read(self, folder: Path, studies: Collection[str], now_wall_ns: int) -> None:
        """Read the session and show it.

        Raises:
            BadFile: it cannot be read.
        """
        from daemon.history.timeline.moments import MomentFold
        from daemon.history.trajectory.steps import KINDS, StepFolder

        found = (folder / DATABASE).stat()
        self._folder, self._inode, self._size = folder, found.st_ino, found.st_size
        self._seeker = PictureSeeker(folder)
        steps, acts, tasks = StepFolder(), list[LabelledAct](), list[TaskMark]()
        with SessionReader(folder) as reader:
            start = reader.first()
            fold = MomentFold(start, studies=studies, now_s=now_wall_ns / NS_PER_S, name_of=program_name)
            for row in reader.rows({*fold.kinds, *KINDS, Frame.KIND, TaskMark.KIND}):
                if isinstance(row, TaskMark):
                    tasks.append(row)
                if row.KIND in fold.kinds:
                    fold.add(row)
                if isinstance(row, Frame) and row.image_ref is not None:
                    self._at_ns.append(row.at_ns)
                    self._refs.append(row.image_ref)
                acts += map(_act, steps.add(row))
            end_ns = reader.last_at_ns() or start.at_ns
        if end_ns <= start.at_ns:
            raise BadFile(translatable("nothing was recorded in {name}", name=folder.name))
        self._known = read_labels(folder)
        transcript, sound = None, dict[str, int]()
        with suppress(BadFile):  # `kairos sessions verify` says so
            transcript = read_transcript(folder)
            sound = files_of(folder) if transcript is None else {}
        self._reply(
            SessionToLabel(
                session=folder.name,
                begin_wall_ns=fold.wall_ns(start.at_ns),
                begin_ns=start.at_ns,
                end_ns=end_ns,
                pictures=tuple(self._at_ns),
                acts=(*acts, *map(_act, steps.cut())),
                moments=tuple(sorted(fold.moments, key=lambda moment: (moment.start_ns, moment.moment_id))),
                labels=self._known,
                words=_said(transcript),
                tasks=tuple(tasks),
            )
        )
        self._listen([*sound.items()], [])

    def _listen(self, files: Sequence[tuple[str, int]], heard: Loudness) -> None:
        """Find when somebody spoke, file by file: pictures that are requested meanwhile come in between."""
        self._read_owed()
        if self._folder is None or not (files or heard):
            return
        if not files:
            self._reply(SpeechHeard(spans=tuple(voiced(heard))))
            return
        with suppress(BadFile):
            heard = [*heard, *loudness_of(self._folder, dict(files[:1]))]
        self.do(partial(self._listen, files[1:], heard))

    def _read_wanted(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self._owed = None
            self._show(*wanted, may_be_near=True)

    def _read_owed(self) -> None:
        owed, self._owed = self._owed, None
        if owed is not None:
            self._show(*owed, may_be_near=False)

    def _show(self, at_ns: int, width: int, *, may_be_near: bool) -> None:
        if self._seeker is None:
            return
        place = max(0, bisect_right(self._at_ns, at_ns) - 1)  # before the first one: that one
        found = None
        with suppress(BadFile, OSError):
            if self._refs:
                near = self._seeker.ready_before(self._refs[place]) if may_be_near else None
                self._owed = (at_ns, width) if near else None
                found = self._seeker.read(near or self._refs[place], width)
        size_and_rgb = found or (0, 0, b"")
        self._reply(SessionPicture(at_ns=at_ns, width=size_and_rgb[0], height=size_and_rgb[1], rgb=size_and_rgb[2]))


def _said(found: Transcript | None) -> tuple[SaidWord, ...]:
    words = found.words if found is not None else ()
    return tuple(SaidWord(start_ns=word.start_ns, end_ns=word.end_ns, text=word.text) for word in words)


def _act(found: "FoundStep") -> LabelledAct:
    action, target = found.step.action, found.step.target
    count = action.args.get("count", 0)
    return LabelledAct(
        start_ns=found.first_ns,
        end_ns=found.last_ns,
        verb=action.verb,
        count=count if isinstance(count, int) else 0,
        target=printable(target.name or "") if target is not None else "",
        app=named(found.step.app),
    )
