# SPDX-License-Identifier: Apache-2.0
"""Trains the networks of tests/onnx/trained and measures them.

train.py [--measure] [NAME...]
    NAME       some of the networks (default: all)
    --measure  trains nothing: prints rows for the table of docs/onnx.md, from the files that are there (by build/rill)

Makes a virtual environment in build/onnx-train with numpy, scikit-learn and jax. For each network it writes
trained/NAME.onnx, and the first rows of the data that the network was not trained with: NAME.in.safetensors,
NAME.want.safetensors (the results in floating point) and NAME.labels.safetensors. The data of `jets` and `keywords` are
made here; those of `digits` and `patches` are the handwritten digits that scikit-learn has. The seeds are fixed, but
other versions of the packages may give other weights.

- jets: a perceptron with the layers of the jet tagger of hls4ml (16, 64, 32, 32, 5), trained with scikit-learn
- keywords: a convolutional network that finds one of 4 sound patterns in 32 frames of 16 bands
- digits: an autoencoder (64, 32, 8, 32, 64)
- patches: a vision transformer with 16 patches, 2 layers and 2 heads
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build/onnx-train"
PYTHON = WORK / "env/bin/python"
FOLDER = Path(__file__).parent / "trained"
PACKAGES = ["numpy", "scikit-learn", "jax"]
KEPT = 48  # rows in the repository
TESTED = 400  # most rows of a measurement


def install():
    """Makes the environment if there is none. If this Python is another one, runs the script again in the environment,
    and ends with its status."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", WORK / "env"], check=True)
        subprocess.run([PYTHON, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    if Path(sys.prefix) != WORK / "env":
        raise SystemExit(subprocess.run([PYTHON, __file__, *sys.argv[1:]]).returncode)


# ---- data: rows to train with, their labels, rows to test with, their labels ----


def halves(x, y):
    """Shuffles the rows, and keeps a quarter of them for the tests, but at most TESTED."""
    import numpy as np
    order = np.random.default_rng(3).permutation(len(x))
    x, y, cut = np.float32(x[order]), y[order], len(x) - min(len(x) // 4, TESTED)
    return x[:cut], y[:cut], x[cut:], y[cut:]


def jets_data():
    from sklearn.datasets import make_classification
    return halves(*make_classification(4000, 16, n_informative=8, n_redundant=4, n_classes=5, class_sep=1.6, random_state=1))


def keywords_data():
    """Makes two tones that rise, fall, rise and fall, or stay, in noise, at random times and pitches."""
    import numpy as np
    random = np.random.default_rng(2)
    x, y = random.standard_normal((1600, 1, 32, 16)) * 0.4, random.integers(0, 4, 1600)
    slope = {0: lambda u: u, 1: lambda u: -u, 2: lambda u: 1 - 2 * np.abs(u - 0.5), 3: lambda u: 0 * u}
    bands, frames = np.arange(16), np.arange(18)
    for k in range(len(x)):
        begin, low, gap = random.integers(0, 14), random.uniform(4, 7), random.uniform(3, 4)
        path = low + 3 * slope[int(y[k])](frames / 17)
        for tone in (path, path + gap):
            x[k, 0, begin + frames] += 1.5 * np.exp(-((bands[None] - tone[:, None]) ** 2))
    return halves(x, y)


def digits_data():
    from sklearn.datasets import load_digits
    x, y = load_digits(return_X_y=True)
    return halves(x / 16, y)


def patches_data():
    x, y, x_test, y_test = digits_data()
    return x.reshape(-1, 1, 8, 8), y, x_test.reshape(-1, 1, 8, 8), y_test


# ---- networks of scikit-learn ----


def perceptron(kind, x, y, layers, steps):
    """Trains a perceptron of scikit-learn. Returns the weights and the bias of each layer."""
    import sklearn.neural_network
    model = getattr(sklearn.neural_network, kind)(hidden_layer_sizes=layers, random_state=1, max_iter=steps, alpha=1e-4,
                                                  early_stopping=True, n_iter_no_change=30)
    model.fit(x, y)
    return list(zip(model.coefs_, model.intercepts_))


def layers_of(g, x, layers, names):
    """Adds the layers of a perceptron to the graph, with a ReLU between them. Returns the last result."""
    import numpy as np
    for k, ((w, b), name) in enumerate(zip(layers, names)):
        x = g.node("Gemm", x, g.const(np.float32(w.T), name + ".weight"), g.const(np.float32(b), name + ".bias"), transB=1)
        if k < len(layers) - 1:
            x = g.node("Relu", x)
    return x


def jets(g, x, y):
    layers = perceptron("MLPClassifier", x, y, (64, 32, 32), 300)
    g.output(g.node("Softmax", layers_of(g, g.input("x", ["N", 16]), layers, ["fc1", "fc2", "fc3", "head"]), axis=-1))


def digits(g, x, y):
    layers = perceptron("MLPRegressor", x, x, (32, 8, 32), 800)
    g.output(layers_of(g, g.input("x", ["N", 64]), layers, ["encoder.0", "encoder.2", "decoder.0", "decoder.2"]))


# ---- networks of jax ----


def fit(forward, weights, x, y, steps, rate=3e-3, batch=64):
    """Trains weights by Adam on the cross entropy, with a rate that falls to 0 in a straight line. Returns them.
    forward(weights, rows) returns the logits."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    def loss(w, rows, labels):
        return -jnp.mean(jax.nn.log_softmax(forward(w, rows))[jnp.arange(len(labels)), labels])

    @jax.jit
    def step(w, m, v, t, rows, labels):
        slopes = jax.grad(loss)(w, rows, labels)
        m = {k: 0.9 * m[k] + 0.1 * s for k, s in slopes.items()}
        v = {k: 0.999 * v[k] + 0.001 * s * s for k, s in slopes.items()}
        now = rate * (1 - t / steps)
        return {k: w[k] - now * m[k] / (1 - 0.9 ** (t + 1)) / (jnp.sqrt(v[k] / (1 - 0.999 ** (t + 1))) + 1e-8) for k in w}, m, v

    m = v = {k: 0 * a for k, a in weights.items()}
    random = np.random.default_rng(4)
    for t in range(steps):
        rows = random.integers(0, len(x), batch)
        weights, m, v = step(weights, m, v, t, x[rows], y[rows])
    return {k: np.float32(a) for k, a in weights.items()}


def random_weights(shapes):
    """Returns initial values: random weights, norms of 1, biases of 0."""
    import numpy as np
    random = np.random.default_rng(5)
    return {k: np.float32(random.standard_normal(s) * (2 / np.prod(s[1:])) ** 0.5 if len(s) > 1 else k.endswith("norm.weight") + np.zeros(s))
            for k, s in shapes.items()}


# The functions `keywords` and `patches` have their network twice: `forward`, which jax trains, and the nodes of the
# ONNX graph. Both must compute the same.


def keywords(g, x, y):
    import jax
    import jax.numpy as jnp
    w = random_weights({"conv1.weight": (8, 1, 3, 3), "conv1.bias": (8,), "conv2.weight": (16, 8, 3, 3), "conv2.bias": (16,),
                        "head.weight": (4, 256), "head.bias": (4,)})

    def block(w, x, name):
        x = jax.lax.conv_general_dilated(x, w[name + ".weight"], (1, 1), "SAME")
        x = jax.nn.relu(x + w[name + ".bias"][:, None, None])
        return x.reshape(*x.shape[:2], x.shape[2] // 2, 2, x.shape[3] // 2, 2).max((3, 5))

    def forward(w, x):
        h = block(w, block(w, x, "conv1"), "conv2")  # [16, 8, 4]
        h = h.reshape(*h.shape[:2], 4, 2, 4).mean(3)
        return h.reshape(len(h), -1) @ w["head.weight"].T + w["head.bias"]

    w = fit(forward, w, jnp.array(x), y, 600)
    h = g.input("x", ["N", 1, 32, 16])
    for name in ("conv1", "conv2"):
        h = g.node("Conv", h, g.const(w[name + ".weight"], name + ".weight"), g.const(w[name + ".bias"], name + ".bias"),
                   pads=[1, 1, 1, 1], strides=[1, 1])
        h = g.node("MaxPool", g.node("Relu", h), kernel_shape=[2, 2], strides=[2, 2])
    h = g.node("Flatten", g.node("AveragePool", h, kernel_shape=[2, 1], strides=[2, 1]))
    g.output(g.node("Gemm", h, g.const(w["head.weight"], "head.weight"), g.const(w["head.bias"], "head.bias"), transB=1))


WIDTH, HEADS, TOKENS = 24, 2, 16


def patches(g, x, y):
    import jax
    import jax.numpy as jnp
    import numpy as np
    shapes = {"embed.weight": (WIDTH, 1, 2, 2), "embed.bias": (WIDTH,), "place": (TOKENS, WIDTH), "norm.weight": (WIDTH,),
              "norm.bias": (WIDTH,), "head.weight": (10, WIDTH), "head.bias": (10,)}
    for k in range(2):
        for name, rows, cols in (("q", WIDTH, WIDTH), ("k", WIDTH, WIDTH), ("v", WIDTH, WIDTH), ("out", WIDTH, WIDTH),
                                 ("up", 2 * WIDTH, WIDTH), ("down", WIDTH, 2 * WIDTH)):
            shapes |= {f"layers.{k}.{name}.weight": (rows, cols), f"layers.{k}.{name}.bias": (rows,)}
        for name in ("attention_norm", "norm"):
            shapes |= {f"layers.{k}.{name}.weight": (WIDTH,), f"layers.{k}.{name}.bias": (WIDTH,)}

    def norm(w, h, name):
        d = h - h.mean(-1, keepdims=True)
        return d / jnp.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * w[name + ".weight"] + w[name + ".bias"]

    def dense(w, h, name):
        return h @ w[name + ".weight"].T + w[name + ".bias"]

    def heads(h):
        return h.reshape(len(h), TOKENS, HEADS, -1).transpose(0, 2, 1, 3)

    def forward(w, x):
        # 8 x 8 pixels become 4 x 4 patches of 2 x 2 pixels: h is [rows, TOKENS, 4], and then [rows, TOKENS, WIDTH].
        h = x.reshape(-1, 4, 2, 4, 2).transpose(0, 1, 3, 2, 4).reshape(-1, TOKENS, 4)
        h = h @ w["embed.weight"].reshape(WIDTH, 4).T + w["embed.bias"] + 0.1 * w["place"]
        for k in range(2):
            n = norm(w, h, f"layers.{k}.attention_norm")
            # queries, keys (s) and values: [rows, HEADS, TOKENS, WIDTH / HEADS]
            q, s, v = (heads(dense(w, n, f"layers.{k}.{name}")) for name in "qkv")
            a = jax.nn.softmax(q @ s.transpose(0, 1, 3, 2) / (WIDTH / HEADS) ** 0.5) @ v
            h = h + dense(w, a.transpose(0, 2, 1, 3).reshape(len(h), TOKENS, WIDTH), f"layers.{k}.out")
            n = norm(w, h, f"layers.{k}.norm")
            h = h + dense(w, jax.nn.gelu(dense(w, n, f"layers.{k}.up"), approximate=False), f"layers.{k}.down")
        return dense(w, norm(w, h, "norm").mean(1), "head")

    w = fit(forward, random_weights(shapes), jnp.array(x), y, 2500)

    def product(h, name):
        t = g.node("MatMul", h, g.const(np.ascontiguousarray(w[name + ".weight"].T), name + ".weight"))
        return g.node("Add", t, g.const(w[name + ".bias"], name + ".bias"))

    def normed(h, name):
        return g.node("LayerNormalization", h, g.const(w[name + ".weight"], name + ".weight"),
                      g.const(w[name + ".bias"], name + ".bias"), axis=-1, epsilon=1e-5)

    def split(h, perm):
        return g.node("Transpose", g.node("Reshape", h, g.const(np.int64([0, TOKENS, HEADS, WIDTH // HEADS]))), perm=perm)

    h = g.node("Conv", g.input("x", ["N", 1, 8, 8]), g.const(w["embed.weight"], "embed.weight"), g.const(w["embed.bias"], "embed.bias"),
               strides=[2, 2])
    h = g.node("Transpose", g.node("Reshape", h, g.const(np.int64([0, WIDTH, TOKENS]))), perm=[0, 2, 1])
    h = g.node("Add", h, g.const(0.1 * w["place"], "place"))
    for k in range(2):
        name = f"layers.{k}."
        n = normed(h, name + "attention_norm")
        scores = g.node("MatMul", split(product(n, name + "q"), [0, 2, 1, 3]), split(product(n, name + "k"), [0, 2, 3, 1]))
        scores = g.node("Softmax", g.node("Mul", scores, (HEADS / WIDTH) ** 0.5), axis=-1)
        a = g.node("Transpose", g.node("MatMul", scores, split(product(n, name + "v"), [0, 2, 1, 3])), perm=[0, 2, 1, 3])
        h = g.node("Add", h, product(g.node("Reshape", a, g.const(np.int64([0, TOKENS, WIDTH]))), name + "out"))
        up = product(normed(h, name + "norm"), name + "up")
        erf = g.node("Erf", g.node("Div", up, 2 ** 0.5))
        gelu = g.node("Mul", g.node("Mul", up, g.node("Add", erf, 1.0)), 0.5)
        h = g.node("Add", h, product(gelu, name + "down"))
    h = g.node("ReduceMean", normed(h, "norm"), axes=[1], keepdims=0)
    g.output(g.node("Gemm", h, g.const(w["head.weight"], "head.weight"), g.const(w["head.bias"], "head.bias"), transB=1))


NETWORKS = {"jets": (jets, jets_data), "keywords": (keywords, keywords_data), "digits": (digits, digits_data),
            "patches": (patches, patches_data)}


# ---- files and measurements ----


def rows_of(x):
    """Returns rows as the design takes them, without axes of 1."""
    return x.reshape([len(x)] + [n for n in x.shape[1:] if n != 1])


def train(name):
    import numpy as np
    from tensors import write_safetensors
    from wire import Graph
    build, data = NETWORKS[name]
    x, y, x_test, y_test = data()
    g = Graph(opset=17)
    build(g, x, y)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.onnx").write_bytes(g.bytes())
    want = np.float32([g.run({"x": row[None]})[0][0] for row in x_test])
    write_safetensors(FOLDER / f"{name}.in.safetensors", {"x": rows_of(x_test)[:KEPT]})
    write_safetensors(FOLDER / f"{name}.want.safetensors", {"y": want[:KEPT]})
    # The autoencoder must give back its input, so that is its label. accuracy.py then counts no wrong rows.
    labels = x_test if name == "digits" else y_test[:, None]
    write_safetensors(FOLDER / f"{name}.labels.safetensors", {"labels": labels[:KEPT]})
    print(f"{name}: {quality(name, want, x_test, y_test)} on {len(x_test)} rows", flush=True)


def quality(name, y, x, labels):
    """Returns the share of rows with the right class, or for the autoencoder the share of the variance that it
    keeps."""
    import numpy as np
    y = y.reshape(len(x), -1)
    if name == "digits":
        return f"{100 * (1 - np.mean((y - x) ** 2) / np.mean((x - x.mean(0)) ** 2)):.1f} %"
    return f"{100 * np.mean(y.argmax(1) == labels):.1f} %"


def measure(name):
    """Prints the row of a network for the table of docs/onnx.md: bytes of the file, then the quality of the results in
    floating point, of the exact results with int10 activations, and of those with int8 activations."""
    from tensors import read_safetensors, write_safetensors
    _, data = NETWORKS[name]
    _, _, x, labels = data()
    folder, rill, cells = WORK / name, ROOT / "build/rill", []
    subprocess.run([rill, "import", FOLDER / f"{name}.onnx", "-o", folder], check=True, capture_output=True)
    write_safetensors(folder / "in.safetensors", {"x": rows_of(x)})
    text = (folder / f"{name}.yaml").read_text()
    for kind in ("--float", "int10", "int8"):
        (folder / "other.yaml").write_text(text.replace("activations: int10", f"activations: {kind}") if kind[0] != "-" else text)
        subprocess.run([rill, "golden", folder / "other.yaml", "--weights", folder, "--inputs", folder / "in.safetensors", "--outputs",
                        folder / "got.safetensors", *([kind] if kind[0] == "-" else [])], check=True, capture_output=True)
        cells.append(quality(name, read_safetensors(folder / "got.safetensors")[0], x, labels))
    print(f"| {name} | {(FOLDER / f'{name}.onnx').stat().st_size:,} | " + " | ".join(cells) + " |", flush=True)


def main():
    install()
    words = sys.argv[1:]
    names = [n for n in words if n != "--measure"] or NETWORKS
    for name in names:
        (measure if "--measure" in words else train)(name)


if __name__ == "__main__":
    main()
