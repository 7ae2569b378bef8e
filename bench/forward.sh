#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the oracle's floating-point mode with a forward pass that shares no code with it (bench/forward.py), on a
# published model. See --help.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: bench/forward.sh [smollm2|gemma3] [--tokens N] [PROMPT]
Fetches the model, lets `rill golden --float` make N ids (default 8) without quantization, and compares all their logits
with those of bench/forward.py; fails where one is 1e-3 or more apart. numpy and gguf come from PyPI into
build/bench/forward/venv. One or two minutes; gemma3 needs GEMMA_TERMS=accept.
TEXT
}

model=smollm2 tokens=8 prompt="The quick brown fox jumps over the lazy dog, and then the fox runs away from the dog."
while [ $# -gt 0 ]; do
    case $1 in
        smollm2 | gemma3) model=$1 ;;
        --tokens) tokens=$2 && shift ;;
        --help | -h) usage && exit 0 ;;
        -*) usage >&2 && exit 2 ;;
        *) prompt=$1 ;;
    esac
    shift
done
case $model in
    smollm2) spec=configs/smollm2-135m-u55c.yaml ;;
    gemma3) spec=configs/gemma3-270m-u55c.yaml ;;
esac
work=build/bench/forward
mkdir -p "$work"
make --no-print-directory build/rill
[ -x "$work/venv/bin/python3" ] || tests/install.sh demo python3-venv:python3-venv
[ -x "$work/venv/bin/python3" ] ||
    { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet numpy==2.2.6 gguf==0.17.1; }
weights=$("models/get_$model.sh")
build/rill golden "$spec" --weights "$weights" --float --prompt "$prompt" --tokens "$tokens" --ignore-eot \
    --logits "$work/$model.f32" --json >"$work/$model.json"
"$work/venv/bin/python3" bench/forward.py "$weights" "$work/$model.json" "$work/$model.f32"
