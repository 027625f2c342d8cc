"""What the figures of watching are judged by."""

import json
from dataclasses import replace
from pathlib import Path

from lab.benchmarks.capture import ledger
from lab.benchmarks.capture.benchmark import OFFICE, CaptureRun, criteria_of, without_content
from lab.measure.report import text_of


def run(subject: str, mode: str, number: int, process_ms_s: float = 0.0, server_ms_s: float = 0.0) -> CaptureRun:
    return CaptureRun(
        subject=subject,
        mode=mode,
        round=number,
        process_ms_s=process_ms_s,
        server_ms_s=server_ms_s,
        numbers=5 if subject == "capture" else 0,
    )


def runs(everything: CaptureRun) -> list[CaptureRun]:
    return [
        *(run("kairos", mode, 1) for mode in ("static", "ticking", "mix")),
        run("capture", "mix", 1),
        *(run(subject, "mix", 0) for subject in ("kairos", "tray", "ring")),
        everything,
    ]


def failed(everything: CaptureRun) -> set[str]:
    return {criterion.name for criterion in criteria_of(runs(everything)) if not criterion.ok}


def test_kairos_with_everything_on_has_limits_of_its_own() -> None:
    """Of CPU time, with what the display server needs for it, and of memory."""
    within = replace(run("everything", OFFICE, 0, 26.0, 4.0), rss_mb=280.0)
    assert failed(within) == set()
    assert failed(replace(within, server_ms_s=5.0)) == {"everything"}
    assert failed(replace(within, rss_mb=281.0)) == {"everything_rss"}


def test_what_a_program_costs_the_display_server_by_itself_is_taken_off() -> None:
    found = without_content([run("content", OFFICE, 0, 0.0, 7.0), run("everything", OFFICE, 0, 20.0, 9.0)])
    assert [(capture_run.subject, capture_run.server_ms_s) for capture_run in found] == [
        ("content", 7.0),
        ("everything", 2.0),
    ]


def test_the_ledger_adds_threads_of_one_name_and_says_what_stages_took(tmp_path: Path) -> None:
    """A thread that began meanwhile counts whole; the dearest comes first."""
    before = {1: ledger.ThreadUsage("core", 1_000_000, 5), 2: ledger.ThreadUsage("writer", 0, 0)}
    after = {
        1: ledger.ThreadUsage("core", 3_000_000, 9),
        2: ledger.ThreadUsage("writer", 20_000_000, 2),
        3: ledger.ThreadUsage("core", 4_000_000, 0),
    }
    (tmp_path / "stages").write_text(
        json.dumps({"Engine.take": [4, 2_000_000, 0], "X11Backend.grab": [2, 9_000_000, 8]})
    )
    lines = [line.split() for line in text_of(ledger.tables(before, after, 2.0, tmp_path / "stages"))]
    assert [line for line in lines if line[:1] in (["writer"], ["core"])] == [
        ["writer", "1", "10.000", "1.00"],
        ["core", "2", "3.000", "2.00"],
    ]
    assert [line[:4] for line in lines[-2:]] == [
        ["X11Backend.grab", "2", "9.0", "4500"],
        ["Engine.take", "4", "2.0", "500"],
    ]


def test_time_of_a_stage_inside_another_counts_once() -> None:
    timer, inner_sums, outer_sums = ledger.Timer(), [0, 0, 0], [0, 0, 0]
    inner = timer.timed(lambda: sum(range(300_000)), inner_sums)
    outer = timer.timed(lambda: inner() - inner(), outer_sums)
    assert outer() == 0
    assert (inner_sums[0], outer_sums[0]) == (2, 1)
    assert outer_sums[1] < inner_sums[1]
