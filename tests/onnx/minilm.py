# SPDX-License-Identifier: Apache-2.0
"""Writes a sentence encoder with the weights of all-MiniLM-L6-v2 as an ONNX file. The package has only the weights
(safetensors), so this module builds the graph, with the nodes that PyTorch's exporter writes for a BERT encoder.

The graph reads the numbers of a fixed number of tokens and a mask, which is 1 for the tokens of the sentence and 0 for
the others. Its result is the mean of the vectors of the sentence's tokens ("pooled vector")."""
import json
import struct
import unicodedata

SENTENCES = ["A man is eating a piece of bread.", "The girl is carrying a baby.",
             "Someone in a gorilla costume is playing drums.", "Hello."]


def weights_of(path):
    """Returns the tensors of a safetensors file by name."""
    import numpy as np
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    types = {"F32": "<f4", "I64": "<i8"}
    return {name: np.frombuffer(raw[8 + size + h["data_offsets"][0]:8 + size + h["data_offsets"][1]],
                                types[h["dtype"]]).reshape(h["shape"])
            for name, h in json.loads(raw[8:8 + size]).items() if name != "__metadata__"}


def words_of(text):
    """Divides a text into lower-case words and punctuation marks, as BERT does for languages with spaces."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if unicodedata.category(c).startswith("P") else c for c in plain).split()


def tokens_of(text, vocabulary):
    """Returns the numbers of a text's tokens: for each word the longest piece of the vocabulary, again and again.
    [CLS] comes before the words and [SEP] after them. A word with a rest that has no piece becomes [UNK]."""
    number = {piece: n for n, piece in enumerate(vocabulary.read_text().splitlines())}
    found = ["[CLS]"]
    for word in words_of(text):
        at, pieces = 0, []
        while at < len(word):
            ends = [e for e in range(len(word), at, -1) if ("##" if at else "") + word[at:e] in number]
            if not ends:
                pieces = ["[UNK]"]
                break
            pieces.append(("##" if at else "") + word[at:ends[0]])
            at = ends[0]
        found += pieces
    return [number[piece] for piece in found + ["[SEP]"]]


def inputs(folder, size):
    """Returns the inputs of a graph for `size` tokens, with one row for each sentence that is not longer."""
    import numpy as np
    rows = [tokens for tokens in (tokens_of(s, folder / "vocab.txt") for s in SENTENCES) if len(tokens) <= size]
    ids, mask = (np.zeros((len(rows), size), np.int64) for _ in range(2))
    for row, tokens in enumerate(rows):
        ids[row, :len(tokens)], mask[row, :len(tokens)] = tokens, 1
    return {"input_ids": ids, "attention_mask": mask}


class Builder:
    """A graph that is being built: its nodes and its constants."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, value, name=None):
        import numpy as np
        import onnx
        name = name or f"constant_{len(self.constants)}"
        self.constants.append(onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind, *operands, name=None, **attributes):
        """Adds a node. Operands that are not names become constants. Returns the name of the result."""
        import onnx
        read = [o if isinstance(o, str) else self.constant(o) for o in operands]
        name = name or f"{kind}_{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(kind, read, [name], name=name, **attributes))
        return name


def linear(b, weights, x, name):
    """Adds a product with weights, and its bias."""
    product = b.add("MatMul", x, b.constant(weights[name + ".weight"].T, name + ".weight"))
    return b.add("Add", product, weights[name + ".bias"])


def norm(b, weights, x, name, epsilon):
    return b.add("LayerNormalization", x, weights[name + ".weight"], weights[name + ".bias"], axis=-1, epsilon=epsilon)


def layer(b, weights, x, mask, name, config, size):
    """Adds a layer of the encoder. mask: 0 for keys that count, and a very negative number for the others. size: number
    of tokens."""
    import numpy as np
    heads, width = config["num_attention_heads"], config["hidden_size"]
    split = np.array([0, size, heads, width // heads], np.int64)
    part = {}
    for kind, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
        y = b.add("Reshape", linear(b, weights, x, f"{name}.attention.self.{kind}"), split)
        part[kind] = b.add("Transpose", y, perm=order)
    scores = b.add("MatMul", part["query"], part["key"])
    scores = b.add("Div", scores, np.float32((width // heads) ** 0.5))
    shares = b.add("Softmax", b.add("Add", scores, mask), axis=-1)
    y = b.add("Transpose", b.add("MatMul", shares, part["value"]), perm=[0, 2, 1, 3])
    y = b.add("Reshape", y, np.array([0, size, width], np.int64))
    y = b.add("Add", linear(b, weights, y, f"{name}.attention.output.dense"), x)
    x = norm(b, weights, y, f"{name}.attention.output.LayerNorm", config["layer_norm_eps"])
    y = linear(b, weights, x, f"{name}.intermediate.dense")
    erf = b.add("Add", b.add("Erf", b.add("Div", y, np.float32(2 ** 0.5))), np.float32(1))
    y = b.add("Mul", b.add("Mul", y, erf), np.float32(0.5))
    y = b.add("Add", linear(b, weights, y, f"{name}.output.dense"), x)
    return norm(b, weights, y, f"{name}.output.LayerNorm", config["layer_norm_eps"])


def model_of(folder, size):
    """Returns the model for `size` tokens. folder: where the package has the weights and their configuration."""
    import numpy as np
    import onnx
    config, weights = json.loads((folder / "config.json").read_text()), weights_of(folder / "model.safetensors")
    b = Builder()
    x = b.add("Gather", b.constant(weights["embeddings.word_embeddings.weight"], "word_embeddings"), "input_ids",
              name="words")
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    places = weights["embeddings.position_embeddings.weight"][:size] + kind
    x = norm(b, weights, b.add("Add", x, places), "embeddings.LayerNorm", config["layer_norm_eps"])
    counts = b.add("Cast", "attention_mask", to=onnx.TensorProto.FLOAT)
    keys = b.add("Unsqueeze", counts, np.array([1, 2], np.int64))
    mask = b.add("Mul", b.add("Sub", np.float32(1), keys), np.float32(-1e4))
    for n in range(config["num_hidden_layers"]):
        x = layer(b, weights, x, mask, f"encoder.layer.{n}", config, size)
    kept = b.add("Unsqueeze", counts, np.array([2], np.int64))
    total = b.add("ReduceSum", b.add("Mul", x, kept), np.array([1], np.int64), keepdims=0)
    b.add("Div", total, b.add("ReduceSum", kept, np.array([1], np.int64), keepdims=0), name="pooled")
    ports = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.INT64, ["N", size])
             for n in ("input_ids", "attention_mask")]
    result = onnx.helper.make_tensor_value_info("pooled", onnx.TensorProto.FLOAT, ["N", config["hidden_size"]])
    graph = onnx.helper.make_graph(b.nodes, "minilm", ports, [result], b.constants)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
