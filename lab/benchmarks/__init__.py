"""The benchmarks of Kairos, a package each: `command` has the arguments, `benchmark` measures and judges.

May import `lab.measure`, `lab.simulation`, `lab.training`, `demo`, `demo.virtual_desktop`,
and every room below. A benchmark imports another only where it shares what is measured. Begin with `commands`, the
list of all of them.
"""

__all__ = ["commands"]
