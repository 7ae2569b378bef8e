#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes a published model from download to generated text: simulates the whole model and compares every stream with
# the replay. This shows that a real checkpoint works in a full-size design. See --help.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: bench/decode.sh [smollm2|gemma3] [--spec SPEC] [--tokens N] [--seed S] [PROMPT]
  smollm2   SmolLM2-135M-Instruct answers a question (98 MB): 4 minutes to build, then 4 s a token
  gemma3    Gemma-3-270M goes on with a text (253 MB; GEMMA_TERMS=accept says that you accept its terms)
  --spec    a design of the model (default configs/smollm2-135m-u55c.yaml or configs/gemma3-270m-u55c.yaml, which
            have 32 channels and are over the limits of a U55C)
  --tokens  ids to make (default 64)
  --seed    jitter of the memory; 0, the default: none
TEXT
}

model=smollm2 spec="" prompt="" tokens=64 seed=0
while [ $# -gt 0 ]; do
    case $1 in
        smollm2 | gemma3) model=$1 ;;
        --spec) spec=$2 && shift ;;
        --tokens) tokens=$2 && shift ;;
        --seed) seed=$2 && shift ;;
        --help | -h) usage && exit 0 ;;
        -*) usage >&2 && exit 2 ;;
        *) prompt=$1 ;;
    esac
    shift
done
case $model in
    smollm2)
        spec=${spec:-configs/smollm2-135m-u55c.yaml}
        text=(--chat smollm2 --prompt "${prompt:-Why is the sky blue?}")
        ;;
    gemma3) spec=${spec:-configs/gemma3-270m-u55c.yaml} text=(--prompt "${prompt:-Once upon a time}") ;;
esac
design=build/decode/$(basename "$spec" .yaml)
make --no-print-directory build/rill
weights=$("models/get_$model.sh")
build/rill gen "$spec" -o "$design"
build/rill pack "$spec" --weights "$weights" -o "$design"
build/rill sim "$design" "${text[@]}" --tokens "$tokens" --seed "$seed" --json "$design/results.json"
