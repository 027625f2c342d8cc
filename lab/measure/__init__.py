"""What all benchmarks share: metrics with intervals, acceptance criteria, pages, plots, progress and the command frame.

Imports `storage`, and one text helper of `detectors.mllm`; knows no benchmark. Begin with `benchmark`, the frame of a
command, then `metrics`. The modules are imported one by one: `benchmark` must load without numpy, `metrics` needs it.
"""

__all__ = [
    "agreement",
    "benchmark",
    "descent",
    "json_lines",
    "metrics",
    "processes",
    "published",
    "report",
    "resampling",
]
