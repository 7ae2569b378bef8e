#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures how much faster several workers simulate one request in shards (docs/verify.md) than one worker, in pairs of
# runs, and checks that both give the same tokens, hash and cycles. See --help.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: bench/verify.sh [--spec SPEC] [--weights FOLDER] [--request IN:OUT] [--workers N] [--pairs N]
                       [--quick-build | --plain-build] [--launch CMD]
  --spec         the design (default configs/tinystories-gpt2-1m.yaml)
  --weights      a checkpoint, or random:SEED (default random:1)
  --request      prompt tokens and generated tokens (default 32:32)
  --workers      shards, all of which run at the same time (default 2)
  --pairs        pairs of runs, with one worker and with all; every second pair in the other order (default 3)
  --quick-build  builds in seconds, for a small design (default: as fast a simulation as `rill sim --tune` makes)
  --plain-build  builds without --tune, which needs llvm-bolt
  --launch CMD   runs the shards with this launcher (default: on this machine, which must have a free core for each)
Prints a row for each pair, and the median of the ratios. A time is that of the slowest shard, without the build and
without the run of the replay before the shards. The class of these figures is measured. The machine must be quiet.
GPT-2 medium (half an hour on two idle cores): bench/verify.sh --spec configs/gpt2-medium-u55c.yaml
TEXT
}

spec=configs/tinystories-gpt2-1m.yaml weights=random:1 request=32:32 workers=2 pairs=3 build=(--tune) launch=()
while [ $# -gt 0 ]; do
    case $1 in
        --spec) spec=$2 && shift ;;
        --weights) weights=$2 && shift ;;
        --request) request=$2 && shift ;;
        --workers) workers=$2 && shift ;;
        --pairs) pairs=$2 && shift ;;
        --quick-build) build=(--quick-build) ;;
        --plain-build) build=() ;;
        --launch) launch=(--launch "$2") && shift ;;
        --help | -h) usage && exit 0 ;;
        *) usage >&2 && exit 2 ;;
    esac
    shift
done

design=build/bench/verify/$(basename "$spec" .yaml)
make --no-print-directory build/rill
mkdir -p "$(dirname "$design")"
build/rill gen "$spec" -o "$design" >"$design.log" 2>&1 || { cat "$design.log" && exit 1; }
build/rill pack "$spec" --weights "$weights" -o "$design"
build/rill sim "$design" "${build[@]}" --build-only
ids=$(seq -s , 1 "${request%:*}")

simulate() { # shards; the results are in $design/verify.SHARDS
    rm -rf "$design/verify.$1"
    build/rill verify "$design" --prompt-ids "$ids" --tokens "${request#*:}" --ignore-eot "${build[@]}" --shards "$1" \
        --jobs "$1" --work "$design/verify.$1" --json "$design/verify.$1.json" "${launch[@]}" >"$design.log"
}

rm -f "$design/pairs"
for ((pair = 1; pair <= pairs; pair++)); do
    if [ $((pair % 2)) = 1 ]; then simulate 1 && simulate "$workers"; else simulate "$workers" && simulate 1; fi
    python3 bench/verify.py pair "$design" "$workers" "$pair" | tee -a "$design/pairs"
done
python3 bench/verify.py median "$design/pairs"
