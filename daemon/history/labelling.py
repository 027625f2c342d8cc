"""The reader of the window for labels: a session as lanes, its pictures, and its labels, kept at once.

Its thread lives from `open` to `close`. Of pictures only the newest that was requested is read.
"""

import logging
import queue
import threading
from bisect import bisect_right
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from daemon.history.decisions import masked_studies
from daemon.history.program_names import program_name
from daemon.history.timeline.moments import MomentFold
from daemon.history.trajectory.steps import KINDS, FoundStep, StepFolder
from storage.clock import NS_PER_S, Clock
from storage.errors import BadFile, KairosError
from storage.labels import LabelledAct, LabelReply, LabelsKept, LabelView, SegmentLabel, SessionPicture, SessionToLabel
from storage.plain_text import printable
from storage.records import Frame
from storage.session.labels import change_labels, put_label, read_labels
from storage.session.log import SessionReader, find_session
from storage.session.video import PictureSeeker
from storage.timeline import TimelineTrouble
from storage.translation import translatable

logger = logging.getLogger(__name__)

WENT_WRONG = TimelineTrouble(what=translatable("Something went wrong here"), remedy=translatable("See: kairos doctor"))

Request = Callable[[], None]


class LabelService:
    """Implements `storage.labels.LabelRequests`."""

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
            self._reading.keep(lambda folder: put_label(folder, kept))

    def remove(self, label_id: str) -> None:
        """Delete a label."""
        if self._reading is not None:
            self._reading.keep(
                lambda folder: change_labels(
                    folder, lambda labels: [label for label in labels if label.label_id != label_id]
                )
            )

    def close(self) -> None:
        """End the thread, and wait until what was put is kept."""
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.end()

    def _reply(self, reply: LabelReply) -> None:
        if self._view is not None:
            self._view.show_reply(reply)


class _Reading:
    """The thread of one session that is labelled."""

    def __init__(self, reply: Callable[[LabelReply], None]) -> None:
        self._reply = reply
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._wanted: tuple[int, int] | None = None
        self._folder: Path | None = None
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

    def keep(self, change: Callable[[Path], tuple[SegmentLabel, ...]]) -> None:
        def kept() -> None:
            if self._folder is not None:
                self._reply(LabelsKept(labels=change(self._folder)))

        self._requests.put(kept)

    def end(self) -> None:
        self._wanted = None
        self._requests.put(None)
        self._thread.join()

    # ------------------------------------------------------------ in the thread

    def _run(self) -> None:
        while (request := self._requests.get()) is not None:
            try:
                request()
            except KairosError as error:
                self._reply(TimelineTrouble(what=error.what, remedy=error.remedy))
            except Exception as error:  # noqa: BLE001  # a bug here must not leave a window that no longer answers
                logger.error("labelling failed with %s", type(error).__name__)  # noqa: TRY400  # may quote the screen
                self._reply(WENT_WRONG)
        if self._seeker is not None:
            self._seeker.close()

    def read(self, folder: Path, studies: Collection[str], now_wall_ns: int) -> None:
        """Read the session and show it.

        Raises:
            BadFile: it cannot be read.
        """
        self._folder, self._seeker = folder, PictureSeeker(folder)
        steps, acts = StepFolder(), list[LabelledAct]()
        with SessionReader(folder) as reader:
            start = reader.first()
            fold = MomentFold(start, studies=studies, now_s=now_wall_ns / NS_PER_S, name_of=program_name)
            for row in reader.rows({*fold.kinds, *KINDS, Frame.KIND}):
                if row.KIND in fold.kinds:
                    fold.add(row)
                if isinstance(row, Frame) and row.image_ref is not None:
                    self._at_ns.append(row.at_ns)
                    self._refs.append(row.image_ref)
                acts += map(_act, steps.add(row))
            end_ns = reader.last_at_ns() or start.at_ns
        if end_ns <= start.at_ns:
            raise BadFile(translatable("nothing was recorded in {name}", name=folder.name))
        self._reply(
            SessionToLabel(
                session=folder.name,
                begin_wall_ns=fold.wall_ns(start.at_ns),
                begin_ns=start.at_ns,
                end_ns=end_ns,
                pictures=tuple(self._at_ns),
                acts=(*acts, *map(_act, steps.cut())),
                spoken=(),
                moments=tuple(sorted(fold.moments, key=lambda moment: (moment.start_ns, moment.moment_id))),
                labels=read_labels(folder),
            )
        )

    def _read_wanted(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is None or self._seeker is None:
            return
        at_ns, width = wanted
        place = bisect_right(self._at_ns, at_ns) - 1
        found = None
        if place >= 0:
            try:
                found = self._seeker.read(self._refs[place], width)
            except (BadFile, OSError):
                found = None
        size_and_rgb = found or (0, 0, b"")
        self._reply(SessionPicture(at_ns=at_ns, width=size_and_rgb[0], height=size_and_rgb[1], rgb=size_and_rgb[2]))


def _act(found: FoundStep) -> LabelledAct:
    action, target = found.step.action, found.step.target
    count = action.args.get("count", 0)
    return LabelledAct(
        start_ns=found.first_ns,
        end_ns=found.last_ns,
        verb=action.verb,
        count=count if isinstance(count, int) else 0,
        target=printable(target.name or "") if target is not None else "",
        app=printable(found.step.app),
    )
