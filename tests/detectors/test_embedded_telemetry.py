"""The runtime of the embedded model leaves nothing in the home folder that could be sent to its maker."""

import os
import subprocess
import sys
from pathlib import Path

from detectors import embedded

ESTIMATE = """
from detectors.embedded import EmbeddedDetector
from storage.settings import DetectorSettings
EmbeddedDetector(DetectorSettings())
"""


def test_loading_the_model_leaves_no_trace_for_anybody_else(tmp_path: Path) -> None:
    """No device id and no events, also where the environment would allow them."""
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "ORT_DISABLE_TELEMETRY": "0"}
    subprocess.run([sys.executable, "-c", ESTIMATE], env={**os.environ, **home}, check=True)
    assert list(tmp_path.rglob("*")) == []


def test_the_installed_runtime_knows_the_switch() -> None:
    """A build that has telemetry and calls the switch otherwise would go unnoticed."""
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1", f"{embedded.__name__} sets it"
    library = Path(str(sys.modules["onnxruntime.capi.onnxruntime_pybind11_state"].__file__)).read_bytes()
    assert b"ORT_DISABLE_TELEMETRY" in library or b"events.data.microsoft.com" not in library
