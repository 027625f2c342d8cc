"""Builds the first row of a session: everything that is in force when it begins."""

import platform
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from detectors import registry as detector_registry
from detectors.protocol import Detector
from policies import registry as policy_registry
from policies.protocol import Policy
from storage import VERSION
from storage.records import SessionStart
from storage.settings import Settings, recorded_settings
from storage.settings_file import settings_hash


def first_row(
    *,
    settings: Settings,
    detector: Detector,
    policy: Policy[Any],
    session_id: str,
    wall_ns: int,
    recording: bool,
    policy_state: Mapping[str, object] | None = None,
    elapsed_ns: int = 0,
    imported_from: str | None = None,
    combiner_hash: str = "",
    boot: str = "",
) -> SessionStart:
    """Return the first row of a session with journal consent.

    `policy_state` is what the policy saved last, `elapsed_ns` of wall time ago. `combiner_hash` names what combines
    models' answers with estimates, and is empty while no model is on. Of the settings what a replay needs is stored
    (`recorded_settings`), and what the person excluded only if they agreed to full titles with the recording.
    """
    stores_titles = recording and imported_from is None
    detector_name, detector_version, detector_hash = detector_registry.identity(detector)
    policy_name, policy_version, policy_hash = policy_registry.identity(policy)
    return SessionStart(
        session_id=session_id,
        kairos_version=VERSION,
        wall_ns=wall_ns,
        settings=recorded_settings(asdict(settings), exclusions=stores_titles),
        settings_hash=settings_hash(settings),
        detector=detector_name,
        detector_version=detector_version,
        detector_hash=detector_hash,
        policy=policy_name,
        policy_version=policy_version,
        policy_hash=policy_hash,
        policy_state={"saved": dict(policy_state or {}), "elapsed_ns": elapsed_ns},
        journal=True,
        recording=recording,
        platform=platform.system(),
        imported_from=imported_from,
        combiner_hash=combiner_hash,
        boot=boot,
    )
