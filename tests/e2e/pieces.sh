#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Saves a run twice, resumes it in other processes, and compares the result, byte for byte, with that of an unbroken
# run. Requests, memory jitter and the position of the replay are part of the saved state. Also checks that the calls of
# the memory ports in a cycle have a fixed order. Without this order no run could be repeated. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/design.sh"

export RILL_QUICK_BUILD=1
tune=()
case ${1:-} in
    "") ;;
    --tune) tune=(--tune) ;;
    --help | -h)
        echo "usage: tests/e2e/pieces.sh [--tune]
(half a minute: a small design, built quickly; --tune: also built as rill sim --tune does, a minute more)"
        exit 0
        ;;
    *)
        echo "usage: tests/e2e/pieces.sh [--tune]" >&2
        exit 2
        ;;
esac

mkdir -p "$work"
log=$work/pieces.log
spec=$root/tests/e2e/cases/odd/spec.yaml
dir=$work/pieces saved=$work/pieces.run
if ! { make_design pieces "$spec" random:1 && build_design pieces; } >"$log" 2>&1; then
    fail "the design for the pieces" "$(reason)"
    verdict
    exit 1
fi
rm -f "$work"/pieces.*.json "$saved"*
sim=(timeout 300 "$rill" sim "$dir")
request=(--prompt-ids 5,1,88 --tokens 2 --prompt-ids 1,2,3,4,5 --tokens 3 --ignore-eot --seed 3 --quiet)

memory_order() {
    rm -rf "$work/memory_order"
    verilator --cc --exe --build --Mdir "$work/memory_order" -Wno-fatal --top-module rill_axi_memory \
        "$root"/verif/model/*.sv \
        "$root/tests/e2e/memory_order.cpp" -o order \
        -MAKEFLAGS "CXX=clang++ LINK=clang++ OPT_FAST=-O0 OPT_GLOBAL=-O0" && "$work/memory_order/order"
}
queue check "a memory port's calls of one cycle are in order" memory_order

queue check_refused "pause without a file" 2 '.--pause. needs .--save.' "${sim[@]}" "${request[@]}" --pause 3000
queue check "unbroken" "${sim[@]}" "${request[@]}" --json "$work/pieces.whole.json"
if [ ${#tune[@]} != 0 ] && ! command -v llvm-bolt-15 llvm-bolt >/dev/null; then
    queue skip "tuned" "no llvm-bolt here (Debian: bolt-15)"
elif [ ${#tune[@]} != 0 ]; then
    sim+=("${tune[@]}")
    queue check "built tuned" "$rill" sim "$dir" "${tune[@]}" --build-only # minutes, on a busy machine more
    queue check "unbroken, tuned" "${sim[@]}" "${request[@]}" --json "$work/pieces.tuned.json"
    queue check "the same result tuned" cmp "$work/pieces.whole.json" "$work/pieces.tuned.json"
fi
if ! setarch -R true 2>/dev/null || [ ! -r /proc/self/pagemap ]; then
    queue skip "runs in pieces" "this machine lets no program fix its addresses or see its pages (a container's rules)"
    run_queue
    verdict
    exit
fi
queue check "first piece, in the first request" "${sim[@]}" "${request[@]}" --json "$work/pieces.parts.json" \
    --pause 3000 --save "$saved"
queue check "the first piece has no result" test ! -e "$work/pieces.parts.json"
queue check "second piece, into the second request" "${sim[@]}" --resume "$saved" --pause 14000 --save "$saved.2"
queue check "last piece" "${sim[@]}" --resume "$saved.2"
queue check "the same result in pieces" cmp "$work/pieces.whole.json" "$work/pieces.parts.json"
queue check "the last piece again" "${sim[@]}" --resume "$saved.2"

queue check_refused "an open file" 2 '.--save. and .--beats. cannot be used together' "${sim[@]}" "${request[@]}" \
    --pause 3000 --save "$saved" --beats "$log.beats"
queue check_refused "another option for a saved run" 2 'options of its first command.* not --json' "${sim[@]}" \
    --resume "$saved.2" --json "$work/pieces.more.json"
queue check_refused "another request for a saved run" 2 'options of its first command.* not --prompt-ids' "${sim[@]}" \
    --resume "$saved.2" --prompt-ids 1,2
queue check_refused "no such run" 1 'No such file' "${sim[@]}" --resume "$saved.none"
refused_bad() { # name, message, command that prints the bad file...
    "${@:3}" >"$saved.bad"
    check_refused "$1" 1 "$2" "${sim[@]}" --resume "$saved.bad"
}
queue refused_bad "not a saved run" 'not a saved run' echo "not a run"
queue refused_bad "saved by another simulation" 'another simulation' printf 'RILLRUN1%032d' 0
queue refused_bad "a saved run cut off" 'its end is missing' head -c 100000 "$saved.2"
run_queue
rm -f "$saved"*
verdict
