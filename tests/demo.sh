#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job: spec -> Verilog -> simulation -> text, every stream compared with the golden model.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
spec=configs/tinystories-gpt2-1m.yaml
model=models/tinystories-gpt2-1m
out=build/demo
echo "demo: $spec -> $out"
build/rill gen "$spec" -o "$out"
build/rill check "$spec"
echo "demo: packing $model"
build/rill pack "$spec" --weights "$model" -o "$out"
build/rill sim "$out" --build-only
echo "demo: decoding on the simulated accelerator"
build/rill sim "$out" --prompt "Once upon a time, there was a little" --tokens "${TOKENS:-64}" --json "$out/result.json"
grep -q '"match": true' "$out/result.json"
