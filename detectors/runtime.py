"""onnxruntime, which runs the embedded model, kept from reporting to its maker; it is imported here alone.

Its Linux builds have telemetry that is on by default: they keep a device id and a database of events in the cache
folder and send them away. The switch counts only before it is loaded, and is set whatever the environment says.
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime  # the switch comes first
from onnxruntime.capi import onnxruntime_pybind11_state as faults

__all__ = ["faults", "onnxruntime"]
