"""Records a session: a thread "writer" commits rows and encodes pictures and sound, so that no other waits for a disk.

Rows are committed at most every `flush_s`, and at once after a quiet time; the rows of a step share one transaction.
Pictures may be dropped, oldest first and counted; rows are not, before `MAX_ROWS` of them wait. On a full disk the
video stops, a `Problem` is reported once, and rows wait in memory and are retried. A session that was removed or
overwritten is reported once (`SESSION_GONE`), and the thread ends. Nothing raises into a caller after the start.
"""

import logging
import os
import sqlite3
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from storage.clock import NS_PER_S, Clock
from storage.db.connection import is_disk_full
from storage.records import SESSION_GONE, Dropped, Problem, Record
from storage.session.heartbeat import Heartbeat
from storage.session.log import SessionWriter
from storage.session.sound import SoundBlock, SoundWriter
from storage.session.video import Picture, VideoWriter
from storage.settings import StorageSettings

logger = logging.getLogger(__name__)

MAX_ROWS = 200_000
"""Rows that may wait for a disk: hours of work, about 100 MB."""

MAX_PICTURES = 8
"""Pictures that may wait for the encoder; 0.8 MB each at 960x540."""

MAX_BLOCKS = 500
"""Blocks of sound that may wait for the encoder: ten seconds, 1 MB."""

BATCH = 5_000
"""Rows after which a transaction takes no further step, so that a flood does not hold the disk for long."""

RETRY_S = 10.0
"""How often free space is checked while writing, and how soon a full disk is retried."""

LEAST_FREE_MB = 4
"""Free disk below which no pictures are stored, whatever the settings say."""

ROOM_TO_RESUME = 1.25
"""Factor on the least free disk before the video resumes, so that it does not stop again at once."""

Step = tuple[Record, ...]


class _SessionGoneError(Exception):
    """The session's files are no longer where its rows go."""


class SessionRecorder:
    """Writes one session's rows and pictures into its folder."""

    def __init__(
        self,
        folder: Path,
        settings: StorageSettings,
        clock: Clock,
        *,
        on_problem: Callable[[Problem | Dropped], None],
        heartbeat: Heartbeat,
    ) -> None:
        """Open the session and start the thread.

        Args:
            folder: the session's own, from `storage.session.log.create_session`.
            settings: how often to commit, and how much disk to leave free.
            clock: session time.
            on_problem: called on the writer's thread when storing fails, works again, or something was dropped.
            heartbeat: notes which rows were handed over; ended by `close`.

        Raises:
            EnvironmentFault: the session cannot be written at all.
        """
        self._folder = folder
        self._settings = settings
        self._flush_ns = round(settings.flush_s * NS_PER_S)
        self._clock = clock
        self._on_problem = on_problem
        self._heartbeat = heartbeat
        self._condition = threading.Condition()
        # shared with callers, under the condition
        self._steps: deque[Step] = deque()
        self._waiting_rows = 0
        self._pictures: deque[Picture] = deque()
        self._sounds: deque[SoundBlock] = deque()
        self._due_ns = 0
        self._committed_ns = -NS_PER_S * 3600
        self._dropped = {"rows": 0, "pictures": 0, "sound": 0}
        self._lost_rows = 0
        self._gone = False
        self._closing = False
        self._ended = False
        # the writer's own
        self._problem: str | None = None
        self._rows_fail = False
        self._space_checked_ns: int | None = None
        self._log = SessionWriter(folder)
        self._video = VideoWriter(folder)
        self._sound = SoundWriter(folder)
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    @property
    def stores_pictures(self) -> bool:
        """Whether pictures are being stored; while not, a `Frame` should name none. Call `VideoPlan.cut` after."""
        return self._problem is None and not self._closing and not self._ended

    def put(self, rows: Sequence[Record]) -> None:
        """Hand the rows of one step over; they are committed together. Never blocks."""
        step = tuple(rows)
        if not step:
            return
        with self._condition:
            if self._closing:
                logger.error("%d rows came after the end of the session", len(step))
                return
            if self._ended or self._waiting_rows + len(step) > MAX_ROWS:
                self._dropped["rows"] += len(step)
                self._lost_rows += len(step)
                return
            if not self._steps:
                # at once after a quiet time, else `flush_s` after the last commit
                self._due_ns = max(self._clock.now_ns(), self._committed_ns + self._flush_ns)
                self._condition.notify()
            self._steps.append(step)
            self._waiting_rows += len(step)
        self._heartbeat.taken(step[-1].at_ns)

    def put_picture(self, picture: Picture) -> bool:
        """Hand a picture over to be encoded; drops the oldest one waiting when the encoder is far behind.

        Returns:
            Whether pictures are being stored. If not, its frame must not name it, and the next one begins a new file
            (`VideoPlan.cut`).
        """
        with self._condition:
            if not self.stores_pictures:
                self._dropped["pictures"] += not picture.repeat
                return False
            if len(self._pictures) >= MAX_PICTURES:
                self._dropped["pictures"] += not self._pictures.popleft().repeat
            self._pictures.append(picture)
            self._condition.notify()
            return True

    def put_sound(self, blocks: Sequence[SoundBlock]) -> bool:
        """Hand sound over to be encoded; return whether it is stored. If not, the next begins a new file."""
        with self._condition:
            stored = self.stores_pictures and len(self._sounds) + len(blocks) <= MAX_BLOCKS
            if stored:
                self._sounds.extend(blocks)
                self._condition.notify()
            else:
                self._dropped["sound"] += len(blocks)
            return stored

    def close(self, timeout_s: float) -> bool:
        """Write what is left and end; a second call changes nothing.

        Returns:
            Whether every row was written. If not, the heartbeat still tells where the session really ended.
        """
        with self._condition:
            self._closing = True
            self._condition.notify()
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            logger.error("the writer is late: %d rows may be lost", self._waiting_rows)
            return False
        lost = self._waiting_rows + self._lost_rows
        if lost:
            logger.error("%d rows were not written", lost)
        in_order = not lost and not self._gone
        self._heartbeat.close(in_order=in_order)
        return in_order

    # ------------------------------------------------------------ the writer's thread

    def _run(self) -> None:
        try:
            while self._work_once():
                pass
        except _SessionGoneError:
            logger.error("%s was removed or overwritten while it was recorded", self._folder)  # noqa: TRY400  # no bug
            self._gone = True
            self._on_problem(Problem(code=SESSION_GONE))
        except Exception:  # a stage boundary: a bug here must not take the program along
            logger.exception("the writer has failed")
            self._on_problem(Problem(code="storage_failed"))
        finally:
            with self._condition:
                self._ended = True
                self._pictures.clear()
                self._sounds.clear()
            self._end_video()
            self._log.close()

    def _work_once(self) -> bool:
        """Wait for work and do it; return False after the last time."""
        closing, due = self._wait()
        written = self._commit() if closing or due else True
        self._check_space()
        while self._problem is None and (picture := self._next_picture()) is not None:
            self._encode(picture)
        while self._problem is None and (block := self._next_block()) is not None:
            self._encode(block)
        self._report_dropped()
        return not closing or (written and bool(self._steps))

    def _wait(self) -> tuple[bool, bool]:
        """Wait for pictures, due rows or the end; return whether it is the end, and whether rows are due."""
        with self._condition:
            while not (self._closing or self._pictures or self._sounds):
                if not self._steps:
                    self._condition.wait()
                    continue
                left_s = (self._due_ns - self._clock.now_ns()) / NS_PER_S
                if left_s <= 0 or not self._condition.wait(left_s):
                    return self._closing, True
            return self._closing, bool(self._steps) and self._clock.now_ns() >= self._due_ns

    def _commit(self) -> bool:
        """Write waiting rows in one transaction; return whether that worked. If not, they go on waiting."""
        with self._condition:
            batch: list[Step] = []
            count = 0
            for step in self._steps:
                if count >= BATCH:
                    break
                batch.append(step)
                count += len(step)
        if batch and not self._log.is_in_place():
            raise _SessionGoneError
        try:
            self._log.append([row for step in batch for row in step])
        except sqlite3.DatabaseError as error:
            if type(error) is sqlite3.DatabaseError:  # no database any more, or a damaged one
                raise _SessionGoneError from error
            if not isinstance(error, sqlite3.OperationalError):
                raise
            self._rows_fail = True
            self._fail(error)
            with self._condition:
                self._due_ns = self._clock.now_ns() + round(RETRY_S * NS_PER_S)
            return False
        if self._rows_fail:
            self._rows_fail = False
            self._space_checked_ns = None  # check now: the thread may not wake again for long
        with self._condition:
            for _ in batch:
                self._steps.popleft()
            self._waiting_rows -= count
            self._committed_ns = self._clock.now_ns()
            if count < BATCH:  # what came meanwhile waits for its own turn; the rest of a flood does not
                self._due_ns = self._committed_ns + self._flush_ns
        return True

    def _next_picture(self) -> Picture | None:
        with self._condition:
            return self._pictures.popleft() if self._pictures else None

    def _next_block(self) -> SoundBlock | None:
        with self._condition:
            return self._sounds.popleft() if self._sounds else None

    def _encode(self, picture: Picture | SoundBlock) -> None:
        from av.error import FFmpegError

        try:
            stored = self._sound.write(picture) if isinstance(picture, SoundBlock) else self._video.write(picture)
        except (OSError, FFmpegError, ValueError) as error:  # the last: a library that lacks the encoder
            self._fail(error)
            stored = False
        if not stored:
            with self._condition:
                if isinstance(picture, SoundBlock):
                    self._dropped["sound"] += 1
                else:
                    self._dropped["pictures"] += not picture.repeat

    def _fail(self, error: Exception) -> None:
        if not self._log.is_in_place():
            raise _SessionGoneError from error
        logger.error("storing in %s fails: %s", self._folder, error)
        self._begin_problem("disk_full" if is_disk_full(error) else "storage_failed")

    def _begin_problem(self, code: str) -> None:
        if self._problem is not None:
            return
        self._problem = code
        with self._condition:
            self._dropped["pictures"] += sum(not picture.repeat for picture in self._pictures)
            self._dropped["sound"] += len(self._sounds)
            self._pictures.clear()
            self._sounds.clear()
        self._end_video()
        self._on_problem(Problem(code=code))

    def _check_space(self) -> None:
        """Stop the video before the disk is full, so that rows still find room; notice when a problem is over.

        Look after the session's files too.
        """
        now_ns = self._clock.now_ns()
        if self._space_checked_ns is not None and now_ns - self._space_checked_ns < RETRY_S * NS_PER_S:
            return
        self._space_checked_ns = now_ns
        if sys.platform == "win32":  # nothing of this is built for Windows yet
            raise NotImplementedError
        try:
            found = os.statvfs(self._folder)
        except OSError as error:
            self._fail(error)
            return
        free_mb = (found.f_bavail * found.f_frsize) >> 20
        needed_mb = max(self._settings.min_free_mb, LEAST_FREE_MB)
        if self._problem is None and free_mb < needed_mb:
            logger.error("only %d MB are free in %s; recording needs %d", free_mb, self._folder, needed_mb)
            self._begin_problem("disk_full")
        elif self._problem is not None and free_mb >= needed_mb * ROOM_TO_RESUME and not self._rows_fail:
            logger.warning("storing works again")
            over, self._problem = self._problem, None
            self._on_problem(Problem(code=over, over=True))
        if not self._log.is_intact():
            raise _SessionGoneError

    def _end_video(self) -> None:
        if "av" not in sys.modules:  # nothing was opened
            return
        from av.error import FFmpegError

        for writer in (self._video, self._sound):
            try:
                writer.close()
            except (OSError, FFmpegError) as error:
                logger.warning("the end of a video or sound could not be written: %s", error)

    def _report_dropped(self) -> None:
        reason = "overload" if self._problem is None else self._problem
        with self._condition:
            dropped, self._dropped = self._dropped, dict.fromkeys(self._dropped, 0)
        for what, count in dropped.items():
            if count:
                self._on_problem(Dropped(what=what, count=count, reason=reason))
