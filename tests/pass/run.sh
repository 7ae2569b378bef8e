#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests what the commands must refuse. Each spec with an .expect file next to it (tests/spec, tests/pass) must end with
# exactly these messages and exit status 1, and nothing may be written. dumps.sh tests the dumps of the passes. See
# --help.
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
    "$rill" forecast "$root/tests/e2e/cases/odd/spec.yaml" "$1" >"$log" 2>&1 || status=$?
    if [ "$status" != "$2" ]; then fail "refuse request $1" "exit status $status instead of $2"
    elif ! grep -q "error: $3" "$log"; then fail "refuse request $1" "$(reason)"
    else ok "refuse request $1"
    fi
}

# Checks that a folder has the files of the design that was written to it last, and none of an earlier design. Other
# files stay.
written_again() {
    local dir=$work/again
    "$rill" gen "$work/kernels-dies.yaml" -o "$dir" && [ -e "$dir/rtl/gate.v" ] && [ -e "$dir/pblocks.tcl" ] &&
        touch "$dir/rtl/own.v" &&
        "$rill" gen "$root/tests/e2e/cases/five/spec.yaml" -o "$dir" &&
        "$rill" gen "$root/tests/e2e/cases/five/spec.yaml" -o "$work/first" &&
        [ "$(diff -rq "$work/first" "$dir")" = "Only in $dir/rtl: own.v" ]
}

refuse_command() { # command line, which runs in $work/specs, exit status, pattern of the message
    local status=0
    (cd "$work/specs" && rill() { "$root/build/rill" "$@"; } && eval "$1") >"$log" 2>&1 || status=$?
    if [ "$status" != "$2" ]; then fail "refuse $1" "exit status $status instead of $2"
    elif ! grep -q "error: $3" "$log"; then fail "refuse $1" "$(reason)"
    elif odd_error "$1"; then fail "refuse $1" "the message has another form: $odd"
    else ok "refuse $1"
    fi
}
# Returns whether the log has an error of another form than `PLACE: error: TEXT [ID]`. The place is a file, or a file
# with line and column, or the command: `rill` or `rill COMMAND`. `odd` is then the first such line.
odd_error() { # command line
    local word=${1#rill }
    odd=$(grep -E '(^|[ :])error: ' "$log" |
        grep -Evm1 "^(rill|rill ${word%% *}|[^ :]+(:[0-9]+:[0-9]+)?): error: .*[^]] \[[a-z0-9-]+\]$")
    [ -n "$odd" ]
}
# Reads a file with one command per line, and below each its exit status and message: `    STATUS: MESSAGE`.
queue_commands() { # file
    local lines line command=""
    mapfile -t lines <"$1" && [ ${#lines[@]} != 0 ] || { queue fail "$1" "it cannot be read"; return; }
    for line in "${lines[@]}"; do
        if [[ $line =~ ^'    '([0-9]+):' '(.+)$ && -n $command ]]; then
            queue refuse_command "$command" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
            command=""
        elif [[ $line == "rill "* && -z $command ]]; then command=$line
        elif [[ -n $line && $line != "#"* ]]; then
            queue fail "$1: $line" 'neither a command, `rill ...`, nor what it must end with, `    STATUS: MESSAGE`'
        fi
    done
    [ -z "$command" ] || queue fail "$1: $command" 'below it must be `    STATUS: MESSAGE`'
}

# Checks that a language model that is written as a graph needs only the tensors of a checkpoint. It needs no
# config.json, although the graph has all operations of GPT-2, and no tokenizer, because the requests are token ids. The
# function writes such a checkpoint.
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
        # shellcheck disable=SC2059 # 8 bytes, little-endian: the length of the JSON header
        printf "\\x$(printf %x $((${#tensors} % 256)))\\x$(printf %x $((${#tensors} / 256)))\\0\\0\\0\\0\\0\\0"
        printf %s "$tensors"
        for ((name = 0; name < at / 4; name++)); do printf "\\0\\0\\x$(printf %x $((name * 37 % 256)))\\x3f"; done
    } >"$dir/model/model.safetensors"
    "$rill" gen "$dir/own.yaml" -o "$dir/design" && "$rill" pack "$dir/own.yaml" --weights "$dir/model" \
        -o "$dir/design" || return
    [ "$("$rill" golden "$dir/own.yaml" --weights "$dir/model" --prompt-ids 1,2 --tokens 3 --ids | wc -w)" = 3 ]
}

# Prints all modules of a design, without comments at the left margin and without the identity, which is the hash of
# design.yaml.
verilog_of() { # folder
    (cd "$1/rtl" && for module in *.v; do echo "$module" && grep -v -e '^//' -e ' identity = ' "$module"; done)
}
# A spec with a .warn file next to it is legal and causes exactly these messages. Its lines that are marked `# left out`
# must not change the Verilog.
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

# Checks that a faulty golden file ends the command with status 1 and a message with its name, never with a signal, and
# leaves no files. The fault happens at position 2, repetition 1, which the message must name.
bad_golden() { # C statement of the fault, message
    local temporary=$work/temporary status=0 said
    mkdir -p "$temporary" "$work/kernels"
    cp "$root/tests/e2e/kernels/clamp.v" "$work/kernels"
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

# Checks that a golden file does not compile although a C compiler would only warn about it, for example about the call
# of an undeclared function, which C would take to return int. Changes the file of bad_golden.
refuse_golden() { # C statement
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

# Writes a spec in which two embedding tables read the token ids. The ids of a prompt must then be below the number of
# rows of the smaller table.
two_tables() { # file to write
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

. "$root/tests/pass/slow.sh"
# Checks the clock of a design. Without `clock_mhz` it is the default clock of the board.
clock_is() { "$rill" check "$1" --json | grep -F "\"clock_mhz\": $2,"; } # spec, MHz

# Writes a spec and a user's board file with the name of an installed board. The board has one die with these resources,
# and a memory with about half the bandwidth.
own_board() { # spec to write, LUT, DSP
    cat >"$work/own-board.yaml" <<BOARD
name: u55c
part: none
platform: none
clock: {default_mhz: 250, max_mhz: 300}
slrs:
  - {name: ALONE, hbm: true, lut: $2, ff: 2000000, bram36: 30, uram: 0, dsp: $3,
     region: {lut: $(($2 - 1000)), ff: 2000000, bram36: 10, uram: 0, dsp: $3}}
BOARD
    sed -n '/^hbm:/,$p' "$root/boards/u55c.yaml" |
        sed 's/sustained_gbs: 13.27/sustained_gbs: 6.5/' >>"$work/own-board.yaml"
    sed "s#^board: .*#board: ./own-board.yaml#" "$root/configs/graph-linear.yaml" >"$1"
}
# Checks that the report has the resources and the bandwidth of the user's board file, and that a design.yaml contains
# them, so that it can be generated again without the board file.
own_figures() { # spec
    "$rill" gen "$1" -o "$work/own-figures" 2>&1 | grep . && return 1
    grep -F '"available": {"lut": 99000, "ff": 2000000, "dsp": 200, "bram36": 10, "uram": 0}' \
        "$work/own-figures/report.json" &&
        grep -E '^  fullest channel  .* at the sustained 6.51 GB/s' "$work/own-figures/report.txt" &&
        rm "$work/own-board.yaml" &&
        "$rill" gen "$work/own-figures/design.yaml" -o "$work/own-again" &&
        diff -rq "$work/own-figures" "$work/own-again"
}
# Checks that a command for a design that exceeds its board succeeds and prints exactly this warning; `gen` also prints
# its verdict about the limits.
warn_capacity() { # spec, command...
    local spec=$1
    shift
    "$rill" "$@" 2>"$log" >/dev/null || return
    if [ "$1" = gen ]; then # with the verdict
        grep -q 'exceeds the limits of .*\[design-beyond\]' "$log" && sed -i '/\[design-beyond\]/d' "$log" || return
    fi
    diff "$log" - <<WARNING
$spec: warning: the design needs more than board u55c has without its platform, by estimate: LUT 27214 of 10000, \
DSP 136 of 99 [over-capacity]
WARNING
}

expects=("$root"/tests/spec/*.expect "$root"/tests/pass/*.expect) warns=("$root"/tests/pass/*.warn)
for spec in "$root"/tests/pass/*.yaml; do # a new spec, whose messages RILL_UPDATE=1 can write
    [ -e "${spec%.yaml}.expect" ] || [ -e "${spec%.yaml}.warn" ] || expects+=("${spec%.yaml}.expect")
done
# Checks that `rill golden --check` warns if the weights have another layout than the spec assumes, because the loss of
# plain English is then high. In the changed copy, two layers are swapped.
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
            grep -q 'warning: the loss on plain English is hardly better than chance' "$log"; then
        ok "wrong layout of the weights"
    else fail "wrong layout of the weights" "$(reason)"
    fi
}

# Checks that a request that a design cannot take is refused before the simulation is built, which would take minutes.
unbuilt=$work/unbuilt
refuse_unbuilt() { # exit status, message, arguments after the folder
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
# Starts a build with a verilator that fails at once, and checks what the command printed before it.
starts_build() { # message, yes if it must appear or no if it must not, arguments after the folder
    local message=$1 there=$2
    shift 2
    PATH=$work/no-tools:$PATH "$rill" sim "$unbuilt" "$@" >"$log.built" 2>&1 && return 1
    grep 'building the simulation' "$log.built" || return
    if [ "$there" = yes ]; then grep -e "$message" "$log.built"; else ! grep -e "$message" "$log.built"; fi
}
queue_refusals_before_building() {
    mkdir -p "$work/no-tools" && printf '#!/bin/sh\nexit 1\n' >"$work/no-tools/verilator" &&
        chmod +x "$work/no-tools/verilator"
    queue check "before building: a design" make_unbuilt "$root/tests/e2e/cases/odd/spec.yaml"
    queue refuse_unbuilt 1 'token 97 of the prompt is not in the vocabulary of 97 ' --prompt-ids 1,97,3
    queue refuse_unbuilt 1 'the context of 40 has room for 38 ' --prompt-ids 1,2,3 --tokens 39
    queue refuse_unbuilt 1 'the prompt has 41 token ids' --prompt-ids "$(seq -s, 41)"
    queue refuse_unbuilt 1 '--temperature|the design always chooses the most likely token' --prompt-ids 1 --top-k 3
    queue refuse_unbuilt 1 '--inject-error: the design has channels 0 to 2 ' --prompt-ids 1 --inject-error 9:0
    queue refuse_unbuilt 1 '--inputs and --outputs are for other graphs' --inputs rows.npy
    queue check "before building: unchecked ids are built for" starts_build 'prompt is not' no --unchecked \
        --prompt-ids 97
    queue check "before building: --quick-build is suggested" starts_build '--quick-build' yes --prompt-ids 1
    queue check "before building: it is not where it is given" starts_build '--quick-build' no --prompt-ids 1 \
        --quick-build
    prepare variant "$root/tests/foreign/specs/tiny.yaml" "$work/all_ids.yaml" sampling=64
    queue check "before building: a list of candidates for more ids than there are" make_unbuilt "$work/all_ids.yaml"
    queue refuse_unbuilt 1 '--top-k is larger than ' --prompt-ids 1 --temperature 1 --top-k 20
    queue check "before building: a list of all ids" starts_build '--top-k' no --prompt-ids 1 --temperature 1 --top-k 19
    queue check "before building: a design of rows" make_unbuilt "$root/tests/e2e/cases/five/spec.yaml"
    queue refuse_unbuilt 1 'is not a language model and takes no prompt' --prompt-ids 1
    queue refuse_unbuilt 1 'none.npy' --inputs "$work/none.npy"
    prepare rm "$unbuilt/image/channel_00.bin"
    queue refuse_unbuilt 1 "channel_00.bin" --tokens 1
}

mkdir "$work/specs" && for name in five odd; do cp "$root/tests/e2e/cases/$name/spec.yaml" "$work/specs/$name.yaml"; \
    done
queue_refusals_before_building
for expect in "${expects[@]}"; do
    queue refuse_spec "$(basename "$(dirname "$expect")")" "$(basename "$expect" .expect)"
done
queue_commands "$root/tests/pass/commands.txt"
queue_many 2 checked_layout
queue check_refused "rill package --registers goes alone" 2 '.--registers. excludes all other' "$rill" package \
    --registers --name other
for list in 1,,0 '1,' ,1 1,-2 -1 4294967296 99999999999999999999 0x10 1.5 1,a '1;2' +1 '1 ,'; do
    queue refuse_command "rill golden odd.yaml --weights random:1 --prompt-ids '$list'" 1 \
        "\`$list\` is not a list of token ids"
    # `five` is a folder that does not exist: the list must be refused before anything else is looked at.
    queue refuse_command "rill sim five --prompt-ids '$list'" 2 \
        "\`--prompt-ids\`: not a list of ids, as 1,2,3: $list "
done
same_ids() { # lists of prompt ids that must mean the same as 8,2
    local list
    "$rill" golden "$root/tests/e2e/cases/odd/spec.yaml" --weights random:1 --tokens 3 \
        --ids --prompt-ids 8,2 >"$work/ids" || return
    for list in "$@"; do
        "$rill" golden "$root/tests/e2e/cases/odd/spec.yaml" --weights random:1 --tokens 3 --ids --prompt-ids "$list" |
            diff "$work/ids" - || return
    done
}
derived_of() { # spec, line that `rill check` must print
    "$rill" check "$1" >"$log.derived" 2>/dev/null && grep -qxF "$2" "$log.derived"
}
queue check "sizes that follow: of the model" derived_of "$root/configs/tinystories-gpt2-1m.yaml" \
    'family gpt2, sizes that follow: kv_heads 4, head_dim 32'
queue check "sizes that follow: not those that the spec says" derived_of "$root/configs/gemma3-270m-u55c.yaml" \
    'family gemma3, sizes that follow: score_root 256, queries 1024, keys 256'
queue check "lists of ids: blanks, zeros in front" same_ids "8 2" " 8 , 2 " "08,2"
shows_help() { # command and arguments: the usage on standard output, whatever else is there
    "$rill" "$@" 2>"$work/help.said" | grep -q "^usage: rill" && [ ! -s "$work/help.said" ]
}
queue check "rill help" shows_help help
for command in check gen pack golden report forecast timeline explain sim; do
    for help in "--help" "-h" "no.yaml --help" "--wrong -h"; do
        # shellcheck disable=SC2086 # words
        queue check "rill $command $help" shows_help $command $help
    done
done
own_help() { "$rill" help "$1" | diff - <("$rill" "$1" --help); }
queue check_refused "make help" 0 '^  make test  *The tests' make -C "$root" --no-print-directory help
queue check "rill help check" own_help check
queue check_refused "rill help of no command" 2 'no command `chek`; did you mean `check`' "$rill" help chek
queue check_refused "a spec for a design: package" 1 'is a file, no folder of a design: run `rill gen [^ ]* -o DIR`' \
    "$rill" package "$root/tests/e2e/cases/five/spec.yaml" -o "$work/one"
queue check_refused "a spec for a design: sim" 1 'no folder of a design: .*, then `rill sim DIR`' "$rill" sim \
    "$root/tests/e2e/cases/five/spec.yaml"
queue check_refused "a spec for a design: report" 1 'no folder of a design: .*, then `rill report DIR`' "$rill" report \
    "$root/tests/e2e/cases/five/spec.yaml"
for command in golden "pack -o $work/one"; do
    # shellcheck disable=SC2086 # words
    queue check_refused "no folder of weights: rill ${command%% *}" 1 \
        'none: error: no folder or GGUF file with weights' \
        "$rill" $command "$root/configs/tinystories-gpt2-1m.yaml" --weights "$work/none"
done
queue check_refused "where a dump goes" 0 \
    "^wrote $work/dump/expand-model.yaml, the IR after that pass; no design was made\$" \
    "$rill" gen \
    "$root/tests/e2e/cases/odd/spec.yaml" -o "$work/dump" --dump-after=expand-model
no_resources='note: no `resources` in the declaration of kernel `graded`, `slowly`, `affine`: the estimates count them'
for command in check "gen -o $work/none"; do
    # shellcheck disable=SC2086 # words
    queue check_refused "kernels without resources: rill ${command%% *}" 0 "^$no_resources as nothing;" \
        "$rill" $command "$root/tests/e2e/cases/steps/spec.yaml"
done
all_say() { ! "$rill" check "$root/tests/e2e/cases/rectified/spec.yaml" | grep '`resources` in .*rectify'; }
queue check "kernels with resources: rill check" all_say
queue check_refused "dies that were not looked at" 0 \
    'note: this check did not look at the 3 dies of u55c.*`design: {dies: 3}` includes them' \
    "$rill" check "$root/tests/e2e/cases/odd/spec.yaml"
for help in "--help" "-h"; do
    # shellcheck disable=SC2086 # words
    queue check "rill $help" shows_help $help
done
for command in "explain --passes" "check $root/tests/e2e/cases/five/spec.yaml" \
        "check $root/tests/e2e/cases/five/spec.yaml --json" --help; do
    queue check_refused "full output device: rill ${command//"$root/tests/e2e/cases/"/}" 1 'error: standard output: ' \
        bash -c "\"$rill\" $command >/dev/full"
done
queue bad_golden '*nowhere = 1;' 'accesses memory'
queue bad_golden 'deep(&zero);' 'accesses memory'
queue bad_golden 'call->fault = 7 / zero;' 'divides an integer by zero'
queue bad_golden 'abort();' 'calls abort'
queue bad_golden 'exit(0);' 'calls exit'
queue bad_golden 'for (; !zero;);' 'does not end'
queue refuse_golden 'call->out[0].f32[0] = fabsf(call->in[0].f32[0]);'
queue refuse_golden 'int *x = call->in[0].f32; call->out[0].f32[0] = x[0];'
in_a_comment() { echo '// bad' >"$work/kernels/bad.c"; }
prepare in_a_comment
queue check_refused "a golden function that only a comment names" 1 \
    'kernel `clamp`: `bad.c` defines no function `bad`' \
    "$rill" golden "$work/bad.yaml" --weights random:1 --prompt-ids 1 --tokens 1
two_tables "$work/tables.yaml"
queue check "ids below the smaller table" "$rill" golden "$work/tables.yaml" --weights random:1 --prompt-ids 3,7 \
    --tokens 1 \
    --ids
queue check_refused "an id beyond the smaller table" 1 'token 8 of the prompt is not in the vocabulary of 8 ' \
    "$rill" golden "$work/tables.yaml" --weights random:1 --prompt-ids 3,8 --tokens 1 --ids
# A channel of the memory may have exactly as many engines as the message of clients_of_a_channel.expect allows.
at_the_limit() {
    sed '/p6[23]/d; /y6[23],/d; s/y63/y61/' "$root/tests/pass/clients_of_a_channel.yaml" >"$work/clients.yaml" &&
        [ "$(grep -c 'op: position' "$work/clients.yaml")" = 62 ] &&
        "$rill" gen "$work/clients.yaml" -o "$work/clients" &&
        grep -q 'READERS(64)' "$work/clients"/rtl/*.v
}
queue check "64 engines read from a channel" at_the_limit
slow_board "$work/slow.yaml" "# no clock"
queue check "a slow board: a spec without a clock has the board's" clock_is "$work/slow.yaml" 120
slow_board "$work/slow150.yaml" "clock_mhz: 150"
queue check "a slow board: another clock below it" clock_is "$work/slow150.yaml" 150
slow_board "$work/slow161.yaml" "clock_mhz: 161"
queue check_refused "a slow board: no clock above it" 1 'the nearest legal value is 160$' "$rill" check \
    "$work/slow161.yaml"
rows_below_bound() { # at every T, the forecast of many rows must not exceed the upper bound of rows/s in the report
    local T spec most made
    for T in 1 2 4 8; do
        for spec in carried mixer kernels; do
            variant "$root/tests/e2e/cases/$spec/spec.yaml" "$work/rows.yaml" T=$T A=1
            most=$("$rill" check "$work/rows.yaml" --json | sed -n 's/.*"tokens_per_second": \([0-9.]*\).*/\1/p')
            made=$("$rill" forecast "$work/rows.yaml" 64 --json |
                sed -n 's/.*"cycles_prefill": \([0-9.]*\).*/\1/p' | awk '{ print 64 * 250e6 / $1 }')
            echo "$spec, T = $T: at most ${most:-nothing} rows/s, $made in the forecast"
            awk -v most="$most" -v made="$made" 'BEGIN { exit !(made > 0 && made <= most) }' || return
        done
    done
}
queue check "at most so many rows/s: a bound at every T" rows_below_bound
# `auto` must give the same Verilog as the choice written out, and the report must have the figures of both.
like_explicit() { # name, choice, values of the spec
    local dir=$work/auto-$1 values=("${@:3}")
    variant "$root/tests/e2e/cases/$1/spec.yaml" "$dir.yaml" fifo=auto "${values[@]}"
    variant "$root/tests/e2e/cases/$1/spec.yaml" "$dir-said.yaml" "fifo=$2" "${values[@]}"
    "$rill" gen "$dir.yaml" -o "$dir" && "$rill" gen "$dir-said.yaml" -o "$dir-said" || return
    diff <(verilog_of "$dir") <(verilog_of "$dir-said") || return
    grep -E "^FIFO strategy auto: $2; by forecast safe takes [0-9]+ cycles and [0-9]+ bits, timed [0-9]+ and [0-9]+$" \
        "$dir/report.txt"
}
queue check "fifo auto: timed where that is sooner" like_explicit five timed
queue check "fifo auto: safe where that is sooner" like_explicit mixer safe channels=4 T=2 lanes=4
cat >"$work/auto-long.yaml" <<'SPEC'
name: long
graph:
  inputs: {x: {shape: [8192]}}
  outputs: [y]
  regions:
    - name: main
      ops:
        - {op: quantize, name: q, in: x}
        - {op: matmul, name: acc, in: q, rows: 2048, weight: w}
        - {op: dequantize, name: y, in: acc}
design: {fifo: auto}
SPEC
queue check_refused "fifo auto: safe where the search is long" 0 \
    'auto: safe, as the search for timed depths was not begun' \
    "$rill" check "$work/auto-long.yaml"
prepare variant "$work/auto-five.yaml" "$work/safe-five.yaml" fifo=safe
queue check_refused "fifo safe: what it costs" 0 'note: by forecast `fifo: safe` takes [0-9]+ cycles' "$rill" \
    check "$work/safe-five.yaml"
as_auto() { # spec without `fifo`: `rill check` must choose as for `fifo: auto`, and print no note
    local strategy
    strategy=$("$rill" check "$1" | grep -E '^FIFO strategy auto: timed; ') &&
        ! "$rill" check "$1" | grep 'note: by forecast' &&
        grep -F -x "$strategy" "$work/auto-five/report.txt"
}
queue check "no fifo: auto" as_auto "$root/tests/e2e/cases/five/spec.yaml"
no_note() { ! "$rill" check "$1" | grep 'note: by forecast'; } # spec
queue check "fifo auto: nothing to say" no_note "$work/auto-five.yaml"
prepare own_board "$work/own.yaml" 100000 200
damaged_dump() { # PATTERN/REPLACEMENT
    "$rill" gen "$work/own.yaml" -o "$work/own-dump" --dump-after=infer-types &&
        sed -i "s/$1/" "$work/own-dump/infer-types.yaml"
}
for damage in 'context: [0-9]*/context: -7' 'shape: \[[0-9]*/shape: [-7' \
    'sustained_gbs: .*/sustained_gbs: 0' 'sustained_gbs: .*/clock: 1' 'refresh_ns: .*/refresh_ns: 3000' \
    '^  fifo: auto/  fifo: save'; do
    prepare damaged_dump "$damage"
    queue check_refused "a dump with ${damage#*/}" 1 'error: .*(out of range|missing|least|must|no extent)' \
        "$rill" gen "$work/own-dump/infer-types.yaml" -o "$work/own-bad"
done
queue check "an own board: its figures, not those of a board of that name" own_figures "$work/own.yaml"
prepare own_board "$work/full.yaml" 11000 99
for command in "check $work/full.yaml" "check $work/full.yaml --json" "gen $work/full.yaml -o $work/full"; do
    # shellcheck disable=SC2086 # words
    queue check "more than the board has: rill ${command//"$work/"/}" warn_capacity "$work/full.yaml" $command
done
queue check "more than the board has: a finished design" warn_capacity "$work/full/design.yaml" check \
    "$work/full/design.yaml"
variant "$root"/tests/e2e/cases/dies/spec.yaml "$work"/full-dies.yaml dies=2 channels=16
queue check_refused "more than a die has" 0 \
    'more than die SLR0 of board small has without its shell, by estimate: LUT' \
    "$rill" check "$work"/full-dies.yaml
variant "$root"/tests/e2e/cases/kernels/spec.yaml "$work"/kernels-dies.yaml dies=2
queue check "a design in the folder of another" written_again
prepare "$rill" gen "$root/tests/e2e/cases/five/spec.yaml" -o "$work/unpacked"
queue refuse_command "rill sim $work/unpacked --prompt rows" 1 '.* has no memory image; run `rill pack'

# Designs with drafts, of which one takes predictions of the host.
predicting() { # value of host_drafts, which is also the end of the folder's name
    local spec=$work/predicting-$1.yaml
    variant "$root/tests/e2e/cases/drafts/spec.yaml" "$spec" host_drafts="$1" &&
        "$rill" gen "$spec" -o "$work/predicting-$1" && "$rill" pack "$spec" --weights random:1 -o "$work/predicting-$1"
}
prepare predicting 0
prepare predicting 1
queue refuse_command "rill sim $work/predicting-0 --prompt-ids 0 --predict-ids 1" 1 '.*the design has no `host_drafts`'
queue refuse_command "rill sim $work/predicting-1 --prompt-ids 0 --predict-ids 1 --predict-at 9" 1 \
    '--predict-at is for designs with `slots`'
queue refuse_command "rill sim $work/predicting-1 --prompt-ids 0 --predict-ids 1,2" 1 \
    'predicted token id 2 is not in the vocabulary of 2 tokens'
queue refuse_command "rill sim $work/predicting-1 --prompt-ids 0 --predict-ids $(seq -s , 2049)" 1 \
    'the prediction has 2049 tokens, but a simulation takes at most 2048'
queue check "weights of a graph's own" own_weights

# Prints the results of a spec in the oracle. A spec that embeds token ids gets a prompt, and other specs get rows.
golden_of() { # spec; $name is its case
    local request=(--tokens 2)
    ! grep -q '{op: embed' "$root/tests/e2e/cases/$name/spec.yaml" || request=(--prompt-ids "1,0" --tokens 2)
    "$rill" golden "$1" --weights random:1 "${request[@]}" --json
}
# Writes each graph also as a family without parameters, which another expander of the compiler reads. Verilog, memory
# image and values must be equal.
graphs_as_families() {
    local name spec dir=$work/families
    mkdir -p "$dir"
    for name in blocks grouped mixer transpose carried inputs; do
        spec=$root/tests/e2e/cases/$name/spec.yaml
        { echo "family: $name" && awk '/^[a-z]+:/ { on = /^graph:/ } on' "$spec"; } >"$dir/$name-own.yaml"
        { awk '/^[a-z]+:/ { on = !/^graph:/ } on' "$spec" &&
            echo "model: {family: ./$name-own.yaml}"; } >"$dir/$name.yaml"
        "$rill" gen "$spec" -o "$dir/graph" && "$rill" gen "$dir/$name.yaml" -o "$dir/model" || return
        diff -rq -x oracle -x design.yaml -x README.md -x rtl -x rill_sim_top.sv "$dir/graph" "$dir/model" &&
            diff <(verilog_of "$dir/graph") <(verilog_of "$dir/model") &&
            cmp "$dir/$name-own.yaml" "$dir/model/oracle/family.yaml" &&
            diff <(golden_of "$spec") <(golden_of "$dir/$name.yaml") && golden_of "$spec" |
            grep '"rows_hash"\|"logits_hash"' || return
    done
}
queue check "graphs as families" graphs_as_families
queue refuse_request 0:1 2 '.IN:OUT.: a request is two numbers'
queue refuse_request 3x 2 '.IN:OUT.: a request is two numbers'
queue refuse_request 9223372036854775807:9223372036854775807 2 '.IN:OUT.: a request is two numbers from 1 to 2147483647'
queue refuse_request 3:99 1 '.*needs 101 positions, the context has 40'
for warn in "${warns[@]}"; do queue warn_spec "$(basename "$warn" .warn)"; done
queue check "forecast: many steps without a firing of the head's kernel" "$rill" forecast \
    "$root/tests/e2e/cases/steps/spec.yaml" 40:1
queue check "bench: the table from forecasts" "$root/bench/table.sh" --spec "$root/tests/e2e/cases/odd/spec.yaml" \
    --requests "4:4 20:10" --forecast
run_queue
verdict
