"""What the figures of watching are judged by."""

from dataclasses import replace

from lab.benchmarks.capture.benchmark import OFFICE, CaptureRun, criteria_of, without_content


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
    """Return runs that cost nothing, but for one."""
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
