#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares results with independent values, bit by bit: those that numpy computed for the graphs in this folder, and the
# ids and logits of the shipped model that an earlier version of Rill computed. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

here=$root/tests/witness work=$root/build/tests/witness
model=$root/models/tinystories-gpt2-1m spec=$root/configs/tinystories-gpt2-1m.yaml
log=$work/log
mkdir -p "$work"

usage() {
    cat <<'TEXT'
usage: tests/witness/run.sh [--stories]
  --stories  print the lines of stories.txt anew, after a change of the numerics that is meant
The values of the graphs are written by make.py, in another language and without Rill.
TEXT
}

# Compares the rows of a graph, or of another spec with the weights of the graph, with those of numpy.
golden_rows() { # spec, graph
    local expected
    expected=$(echo "$here/$2"/exact.*)
    out=$work/$2.${expected##*.}
    rm -f "$out"
    "$rill" golden "$1" --weights "$here/$2" --inputs "$(echo "$here/$2"/inputs.*)" --outputs "$out" &&
        cmp "$expected" "$out"
}

# Compares the ids of a language model, and its logits, which follow the 128 header bytes of a .npy file.
golden_ids() { # spec, graph
    local made count
    count=$(wc -w <"$here/$2/ids")
    made=$("$rill" golden "$1" --weights "$here/$2" --prompt-ids "$(cat "$here/$2/prompt")" --tokens "$count" --ids \
        --logits "$work/$2.logits") || return
    [ "$made" = "$(cat "$here/$2/ids")" ] || { echo "other ids: $made" && return 1; }
    tail -c +129 "$here/$2/exact.npy" | cmp - "$work/$2.logits"
}

golden() { if [ -f "$here/$2/ids" ]; then golden_ids "$@"; else golden_rows "$@"; fi; }

# Compares the logits of a language model's first id without quantization, and checks that the quantized ones differ.
golden_float() { # graph
    "$rill" golden "$here/$1.yaml" --weights "$here/$1" --prompt-ids "$(cat "$here/$1/prompt")" --tokens 1 --float \
        --ids --logits "$work/$1.float" && python3 "$here/near.py" "$work/$1.float" "$here/$1/float.npy" 1e-5 &&
        ! python3 "$here/near.py" "$work/$1.float" "$here/$1/exact.npy" 1e-5
}

# Prints changes of one attribute of a spec that must change the values: graph|text in the spec|replacement.
changes() {
    cat <<'TEXT'
asym|weight: asym, weights: int4_asym|weight: asym, weights: int4
asym|transpose: 1, weights: int4_asym|transpose: 1, weights: int8
attention|eps: 1e-2|eps: 1e-5
attention|row_offset: 16}|row_offset: 0}
attention|weight: q, bias: q_c|weight: q
caps|, cap: 1.7|
caps|cap: 30|cap: 31
floor|block: 64, exp_min: -36|block: 64, exp_min: -24
floor|block: 4, exp_min: -10|block: 4
formats|exp_min: -18|exp_min: -24
formats|, bias: d|
formats|  weights: int4|  weights: int8
gains|, times: sqrt_cols|
gains|gamma_plus: 1, eps|eps
gains|gamma_plus: 0.5|gamma_plus: 1
language|eps: 1e-3|eps: 1e-5
lookup|, format: int16|
lookup|in: [i], rows: 12, cols: 12, weight: final|in: [first], rows: 12, cols: 12, weight: final
norms|eps: 1e-3|eps: 1e-5
norms|eps: 1e-2|eps: 1e-5
norms|eps: 0.5|eps: 1e-5
norms|along: 0, eps: 1e-6|along: 0, eps: 1e-3
product|exp_min: -30|exp_min: -24
product|exp_min: -12|exp_min: -24
product|row_offset: 4|row_offset: 0
product|, weights: int4|
repeat|eps: 1e-2|eps: 1e-5
repeat|next: turned|next: sum
rotary|factor: 2.5|factor: 2
rotary|cols: 8, theta: 50,|cols: 8, theta: 60,
rotary|low_freq_factor: 2|low_freq_factor: 1
rotary|high_freq_factor: 6|high_freq_factor: 4
rotary|beta_fast: 3|beta_fast: 32
rotary|beta_slow: 0.5|beta_slow: 1
rotary|, attention_factor: 0.75|
rotary|in: [c, wide], heads: 4, pairs: interleaved|in: [c, wide], heads: 4
rotary|in: [x, given], heads: 2|in: [x, given], heads: 4
spread|exp_min: -15|exp_min: -24
spread|group: 64|group: 128
turns|exp_min: -8|exp_min: -24
turns|weights: int4|weights: int4_asym
turns|, bias: c|
window|, window: [37, 0, 64]|
window|window: [37, 0, 64]|window: [38, 0, 64]
window|window: [37, 0, 64]|window: [37, 64, 64]
window|window: [37, 0, 64]|window: 37
window|of: [0, 0, 1]|of: [0, 1, 0]
window|, scale_root: 3|
vectors|eps: 1e-3|eps: 1e-5
vectors|eps: 0.1|eps: 1e-5
TEXT
}

check_change() { # graph, from, to
    local line="$1: \`$2\` turned into \`$3\`" text
    text=$(cat "$here/$1.yaml")
    printf '%s\n' "${text//"$2"/"$3"}" >"$work/changed.yaml"
    if cmp -s "$here/$1.yaml" "$work/changed.yaml"; then fail "$line" "the graph has no such text"
    elif golden "$work/changed.yaml" "$1" >"$log" 2>&1; then fail "$line" "has the same values"
    elif ! grep -Eq 'differ|other ids' "$log"; then fail "$line" "no other values, but: $(reason)"
    else ok "$line: other values"
    fi
}

# ---- the shipped model ----

story_spec() { # weights, head
    variant "$spec" "$work/story.yaml" weights="$1" head="$2"
}

# Prints a line of stories.txt: the formats of the weights, the number of ids, the prompt, the hash of all logits, and
# the ids.
story() { # weights, head, tokens, prompt
    local json
    story_spec "$1" "$2"
    json=$("$rill" golden "$work/story.yaml" --weights "$model" --prompt "$4" --tokens "$3" --ignore-eot --json) ||
        return
    sed 's/.*"token_ids": \[\(.*\)\], "text".*"logits_hash": "\([0-9a-f]*\)".*/\2|\1/' <<<"$json" | tr -d , |
        sed "s/^/$1|$2|$3|$4|/"
}

stories() {
    local format tokens prompt
    for format in "int8 int8" "int4 int8" "int4 int4"; do
        while IFS='|' read -r tokens prompt; do
            # shellcheck disable=SC2086 # $format is two words
            story $format "$tokens" "$prompt"
        done <<'TEXT'
40|Once upon a time, there was a little
48|Tom and his dog Max
200|The bird sang because it was
TEXT
    done
}

check_story() { # weights, head, tokens, prompt, the rest of its line
    local line
    if ! line=$(story "$1" "$2" "$3" "$4" 2>"$log"); then fail "$1, head $2, \"$4\"" "$(reason)"
    elif [ "$line" = "$1|$2|$3|$4|$5" ]; then ok "$1, head $2, $3 ids of \"$4\": as stored"
    elif [ "${line##*|}" = "${5##*|}" ]; then fail "$1, head $2, \"$4\"" "the ids are as stored, but not the logits"
    else fail "$1, head $2, \"$4\"" "other ids than stored: ${line##*|}"
    fi
}

# ---- ids drawn at random ----

# Compares the ids that `rill golden` draws from the logits of the shipped model with those that draw.py draws.
drawn() { # temperature, top-k, min-p, seed
    variant "$spec" "$work/drawn.yaml" sampling=40
    "$rill" golden "$work/drawn.yaml" --weights "$model" --prompt "Once upon a time" --tokens 40 \
        --ignore-eot --logits "$work/drawn.logits" \
        --temperature "$1" --top-k "$2" --min-p "$3" --sampling-seed "$4" --json >"$work/drawn.json" &&
        python3 "$here/draw.py" "$work/drawn.json" "$work/drawn.logits" "$@"
}

# ---- files that are refused ----

refused_rows() { # name, status, pattern, spec, option...
    local name=$1 status=$2 pattern=$3 graph=$4
    shift 4
    check_refused "refused: $name" "$status" "$pattern" "$rill" golden "$here/$graph.yaml" \
        --weights "$here/$graph" "$@"
}

case ${1:-} in
    --help | -h) usage; exit 0 ;;
    --stories) stories; exit ;;
    "") ;;
    *) usage >&2; exit 2 ;;
esac

for graph in "$here"/*.yaml; do
    name=$(basename "$graph" .yaml)
    queue check "$name: the values are numpy's, bit by bit" golden "$graph" "$name"
done
queue check "language: without quantization the logits are numpy's" golden_float language
while IFS='|' read -r name from to; do queue check_change "$name" "$from" "$to"; done < <(changes)
while IFS='|' read -r weights head tokens prompt rest; do
    queue check_story "$weights" "$head" "$tokens" "$prompt" "$rest"
done <"$here/stories.txt"
queue check "ids drawn from all are Python's" drawn 0.8 0 0 20000000001
queue check "ids drawn from a list are Python's" drawn 1.2 2 0 2
queue check "ids drawn above a bound are Python's" drawn 1.5 40 0.1 3

to=(--outputs "$work/refused.npy") rows=(--inputs "$here/turns/inputs.npy")
{ head -c 132 "$here/turns/inputs.npy" && printf '\xff\xff\xff\x7f' &&
    tail -c +137 "$here/turns/inputs.npy"; } >"$work/nan.npy"
rm -f "$work/refused.npy"
queue refused_rows "a prompt for rows" 1 'it takes rows' turns --prompt-ids 1
queue refused_rows "rows for a language model" 1 'takes a prompt' language "${rows[@]}" "${to[@]}"
queue refused_rows "another shape" 1 'inputs.npy: error: `x`: shape \[5, 3, 4, 16\], expected \[rows, 3, 72\]' \
    spread "${rows[@]}" "${to[@]}"
queue refused_rows "more rows than there are" 1 'asks for 6' turns "${rows[@]}" "${to[@]}" --tokens 6
queue refused_rows "one array for several tensors" 1 'a .npy file has one array' \
    floor --inputs "$here/turns/inputs.npy" \
    "${to[@]}"
queue refused_rows "NaN in a row" 1 'row 0, element 1 is NaN' turns --inputs "$work/nan.npy" "${to[@]}"
queue refused_rows "a name without a format" 1 'must be a .npy or .safetensors file' \
    turns "${rows[@]}" --outputs "$work"
queue refused_rows "no file" 1 'No such file' turns --inputs "$work/none.npy" "${to[@]}"
queue check "refused: nothing is written" test ! -e "$work/refused.npy"
run_queue
verdict
