"""Feature extractors, one a file. To add one, write its file and list its class in `EXTRACTORS`.

They import what `detectors.features` shares (acts, fading sums, active window, screen) and never each other. Begin with
`detectors.features.extractor`, the base class with the hooks.
"""

from detectors.features.extractor import FeatureExtractor, FeatureTable
from detectors.features.extractors.act_timing import ActTiming
from detectors.features.extractors.app_switches import AppSwitches
from detectors.features.extractors.attempt_outcomes import AttemptOutcomes, TouchedControls
from detectors.features.extractors.pointer_motion import PointerMotion
from detectors.features.extractors.pointer_presses import PointerPresses
from detectors.features.extractors.popups import Popups
from detectors.features.extractors.repeats import Repeats
from detectors.features.extractors.returning_states import ReturningStates
from detectors.features.extractors.screen_responses import ScreenResponses
from detectors.features.extractors.spontaneous_changes import SpontaneousChanges
from detectors.features.extractors.time_shares import TimeShares
from detectors.features.extractors.undo_patterns import UndoPatterns
from detectors.features.extractors.work_phases import WorkPhases

EXTRACTORS: tuple[type[FeatureExtractor], ...] = (
    TimeShares,
    ActTiming,
    PointerMotion,
    ScreenResponses,
    SpontaneousChanges,
    PointerPresses,
    WorkPhases,
    UndoPatterns,
    Popups,
    AppSwitches,
    ReturningStates,
    Repeats,
    AttemptOutcomes,
    TouchedControls,
)
"""All extractors, in the order in which they see each record and give their features."""

REPEATS: FeatureTable = Repeats.table  # features of repeats and returns, which the evidence detector reads
CONTROLS: FeatureTable = TouchedControls.table
"""Features of the accessibility sense: all of them are 0 where it is off, and no other feature depends on it."""
