"""Measures what watching costs, and whether it misses anything.

Every run has a virtual desktop of its own with `screen_activity` on it. CPU time is what counts, of the
process and of its X server, minus what that server needs for the content alone; wall time on a busy machine says
little. Rounds are interleaved, and their median is compared with the limits. The criteria `exact_*` are about the
capture thread alone, without the thread that delivers input; that one is part of the whole loop.
"""

import json
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from demo.virtual_desktop.daemon_process import KAIROS, DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.sample_text import figure
from demo.virtual_desktop.windows import poll
from lab.benchmarks.capture import ledger
from lab.benchmarks.capture.subjects import FRAMES_FILE, RING_FILE, THREAD_FILE
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.processes import cpu_ms, rss_mb
from lab.measure.report import Heading, Part, text_of
from storage.clock import NS_PER_S, SystemClock
from storage.plain_text import print_progress
from storage.records import Box

ROUNDS = 3
LASTING_NS = int(2.5 * NS_PER_S)
"""A numbered change that lasts this long must be found."""

ROUND_S, FULL_ROUND_S = 40.0, 120.0
MEMORY_S, FULL_MEMORY_S = 120.0, 600.0
_SETTLE_S = 3.0
_INDEX_S = 300.0
_OFFICE_START_S = 90.0
_LEARN_S = 12.0
"""Wait before ticking is measured, until it is known to be nothing else."""

_LEDGER_FILE = "ledger.json"
_SIZE = (1920, 1080)
_ROOT = Path(__file__).resolve().parents[3]
_QUIET = {"policy.quiet_start_s": "86400"}
_EVERYTHING = {"policy.quiet_start_s": "0", "capture.understand_controls": "on", "capture.read_outputs": "on"}
"""With a recording, a tray, and the documentation on this machine indexed there is nothing more to turn on."""

OFFICE = "calc"
"""Content of a real program, since the drawn one has no controls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureRun:
    """What one run used: milliseconds of CPU a second by the process, by its capture thread, and by the X server.

    `server_ms_s` is without what the content alone costs, once that is known. `missed` are numbered changes, of
    `numbers`, that no changed box covered while they were on the screen.
    """

    subject: str
    mode: str
    round: int
    process_ms_s: float
    server_ms_s: float
    thread_ms_s: float = 0.0
    rss_mb: float = 0.0
    mb_per_hour: float = 0.0
    numbers: int = 0
    missed: tuple[int, ...] = ()
    ring_mb: float = 0.0


_BATCHES = (
    (("content", "static"), ("content", "ticking"), ("content", "mix")),
    (("kairos", "static"), ("kairos", "ticking"), ("kairos", "mix")),
    (("capture", "mix"),),
)


def measure(*, full: bool, with_ledger: bool = False) -> Report:
    """Run all subjects in rounds, and compare the medians with the limits; or say where CPU time goes."""
    if with_ledger:
        return _measure_ledger(full=full)
    seconds, memory_s = (FULL_ROUND_S, FULL_MEMORY_S) if full else (ROUND_S, MEMORY_S)
    with TemporaryDirectory(prefix="kairos-bench-") as folder:
        runs = run_all(Path(folder), seconds, memory_s)
    return Report(
        criteria=criteria_of(runs),
        rounds=[asdict(run) for run in runs],
    )


def _measure_ledger(*, full: bool) -> Report:
    """Say where the CPU time of the loop with recording goes, and of everything turned on."""
    parts: list[Part] = []
    with TemporaryDirectory(prefix="kairos-bench-") as folder:
        for subject, mode in (("kairos", "static"), ("kairos", "mix"), ("everything", OFFICE)):
            print_progress(f"{subject} ({mode})")
            seconds = FULL_ROUND_S if full else ROUND_S
            parts.append(Heading(f"{subject} ({mode})"))
            run = one_run(Path(folder), subject, mode, 1, seconds, into=parts)
            parts.append(f"process {run.process_ms_s} and X server {run.server_ms_s} ms a second, the content included")
    return Report(criteria=(), text=list(text_of(parts)))


def run_all(folder: Path, seconds: float, memory_s: float) -> list[CaptureRun]:
    """Return all runs: the rounds, some in parallel, and in parallel to them the long ones that measure memory."""
    runs: list[CaptureRun] = []
    with ThreadPoolExecutor(max_workers=9) as pool:
        long_runs = [
            pool.submit(one_run, folder, "kairos", "mix", 0, memory_s),
            pool.submit(one_run, folder, "tray", "mix", 0, memory_s),
            pool.submit(one_run, folder, "ring", "mix", 0, max(seconds, 75.0)),
            pool.submit(one_run, folder, "content", OFFICE, 0, memory_s),
            pool.submit(one_run, folder, "everything", OFFICE, 0, memory_s),
        ]
        for number in range(1, ROUNDS + 1):
            for batch in _BATCHES:
                print_progress(
                    f"round {number} of {ROUNDS}: {', '.join(f'{subject} ({mode})' for subject, mode in batch)}"
                )
                futures = [
                    pool.submit(one_run, folder, *subject_and_mode, number, seconds) for subject_and_mode in batch
                ]
                runs += [future.result() for future in futures]
        runs += [future.result() for future in long_runs]
    return without_content(runs)


def one_run(
    folder: Path, subject: str, mode: str, number: int, seconds: float, *, into: list[Part] | None = None
) -> CaptureRun:
    """Measure one subject over one kind of content, on a desktop of its own; `into` gets its ledger."""
    place = folder / f"{subject}-{mode}-{number}"
    place.mkdir()
    log = place / "content.jsonl"
    clock = SystemClock()
    with VirtualDesktop(
        _SIZE,
        compositor=False,
        tray="xembed" if subject in ("tray", "everything") else "none",
        a11y=mode == OFFICE,
    ) as desktop:
        if mode == OFFICE:
            desktop.turn_accessibility_on()
            _open_office(desktop, place)
        else:
            length_s = seconds + 60.0
            module = "lab.benchmarks.capture.screen_activity"
            argv = [sys.executable, "-m", module, mode, "--seconds", str(length_s), "--log", str(log)]
            desktop.spawn(argv, "content", cwd=_ROOT)
            desktop.windows.wait("KairosContent")
        with _started(desktop, subject, place, with_ledger=into is not None) as process:
            started_ns = clock.now_ns()
            pid = process.pid if process is not None else 0
            clock.sleep_s(_LEARN_S if mode == "ticking" else _SETTLE_S)
            thread = _thread_of(pid, place)
            threads = ledger.threads_of(pid) if into is not None else {}
            start_ns, before = clock.now_ns(), (cpu_ms(pid), cpu_ms(desktop.server_pid), cpu_ms(pid, thread))
            if mode == OFFICE:
                _work(desktop, place, seconds)
            else:
                clock.sleep_s(seconds)
            end_ns, after = clock.now_ns(), (cpu_ms(pid), cpu_ms(desktop.server_pid), cpu_ms(pid, thread))
            threads_after = ledger.threads_of(pid) if into is not None else {}
            memory_mb = rss_mb(pid)
    stored_s = (clock.now_ns() - started_ns) / NS_PER_S
    length_s = (end_ns - start_ns) / NS_PER_S
    if into is not None:
        into += ledger.tables(threads, threads_after, length_s, place / _LEDGER_FILE)
    process_ms, server_ms, thread_ms = ((b - a) / length_s for a, b in zip(before, after, strict=True))
    frames = place / FRAMES_FILE
    seen, missed = check_numbers(log, frames, start_ns, end_ns) if frames.exists() else (0, ())
    ring = place / RING_FILE
    return CaptureRun(
        subject=subject,
        mode=mode,
        round=number,
        process_ms_s=round(process_ms, 3),
        server_ms_s=round(server_ms, 3),
        thread_ms_s=round(thread_ms, 3),
        rss_mb=round(memory_mb, 1),
        mb_per_hour=round(_stored_mb(place) * 3600 / stored_s, 1),
        numbers=seen,
        missed=missed,
        ring_mb=round(int(ring.read_text()) / 1e6, 2) if ring.exists() else 0.0,
    )


def check_numbers(log: Path, frames: Path, start_ns: int, end_ns: int) -> tuple[int, tuple[int, ...]]:
    """Return how many numbered changes lasted long enough between two times, and which of them no frame showed.

    A frame may show a number before whoever draws it has its turn again, and notes that it is drawn.
    """
    drawn: dict[int, tuple[Box, int, int]] = {}
    lasting: list[tuple[int, Box, int, int]] = []
    for line in map(json.loads, log.read_text().splitlines()):
        if "drawn_ns" in line:
            drawn[line["number"]] = (Box(*line["box"]), line["begun_ns"], line["drawn_ns"])
        else:
            box, begun_ns, since_ns = drawn[line["number"]]
            if since_ns >= start_ns and line["erased_ns"] <= end_ns and line["erased_ns"] - since_ns >= LASTING_NS:
                lasting.append((line["number"], box, begun_ns, line["erased_ns"]))
    changes = [(t_ns, [Box(*box) for box in boxes]) for t_ns, boxes in map(json.loads, frames.read_text().splitlines())]
    missed = [
        number
        for number, box, begun_ns, until_ns in lasting
        if not any(begun_ns <= t_ns <= until_ns and _covers(boxes, box) for t_ns, boxes in changes)
    ]
    return len(lasting), tuple(missed)


def without_content(runs: Sequence[CaptureRun]) -> list[CaptureRun]:
    """Return the runs with what the X server needs for the content alone taken off; the median of all rounds."""
    alone = {
        mode: statistics.median(run.server_ms_s for run in runs if (run.subject, run.mode) == ("content", mode))
        for mode in {run.mode for run in runs}
    }
    return [
        run
        if run.subject == "content"
        else replace(run, server_ms_s=max(0.0, round(run.server_ms_s - alone[run.mode], 3)))
        for run in runs
    ]


def criteria_of(runs: Sequence[CaptureRun]) -> list[AcceptanceCriterion]:
    """Compare the medians of the rounds with the limits."""

    def median(subject: str, mode: str, figure: Callable[[CaptureRun], float]) -> float:
        return statistics.median(
            figure(run) for run in runs if (run.subject, run.mode) == (subject, mode) and run.round
        )

    def once(subject: str, figure: Callable[[CaptureRun], float]) -> float:
        return next(figure(run) for run in runs if run.subject == subject and run.round == 0)

    def thread_percent(run: CaptureRun) -> float:
        return (run.thread_ms_s + run.server_ms_s) / 10

    missed = sum(len(run.missed) for run in runs if run.subject == "capture")
    found = sum(run.numbers for run in runs if run.subject == "capture")
    percent = "% of a core"
    criteria = [
        at_most("idle", median("kairos", "static", _percent), 0.1, percent),
        at_most("idle_ticking", median("kairos", "ticking", _percent), 0.3, percent),
        at_most("exact_capture_and_diff", median("capture", "mix", thread_percent), 0.5, percent),
        at_most("exact_changes_missed", missed, 0, f"of {found} numbered changes"),
        at_most("loop_with_recording", median("kairos", "mix", _percent), 2.0, percent),
        at_most("loop_disk", median("kairos", "mix", lambda run: run.mb_per_hour), 40.0, "MB/h"),
        at_most("ring_60_s", once("ring", lambda run: run.ring_mb), 10.0, "MB"),
        at_most("rss_headless", once("kairos", lambda run: run.rss_mb), 125.0, "MB"),
        at_most("rss_tray", once("tray", lambda run: run.rss_mb), 170.0, "MB"),
        at_most("everything", once("everything", _percent), 3.0, percent),
        at_most("everything_rss", once("everything", lambda run: run.rss_mb), 280.0, "MB"),
    ]
    return criteria if found else [*criteria, at_least("exact_changes_found", 0, 1, "numbered changes")]


def _percent(run: CaptureRun) -> float:
    return (run.process_ms_s + run.server_ms_s) / 10  # ten milliseconds a second are a percent of a core


# ---------------------------------------------------------------- processes


@contextmanager
def _started(
    desktop: VirtualDesktop, subject: str, place: Path, *, with_ledger: bool
) -> Iterator[subprocess.Popen[bytes] | None]:
    """Start a subject, wait until it watches, and end it in order."""
    if subject == "content":
        yield None
    elif subject in ("kairos", "tray", "everything"):
        settings = _EVERYTHING if subject == "everything" else _QUIET
        timed = (sys.executable, "-m", "lab.benchmarks.capture.ledger", str(place / _LEDGER_FILE))
        kairos = timed if with_ledger else KAIROS
        daemon = DaemonProcess(desktop, place, settings=settings, headless=subject == "kairos", kairos=kairos)
        if subject == "everything":
            daemon.command("library", "add", timeout_s=_INDEX_S)
        daemon.start()
        try:
            yield daemon.process
        finally:
            daemon.quit()
    else:
        argv = [sys.executable, "-m", "lab.benchmarks.capture.subjects", subject, str(place)]
        with (place / "output").open("wb") as output:
            process = subprocess.Popen(
                argv, env=desktop.env, cwd=_ROOT, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
            )
            try:
                poll((place / THREAD_FILE).exists, what=f"starting {subject}", timeout_s=20.0)
                yield process
            finally:
                process.communicate(timeout=20.0)


def _open_office(desktop: VirtualDesktop, place: Path) -> None:
    """Start the office program, and wait for its window."""
    profile = f"-env:UserInstallation={(place / 'profile').as_uri()}"
    desktop.spawn(["soffice", "--norestore", "--nologo", "--nofirststartwizard", profile, f"--{OFFICE}"], OFFICE)
    window = desktop.windows.wait(title=f"LibreOffice {OFFICE.capitalize()}", timeout_s=_OFFICE_START_S)
    desktop.windows.maximise(window)


def _work(desktop: VirtualDesktop, place: Path, seconds: float) -> None:
    """Work in the office program for so long; each desktop sees the same acts."""
    clock = SystemClock()
    log = ScriptLog(place / "script.jsonl", clock)
    hands = Hands(desktop.display, log, random.Random(1), clock)  # noqa: S311  # a script
    until_ns = clock.now_ns() + int(seconds * NS_PER_S)

    def chords(*keys: str) -> None:
        for key in keys:
            hands.chord(key)
            hands.wait(hands.about(0.5))

    acts: Sequence[Callable[[], None]] = (
        lambda: hands.text(figure(hands.rng)),
        lambda: chords("Return"),
        lambda: hands.text(figure(hands.rng)),
        lambda: chords("Tab", "ctrl+z", "ctrl+y"),
        lambda: hands.click(500, 420),
        lambda: chords("ctrl+1", "Escape"),
    )
    for act in cycle(acts):
        if clock.now_ns() >= until_ns:
            break
        act()
        hands.wait(hands.about(0.6))
    log.close()


def _thread_of(pid: int, place: Path) -> int:
    file = place / THREAD_FILE
    return int(file.read_text()) if pid and file.exists() else 0


def _stored_mb(folder: Path) -> float:
    """Return what sessions and pictures weigh once everything has ended; a database's journal is gone by then."""
    files = [*folder.glob("sessions/*/*"), *folder.glob("*.jpg")]
    return sum(path.stat().st_size for path in files) / 1e6


def _covers(boxes: Sequence[Box], box: Box) -> bool:
    """Return whether all corners of a box lie in changed boxes."""
    corners = [(x, y) for x in (box.x, box.x + box.w - 1) for y in (box.y, box.y + box.h - 1)]
    return all(any(b.x <= x < b.x + b.w and b.y <= y < b.y + b.h for b in boxes) for x, y in corners)
