"""The benchmarks of Kairos, a package each: `benchmark` measures and judges, and `commands` has the arguments of all.

May import `lab.measure`, `lab.simulation`, `lab.training`, `demo`, `demo.virtual_desktop`,
and every room below. A benchmark imports another only where it shares what is measured. Begin with `commands`.
"""

__all__ = ["commands"]
