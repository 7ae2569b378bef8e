#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SmolLM2-135M-Instruct from download to text: the whole model on 32 simulated channels, every compared stream against
# the golden model. See --help.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prompt="What is the capital of France?" tokens=64 seed=0
while [ $# -gt 0 ]; do
    case $1 in
        --tokens) tokens=$2 && shift ;;
        --seed) seed=$2 && shift ;; # jitter of the memory; 0: none
        --help | -h)
            echo "usage: bench/smollm2.sh [--tokens N] [--seed S] [PROMPT]
(downloads 98 MB; 4 minutes to build, then 4 s a token)"
            exit 0
            ;;
        -*) echo "usage: bench/smollm2.sh [--tokens N] [--seed S] [PROMPT]" >&2 && exit 2 ;;
        *) prompt=$1 ;;
    esac
    shift
done
spec=configs/smollm2-135m-u55c.yaml design=build/smollm2
make --no-print-directory build/rill
model=$(models/get_smollm2.sh)
build/rill gen "$spec" -o "$design"
build/rill pack "$spec" --weights "$model" -o "$design"
build/rill sim "$design" --chat smollm2 --prompt "$prompt" --tokens "$tokens" --seed "$seed" \
    --json "$design/results.json"
