#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests simulations that begin in the middle of a request, requests in shards, and requests that keep positions of the
# request before. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/design.sh"

usage() {
    cat <<'TEXT'
usage: tests/verify/run.sh
A small model with random weights (quick build). `rill sim --from N` must end with the tokens and the hash of the whole
run, wherever it begins, and must find a fault that is planted in a key, a value, a scale or the open block of the
loaded state. `rill verify` must give the same tokens, hash and cycles as the whole run; a shard that is killed, late,
missing or given twice must be noticed; what is in the journal must not run again; an RTL fault at one position must be
found by the shard that holds it alone. A request with `--prefix` or `--then-ids` must have the tokens and the hash of
the whole one, and a position that the design cannot keep must be refused, by the host and by the design. Less than a
minute.
TEXT
}

case ${1:-} in
    "") ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac

export RILL_QUICK_BUILD=1
mkdir -p "$work"
log=$work/verify.log
dir=$work/verify parts=$work/verify.parts state=$work/verify.state
if ! { make_design verify "$root/tests/verify/spec.yaml" random:1 && build_soon verify; } >"$log" 2>&1; then
    fail "the design for verify" "$(reason)"
    verdict
    exit 1
fi
rm -rf "$work"/verify.*.json "$parts" "$parts.bad" "$parts.lost" "$state" "$work/verify.once" "$work/verify.calls"
# The prompt ends within a block of 64 positions; the last steps are in the block after it.
ids=$(some_ids 36 48)
request=(--prompt-ids "$ids" --tokens 34 --ignore-eot)
sim=(timeout 300 "$rill" sim "$dir" "${request[@]}" --quiet)

# ---- a simulation that begins in the middle ----

same_as_whole() { # position, further options
    local json=$work/verify.from.json
    rm -f "$json"
    "${sim[@]}" --from "$1" --json "$json" "${@:2}" || return
    [ "$(json_value "$json" match)" = true ] || { echo "no match"; return 1; }
    diff <(sed -n 's/^  "\(token_ids\|logits_register\)"/&/p' "$work/verify.whole.json") \
        <(sed -n 's/^  "\(token_ids\|logits_register\)"/&/p' "$json")
}

# Checks that a fault that is planted in the loaded state is found at the first position at which the design begins.
planted() { # fault, position at which the design begins
    check_refused "a fault in the state is found: $1" 1 'mismatch: .*position (37|66)' \
        "${sim[@]}" --from "$2" --plant "$1"
}

make_states() {
    head -c -100 "$state" >"$state.cut"
    "$rill" sim "$dir" --prompt-ids "$ids" --tokens 34 --quiet --write-state "$state.other"
}

refused() { # name, status, pattern, options
    check_refused "$1" "$2" "$3" "${sim[@]}" "${@:4}"
}

queue check "whole request" "${sim[@]}" --json "$work/verify.whole.json"
queue check "state" "${sim[@]}" --write-state "$state" --json "$work/verify.golden.json"
queue check "from a step of the prompt" same_as_whole 34
queue check "from the first token after the prompt" same_as_whole 36
queue check "from the first position of a block" same_as_whole 64
queue check "from a position, with the state of a file" same_as_whole 66 --state "$state"
queue check "from a position, with delays of the memory" same_as_whole 66 --state "$state" --seed 3 --compare min
queue planted key:3 66
queue planted key-scale:3 66
queue planted value:3 66
queue planted value-scale:3 66
queue planted tail:65 66
queue planted tail:36 37
queue refused "a fault that finds no place" 1 \
    'plant tail: the loaded state has no such position' --from 66 --plant tail:3
queue refused "within a step" 1 'no step of the request begins there.*multiples of 2 \[from-step\]' --from 35
queue refused "after the end" 1 'the request ends after 69 positions \[from-beyond\]' --from 69
queue refused "two requests" 2 'but several are given \[from-one-request\]' --from 4 --prompt-ids 1,2
queue refused "a state without a position" 2 '.--state. needs .--from.' --state "$state"
queue check_refused "the state of another prompt" 1 'state of another prompt \[state-other\]' \
    "$rill" sim "$dir" --prompt-ids "1,$ids" --tokens 34 --ignore-eot --quiet --from 62 --state "$state"
prepare make_states
queue refused "the state of other choices" 1 'state of another design, image or sampling \[state-other\]' --from 62 \
    --state "$state.other"
queue refused "a state cut off" 1 'not a whole file of .* \[state-file\]' --from 62 --state "$state.cut"
# A graph that is not a language model, with three blocks of positions and grouped queries.
rows=(timeout 300 "$rill" sim "$work/verify.rows" --tokens 70 --quiet)
make_rows() { make_design verify.rows "$root/tests/witness/attention.yaml" random:2 && build_soon verify.rows; }
rows_as_whole() { # row
    "${rows[@]}" --from "$1" --json "$work/verify.late.json" &&
        [ "$(json_value "$work/verify.late.json" rows_hash)" = "$(json_value "$work/verify.rows.json" rows_hash)" ]
}
prepare make_rows
queue check "rows of a graph, whole" "${rows[@]}" --json "$work/verify.rows.json"
queue check "rows of a graph from row 66" rows_as_whole 66
queue check_refused "a fault in the state of a graph is found" 1 'mismatch: .*position 66' "${rows[@]}" --from 66 \
    --plant value:3
queue check_refused "rows have no file of a state" 1 'this graph takes rows .state-rows.' "${rows[@]}" --from 66 \
    --state "$state"

# ---- a request that keeps positions of the previous request ----

# Checks that the last request of a run keeps as many positions, and gives the same tokens and hash as a run of this
# request alone, which computes the whole prompt.
as_alone() { # positions that it keeps, tokens of the last request, further requests of the run
    local json=$work/verify.kept.json ids
    "$rill" sim "$dir" --ignore-eot --quiet "${@:3}" --tokens "$2" --json "$json" || return
    [ "$(last "$json" prefix)" = "$1" ] || { echo "it kept $(last "$json" prefix) positions"; return 1; }
    ids=$(last "$json" prompt_ids)
    "$rill" sim "$dir" --ignore-eot --quiet --prompt-ids "${ids//[][ ]/}" --tokens "$2" \
        --json "$work/verify.alone.json" &&
        diff <(last "$json" token_ids && last "$json" logits_register) \
            <(last "$work/verify.alone.json" token_ids && last "$work/verify.alone.json" logits_register)
}
last() { sed -n "s/^      \"$2\": \(.*\),\{0,1\}\$/\1/p" "$1" | sed 's/,$//' | tail -n 1; } # JSON, member

first=(--prompt-ids "$ids" --tokens 20) # leaves positions 0 to 54
other=$(some_ids 30 48),1,2,3
queue check "all that a turn of a conversation has left" as_alone 55 5 "${first[@]}" --then-ids 7,8,9
queue check "two turns, across the end of a block" as_alone 69 6 "${first[@]}" --then-ids 7,8,9 --tokens 11 --then-ids 5
queue check "all ids but one" as_alone 35 5 "${first[@]}" --prompt-ids "$ids" --prefix most
queue check "a prefix of a prompt" as_alone 30 5 "${first[@]}" --prompt-ids "$other" --prefix most
queue check "less than both share" as_alone 13 5 "${first[@]}" --prompt-ids "$other" --prefix 13
queue check "nothing" as_alone 0 5 "${first[@]}" --prompt-ids "$other" --prefix 0
queue check "the first position of a block" as_alone 64 4 "${first[@]}" --then-ids 7,8,9 --tokens 12 --then-ids 5 \
    --prefix 64
queue check "two turns, with delays of the memory" "$rill" sim "$dir" --quiet --seed 3 --ignore-eot \
    "${first[@]}" --then-ids 7,8,9 --tokens 11 --then-ids 5 --tokens 6
keeps() { # name, status, pattern, requests
    check_refused "$1" "$2" "$3" "$rill" sim "$dir" --ignore-eot --quiet "${first[@]}" "${@:4}"
}
queue keeps "more than both share" 1 'token 30 of the prompt is 1, but the previous request had .* \[prefix-differs\]' \
    --prompt-ids "$other" --prefix 31
queue keeps "more than was left" 1 \
    'a prompt of 59 tokens after a request that left 55 .* can keep 55 \[prefix-beyond\]' --then-ids 7,8,9 --prefix 56
queue keeps "the whole prompt" 1 'can keep 35 \[prefix-beyond\]' --prompt-ids "$ids" --prefix 36
queue keeps "a block that is in memory alone" 1 'left 69 positions can keep 0 \[prefix-beyond\]' \
    --then-ids 7,8,9 --tokens 11 --prompt-ids "$other" --prefix 30
queue check_refused "no request before" 2 'there is no previous request \[prefix-first\]' "$rill" sim "$dir" \
    --prompt-ids 1,2,3 --prefix 2
queue keeps "more than both share, unchecked: found in the first step" 1 'mismatch: .*position 31' \
    --prompt-ids "$other" --prefix 31 --unchecked
queue keeps "more than was left, unchecked: the design refuses" 1 'fault 11: .*cannot begin at `prefix`' \
    --then-ids 7,8,9 --prefix 56 --unchecked
queue keeps "a block in memory alone, unchecked: the design refuses" 1 'fault 11: .*cannot begin at `prefix`' \
    --then-ids 7,8,9 --tokens 11 --prompt-ids "$other" --prefix 30 --unchecked

# ---- a request in shards ----

verify=(timeout 300 "$rill" verify "$dir" "${request[@]}" --shards 4 --work "$parts")
launch() { echo "$root/tests/verify/launch.sh $*"; }

like_whole() { python3 "$root/tests/verify/compare.py" "$work/verify.whole.json" "$work/verify.joined.json"; }

# Checks that a run starts this number of shards.
calls() { # number of calls, options
    rm -f "$work/verify.calls" && : >"$work/verify.calls"
    "${verify[@]}" --launch "$(launch run "$work/verify.calls")" "${@:2}" || return
    local made
    made=$(wc -l <"$work/verify.calls")
    [ "$made" = "$1" ] || { echo "$made calls instead of $1"; return 1; }
}

# Removes the result of shard 2 and checks how the run ends in which this shard runs again.
again() { # name of the check, status, pattern, HOW and FILE of launch.sh, limit in seconds (default 100)
    rm -f "$parts/shard_0002.json"
    check_refused "$1" "$2" "$3" "${verify[@]}" --limit "${6:-100}" --launch "$(launch "$4" "$5")"
}

# Runs a new request in one shard. The launcher's first command is the replay before the shards.
replay_again() { # HOW of launch.sh
    rm -rf "$parts.replay" "$work/verify.once"
    timeout 300 "$rill" verify "$dir" "${request[@]}" --shards 1 --work "$parts.replay" \
        --launch "$(launch "$1" "$work/verify.once")"
}

queue check "in four shards" "${verify[@]}" --json "$work/verify.joined.json"
queue check "tokens, hash and cycles of the whole request" like_whole
queue check "nothing runs again" calls 0
queue check "a result that is lost runs again" eval 'rm -f "$parts/shard_0001.json" && calls 1'
queue check "a result that was changed runs again" eval 'echo >>"$parts/shard_0001.json" && calls 1'
queue again "a shard that dies runs again" 0 '34 tokens, logits_hash' once "$work/verify.once"
queue again "a shard that dies twice" 1 \
    '1 of 4 shards failed, first shard 2: .*without a result \[verify-failed\]' die -
queue again "a shard without a result" 1 'first shard 2: .*status 0 without a result' none -
queue again "a late shard" 1 'first shard 2: it was still running after 1 s' sleep - 1
queue again "a shard given twice" 1 'first shard 2: it began at position' copy "$parts/shard_0001.json"
queue check "the replay is lost and runs again" replay_again lost
queue check_refused "the replay is lost twice" 1 'verify-golden' "$rill" verify "$dir" "${request[@]}" --shards 1 \
    --work "$parts.lost" --launch "$(launch none "$work/verify.once")"
queue check "the journal's end that was cut off" eval 'printf "{\"time" >>"$parts/journal.jsonl" && calls 1'
prepare eval 'mkdir -p "$parts.bad" && echo none >"$parts.bad/journal.jsonl"'
queue check_refused "a journal that is none" 1 'journal.jsonl: line 1 is not a line of the journal' \
    "${verify[@]/%"$parts"/$parts.bad}"

# ---- an RTL fault at one late position ----

fault=$work/verify.fault
plant_late() {
    rm -rf "$fault" && cp -a "$dir" "$fault" && rm -rf "$fault/sim/quick" &&
        sed -i "s/kv_tdata\[BEAT_BITS-1:0\]};/kv_tdata[BEAT_BITS-1:0] ^ {BEAT_BITS{pos_q == 16'd61}}};/" \
            "$fault/rtl/rill_k_writer.v" && ! cmp -s "$fault/rtl/rill_k_writer.v" "$dir/rtl/rill_k_writer.v" &&
        build_soon verify.fault
}
late_fault() {
    local out
    out=$("$rill" verify "$fault" "${request[@]}" --shards 4 2>&1) && return 1
    echo "$out"
    # The key of position 61 is first read at position 62. This is step 44, which shard 3 simulates.
    [ "$(grep -c '^shard ' <<<"$out")" = 1 ] && grep -q '^shard 3, .*mismatch: .*position 62' <<<"$out"
}
prepare plant_late
queue check "an RTL fault at position 61 is found by the shard that holds it alone" late_fault
run_queue
rm -rf "$fault"
verdict
