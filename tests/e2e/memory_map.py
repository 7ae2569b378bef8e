#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks memory_map.json against the packed image, with only the knowledge of docs/memory.md, as the author of a host
# program would have.
# usage: memory_map.py DIR [MODEL]   DIR is a packed design. MODEL is the folder of a GPT-2 checkpoint, whose values
#                                    must be in the image (int8, binding shared).
# Prints the numbers of checked places and values, or an error with status 1.
import json
import os
import struct
import sys

MIB = 1 << 20
EXP_MIN = 24  # stored row scales carry 2^-24


def wrong(message):
    sys.exit(f"memory_map.py: error: {message}")


class Image:
    """The memory map, the manifest and the bytes of each channel of a packed design."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "memory_map.json"), encoding="utf-8") as file:
            self.map = json.load(file)
        self.channels, self.beat = self.map["channels"], self.map["beat_bits"] // 8
        self.segments = self.map["segments"]
        with open(os.path.join(folder, "image", "manifest.json"), encoding="utf-8") as file:
            self.manifest = json.load(file)
        self.data = []
        for channel in range(self.channels):
            with open(os.path.join(folder, "image", f"channel_{channel:02d}.bin"), "rb") as file:
                data = file.read()  # a file may end within its last beat; the rest is 0
            self.data.append(data + bytes(-len(data) % self.beat))

    def channels_of(self, segment):
        """Returns the channels that have a segment."""
        if segment["channel"] >= 0:
            return [segment["channel"]]
        first = segment.get("first_channel", 0)
        return list(range(first, first + segment.get("channels", self.channels)))

    def read(self, channel, offset, form):
        """Returns the values at an offset. form: their types, as in the module struct."""
        size = struct.calcsize("<" + form)
        if offset + size > len(self.data[channel]):
            wrong(f"channel {channel}: {offset + size} bytes are wanted, the image has {len(self.data[channel])}")
        return struct.unpack_from("<" + form, self.data[channel], offset)


class Checkpoint:
    """The fp32 tensors of a safetensors file."""

    def __init__(self, folder):
        with open(os.path.join(folder, "model.safetensors"), "rb") as file:
            size = struct.unpack("<Q", file.read(8))[0]
            header = json.loads(file.read(size))
            rest = file.read()
        self.tensor = {}
        for name, entry in header.items():
            if name == "__metadata__" or entry["dtype"] != "F32":
                continue
            begin, end = entry["data_offsets"]
            self.tensor[name] = entry["shape"], struct.unpack_from(f"<{(end - begin) // 4}f", rest, begin)

    def shape(self, name):
        return self.tensor[name][0]

    def at(self, name, *index):
        shape, values = self.tensor[name]
        return values[index[0] if len(shape) == 1 else index[0] * shape[1] + index[1]]


def check_places(image):
    """Checks that segments are within their channels, begin at beats and do not overlap, and that packed segments are
    within the files. Returns the number of places."""
    taken = [[] for _ in range(image.channels)]
    names = set()
    for s in image.segments:
        if s["name"] in names and s["kind"] != "weights":
            wrong(f"segment {s['name']} stands twice")
        names.add(s["name"])
        if s["offset"] % image.beat or s["bytes"] <= 0:
            wrong(f"segment {s['name']}: offset {s['offset']}, {s['bytes']} bytes")
        stride, repeats = s["layer_stride"], 1
        if s["kind"] == "weights" and stride:  # a part in each repetition
            repeats = max(1, sum(stride == o["layer_stride"] for o in image.segments) and repeats_of(image, stride))
        for c in image.channels_of(s):
            if not 0 <= c < image.channels:
                wrong(f"segment {s['name']}: no channel {c}")
            for r in range(repeats):
                begin = s["offset"] + r * stride
                taken[c].append((begin, begin + s["bytes"], s["name"]))
            if s["kind"] in ("weights", "table", "parameters", "header") and begin + s["bytes"] > len(image.data[c]):
                wrong(f"segment {s['name']}: ends at {begin + s['bytes']} of channel {c}, "
                      f"its file at {len(image.data[c])}")
    for c, ranges in enumerate(taken):
        ranges.sort()
        for before, after in zip(ranges, ranges[1:]):
            if before[1] > after[0]:
                wrong(f"channel {c}: {before[2]} and {after[2]} overlap at byte {after[0]}")
        if ranges and ranges[-1][1] > 512 * MIB:
            wrong(f"channel {c}: {ranges[-1][2]} ends beyond 512 MiB")
    return sum(len(ranges) for ranges in taken)


def check_header(image):
    """Checks that the header is one beat that identifies the image, directly before the parameters."""
    headers = [s for s in image.segments if s["kind"] == "header"]
    if len(headers) != 1 or headers[0]["bytes"] != image.beat:
        wrong(f"{len(headers)} headers of the image")
    at, channel = headers[0]["offset"], headers[0]["channel"]
    magic, version, layout, checksum = image.read(channel, at, "4sIQQ")
    same("header: magic", magic, b"RIMG")
    same("header: version", version, 1)
    same("header: layout", f"{layout:016x}", image.manifest["layout"])
    same("header: checksum", f"{checksum:016x}", image.manifest["checksum"])
    same("header: the rest", any(image.data[channel][at + 24:at + image.beat]), False)
    after = [s["offset"] for s in image.segments if s["kind"] == "parameters"]
    if after and min(after) != at + image.beat:
        wrong(f"the parameters begin at {min(after)}, the header at {at}")


def repeats_of(image, stride):
    """Returns the number of copies of the segments of a region, one for each repetition. It follows from the offset of
    the next segment that is on several channels, which begins after the last copy."""
    region = [s for s in image.segments if s["kind"] == "weights" and s["layer_stride"] == stride]
    end = max(s["offset"] + s["bytes"] for s in region)
    behind = [s["offset"] for s in image.segments if s["offset"] >= end and s["channel"] < 0]
    return max(1, (min(behind) - region[0]["offset"]) // stride) if behind else 1


# ---- values of a GPT-2 checkpoint ----

# For each segment the tensor, [in][out], and which block of `hidden` columns of it the product has. {layer} is the
# repetition.
PRODUCTS = {
    "q_acc": ("h.{layer}.attn.c_attn", 0), "k_acc": ("h.{layer}.attn.c_attn", 1), "v_acc": ("h.{layer}.attn.c_attn", 2),
    "attention_proj_acc": ("h.{layer}.attn.c_proj", 0), "mlp_up_acc": ("h.{layer}.mlp.c_fc", 0),
    "mlp_down_acc": ("h.{layer}.mlp.c_proj", 0),
}
NORMS = {"norm1_param": "h.{layer}.ln_1", "norm2_param": "h.{layer}.ln_2", "norm_final_param": "ln_f"}


# near and same return the number of values that they compare.
def near(what, found, want, step):
    if not abs(found - want) <= 0.51 * step + 1e-12:
        wrong(f"{what}: the image has {found:.9g}, the checkpoint {want:.9g}")
    return 1


def same(what, found, want):
    if found != want:
        wrong(f"{what}: the image has {found!r}, the checkpoint {want!r}")
    return 1


class Product:
    """Reads the rows of an int8 product. A block has a beat with the scales and biases of as many rows as fit into it
    (8 bytes each), then these rows. The beats of a row follow one another. Only the first block of a product that
    begins before its operand is complete is stored column by column (`outer`)."""

    def __init__(self, image, segment, layer, k):
        self.image, self.channels, self.beats = image, image.channels_of(segment), -(-k // image.beat)
        self.begin, self.per_beat = segment["offset"] + layer * segment["layer_stride"], image.beat // 8

    def place(self, row):
        """Returns the address of the block with a row, and the number of the row in the block."""
        group, at = divmod(row // len(self.channels), self.per_beat)
        return self.begin + group * (1 + self.per_beat * self.beats) * self.image.beat, at

    def scale_and_bias(self, row):
        block, at = self.place(row)
        scale, bias = self.image.read(self.channels[row % len(self.channels)], block + at * 8, "2f")
        return scale * 2.0**EXP_MIN, bias

    def value(self, row, column, outer):
        block, at = self.place(row)
        beat, byte = divmod(column, self.image.beat)
        beat = beat * self.per_beat + at if outer else at * self.beats + beat
        channel = self.channels[row % len(self.channels)]
        return self.image.read(channel, block + (1 + beat) * self.image.beat + byte, "b")[0]

    def differs(self, row, column, want):
        scale = self.scale_and_bias(row)[0]
        return abs(self.value(row, column, False) * scale - want) > 0.6 * scale


def check_product(image, segment, layer, checkpoint, name, first, rows):
    """Compares some values of some rows with the columns of a tensor from `first` on. Returns how many it compared."""
    k, found = checkpoint.shape(name + ".weight")[0], 0
    product = Product(image, segment, layer, k)
    first_rows = 8 * len(product.channels)
    weight = name + ".weight"
    outer = any(product.differs(row, c, checkpoint.at(weight, c, first + row)) for row in range(4) for c in range(k))
    for row in range(0, first_rows if outer else rows, 5 if outer else 13):
        scale, bias = product.scale_and_bias(row)
        found += same(f"{segment['name']} layer {layer} bias {row}", bias, checkpoint.at(name + ".bias", first + row))
        for c in range(0, k, 7):
            have, want = product.value(row, c, outer) * scale, checkpoint.at(weight, c, first + row)
            found += near(f"{segment['name']} layer {layer} row {row} column {c}", have, want, scale)
    return found


def check_products(image, checkpoint, hidden, layers):
    found = 0
    for s in image.segments:
        for layer in range(layers if s["name"] in PRODUCTS else 0):
            pattern, third = PRODUCTS[s["name"]]
            name = pattern.format(layer=layer)
            rows = hidden if "attn" in name else checkpoint.shape(name + ".weight")[1]
            found += check_product(image, s, layer, checkpoint, name, third * hidden, rows)
    return found


def check_tables(image, checkpoint, hidden):
    found = 0
    for s in image.segments:
        if s["name"] not in ("token_row", "position_row"):
            continue
        name = "wte.weight" if s["name"] == "token_row" else "wpe.weight"
        rows = checkpoint.shape(name)[0]
        record, channel = s["bytes"] // rows, image.channels_of(s)[0]
        for row in range(0, rows, 5):
            at = s["offset"] + row * record
            if s["name"] == "position_row":
                values = image.read(channel, at, f"{hidden}f")
                found += sum(same(f"position {row}", values[i], checkpoint.at(name, row, i)) for i in range(hidden))
                continue
            scale, q = image.read(channel, at, "f")[0], image.read(channel, at + image.beat, f"{hidden}b")
            found += sum(near(f"token {row}", q[i] * scale, checkpoint.at(name, row, i), scale) for i in range(hidden))
    return found


def check_norms(image, checkpoint, hidden, layers, lanes):
    found = 0
    for s in image.segments:
        if s["name"] not in NORMS:
            continue
        for layer in range(layers if "{layer}" in NORMS[s["name"]] else 1):
            name, size = NORMS[s["name"]].format(layer=layer), 8 * hidden
            words = image.read(image.channels_of(s)[0], s["offset"] + layer * size, f"{2 * hidden}f")
            for i in range(hidden):
                at = i // lanes * 2 * lanes + i % lanes
                found += same(f"{s['name']} gain {i}", words[at], checkpoint.at(name + ".weight", i))
                found += same(f"{s['name']} bias {i}", words[at + lanes], checkpoint.at(name + ".bias", i))
    return found


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: memory_map.py DIR [MODEL]")
    image = Image(sys.argv[1])
    segments, values = check_places(image), 0
    check_header(image)
    if len(sys.argv) == 3:
        checkpoint = Checkpoint(sys.argv[2])
        hidden = checkpoint.shape("wte.weight")[1]
        layers = sum(name.endswith(".ln_1.weight") for name in checkpoint.tensor)
        for found in (check_products(image, checkpoint, hidden, layers), check_tables(image, checkpoint, hidden),
                      check_norms(image, checkpoint, hidden, layers, 8)):
            if not found:
                wrong("a kind of segment is missing")
            values += found
    print(f"{segments} places, {values} values")


main()
