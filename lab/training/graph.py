"""Builds an ONNX graph node by node.

Built by hand and not converted: preprocessing belongs inside the graph, and splits of trees must compare the very same
float32 numbers as in training.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

INPUT = "features"
_OPSET, _ML_OPSET, _IR = 17, 5, 9
ML = "ai.onnx.ml"


class Graph:
    """Nodes and constants so far; `op` returns the name of its output, for the next node."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def constant(self, values: NDArray[np.generic] | float) -> str:
        """Add a float32 constant."""
        return self._add_constant(np.asarray(values, np.float32))

    def whole(self, values: list[int]) -> str:
        """Add a constant of whole numbers, for axes and indices."""
        return self._add_constant(np.asarray(values, np.int64))

    def op(self, kind: str, *inputs: str, domain: str = "", output: str = "", **attributes: Any) -> str:
        """Add a node with one output."""
        name = output or f"t{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], domain=domain, **attributes))
        return name

    def model(self, width: int, outputs: Mapping[str, int], facts: Mapping[str, str]) -> bytes:
        """Return the file: input `features` [n, width], the named outputs [n, their width], and metadata.

        Raises:
            onnx.checker.ValidationError: the graph is not well-formed.
        """
        graph = helper.make_graph(
            self._nodes,
            "kairos",
            [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["n", width])],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", wide]) for name, wide in outputs.items()],
            self._constants,
        )
        imports = [helper.make_opsetid("", _OPSET), helper.make_opsetid(ML, _ML_OPSET)]
        model = helper.make_model(graph, opset_imports=imports, ir_version=_IR, producer_name="kairos")
        helper.set_model_props(model, dict(facts))
        onnx.checker.check_model(model)
        return bytes(model.SerializeToString())

    def _add_constant(self, values: NDArray[np.generic]) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(values, name))
        return name
