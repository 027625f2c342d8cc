"""Replays recorded scenes with a detector and the policy that ships, and judges each offer by the script's own log.

Nobody answers, and there are no quiet minutes at the start. A scene of trouble is found if an offer comes from the
onset of need (the second attempt in vain) on; any offer before that, or in a calm scene, disturbs. All is simulated.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from daemon.engine.engine import Engine
from daemon.history.summary import WallClock
from demo.judge import judge_offer, parse_script, read_script
from detectors import registry as detectors
from lab.benchmarks.policy.trace import run_engine
from lab.benchmarks.scenes.catalogue import SCENES, Half, Scene
from lab.benchmarks.scenes.record import ABOUT, SCRIPT
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from policies import registry as policies
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Anchor, Offer
from storage.session.log import SessionReader
from storage.settings import PolicySettings, Settings

FOUND, DISTURBED = 10 / 14, 2 / 16
SOON_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneResult:
    """What came of one recording; `delays_s` are of offers from the onset of need on, `false` counts the others."""

    scene: str
    half: Half
    stuck: bool
    delays_s: tuple[float, ...]
    false: int
    topics: tuple[str, ...]
    late_ms_p95: float


def measure(folder: Path, detector: str | None, half: Half | None) -> Report:
    """Judge the recordings in a folder, those of one half or all."""
    found = [judge(recording, detector) for recording in recordings(folder)]
    found = [result for result in found if half in (None, result.half)]
    if not found:
        raise BadFile(f"{folder} holds no recorded scene of this half", remedy="record some: --record")
    return Report(
        criteria=criteria(found),
        fields={"simulated": True, "scenes": [asdict(result) for result in found]},
        text=render(found),
    )


def recordings(folder: Path) -> list[Path]:
    """Return the folders in a folder that a scene was recorded in, by name.

    Raises:
        BadFile: there is none.
    """
    found = sorted(path.parent for path in folder.glob(f"*/{ABOUT}"))
    if not found:
        raise BadFile(f"{folder} holds no recorded scene: no folder in it has {ABOUT}", remedy="record some: --record")
    return found


def judge(folder: Path, detector: str | None = None) -> SceneResult:
    """Replay one recording.

    Raises:
        BadFile: what is said of it, its script or its session cannot be read.
    """
    scene, about = _about(folder)
    timeline = parse_script(read_script(folder / SCRIPT))
    with SessionReader(folder / "sessions" / str(about["session"])) as log:
        start = log.first()
        rows = list(log)
    clock = WallClock(start)
    for row in rows:
        if isinstance(row, Anchor):
            clock.add(row)
    defaults = Settings()
    chosen = defaults.detector if detector is None else replace(defaults.detector, name=detector)
    settings = replace(defaults, detector=chosen, policy=PolicySettings(quiet_start_s=0.0))
    engine = Engine(
        detector=detectors.load(settings.detector),
        policy=policies.load(settings.policy, settings.detector.base_rate),
        settings=settings,
    )
    offers = [row for step in run_engine(engine, rows) for row in step if isinstance(row, Offer)]
    judged = [judge_offer(timeline, round(clock.seconds(offer.shown_at_ns) * NS_PER_S)) for offer in offers]
    return SceneResult(
        scene=scene.name,
        half=scene.half,
        stuck=scene.stuck,
        delays_s=tuple(offer.delay_from_onset_s or 0.0 for offer in judged if not offer.false),
        false=sum(offer.false for offer in judged),
        topics=tuple(offer.topic for offer in offers),
        late_ms_p95=float(about["late_ms_p95"]),
    )


def _about(folder: Path) -> tuple[Scene, dict[str, str]]:
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        scene = next(scene for scene in SCENES if scene.name == about["scene"])
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise BadFile(f"{folder / ABOUT} is not of a scene ({type(error).__name__})") from error
    return scene, about


def criteria(found: Sequence[SceneResult]) -> list[AcceptanceCriterion]:
    """Return the bars: how many in trouble are found, and how many scenes are disturbed."""
    stuck = [result for result in found if result.stuck]
    helped = sum(bool(result.delays_s) for result in stuck)
    disturbed = sum(bool(result.false) for result in found)
    bars = [at_most("disturbed", disturbed / len(found), DISTURBED, f"share of {len(found)} scenes with a false offer")]
    if stuck:
        bars.insert(0, at_least("found", helped / len(stuck), FOUND, f"share of {len(stuck)} scenes of trouble found"))
    return bars


def render(found: Sequence[SceneResult]) -> list[str]:
    """Return the results as lines of text."""
    lines = ["Nobody worked here: scripted people did, in short scenes in real programs."]
    for result in found:
        came = ", ".join(f"after {delay:.0f} s" for delay in result.delays_s) or "no offer"
        false = f"; {result.false} FALSE" if result.false else ""
        lines.append(f"  {result.scene:36} {result.half:7} {came}{false}  {', '.join(result.topics)}")
    stuck = [result for result in found if result.stuck]
    soon = sum(bool(result.delays_s) and result.delays_s[0] <= SOON_S for result in stuck)
    in_all = sum(bool(result.delays_s) for result in stuck)
    helped = f"{in_all} of {len(stuck)} in trouble found, {soon} within {SOON_S:.0f} s"
    disturbed = f"{sum(bool(result.false) for result in found)} of {len(found)} scenes disturbed"
    calm = f"{sum(bool(result.false) and not result.stuck for result in found)} of {len(found) - len(stuck)} calm ones"
    return [*lines, f"{helped}; {disturbed}, {calm}."]
