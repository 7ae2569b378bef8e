#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of bench/table.sh as Markdown. Results are from `rill sim`, forecasts from `rill forecast`.

usage: table.py SPEC SEED [LABEL RESULT.json FORECAST.json]...
If a RESULT is `-` or does not exist, the row has only the forecast. The exit status is 1 if there are no results or if
a result must not be published (see check), otherwise 0.
"""
import json
import os
import re
import sys

# Keys in the spec of the model of PUBLISHED. The figures of another model are not compared with PUBLISHED.
PUBLISHED_MODEL = {"layers": 24, "hidden": 1024, "ffn": 4096, "vocab": 50257}
# Published figures of GPT-2 medium (355M), batch 1, by prompt and generated tokens (in:out): latency in ms, TTFT in ms,
# tokens/s. CODO publishes no latency.
PUBLISHED = {
    "StreamTensor, U55C, W4A8": {"32:32": (194.99, 34.59, 199.51), "64:64": (358.24, 61.27, 215.51),
                                 "128:128": (696.65, 125.35, 224.05), "256:256": (1387.76, 272.85, 229.61)},
    "CODO, U280, W4A8": {"32:32": (None, 20.4, 231.5), "64:64": (None, 32.6, 231.5), "128:128": (None, 110.4, 231.5)},
    "Allo, U280": {"32:32": (238.32, 81.50, 204.05), "64:64": (476.64, 162.99, 204.05),
                   "128:128": (953.28, 325.98, 204.05), "256:256": (1906.56, 651.96, 204.05)},
    "DFX, U280, FP16": {"32:32": (350.0, 177.2, 185.19), "64:64": (694.7, 349.1, 185.19),
                        "128:128": (1384, 692.8, 185.19), "256:256": (2800, 1417.6, 185.19)},
    "A100": {"32:32": (291.16, 8.72, 113.30), "64:64": (567.41, 8.76, 114.56),
             "128:128": (1118.28, 8.65, 115.35), "256:256": (2227.79, 8.53, 115.35)},
}


def design_value(spec, key, default):
    """Returns the number of the last line `  key: number` in a spec, or the default if there is none."""
    values = re.findall(r"^  %s: *([0-9.]+)" % key, open(spec, encoding="utf-8").read(), re.M)
    return float(values[-1]) if values else default


def load(path):
    """Returns the content of a JSON file, or None if the path is `-` or there is no such file."""
    if path == "-" or not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def number(x, digits):
    return "-" if x is None else f"{x:.{digits}f}"


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def check(result, name):
    """Returns the reasons why a simulated result must not be published: a mismatch, or values so uniform or saturated
    that equality with the replay proves little."""
    bad = []
    if not result["match"] or result["values_compared"] == 0:
        bad.append("not equal to the replay")
    ids = result["token_ids"]
    if len(ids) >= 8 and len(set(ids)) < max(2, len(ids) // 8):
        bad.append(f"{len(set(ids))} different ids of {len(ids)}")
    if result["mantissas"] == 0 or result["mantissas_saturated"] >= 0.01 * result["mantissas"]:
        bad.append(f"{result['mantissas_saturated']} of {result['mantissas']} mantissas at the ends of their range")
    if result["streams_constant"] > 0:
        bad.append(f"{result['streams_constant']} constant streams")
    return [f"{name}: {reason}" for reason in bad]


def figures(result, forecast, clock):
    """Returns TTFT and latency in ms and tokens/s of the decode phase, simulated or, without a result, forecast."""
    if result is None:
        cycles = forecast["cycles_prefill"], forecast["cycles_decode"]
        made = forecast["ids_out"]
    else:
        cycles, made = (result["cycles_prefill"], result["cycles_decode"]), len(result["token_ids"])
    rate = (made - 1) * clock * 1e6 / cycles[1] if cycles[1] else None
    return {"ttft": cycles[0] / clock / 1e3, "latency": sum(cycles) / clock / 1e3, "rate": rate}


# A run is (label, "in:out", result or None, forecast).
def speed_table(runs, clock, published):
    print("\n## Speed\n")
    row("", "in:out", "latency, ms", "TTFT, ms", "tokens/s")
    row("---", "---", "---:", "---:", "---:")
    shown = set()
    for label, name, result, forecast in runs:
        f = figures(result, forecast, clock)
        what = label + (", simulated" if result else ", forecast only")
        row(what, name, number(f["latency"], 2), number(f["ttft"], 2), number(f["rate"], 1))
        for other, table in published.items():
            if name in table and (other, name) not in shown:
                shown.add((other, name))
                latency, ttft, rate = table[name]
                row(other, name, number(latency, 2), number(ttft, 2), number(rate, 2))


# products: products of a weight and an activation that the engine can calculate in a cycle
def memory_table(runs, products):
    print("\n## Memory and multipliers, decoding\n")
    row("", "in:out", "HBM bytes, all", "of the peak", "of the sustained rate", "of the multipliers")
    row("---", "---", "---:", "---:", "---:", "---:")
    for label, name, result, forecast in runs:
        if result is None or not result["cycles_decode"]:
            continue
        macs = forecast["decode"]["macs"] / (result["cycles_decode"] * products)
        row(label, name, f"{result['hbm_bytes']}", f"{result['hbm_of_peak']:.1%}", f"{result['hbm_of_sustained']:.1%}", f"{macs:.1%}")
    print(f"\nMultipliers: {products:.0f} int4 x int8 products a cycle; counted are those of the model, one position at a time.")


def cycle_table(runs):
    print("\n## Where the engine's cycles go, start to end\n")
    causes = ["busy", "waits_for_beats", "waits_for_operands", "waits_for_room"]
    row("", "in:out", "cycles", "busy", "waits for beats", "waits for operands", "waits for room", "rest")
    row("---", "---", *["---:"] * 6)
    for label, name, result, _ in runs:
        if result is None:
            continue
        counts, total = result["engine_cycles"], result["cycles_counted"]
        cells = [counts[cause] for cause in causes]
        cells.append(total - sum(cells))
        row(label, name, str(total), *[f"{c} ({c / total:.1%})" for c in cells])
    print("\nRest: loading vector parameters, between firings, the end of the request.")


def forecast_table(runs):
    print("\n## The forecast against the simulation\n")
    row("", "in:out", "prompt, cycles", "forecast", "error", "decode, cycles", "forecast", "error")
    row("---", "---", *["---:"] * 6)
    for label, name, result, forecast in runs:
        if result is None:
            row(label, name, "-", str(forecast["cycles_prefill"]), "-", "-", str(forecast["cycles_decode"]), "-")
            continue
        cells = []
        for key in ("cycles_prefill", "cycles_decode"):
            measured, predicted = result[key], forecast[key]
            cells += [str(measured), str(predicted), f"{predicted / measured - 1:+.2%}" if measured else "-"]
        row(label, name, *cells)


def main():
    spec, seed, rows = sys.argv[1], sys.argv[2], sys.argv[3:]
    channels = int(design_value(spec, "channels", 1))
    clock = design_value(spec, "clock_mhz", 250)
    products = channels * design_value(spec, "beat_bits", 512) / 4 * design_value(spec, "A", 1)
    runs, bad = [], []
    for i in range(0, len(rows), 3):
        result, forecast = load(rows[i + 1]), load(rows[i + 2])
        name = f"{forecast['ids_in']}:{forecast['ids_out']}"
        runs.append((rows[i], name, result, forecast))
        if result is not None:
            bad += check(result, f"{rows[i]} {name}")
    published = PUBLISHED if all(design_value(spec, key, 0) == value for key, value in PUBLISHED_MODEL.items()) else {}
    if not runs:
        print("no results", file=sys.stderr)
        return 1
    print(f"{os.path.basename(spec)}: {clock:g} MHz, {channels} channels, the HBM model of docs/hbm.md, "
          f"{'jitter seed ' + seed if seed != '0' else 'no jitter'}, end-of-text ignored. Nothing ran on a card: figures of Rill are simulated"
          f"{', those of the others published' if published else ''}.")
    speed_table(runs, clock, published)
    memory_table(runs, products)
    cycle_table(runs)
    forecast_table(runs)
    for reason in bad:
        print(f"\nFAIL {reason}")
        print(f"FAIL  {reason}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
