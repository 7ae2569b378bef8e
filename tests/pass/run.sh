#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the command refuses: specs with an .expect beside them (tests/spec, tests/pass) end with exactly those messages,
# exit status 1 and nothing written. dumps.sh is about the passes' dumps. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

case ${1:-} in
    "") ;;
    --help | -h)
        echo "usage: tests/pass/run.sh
RILL_UPDATE=1 writes the .expect files anew (look at the difference)."
        exit 0
        ;;
    *) echo "usage: tests/pass/run.sh" >&2 && exit 2 ;;
esac
work=$root/build/tests/passes log=$root/build/tests/passes.log
rm -rf "$work" && mkdir -p "$work"

refuse_spec() { # folder, name
    local dir=$root/tests/$1 name=$2 status=0
    (cd "$dir" && timeout 300 "$rill" gen "$name.yaml" -o "$work/refused") >"$log" 2>&1 || status=$?
    [ -z "${RILL_UPDATE:-}" ] || cp "$log" "$dir/$name.expect"
    if [ "$status" != 1 ]; then fail "refuse $1/$name" "exit status $status instead of 1"
    elif [ -e "$work/refused" ]; then fail "refuse $1/$name" "a file was written" && rm -rf "$work/refused"
    elif [ ! -e "$dir/$name.expect" ]; then
        fail "refuse $1/$name" "no $name.expect: RILL_UPDATE=1 tests/pass/run.sh writes it"
    elif ! cmp -s "$log" "$dir/$name.expect"; then
        fail "refuse $1/$name" "other messages than $1/$name.expect: $(diff "$log" "$dir/$name.expect" | sed -n 2p)"
    else ok "refuse $1/$name"
    fi
}

refuse_request() { # IN:OUT, exit status, message
    local status=0
    "$rill" forecast "$root/tests/e2e/specs/odd.yaml" "$1" >"$log" 2>&1 || status=$?
    if [ "$status" != "$2" ]; then fail "refuse request $1" "exit status $status instead of $2"
    elif ! grep -q "error: $3" "$log"; then fail "refuse request $1" "$(reason)"
    else ok "refuse request $1"
    fi
}

# A folder holds the last design that was written to it, and no file of one before; what else lies there stays.
written_again() {
    local dir=$work/again
    "$rill" gen "$work/kernels-dies.yaml" -o "$dir" && [ -e "$dir/rtl/gate.v" ] && [ -e "$dir/pblocks.tcl" ] &&
        touch "$dir/rtl/own.v" &&
        "$rill" gen "$root/tests/e2e/specs/five.yaml" -o "$dir" &&
        "$rill" gen "$root/tests/e2e/specs/five.yaml" -o "$work/first" &&
        [ "$(diff -rq "$work/first" "$dir")" = "Only in $dir/rtl: own.v" ]
}

refuse_command() { # exit status, message, command and arguments
    local want=$1 message=$2 status=0
    shift 2
    (cd "$root/tests/e2e/specs" && "$rill" "$@") >"$log" 2>&1 || status=$?
    if [ "$status" != "$want" ]; then fail "refuse rill $*" "exit status $status instead of $want"
    elif ! grep -q "error: $message" "$log"; then fail "refuse rill $*" "$(reason)"
    else ok "refuse rill $*"
    fi
}

# A language model written as a graph from a checkpoint that is nothing but its tensors: no config.json, though it has
# all operations of GPT-2, and no tokenizer where requests are ids.
own_weights() {
    local dir=$work/own at=0 tensors="" name shape bytes
    mkdir -p "$dir/model"
    cat >"$dir/own.yaml" <<'SPEC'
name: own
graph:
  context: 5
  inputs: {id: {shape: [1]}}
  outputs: [next]
  regions:
    - name: main
      ops:
        - {op: embed, name: e, in: id, rows: 6, cols: 8, weight: wte}
        - {op: position, name: p, rows: 5, cols: 8, weight: wpe}
        - {op: add, name: x, in: [e, p]}
        - {op: layernorm, name: n, in: x, gamma: g, beta: b}
        - {op: gelu, name: y, in: n}
        - {op: quantize, name: q, in: n, block: 8}
        - {op: kv_quantize, name: k, in: n, heads: 1, role: key}
        - {op: kv_quantize, name: v, in: y, heads: 1, role: value}
        - {op: attn_scores, name: s_acc, in: [q, k]}
        - {op: dequantize, name: s, in: s_acc}
        - {op: softmax, out: [w, inv], in: [s, k, v]}
        - {op: quantize, name: w_q, in: w, block: 64, exp_min: -36}
        - {op: attn_values, name: o_acc, in: [w_q, v]}
        - {op: dequantize, name: o_raw, in: o_acc}
        - {op: scale, name: o, in: [o_raw, inv]}
    - name: head
      when: last
      ops:
        - {op: quantize, name: o_q, in: o}
        - {op: matmul, name: l_acc, in: o_q, rows: 6, weight: wte}
        - {op: dequantize, name: l, in: l_acc}
        - {op: argmax, name: next, in: l}
SPEC
    for name in wte:6,8 wpe:5,8 g:8 b:8; do
        shape=${name#*:} bytes=$((4 * ${shape/,/*}))
        tensors+="${tensors:+,}\"${name%:*}\":{\"dtype\":\"F32\",\"shape\":[$shape],"
        tensors+="\"data_offsets\":[$at,$((at + bytes))]}"
        at=$((at + bytes))
    done
    tensors="{$tensors}"
    {
        # shellcheck disable=SC2059 # the length of what follows, 8 bytes
        printf "\\x$(printf %x $((${#tensors} % 256)))\\x$(printf %x $((${#tensors} / 256)))\\0\\0\\0\\0\\0\\0"
        printf %s "$tensors"
        for ((name = 0; name < at / 4; name++)); do printf "\\0\\0\\x$(printf %x $((name * 37 % 256)))\\x3f"; done
    } >"$dir/model/model.safetensors"
    "$rill" gen "$dir/own.yaml" -o "$dir/design" && "$rill" pack "$dir/own.yaml" --weights "$dir/model" \
        -o "$dir/design" || return
    [ "$("$rill" golden "$dir/own.yaml" --weights "$dir/model" --prompt-ids 1,2 --tokens 3 --ids | wc -w)" = 3 ]
}

# A spec with a .warn beside it is legal, with exactly those messages; lines that say so change nothing.
verilog_of() { grep -v -e '^//' -e ' identity = ' "$1/rtl/rill_top.v"; } # folder; the identity is of design.yaml
warn_spec() { # name
    local dir=$root/tests/pass name=$1 twin=$work/twin/$1.yaml
    mkdir -p "$work/twin"
    grep -v '# left out' "$dir/$name.yaml" >"$twin"
    (cd "$dir" && "$rill" gen "$name.yaml" -o "$work/$name") 2>"$log" >/dev/null
    [ -z "${RILL_UPDATE:-}" ] || cp "$log" "$dir/$name.warn"
    if ! cmp -s "$log" "$dir/$name.warn"; then
        fail "warn $name" "other messages: $(diff "$log" "$dir/$name.warn" | sed -n 2p)"
    elif ! "$rill" gen "$twin" -o "$work/twin/$name" >"$log" 2>&1; then fail "warn $name" "$(reason)"
    elif ! diff <(verilog_of "$work/$name") <(verilog_of "$work/twin/$name") >"$log"; then fail "warn $name" "$(reason)"
    else ok "warn $name: the same design as without what is left out"
    fi
}

# A golden file that does this ends the command with its name and status 1, never by a signal, and leaves nothing
# behind.
bad_golden() { # what it does, message
    local temporary=$work/temporary status=0 said
    mkdir -p "$temporary" "$work/kernels"
    cp "$root/tests/e2e/specs/kernels/clamp.v" "$work/kernels"
    cat >"$work/kernels/bad.c" <<C
#include "rill_kernel.h"
#include <stdlib.h>
static int deep(volatile int *from) { volatile int here[1000] = {*from}; return deep(here) + here[1]; }
void bad(struct rill_call *call) {
    volatile int zero = (int)call->repetition * 0, *nowhere = (int *)(long)zero;
    call->out[0].f32[0] = (float)(zero + (call->parameters > 9 ? deep(nowhere) : 0));
    if (call->position < 2 || call->repetition < 1) return;
    $1
}
C
    cat >"$work/bad.yaml" <<'SPEC'
name: bad
kernels:
  clamp:
    {verilog: kernels/clamp.v, inputs: {x: fp32}, outputs: {y: fp32}, elementwise: true, timing: {latency: 1},
     golden: {file: kernels/bad.c, function: bad}}
graph:
  inputs:
    id: {shape: [1]}
  outputs: [next]
  context: 8
  regions:
    - name: embed
      ops:
        - {op: embed, name: x, in: [id], rows: 8, cols: 8, weight: table}
    - name: block
      repeat: 2
      carry:
        h: {init: x, next: y}
      ops:
        - {op: clamp, name: y, in: [h]}
    - name: head
      when: last
      ops:
        - {op: quantize, name: q, in: [h]}
        - {op: matmul, name: acc, in: [q], rows: 8, weight: table}
        - {op: dequantize, name: logits, in: [acc]}
        - {op: argmax, name: next, in: [logits]}
SPEC
    TMPDIR=$temporary RILL_KERNEL_SECONDS=1 timeout 300 "$rill" golden "$work/bad.yaml" --weights random:1 \
        --prompt-ids 1,2,3 --tokens 1 --ids >"$log" 2>&1 ||
        status=$?
    said="rill: error: kernel \`clamp\`: at position 2, repetition 1, \`bad\` of its golden file"
    if [ "$status" != 1 ]; then fail "golden file: $1" "exit status $status instead of 1"
    elif ! grep -qF "$said \`bad.c\` $2" "$log"; then
        fail "golden file: $1" "other message: $(head -n 1 "$log")"
    elif [ "$(wc -l <"$log")" != 1 ] || [ -n "$(ls "$temporary")" ]; then
        fail "golden file: $1" "something is left: $(sed -n 2p "$log") $(ls "$temporary")"
    else ok "golden file: $1"
    fi
}

# A golden file that C would let pass and that cannot be meant: a function without its header returns an int.
refuse_golden() { # what it does
    local status=0
    sed -i "s/^void bad(.*/void bad(struct rill_call *call) { $1 }/; /^void bad/q" "$work/kernels/bad.c"
    timeout 300 "$rill" golden "$work/bad.yaml" --weights random:1 --prompt-ids 1,2,3 --tokens 1 --ids >"$log" 2>&1 ||
        status=$?
    if [ "$status" != 1 ]; then fail "golden file: $1" "exit status $status instead of 1"
    elif ! grep -qF "kernel \`clamp\`: its golden file \`bad.c\` does not compile" "$log"; then
        fail "golden file: $1" "other message: $(head -n 1 "$log")"
    else ok "golden file: $1"
    fi
}

# Where two tables read the ids, those of a prompt are below the rows of the smaller one.
two_tables() { # to
    cat >"$1" <<'SPEC'
name: tables
graph:
  inputs:
    id: {shape: [1]}
  outputs: [next]
  context: 8
  regions:
    - name: main
      ops:
        - {op: embed, name: a, in: [id], rows: 12, cols: 8, weight: large}
        - {op: embed, name: b, in: [id], rows: 8, cols: 8, weight: small}
        - {op: add, name: x, in: [a, b]}
    - name: head
      when: last
      ops:
        - {op: quantize, name: q, in: [x]}
        - {op: matmul, name: acc, in: [q], rows: 8, weight: small}
        - {op: dequantize, name: logits, in: [acc]}
        - {op: argmax, name: next, in: [logits]}
SPEC
}

# Without a clock of its own a design has the limit of a board that is slower than 250 MHz.
. "$root/tests/pass/slow.sh"
clock_is() { "$rill" check "$1" --json | grep -F "\"clock_mhz\": $2,"; } # spec, MHz

# A board of the user's own, under the name of one of the installation: one die with these resources, a memory of half
# the rate.
own_board() { # to, LUT, DSP
    cat >"$work/own-board.yaml" <<BOARD
name: u55c
part: none
platform: none
clock: {default_mhz: 250, max_mhz: 300}
slrs:
  - {name: ALONE, hbm: true, lut: $2, ff: 2000000, bram36: 30, uram: 0, dsp: $3,
     shell: {lut: 1000, ff: 0, bram36: 20, uram: 0, dsp: 0}}
BOARD
    sed -n '/^hbm:/,$p' "$root/boards/u55c.yaml" |
        sed 's/sustained_gbs: 13.27/sustained_gbs: 6.5/' >>"$work/own-board.yaml"
    sed "s#^board: .*#board: ./own-board.yaml#" "$root/configs/graph-linear.yaml" >"$1"
}
own_figures() { # spec
    "$rill" gen "$1" -o "$work/own-figures" 2>&1 | grep . && return 1
    grep -F '"available": {"lut": 99000, "ff": 2000000, "dsp": 200, "bram36": 10, "uram": 0}' \
        "$work/own-figures/report.json" &&
        grep -E '^  memory  .* at the sustained 6.51 GB/s' "$work/own-figures/report.txt" &&
        rm "$work/own-board.yaml" &&
        "$rill" gen "$work/own-figures/design.yaml" -o "$work/own-again" &&
        diff -rq "$work/own-figures" "$work/own-again"
}
# More than the board has: a warning, and the same design as ever.
warn_capacity() { # spec, command...
    local spec=$1
    shift
    "$rill" "$@" 2>"$log" >/dev/null || return
    diff "$log" - <<WARNING
$spec: warning: the design needs more than board u55c has without its shell, by estimate: LUT 27717 of 10000, \
DSP 136 of 99
WARNING
}

expects=("$root"/tests/spec/*.expect "$root"/tests/pass/*.expect) warns=("$root"/tests/pass/*.warn)
for spec in "$root"/tests/pass/*.yaml; do # one that is new
    [ -e "${spec%.yaml}.expect" ] || [ -e "${spec%.yaml}.warn" ] || expects+=("${spec%.yaml}.expect")
done
# The loss of a plain text tells weights that lie otherwise than they are read: here two layers change places.
checked_layout() {
    local model=$root/models/tinystories-gpt2-1m spec=$root/configs/tinystories-gpt2-1m.yaml bad=$work/changed
    if ! "$rill" golden "$spec" --weights "$model" --check >"$log" 2>&1 || grep -q warning: "$log"; then
        fail "layout of the weights" "$(reason)"
    else ok "layout of the weights"
    fi
    mkdir -p "$bad" && cp "$model"/*.json "$model/merges.txt" "$bad"
    LC_ALL=C sed 's/h\.0\./h.X./g; s/h\.3\./h.0./g; s/h\.X\./h.3./g' \
        "$model/model.safetensors" >"$bad/model.safetensors"
    if "$rill" golden "$spec" --weights "$bad" --check >"$log" 2>&1 &&
            grep -q 'warning: the loss of plain English is near that of chance' "$log"; then
        ok "wrong layout of the weights"
    else fail "wrong layout of the weights" "$(reason)"
    fi
}

# What a design cannot take is known before its simulation is built, which takes minutes.
unbuilt=$work/unbuilt
refuse_unbuilt() { # exit status, message, arguments behind the folder
    local want=$1 message=$2 status=0
    shift 2
    "$rill" sim "$unbuilt" "$@" >"$log" 2>&1 || status=$?
    if [ "$status" != "$want" ]; then fail "before building: $*" "exit status $status instead of $want"
    elif ! grep -qE "error: .*$message|$message: error" "$log" || grep -q building "$log"; then
        fail "before building: $*" "$(reason)"
    else ok "before building: $*"
    fi
}
make_unbuilt() { # spec
    rm -rf "$unbuilt" && "$rill" gen "$1" -o "$unbuilt" && "$rill" pack "$1" --weights random:1 -o "$unbuilt"
}
# A build that fails at once, and what is said before it.
starts_build() { # message, whether it is there, arguments behind the folder
    local message=$1 there=$2
    shift 2
    PATH=$work/no-tools:$PATH "$rill" sim "$unbuilt" "$@" >"$log.built" 2>&1 && return 1
    grep 'building the simulation' "$log.built" || return
    if [ "$there" = yes ]; then grep -e "$message" "$log.built"; else ! grep -e "$message" "$log.built"; fi
}
refuse_requests_before_build() {
    mkdir -p "$work/no-tools" && printf '#!/bin/sh\nexit 1\n' >"$work/no-tools/verilator" &&
        chmod +x "$work/no-tools/verilator"
    check "before building: a design" make_unbuilt "$root/tests/e2e/specs/odd.yaml"
    refuse_unbuilt 1 'id 97 of the prompt is not in the vocabulary of 97$' --prompt-ids 1,97,3
    refuse_unbuilt 1 'the context of 40 has room for 38$' --prompt-ids 1,2,3 --tokens 39
    refuse_unbuilt 1 'the prompt has 41 token ids' --prompt-ids "$(seq -s, 41)"
    refuse_unbuilt 1 '--temperature|the design chooses the most likely id alone' --prompt-ids 1 --top-k 3
    refuse_unbuilt 1 '--inject-error: the design has channels 0 to 2$' --prompt-ids 1 --inject-error 9:0
    refuse_unbuilt 1 '--inputs and --outputs are for graphs' --inputs rows.npy
    check "before building: unchecked ids are built for" starts_build 'prompt is not' no --unchecked --prompt-ids 97
    check "before building: --quick-build is suggested" starts_build '--quick-build' yes --prompt-ids 1
    check "before building: it is not where it is given" starts_build '--quick-build' no --prompt-ids 1 --quick-build
    check "before building: a design of rows" make_unbuilt "$root/tests/e2e/specs/five.yaml"
    refuse_unbuilt 1 'token ids are for language models' --prompt-ids 1
    refuse_unbuilt 1 'none.npy' --inputs "$work/none.npy"
    rm "$unbuilt/image/channel_00.bin"
    refuse_unbuilt 1 "channel_00.bin" --tokens 1
}

plan $((${#expects[@]} + ${#warns[@]} + 187)) # 187: written one by one below
plan 24
refuse_requests_before_build
for expect in "${expects[@]}"; do
    refuse_spec "$(basename "$(dirname "$expect")")" "$(basename "$expect" .expect)"
done
refuse_command 2 'unknown option `--jsn`; did you mean `--json`?' check five.yaml --jsn
refuse_command 2 '`-o` needs a value' gen five.yaml -o
refuse_command 2 '`--prompt-len` takes a number of at least 1, not `many`' timeline five.yaml --prompt-len many
refuse_command 2 '`--tokens` takes a number of at least 1, not `0`' golden odd.yaml --weights random:1 --prompt-ids 1 \
    --tokens 0
refuse_command 1 'five.yaml: Not a directory' gen five.yaml -o five.yaml/x
refuse_command 2 '`rill check` has no `--request` any more: write `rill forecast five.yaml IN:OUT`$' check five.yaml \
    --request
refuse_command 2 '`rill check` has no `--tokens` any more: write `rill timeline five.yaml --tokens N --json`$' check \
    five.yaml --tokens --json
refuse_command 2 '`rill check` has no `--types` any more: write `rill types five.yaml`$' check five.yaml --types
refuse_command 2 '.*: write `rill forecast five.yaml 8:8 --json --kept`$' check --json five.yaml --request 8:8 --kept
refuse_command 2 '.*: write `rill forecast five.yaml IN:OUT --start 3`$' check five.yaml --start 3
refuse_command 2 '.*: write `rill timeline five.yaml --prompt-len 5 --clock 200`$' check five.yaml --prompt-len 5 \
    --timeline --clock 200
refuse_command 2 '.*: write `rill depths SPEC`$' check --depths
refuse_command 2 '.*: write `rill memory .a b.yaml. --positions 3`$' check 'a b.yaml' --memory --positions 3
refuse_command 2 'unknown option `--json`' types five.yaml --json
refuse_command 2 'unknown option `--tokens`' forecast five.yaml 3:3 --tokens 2
refuse_command 2 '`3` is one argument too many' forecast five.yaml 3:3 3
refuse_command 2 'IN:OUT is missing' forecast five.yaml
refuse_command 2 '`five.yaml` and `odd.yaml`: one is enough' check five.yaml odd.yaml
refuse_command 2 '`-o` is given twice' gen five.yaml -o "$work/one" -o "$work/two"
refuse_command 2 '`--weights` is given twice' pack five.yaml --weights random:1 --weights random:2 -o "$work/one"
refuse_command 2 '`--json=x`: write `--json`' check five.yaml --json=x
refuse_command 2 '`--html=x`: write `--html FILE`' report five --html=x
refuse_command 2 '`--dump-after` needs a value: `--dump-after=PASS`' gen five.yaml -o "$work/one" \
    --dump-after infer-types
refuse_command 2 '`--html` and `--json` do not go together' report five --html "$work/one" --json
refuse_command 2 '`--sim` goes with `--html`' report five --sim run.json
refuse_command 2 '`--prompt` and `--prompt-ids` do not go together' golden odd.yaml --weights random:1 --prompt a \
    --prompt-ids 1
refuse_command 2 'DIR is missing' sim --tokens 2
refuse_command 2 '`-o DIR` is missing' gen five.yaml
refuse_command 2 'SPEC is missing' gen -o "$work/one"
refuse_command 2 '`--weights MODELDIR|random:SEED` is missing' pack five.yaml -o "$work/one"
refuse_command 2 '`--weights MODELDIR|random:SEED` is missing' golden five.yaml
refuse_command 2 '`-o PKG` is missing' package five
refuse_command 2 'SPEC is missing' check --json
refuse_command 2 '`-o` needs a value, not the option `--dump-after=infer-types`' gen five.yaml \
    -o --dump-after=infer-types
refuse_command 2 '`--tokens`: 99999999999999999999 is too large' golden odd.yaml --weights random:1 --prompt-ids 1 \
    --tokens 99999999999999999999
refuse_command 1 '`random:99999999999999999999`: .* at most 18446744073709551615' golden five.yaml \
    --weights random:99999999999999999999
refuse_command 2 '`--float` and `--eval` do not go together' golden odd.yaml --weights random:1 --eval odd.yaml --float
refuse_command 1 '`--float` takes the likeliest id' golden odd.yaml --weights random:1 --prompt-ids 1 --float \
    --temperature 1
refuse_command 2 '`--stories` goes with `--eval`' golden odd.yaml --weights random:1 --prompt-ids 1 --stories 2
refuse_command 2 '`--eval` and `--tokens` do not go together' golden odd.yaml --weights random:1 --eval odd.yaml \
    --tokens 2
refuse_command 2 '`--data-seed` and `--prompt-ids` do not go together' golden odd.yaml --weights random:1 \
    --prompt-ids 1 --data-seed 2
checked_layout
refuse_command 1 '--check needs a checkpoint' golden odd.yaml --weights random:1 --check
refuse_command 2 '`--calibrate-tokens` goes with `--calibrate`' golden odd.yaml --weights random:1 --prompt-ids 1 \
    --calibrate-tokens 5
refuse_command 2 '`--calibrate-tokens` goes with `--calibrate`' pack odd.yaml --weights random:1 -o "$work/one" \
    --calibrate-tokens 5
refuse_command 1 'no language model: it reads no text to calibrate with' golden five.yaml --weights random:1 \
    --calibrate five.yaml
refuse_command 1 'No such file or directory' pack odd.yaml --weights random:1 -o "$work/one" --statistics no-such.json
refuse_command 1 'no language model: `--ids`' golden five.yaml --weights random:1 --ids
refuse_command 2 '.*: write `rill explain --passes`$' check five.yaml --passes
refuse_command 2 '`--operations` goes alone' explain --operations T
refuse_command 2 'FILE takes spec|board|family|chat, not `bord`; did you mean `board`?' schema bord
refuse_command 1 'no language model: .* `--ids` changes nothing' timeline five.yaml --ids 1
refuse_command 1 'no pass `nope`; `rill explain --passes`' gen five.yaml -o "$work/one" --dump-after=nope
refuse_command 2 '`--seed` is given twice' sim five --seed 1 --seed 2
refuse_command 2 '`--json` is given twice' sim five --json "$work/one" --json "$work/two"
refuse_command 2 '`--pause` goes with `--save`' sim five --pause 3
refuse_command 2 '`--save` goes with `--pause`' sim five --save "$work/one"
refuse_command 2 '.* of at least 1' sim five --watchdog 0
refuse_command 2 '.* the name of a .npy' sim five --outputs "$work/one"
check_refused "rill package --registers goes alone" 2 '.--registers. goes alone' "$rill" package \
    --registers --name other
refuse_command 2 '`--threads` takes a number from 1 to 64, not `2x`' sim five --threads 2x
refuse_command 2 '`--threads` takes a number from 1 to 64, not `65`' sim five --threads 65
refuse_command 2 '`--jobs` takes a number from 1 to 1024, not `many`' sim five --jobs many
refuse_command 2 '`--threads` needs a value: `--threads N`' sim five --threads
for list in 1,,0 1, ,1 1,-2 -1 4294967296 99999999999999999999 0x10 1.5 1,a '1;2' +1 '1 ,'; do
    refuse_command 1 "\`$list\` is no list of ids" golden odd.yaml --weights random:1 --prompt-ids "$list"
    # before anything is built
    refuse_command 2 "\`--prompt-ids\`: not a list of ids, as 1,2,3: $list\$" sim five --prompt-ids "$list"
done
refuse_command 1 'the prompt has 0 ids; 1 to 40 fit the context' golden odd.yaml --weights random:1 --prompt-ids " "
refuse_command 2 '`--prompt-ids` needs a value' golden odd.yaml --weights random:1 --prompt-ids ""
same_ids() { # lists
    local list
    "$rill" golden "$root/tests/e2e/specs/odd.yaml" --weights random:1 --tokens 3 \
        --ids --prompt-ids 8,2 >"$work/ids" || return
    for list in "$@"; do
        "$rill" golden "$root/tests/e2e/specs/odd.yaml" --weights random:1 --tokens 3 --ids --prompt-ids "$list" |
            diff "$work/ids" - || return
    done
}
derived_of() { # spec, what it says
    "$rill" check "$1" >"$log.derived" 2>/dev/null && grep -qxF "$2" "$log.derived"
}
check "sizes that follow: of the model" derived_of "$root/configs/tinystories-gpt2-1m.yaml" \
    'family gpt2, sizes that follow: kv_heads 4, head_dim 32'
check "sizes that follow: not those that the spec says" derived_of "$root/configs/gemma3-270m-u55c.yaml" \
    'family gemma3, sizes that follow: queries 1024, keys 256'
check "lists of ids: blanks, zeros in front" same_ids "8 2" " 8 , 2 " "08,2"
shows_help() { # command and arguments: the usage on standard output, whatever else is there
    "$rill" "$@" 2>"$work/help.said" | grep -q "^usage: rill" && [ ! -s "$work/help.said" ]
}
check "rill help" shows_help help
for command in check gen pack golden report forecast timeline explain sim; do
    for help in "--help" "-h" "no.yaml --help" "--wrong -h"; do
        # shellcheck disable=SC2086 # words
        check "rill $command $help" shows_help $command $help
    done
done
own_help() { "$rill" help "$1" | diff - <("$rill" "$1" --help); }
check_refused "make help" 0 '^  make test  *The tests' make -C "$root" --no-print-directory help
check "rill help check" own_help check
check_refused "rill help of no command" 2 'no command `chek`; did you mean `check`' "$rill" help chek
check_refused "a spec for a design: package" 1 'is a file, no folder of a design: run `rill gen [^ ]* -o DIR`' \
    "$rill" package "$root/tests/e2e/specs/five.yaml" -o "$work/one"
check_refused "a spec for a design: sim" 1 'no folder of a design: .*, then `rill sim DIR`' "$rill" sim \
    "$root/tests/e2e/specs/five.yaml"
check_refused "a spec for a design: report" 1 'no folder of a design: .*, then `rill report DIR`' "$rill" report \
    "$root/tests/e2e/specs/five.yaml"
for command in golden "pack -o $work/one"; do
    # shellcheck disable=SC2086 # words
    check_refused "no folder of weights: rill ${command%% *}" 1 'none: error: there is no such folder, or GGUF file' \
        "$rill" $command "$root/configs/tinystories-gpt2-1m.yaml" --weights "$work/none"
done
check_refused "where a dump goes" 0 "^wrote $work/dump/expand-model.yaml, the IR after that pass; no design was made\$" \
    "$rill" gen \
    "$root/tests/e2e/specs/odd.yaml" -o "$work/dump" --dump-after=expand-model
no_resources='note: no `resources` in the declaration of kernel `graded`, `slowly`, `affine`: the estimates count them'
for command in check "gen -o $work/none"; do
    # shellcheck disable=SC2086 # words
    check_refused "kernels without resources: rill ${command%% *}" 0 "^$no_resources as nothing;" \
        "$rill" $command "$root/tests/e2e/specs/steps.yaml"
done
all_say() { ! "$rill" check "$root/tests/e2e/specs/rectified.yaml" | grep '`resources` in .*rectify'; }
check "kernels with resources: rill check" all_say
check_refused "dies that were not looked at" 0 'note: the 3 dies of u55c were not looked at.*`design: {dies: 3}`' \
    "$rill" check "$root/tests/e2e/specs/odd.yaml"
for help in "--help" "-h"; do
    # shellcheck disable=SC2086 # words
    check "rill $help" shows_help $help
done
for command in "explain --passes" "check $root/tests/e2e/specs/five.yaml" \
        "check $root/tests/e2e/specs/five.yaml --json" --help; do
    check_refused "full output device: rill ${command//"$root/tests/e2e/specs/"/}" 1 'error: standard output: ' \
        bash -c "\"$rill\" $command >/dev/full"
done
bad_golden '*nowhere = 1;' 'accesses memory'
bad_golden 'deep(&zero);' 'accesses memory'
bad_golden 'call->fault = 7 / zero;' 'divides an integer by zero'
bad_golden 'abort();' 'calls abort'
bad_golden 'exit(0);' 'calls exit'
bad_golden 'for (; !zero;);' 'does not end'
refuse_golden 'call->out[0].f32[0] = fabsf(call->in[0].f32[0]);'
refuse_golden 'int *x = call->in[0].f32; call->out[0].f32[0] = x[0];'
echo '// bad' >"$work/kernels/bad.c"
check_refused "a golden function that only a comment names" 1 'kernel `clamp`: `bad.c` defines no function `bad`' \
    "$rill" golden "$work/bad.yaml" --weights random:1 --prompt-ids 1 --tokens 1
two_tables "$work/tables.yaml"
check "ids below the smaller table" "$rill" golden "$work/tables.yaml" --weights random:1 --prompt-ids 3,7 --tokens 1 \
    --ids
check_refused "an id beyond the smaller table" 1 'id 8 of the prompt is not in the vocabulary of 8$' \
    "$rill" golden "$work/tables.yaml" --weights random:1 --prompt-ids 3,8 --tokens 1 --ids
slow_board "$work/slow.yaml" "# no clock"
check "a slow board: a spec without a clock has the board's" clock_is "$work/slow.yaml" 120
slow_board "$work/slow150.yaml" "clock_mhz: 150"
check "a slow board: another clock below it" clock_is "$work/slow150.yaml" 150
slow_board "$work/slow161.yaml" "clock_mhz: 161"
check_refused "a slow board: no clock above it" 1 'the nearest legal value is 160$' "$rill" check "$work/slow161.yaml"
rows_below_bound() { # at every T, the forecast of many rows is no faster than what the report says is the most
    local T spec most made
    for T in 1 2 4 8; do
        for spec in carried mixer kernels; do
            variant "$root/tests/e2e/specs/$spec.yaml" "$work/rows.yaml" T=$T A=1
            most=$("$rill" check "$work/rows.yaml" --json | sed -n 's/.*"tokens_per_second": \([0-9.]*\).*/\1/p')
            made=$("$rill" forecast "$work/rows.yaml" 64 --json |
                sed -n 's/.*"cycles_prefill": \([0-9.]*\).*/\1/p' | awk '{ print 64 * 250e6 / $1 }')
            echo "$spec, T = $T: at most ${most:-nothing} rows/s, $made in the forecast"
            awk -v most="$most" -v made="$made" 'BEGIN { exit !(made > 0 && made <= most) }' || return
        done
    done
}
check "at most so many rows/s: a bound at every T" rows_below_bound
# The same Verilog as with what auto must choose said, and the figures in the report.
like_explicit() { # name, choice, values of the spec
    local dir=$work/auto-$1 values=("${@:3}")
    variant "$root/tests/e2e/specs/$1.yaml" "$dir.yaml" fifo=auto "${values[@]}"
    variant "$root/tests/e2e/specs/$1.yaml" "$dir-said.yaml" "fifo=$2" "${values[@]}"
    "$rill" gen "$dir.yaml" -o "$dir" && "$rill" gen "$dir-said.yaml" -o "$dir-said" || return
    diff <(verilog_of "$dir") <(verilog_of "$dir-said") || return
    grep -E "^FIFO strategy auto: $2; by forecast safe takes [0-9]+ cycles and [0-9]+ bits, timed [0-9]+ and [0-9]+$" \
        "$dir/report.txt"
}
check "fifo auto: timed where that is sooner" like_explicit five timed
check "fifo auto: safe where that is sooner" like_explicit mixer safe channels=4 T=2 lanes=4
cat >"$work/auto-long.yaml" <<'SPEC'
name: long
graph:
  inputs: {x: {shape: [8192]}}
  outputs: [y]
  regions:
    - name: main
      ops:
        - {op: quantize, name: q, in: x}
        - {op: matmul, name: acc, in: q, rows: 8192, weight: w}
        - {op: dequantize, name: y, in: acc}
design: {fifo: auto}
SPEC
check_refused "fifo auto: safe where the search is long" 0 'auto: safe, as the search for timed depths was not begun' \
    "$rill" check "$work/auto-long.yaml"
sed 's/fifo: auto/fifo: safe/' "$work/auto-five.yaml" >"$work/safe-five.yaml"
check_refused "fifo safe: what it costs" 0 'note: by forecast `fifo: safe` takes [0-9]+ cycles' "$rill" \
    check "$work/safe-five.yaml"
as_auto() { # spec without fifo: the choice of the one with `fifo: auto`, and nothing to say
    local strategy
    strategy=$("$rill" check "$1" | grep -E '^FIFO strategy auto: timed; ') &&
        ! "$rill" check "$1" | grep 'note: by forecast' &&
        grep -F -x "$strategy" "$work/auto-five/report.txt"
}
check "no fifo: auto" as_auto "$root/tests/e2e/specs/five.yaml"
no_note() { ! "$rill" check "$1" | grep 'note: by forecast'; } # spec
check "fifo auto: nothing to say" no_note "$work/auto-five.yaml"
own_board "$work/own.yaml" 100000 200
for damage in 'context: [0-9]*/context: -7' 'shape: \[[0-9]*/shape: [-7' \
    'sustained_gbs: .*/sustained_gbs: 0' 'sustained_gbs: .*/clock: 1' 'refresh_ns: .*/refresh_ns: 3000' \
    '^  fifo: auto/  fifo: save'; do
    "$rill" gen "$work/own.yaml" -o "$work/own-dump" --dump-after=infer-types &&
        sed -i "s/$damage/" "$work/own-dump/infer-types.yaml"
    check_refused "a dump with ${damage#*/}" 1 'error: .*(out of range|missing|least|must|no extent)' \
        "$rill" gen "$work/own-dump/infer-types.yaml" -o "$work/own-bad"
done
check "an own board: its figures, not those of a board of that name" own_figures "$work/own.yaml"
own_board "$work/full.yaml" 11000 99
for command in "check $work/full.yaml" "check $work/full.yaml --json" "gen $work/full.yaml -o $work/full"; do
    # shellcheck disable=SC2086 # words
    check "more than the board has: rill ${command//"$work/"/}" warn_capacity "$work/full.yaml" $command
done
check "more than the board has: a finished design" warn_capacity "$work/full/design.yaml" check "$work/full/design.yaml"
variant "$root"/tests/e2e/specs/dies.yaml "$work"/full-dies.yaml dies=2 channels=16
check_refused "more than a die has" 0 'more than die SLR0 of board small has without its shell, by estimate: LUT' \
    "$rill" check "$work"/full-dies.yaml
variant "$root"/tests/e2e/specs/kernels.yaml "$work"/kernels-dies.yaml dies=2
check "a design in the folder of another" written_again
"$rill" gen "$root/tests/e2e/specs/five.yaml" -o "$work/unpacked" >"$log" 2>&1
refuse_command 1 '.* has no memory image; run `rill pack' sim "$work/unpacked" --prompt rows
refuse_command 1 'a request of 41 positions, the context has 40' timeline odd.yaml --prompt-len 41
refuse_command 1 'a pipe: .* it must be a file' check <(cat "$root/tests/e2e/specs/five.yaml")
check "weights of a graph's own" own_weights

# Every graph is a family without parameters: the same Verilog, memory and values, read through both expanders.
golden_of() { # spec
    local request=(--tokens 2)
    ! grep -q '{op: embed' "$root/tests/e2e/specs/$name.yaml" || request=(--prompt-ids "1,0" --tokens 2)
    "$rill" golden "$1" --weights random:1 "${request[@]}" --json
}
graphs_as_families() {
    local name spec dir=$work/families
    mkdir -p "$dir"
    for name in blocks grouped mixer transpose carried inputs; do
        spec=$root/tests/e2e/specs/$name.yaml
        { echo "family: $name" && awk '/^[a-z]+:/ { on = /^graph:/ } on' "$spec"; } >"$dir/$name-own.yaml"
        { awk '/^[a-z]+:/ { on = !/^graph:/ } on' "$spec" &&
            echo "model: {family: ./$name-own.yaml}"; } >"$dir/$name.yaml"
        "$rill" gen "$spec" -o "$dir/graph" && "$rill" gen "$dir/$name.yaml" -o "$dir/model" || return
        diff -rq -x oracle -x design.yaml -x rill_top.v -x rill_sim_top.sv "$dir/graph" "$dir/model" &&
            diff <(verilog_of "$dir/graph") <(verilog_of "$dir/model") &&
            cmp "$dir/$name-own.yaml" "$dir/model/oracle/family.yaml" &&
            diff <(golden_of "$spec") <(golden_of "$dir/$name.yaml") && golden_of "$spec" |
            grep '"rows_hash"\|"logits_hash"' || return
    done
}
check "graphs as families" graphs_as_families
refuse_request 0:1 2 'IN:OUT: two numbers'
refuse_request 3x 2 'IN:OUT: two numbers'
refuse_request 9223372036854775807:9223372036854775807 2 'IN:OUT: two numbers, .* no more than 2147483647'
refuse_request 3:99 1 '.*needs 101 positions, the context has 40'
for warn in "${warns[@]}"; do warn_spec "$(basename "$warn" .warn)"; done
check "forecast: many steps without a firing of the head's kernel" "$rill" forecast \
    "$root/tests/e2e/specs/steps.yaml" 40:1
check "bench: the table from forecasts" "$root/bench/table.sh" --spec "$root/tests/e2e/specs/odd.yaml" \
    --requests "4:4 20:10" --forecast
verdict
