"""Build the ONNX graph of all-MiniLM-L6-v2 from its published weights, so that onnxruntime runs it without torch.

Own code, because the package with the weights brings no graph, and the usual exporter is torch itself. The network is
BERT (Devlin et al. 2018) with six layers; the sentence's embedding is the mean of its tokens' last states, scaled to
length one (Reimers and Gurevych 2019).
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

_OPSET = 20  # the first with Gelu
_IR_VERSION = 9
_MASKED = -1e9


def write_graph(model_directory: Path, target: Path) -> None:
    """Write the graph; inputs ``input_ids`` and ``attention_mask`` (batch, tokens), output ``embedding`` (batch, 384).

    Args:
        model_directory: holds ``config.json`` and ``model.safetensors``.
        target: the file to write.
    """
    import onnx
    from safetensors.numpy import load_file

    config = json.loads((model_directory / "config.json").read_text("utf-8"))
    weights = {
        name.removeprefix("bert."): value for name, value in load_file(model_directory / "model.safetensors").items()
    }
    graph = _Graph(weights, config)
    states = graph.embeddings()
    for layer in range(config["num_hidden_layers"]):
        states = graph.layer(states, f"encoder.layer.{layer}.")
    graph.sentence(states)
    onnx.save(graph.model(), str(target))


class _Graph:
    def __init__(self, weights: dict[str, Any], config: dict[str, Any]) -> None:
        self._weights = weights
        self._size, self._heads = config["hidden_size"], config["num_attention_heads"]
        self._epsilon = config["layer_norm_eps"]
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        mask = self._node("Cast", "attention_mask", to=1)
        self._mask_3d = self._node("Unsqueeze", mask, self._integers(2))
        absent = self._node("Sub", self._node("Unsqueeze", mask, self._integers(1, 2)), self._number(1.0))
        self._mask_4d = self._node("Mul", absent, self._number(-_MASKED))

    def _node(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        from onnx import helper

        output = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def _constant(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def _integers(self, *values: int) -> str:
        return self._constant(f"integers{values}", np.array(values, dtype=np.int64))

    def _number(self, value: float) -> str:
        return self._constant(f"number({value})", np.array(value, dtype=np.float32))

    def _weight(self, name: str, transposed: bool = False) -> str:
        value = self._weights[name].astype(np.float32)
        return self._constant(name, value.T if transposed else value)

    def _linear(self, states: str, name: str) -> str:
        product = self._node("MatMul", states, self._weight(f"{name}.weight", transposed=True))
        return self._node("Add", product, self._weight(f"{name}.bias"))

    def _norm(self, states: str, name: str) -> str:
        scale, shift = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._node("LayerNormalization", states, scale, shift, axis=-1, epsilon=self._epsilon)

    def embeddings(self) -> str:
        """Add the sum of word, position and segment embeddings."""
        words = self._node("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        length = self._node("Slice", self._node("Shape", "input_ids"), self._integers(1), self._integers(2))
        table = self._weight("embeddings.position_embeddings.weight")
        # A slice, not a gather over a range: onnxruntime's optimiser stumbles over the latter.
        positions = self._node("Slice", table, self._integers(0), length, self._integers(0))
        segment = self._constant("segment", self._weights["embeddings.token_type_embeddings.weight"][0])
        total = self._node("Add", self._node("Add", words, positions), segment)
        return self._norm(total, "embeddings.LayerNorm")

    def layer(self, states: str, name: str) -> str:
        """Add one layer: attention, then the feed-forward part, each with its shortcut."""
        attended = self._linear(self._attention(states, f"{name}attention.self."), f"{name}attention.output.dense")
        states = self._norm(self._node("Add", attended, states), f"{name}attention.output.LayerNorm")
        inner = self._node("Gelu", self._linear(states, f"{name}intermediate.dense"))
        outer = self._linear(inner, f"{name}output.dense")
        return self._norm(self._node("Add", outer, states), f"{name}output.LayerNorm")

    def _attention(self, states: str, name: str) -> str:
        per_head = self._size // self._heads
        split = self._integers(0, 0, self._heads, per_head)

        def heads(part: str, order: list[int]) -> str:
            return self._node("Transpose", self._node("Reshape", self._linear(states, name + part), split), perm=order)

        query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
        likeness = self._node("Mul", self._node("MatMul", query, key), self._number(per_head**-0.5))
        weights = self._node("Softmax", self._node("Add", likeness, self._mask_4d), axis=-1)
        mixed = self._node("Transpose", self._node("MatMul", weights, value), perm=[0, 2, 1, 3])
        return self._node("Reshape", mixed, self._integers(0, 0, self._size))

    def sentence(self, states: str) -> None:
        """Add the mean over the tokens that are there, scaled to length one."""
        total = self._node("ReduceSum", self._node("Mul", states, self._mask_3d), self._integers(1), keepdims=0)
        count = self._node("ReduceSum", self._mask_3d, self._integers(1), keepdims=0)
        mean = self._node("Div", total, count)
        length = self._node("ReduceL2", mean, self._integers(-1), keepdims=1)
        self._node("Div", mean, length, output="embedding")

    def model(self) -> Any:
        """Return the finished model, checked."""
        import onnx
        from onnx import TensorProto, helper

        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", self._size])
        graph = helper.make_graph(self._nodes, "minilm", inputs, [output], list(self._constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])
        model.ir_version = _IR_VERSION
        onnx.checker.check_model(model)
        return model
