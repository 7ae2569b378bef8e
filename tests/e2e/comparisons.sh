#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that every comparison in `rill sim` and in the tests can fail. Plants faults in results, requests, memory ports
# and kernel timing of a design, in the list of what was compared, and in files that are compared with one another; each
# must be reported.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/design.sh"
usage="usage: tests/e2e/comparisons.sh [--rows]    (two small designs; --rows: only the smaller one)"
case ${1:-} in
    "" | --rows) ;;
    --help | -h) echo "$usage" && exit 0 ;;
    *) echo "$usage" >&2 && exit 2 ;;
esac
out=$work/comparisons
rm -rf "$out" && mkdir -p "$out"
log=$out/log
export RILL_QUICK_BUILD=1

judge_ids() { judge_run "$1" "$work/odd.yaml" "$work/odd" 0 "${2:-$out/golden}"; } # JSON, ids
judge_rows() { judge_run "$1" "$work/late.yaml" "$work/late" 0 "" "$out/rows.npy" "${2:-$out/rows.npy}"; } # JSON, rows
# Compares logits. Prints its lines with `same` and `other` in the place of `ok` and `FAIL`, so that they do not count
# as checks of this script.
compared() {
    (compare_logits "$out/runs") | sed 's/^ok   /same/; s/^FAIL /other/'
}
export -f spec_value judge_run judge_ids judge_rows json_value json_ids oracle_compared oracle_value named_tensors \
    streams_compared streams_left streams_said
export -f compare_logits compared ok fail
export work out
told=(bash -c '"$@"' told) # makes a function usable as a command

# Damages the JSON of a good run. The judge must refuse it.
spoilt() { # name, expected message, sed command that damages the JSON, JSON, judge
    if sed "$3" "$out/$4.json" | cmp -s - "$out/$4.json"; then fail "judged: $1" "nothing is spoilt"
    else
        sed "$3" "$out/$4.json" >"$out/spoilt.json"
        check_refused "judged: $1" 1 "$2" "${told[@]}" "$5" "$out/spoilt.json"
    fi
}

# ---- a graph with a kernel whose timing contract is wrong ----

rows() {
    variant "$root/tests/e2e/cases/late/spec.yaml" "$work/late.yaml"
    counted check "a graph of rows" make_design late "$work/late.yaml" random:1
    counted check "its simulation" build_soon late
    local run=("$rill" sim "$work/late" --prompt rows --tokens 3 --quiet)
    counted check "a good run of rows" "${run[@]}" --json "$out/late.json" --outputs "$out/rows.npy"
    counted check_refused "a row in memory: bit 0" 1 'output .y., row 0, element 0 in memory' "${run[@]}" --plant \
        memory:0
    counted check_refused "a row in memory: the last element's last bit" 1 'output .y., row 2, element 19 in memory' \
        "${run[@]}" --plant memory:$((2 * 96 * 8 + 20 * 32 - 1))
    counted check_refused "a hash where there are no logits" 1 \
        'logits_hash is 0+1, but the replay.s logits have 0+ ' \
        "${run[@]}" --plant logits
    counted check_refused "a row less" 1 'mismatch: .*the stream ended early' "${run[@]}" --plant short
    counted check_refused "a read of rows that is not finished" 1 'done, but memory transactions are outstanding' \
        "${run[@]}" \
        --plant open
    counted check_refused "a burst of rows without RLAST" 1 'AXI violation at cycle .*RLAST on the wrong beat' \
        "${run[@]}" \
        --plant endless:1
    counted check_refused "a burst without RLAST: the run stops" 1 'the simulated design stopped the run' "${run[@]}" \
        --plant endless:1
    counted check_refused "no fault of that name" 2 \
        '.--plant.: it takes memory, short, .* not: other' \
        "${run[@]}" --plant other
    counted check_refused "a word later than the contract says" 0 \
        'kernel .c. offers a word 1 cycles later than its timing contract allows' "${run[@]}"

    counted check_refused "judged: a broken timing contract" 1 'breaks its timing contract' "${told[@]}" judge_rows \
        "$out/late.json"
    sed -i 's/"late": 1,/"late": 0,/' "$out/late.json"
    counted check "judged: a good run of rows" judge_rows "$out/late.json"
    counted spoilt "an input that is refused" 'breaks its timing contract' 's/"refused": 0/"refused": 4/' late \
        judge_rows
    counted spoilt "a mismatch" 'no match' 's/^  "match": true/  "match": false/' late judge_rows
    counted spoilt "no value compared" 'no match' 's/^  "values_compared": .*/  "values_compared": 0,/' late judge_rows
    counted spoilt "a stream less" '5 streams compared, 6 must be' \
        's/^  "streams_compared": 6/  "streams_compared": 5/' late \
        judge_rows
    counted spoilt "a stream that is not compared" 'other streams not compared.*c_y_to_y_a' \
        's/^  "streams_not_compared": {/&\n    "c_y_to_y_a": "no beat of it was compared"\n  /' late judge_rows
    cp "$out/rows.npy" "$out/other.npy"
    printf '\1' | dd of="$out/other.npy" bs=1 seek=$(($(stat -c %s "$out/other.npy") - 1)) conv=notrunc 2>/dev/null
    counted check_refused "judged: the last byte of the rows" 1 'other rows than expected' "${told[@]}" judge_rows \
        "$out/late.json" "$out/other.npy"
}

# ---- logits of several runs ----

logits() { # a file
    mkdir -p "$out/runs"
    for run in one.0 two.0 two.1; do cp "$1" "$out/runs/odd.end.$run"; done
    counted check_refused "logits: the same bytes" 0 'same *logits odd.end: the same [1-9][0-9]* bytes from 3 runs' \
        "${told[@]}" compared
    printf '\1' | dd of="$out/runs/odd.end.two.1" bs=1 seek=$(($(stat -c %s "$1") / 2)) conv=notrunc 2>/dev/null
    counted check_refused "logits: a byte in the middle" 0 'other *logits odd.end: odd.end.two.1 differs' "${told[@]}" \
        compared
    truncate -s -4 "$out/runs/odd.end.two.0"
    counted check_refused "logits: one less" 0 'other *logits odd.end: odd.end.two.0 differs' "${told[@]}" compared
}

# ---- a language model ----

golden_of_ids() {
    "$rill" golden "$work/odd.yaml" --weights random:1 --prompt-ids 1,2,3,4,5 --tokens 3 --ignore-eot --ids && echo &&
        "$rill" golden "$work/odd.yaml" --weights random:1 --prompt-ids 7 --tokens 2 --ignore-eot --ids
}

ids() {
    variant "$root/tests/e2e/cases/odd/spec.yaml" "$work/odd.yaml"
    counted check "a language model" make_design odd "$work/odd.yaml" random:1
    counted check "its simulation, too" build_soon odd
    local run=("$rill" sim "$work/odd" --prompt-ids 1,2,3,4,5 --tokens 3 --prompt-ids 7 --tokens 2 --ignore-eot --quiet)
    counted check "a good run" "${run[@]}" --json "$out/odd.json"
    golden_of_ids | grep . >"$out/golden"
    counted check_refused "an id in memory: bit 0" 1 \
        'token 0 is .*in the ring: .*the replay' "${run[@]}" --plant \
        memory:0
    counted check_refused "an id in memory: bit 63" 1 \
        'token 1 is .*in the ring: .*the replay' "${run[@]}" --plant \
        memory:63
    counted check_refused "the hash of the logits: bit 63" 1 'logits_hash is [0-9a-f]+, but the replay' \
        "${run[@]}" \
        --plant logits:63
    counted check_refused "an id less" 1 'mismatch: .*the stream ended early' "${run[@]}" --plant short
    counted check_refused "a read that is not finished" 1 'done, but memory transactions are outstanding' "${run[@]}" \
        --plant open
    counted check_refused "the first burst without RLAST" 1 'the simulated design stopped the run' "${run[@]}" --plant \
        endless

    counted check "judged: a good run" judge_ids "$out/odd.json"
    counted spoilt "one of 63 streams" '62 streams compared, 63 must be' \
        's/^  "streams_compared": 63/  "streams_compared": 62/' odd judge_ids
    counted spoilt "a stream for another reason" 'other streams not compared.*norm1_param' \
        's/^\(    "norm1_param.*": "\)[^"]*/\1it has no probe/' odd judge_ids
    counted spoilt "a stream that is hidden" 'other streams not compared.*norm2_param' '/^    "norm2_param/d' odd \
        judge_ids
    counted spoilt "another number of streams" 'other streams not compared.*streams 68' \
        's/^  "streams": 68/  "streams": 67/' \
        odd judge_ids
    counted spoilt "a tensor of the spec less" '41 of 42 tensors compared' \
        's/^  "oracle_tensors": 42/  "oracle_tensors": 41/' \
        odd judge_ids
    counted spoilt "a tensor that is not known" 'the oracle knows 41 of the 42' \
        's/^  "oracle_named": 42/  "oracle_named": 41/' odd judge_ids
    counted spoilt "no position of the oracle" 'no values compared with the oracle' \
        's/^  "oracle_positions": .*/  "oracle_positions": 0,/' odd judge_ids
    counted spoilt "an id" 'other ids than rill golden' 's/^\(      "token_ids": \[\)[0-9]*/\1999/' odd judge_ids
    counted spoilt "a request less" 'other ids than rill golden' '0,/^      "token_ids"/{/^      "token_ids"/d}' odd \
        judge_ids
    sed '1s/[0-9]*/999/' "$out/golden" >"$out/other"
    counted check_refused "judged: another id of rill golden" 1 'other ids than rill golden' "${told[@]}" judge_ids \
        "$out/odd.json" "$out/other"
}

rows
logits "$out/rows.npy"
[ "${1:-}" = --rows ] || ids
verdict
