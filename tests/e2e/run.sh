#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# End to end: spec -> Verilog -> Verilator -> ids, against the golden model and between design points. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
all=0
case ${1:-} in
    --all) all=1 ;;
    "") ;;
    *) echo "usage: tests/e2e/run.sh [--all]   every design point of the matrix instead of a representative part"; exit 2 ;;
esac
out=$root/build/tests/e2e
mkdir -p "$out"
log=$out/log
model=$root/models/tinystories-gpt2-1m
cd "$root" || exit 1

# Generates, packs and builds a design once: build NAME SPEC WEIGHTS.
build() {
    "$rill" gen "$2" -o "$out/$1" && "$rill" pack "$2" --weights "$3" -o "$out/$1" && "$rill" sim "$out/$1" --build-only
}

ids_of() { sed -n 's/^ *"token_ids": \[\(.*\)\].*/\1/p' "$1" | sed -n "${2:-1}p" | tr -d ' '; }

# Runs the prompts on a design; every stream must match, the ids must be the golden model's: decode NAME SPEC WEIGHTS SEED PROMPT...
decode() {
    local name=$1 spec=$2 weights=$3 seed=$4 prompt args=() want="" got
    shift 4
    for prompt in "$@"; do args+=(--prompt "$prompt" --tokens "$TOKENS"); done
    "$rill" sim "$out/$name" "${args[@]}" --seed "$seed" --json "$out/$name.json" --logits "$out/$name.logits" || return 1
    grep -q '"match": true' "$out/$name.json" || return 1
    for prompt in "$@"; do want+=$("$rill" golden "$spec" --weights "$weights" --prompt "$prompt" --tokens "$TOKENS" --ids | tr ' ' ',')$'\n'; done
    got=$(grep '^ *"token_ids"' "$out/$name.json" | sed 's/.*\[\(.*\)\].*/\1/; s/ //g' | tail -n "$#")
    [ "$got" = "$(printf '%s' "$want")" ] || { echo "error: ids differ from the golden model: $got / $want"; return 1; }
}

# ---- the shipped model: design points of one weight format give the same ids and logits ----
prompts=("Once upon a time" "One day, a little" "Tom and his dog" "The sun was" "Lily")
points="2:256:8:1 3:512:4:2"
seeds="0 7"
formats="int8"
TOKENS=4
if [ $all = 1 ]; then
    points=$(for c in 1 2 3 4 8; do for b in 256 512; do for t in 1 2; do echo "$c:$b:8:$t"; done; done; done)
    seeds="0 1 2" formats="int8 int4" TOKENS=12
fi
for format in $formats; do
    first=""
    for point in $points; do
        IFS=: read -r c b lanes t <<<"$point"
        name=ts_${format}_${c}x${b}_l${lanes}_t$t spec=$out/ts_${format}_${c}x${b}_l${lanes}_t$t.yaml
        variant configs/tinystories-gpt2-1m.yaml "$spec" "channels=$c" "beat_bits=$b" "lanes=$lanes" "T=$t" "weights=$format"
        check "$name builds" build "$name" "$spec" "$model"
        for seed in $seeds; do
            check "$name seed $seed: streams and ids" decode "$name" "$spec" "$model" "$seed" "${prompts[@]}"
            [ -n "$first" ] || first=$name
            check "$name seed $seed: logits are $first's" cmp "$out/$name.logits" "$out/$first.logits.kept"
            [ -f "$out/$first.logits.kept" ] || true
            if [ "$name" = "$first" ]; then cp "$out/$name.logits" "$out/$first.logits.kept"; fi
        done
    done
done
verdict
