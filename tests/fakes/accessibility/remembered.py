"""A data folder that remembers a time which is to be forgotten: marked titles, names, pictures, requests and lessons.

Simulated: a desk and a scripted person, the real engine, recorder files, sent log and state. What happens from `CUT_S`
of the second session on is marked, and nothing before it is.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from daemon.engine.engine import Engine
from daemon.engine.session_start import first_row
from detectors import registry as detector_registry
from policies import registry as policy_registry
from storage.clock import NS_PER_S
from storage.files import sent_file, sessions_folder, state_file, state_folder
from storage.records import ControlAct, ControlRole, Feedback, FeedbackKind, Focus, Frame, Offer, Record, SessionEnd
from storage.sent.log import Cost, SentLog
from storage.session.log import DATABASE, SessionWriter, create_session
from storage.session.video import Picture, VideoPlan, VideoWriter
from storage.session.video_sandbox import open_pinned
from storage.settings import DetectorSettings, PolicySettings, Settings
from storage.state.store import Consent, StateStore
from tests.fakes.mllm.sent_requests import picture, request
from tests.fakes.sessions.desk import Desk
from tests.fakes.sessions.people import undo_loop, work

SETTINGS = Settings(
    policy=PolicySettings(quiet_start_s=0.0, cooldown_s=5.0, novelty_s=1.0, offers_per_hour=20, offers_per_day=50),
    detector=DetectorSettings(name="evidence"),
)
WALL_NS = 1_790_000_000 * NS_PER_S
"""When the first session began."""

SECOND_S, THIRD_S = 3600, 7200
"""When the others began, after the first."""

NOW_WALL_NS = WALL_NS + (THIRD_S + 600) * NS_PER_S
"""When all this is to be forgotten."""

CUT_S = 150
"""How far into the second session what is marked begins."""

TITLE, CONTROL, PROGRAM, WORDS = "Quittenmarmelade", "Mirabellenknopf", "zwetschgenapp", "Pflaumenmus-Rezept"
SENT_PICTURE = picture(7)
MARKERS = {
    "title": TITLE.encode(),
    "control": CONTROL.encode(),
    "program": PROGRAM.encode(),
    "sent words": WORDS.encode(),
    "sent picture": SENT_PICTURE.jpeg,
}
SIZE = (160, 96)
CONSENT = Consent(journal=True, recording=True, given_at_wall_ns=WALL_NS)


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """The folders of its sessions: before the marked time, across its beginning, and inside; and when that is."""

    before: Path
    cut: Path
    inside: Path
    cut_wall_ns: int
    now_wall_ns: int

    @property
    def last_s(self) -> float:
        return (self.now_wall_ns - self.cut_wall_ns) / NS_PER_S

    def moved(self, base: Path) -> "Remembered":
        return replace(self, before=base / self.before.name, cut=base / self.cut.name, inside=base / self.inside.name)


def template() -> NDArray[np.uint8]:
    """Return what marked pictures show, as their luma: a pattern that no other picture has."""
    y, x = np.indices((SIZE[1], SIZE[0]))
    return np.where((x // 20 + y // 20) % 2, 220, 30).astype(np.uint8)


def remember(*, cut_off: bool = True) -> Remembered:
    """Fill the data folder; with `cut_off` the second session ends as after a kill, with its newest rows in a log."""
    base = sessions_folder()
    saved: Mapping[str, object] = {"seed": 99}
    folders = []
    for number, (began_s, cut_s) in enumerate(((0, 10_000), (SECOND_S, CUT_S), (THIRD_S, 0))):
        wall_ns = WALL_NS + began_s * NS_PER_S
        folder = create_session(base, wall_ns)
        rows, saved = live(_sources(number, cut_s), folder, wall_ns, saved, cut_s)
        store(folder, rows, cut_off=cut_off and number == 1)
        folders.append(folder)
    cut_wall_ns = WALL_NS + (SECOND_S + CUT_S) * NS_PER_S
    now_wall_ns = NOW_WALL_NS
    with StateStore(state_file()) as state:
        state.save_consent(CONSENT)
        state.save_policy_state("default", saved, now_wall_ns)
        state.save_announced_deletions({folders[2].name: now_wall_ns})
    with SentLog(sent_file()) as log:
        for at_ns, folder, pictured, words in (
            (WALL_NS + NS_PER_S, folders[0], picture(1), "before"),
            (cut_wall_ns - NS_PER_S, folders[1], picture(2), "before"),
            (cut_wall_ns + NS_PER_S, folders[1], SENT_PICTURE, WORDS),
            (WALL_NS + (THIRD_S + 5) * NS_PER_S, folders[2], SENT_PICTURE, WORDS),
        ):
            sent = request(pictured, at_ns=at_ns, session=str(folder.resolve()), text=words)
            log.end(log.begin(sent), "ok", at_ns + NS_PER_S, Cost(tokens_in=5))
    return Remembered(
        before=folders[0], cut=folders[1], inside=folders[2], cut_wall_ns=cut_wall_ns, now_wall_ns=now_wall_ns
    )


def _sources(number: int, cut_s: float) -> list[tuple[int, Record]]:
    """Return what a person did: work and an undo loop, and from `cut_s` on the same in the marked program."""
    desk = Desk(number + 1)
    desk.now = 0.0
    if cut_s:
        work(desk, 20)
        undo_loop(desk)
        desk.wait(20)
    if cut_s <= desk.now + 1000:
        desk.wait(max(0.0, cut_s - 0.5 - desk.now))
        desk.move(600, 400)  # the last row that stays is of the last second
        desk.wait(max(0.0, cut_s + 1 - desk.now))
        desk.focus(PROGRAM, title=TITLE)
        at_ns = round(desk.now * NS_PER_S)
        desk.records.append(
            ControlAct(t_ns=at_ns, app=PROGRAM, what="pressed", role=ControlRole.BUTTON, name_digest="d", name=CONTROL)
        )
        work(desk, 40)
        undo_loop(desk)
        desk.wait(40)
    found = [replace(row, title=row.title_digest) if isinstance(row, Focus) else row for row in desk.records]
    return [(int(getattr(row, "t_ns", 0)), row) for row in found]


def live(
    sources: list[tuple[int, Record]], folder: Path, wall_ns: int, saved: Mapping[str, object], cut_s: float
) -> tuple[list[Record], Mapping[str, object]]:
    """Run the engine as a live session does, with pictures, and everything offered accepted; return rows and memory."""
    detector = detector_registry.load(SETTINGS.detector)
    policy = policy_registry.load(SETTINGS.policy, SETTINGS.detector.base_rate)
    engine = Engine(detector=detector, policy=policy, settings=SETTINGS)
    first = first_row(
        settings=SETTINGS,
        detector=detector,
        policy=policy,
        session_id=folder.name,
        wall_ns=wall_ns,
        recording=True,
        policy_state=saved,
        elapsed_ns=60 * NS_PER_S,
    )
    plan, video = VideoPlan(80.0), VideoWriter(folder)
    rows = engine.take(first, 0)
    at_ns = 0
    for at_ns, record in sources:
        row = record
        if isinstance(record, Frame) and len(rows) % 5 == 0:  # few: they are decoded again and again
            ref = plan.ref(record.t_ns, SIZE)
            marked = record.t_ns >= cut_s * NS_PER_S
            planes = np.full((SIZE[1] * 3 // 2, SIZE[0]), 128, np.uint8)
            planes[: SIZE[1]] = template() if marked else 90
            video.write(Picture(t_ns=record.t_ns, ref=ref, planes=planes, width=SIZE[0], height=SIZE[1]))
            row = replace(record, image_ref=ref)
        for step in engine.take_with_ticks(row, at_ns):
            rows += step
            for offer in [found for found in step if isinstance(found, Offer)]:
                rows += engine.take(Feedback(offer_id=offer.offer_id, kind=FeedbackKind.ACCEPTED), step[-1].at_ns)
    video.close()
    rows += engine.take(SessionEnd(reason="cut"), at_ns)
    return rows, engine.saved_policy()


def store(folder: Path, rows: list[Record], *, cut_off: bool) -> None:
    """Write rows as a session; with `cut_off` without its end, and with the newest of them in the write-ahead log."""
    writer = SessionWriter(folder)
    if cut_off:
        last = next(index for index, row in enumerate(rows) if isinstance(row, SessionEnd))
        writer.append(rows[:last])
        aside = folder.parent / "aside"
        shutil.copytree(folder, aside, ignore=shutil.ignore_patterns("*.mp4"))
        writer.close()
        for path in (aside / DATABASE, aside / f"{DATABASE}-wal"):
            shutil.copy(path, folder)
        shutil.rmtree(aside)
        return
    writer.append(rows)
    writer.close()


def files_with(marker: bytes) -> list[Path]:
    return [path for path in sorted(state_folder().rglob("*")) if path.is_file() and marker in path.read_bytes()]


def marked_pictures(base: Path) -> int:
    return sum(_shows_template(luma) for path in sorted(base.rglob("*.mp4*")) for luma in decoded(path))


def decoded(path: Path) -> Iterator[NDArray[np.uint8]]:
    with path.open("rb") as file, open_pinned(file, path.name) as video, suppress(av.FFmpegError):
        for frame in video.decode(video.streams.video[0]):
            yield frame.to_ndarray(format="gray").astype(np.uint8)


def _shows_template(luma: NDArray[np.uint8]) -> bool:
    a, b = luma.astype(float).ravel(), template().astype(float).ravel()
    if a.std() < 1.0:
        return False
    return bool(np.corrcoef(a, b)[0, 1] > 0.5)
