"""Detectors that `kairos run --detector` loads into a measured Kairos: what must be known from inside comes with them.

Both run the embedded detector for every estimate, so that it costs what it costs. `stuck` then calls every moment one
in which help is needed. `probed` measures beside it how late the interface thread is, and `blocked` does the same while
that thread is held up on purpose: the control, whose figure must be bad.
"""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from detectors.embedded import EmbeddedDetector
from detectors.protocol import Images
from storage.clock import NS_PER_S, SystemClock
from storage.records import Estimate, Evidence, Prefix, State
from storage.settings import DetectorSettings

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

PERIOD_NS = NS_PER_S // 100
"""The probe asks the interface thread for something this often."""

LATENESS_FILE = "interface-lateness.json"
"""In the folder of `XDG_STATE_HOME`: a pair of numbers for each time, when it was due and how late it came."""

BLOCK_EVERY_MS = 100
BLOCK_S = 0.04

_probes: "list[QObject]" = []
"""Keeps what the interface thread uses: what is dropped here would be deleted in the wrong thread."""

NEED = 0.97
_CODE = "undo_bursts"


class StuckDetector(EmbeddedDetector):
    """Always finds somebody in need of help."""

    name = "stuck"

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        """Return what the embedded detector says, with help needed."""
        rest = (1 - NEED) / (len(State) - 1)
        states = {str(state): NEED if state is State.FRUSTRATION else rest for state in State}
        return replace(
            super().estimate(prefix, images, now_ns),
            detector=self.name,
            state_probs=states,
            help_need=NEED,
            evidence=(Evidence(_CODE, {"count": 4.0, "tries": 2.0, "span_s": 9.0}),),
            abstained=False,
            error=None,
        )


def stuck(settings: DetectorSettings) -> StuckDetector:
    """Return the detector that always finds need."""
    return StuckDetector(settings)


def probed(settings: DetectorSettings) -> EmbeddedDetector:
    """Return the embedded detector, and measure the interface thread from now on."""
    _measure(blocked=False)
    return EmbeddedDetector(settings)


def blocked(settings: DetectorSettings) -> EmbeddedDetector:
    """Return the embedded detector, measure the interface thread, and hold it up."""
    _measure(blocked=True)
    return EmbeddedDetector(settings)


def _measure(*, blocked: bool) -> None:
    """Start the probe on the interface thread; this is the core's."""
    from PySide6.QtCore import QCoreApplication, QMetaObject, Qt

    application = QCoreApplication.instance()
    if application is None:
        return
    probe = _make_probe(blocked=blocked)
    probe.moveToThread(application.thread())
    _probes.append(probe)
    QMetaObject.invokeMethod(probe, "begin", Qt.ConnectionType.QueuedConnection)


def _make_probe(*, blocked: bool) -> "QObject":
    """Return a probe; Qt is loaded where the interface has loaded it, and not before."""
    from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Slot

    class Probe(QObject):
        """Has the interface thread called every 10 ms, and notes how late each call is, also of those left out."""

        def __init__(self) -> None:
            super().__init__()
            self._clock = SystemClock()
            self._due_ns = 0
            self._found: list[tuple[int, int]] = []

        @Slot()
        def begin(self) -> None:
            timer = QTimer(self, interval=PERIOD_NS // 1_000_000, timerType=Qt.TimerType.PreciseTimer)
            timer.timeout.connect(self._look)
            if blocked:
                hold = QTimer(self, interval=BLOCK_EVERY_MS)
                hold.timeout.connect(lambda: self._clock.sleep_s(BLOCK_S))
                hold.start()
            application = QCoreApplication.instance()
            if application is not None:
                application.aboutToQuit.connect(self._save)
            timer.start()
            self._due_ns = self._clock.now_ns() + PERIOD_NS

        def _look(self) -> None:
            now_ns = self._clock.now_ns()
            self._found += missed(self._due_ns, now_ns)
            self._due_ns = self._found[-1][0] + PERIOD_NS if self._found else self._due_ns

        def _save(self) -> None:
            (Path(os.environ["XDG_STATE_HOME"]) / LATENESS_FILE).write_text(json.dumps(self._found))

    return Probe()


def missed(due_ns: int, now_ns: int) -> list[tuple[int, int]]:
    """Return when the calls were due that this one stands for, and how late it is for each.

    Qt leaves out calls that it is late for. One that comes early was due then, and those after it a period later each:
    lateness is rather too large than too small.
    """
    due_ns = min(due_ns, now_ns)
    return [(due, now_ns - due) for due in range(due_ns, now_ns + 1, PERIOD_NS)]
