#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the dumps of the passes: a design made from the IR dump after any pass has the same bytes, and damaged dumps are
# refused. Also checks that timed FIFO depths need hardly more bits than the least depths. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
. "$root/tests/pass/slow.sh"

all=0
case ${1:-} in
    "") ;;
    --all) all=1 ;;
    --help | -h) echo "usage: tests/pass/dumps.sh [--all]    (--all: more designs and more damaged dumps)" && exit 0 ;;
    *) echo "usage: tests/pass/dumps.sh [--all]" >&2 && exit 2 ;;
esac
work=$root/build/tests/dumps log=$root/build/tests/dumps.log
rm -rf "$work" && mkdir -p "$work"

# Checks that timed depths need at most 15 % more bits than the least depths, which `rill depths` finds by bisection.
check_depths() { # spec
    local label ratio
    label="depths $(spec_name "$1")"
    if ! "$rill" depths "$1" --json >"$log" 2>&1; then fail "$label" "$(reason)" && return; fi
    ratio=$(sed -n 's/^  "timed_to_least": //p' "$log")
    if awk -v r="$ratio" 'BEGIN { exit !(r >= 1 && r <= 1.15) }'; then
        ok "$label: $ratio of the least"
    else
        fail "$label" "$ratio of the least"
    fi
}

# Makes the dump after a pass from the dump of the pass before it, so that each pass runs once for all dumps. The design
# made from the new dump must equal the design made from the spec.
continue_after() { # spec or dump of the pass before, label, pass, record of the delay model (may be empty)
    local dump=$work/$2/after/$3.yaml
    "$rill" gen "$1" -o "$work/$2/after" --dump-after="$3" &&
        "$rill" gen "$dump" -o "$work/$2/from-$3" ${4:+--timing "$4"} && diff -rq "$work/$2/direct" "$work/$2/from-$3"
}

check_dumps() { # spec
    local label pass failed="" from=$1 record=${1%.yaml}.timing.json
    label=$(spec_name "$1")
    [ -e "$record" ] || record=
    if ! "$rill" gen "$1" -o "$work/$label/direct" >"$log" 2>&1; then
        fail "dumps $label" "$(reason)"
        return
    fi
    for pass in $passes; do
        continue_after "$from" "$label" "$pass" "$record" >"$log" 2>&1 || failed+=" $pass: $(reason)"
        from=$work/$label/after/$pass.yaml
    done
    rm -rf "${work:?}/$label"/from-* "${work:?}/$label/direct"
    if [ -z "$failed" ]; then
        ok "dumps $label: the same design from the dump after each pass"
    else
        fail "dumps $label" "$failed"
    fi
}

# Drops a line of a dump, or changes the first number or the value in the line. The command must report an error or, if
# the changed dump is legal, succeed. It must never crash or hang.
damage() { # dump, line, how
    local status=0
    case $3 in
        drop) sed "$2d" "$1" ;;
        number) sed -E "$2s/([0-9]+)/99999999/" "$1" ;;
        negative) sed -E "$2s/([0-9]+)/-7/" "$1" ;;
        word) sed -E "$2s/: .*/: nonsense/" "$1" ;;
    esac >"$work/damaged.yaml"
    cmp -s "$1" "$work/damaged.yaml" && return 0
    (ulimit -t 60 && exec timeout 1800 "$rill" gen "$work/damaged.yaml" -o "$work/from-damaged") >"$log" 2>&1 ||
        status=$?
    rm -rf "$work/from-damaged"
    case $status in
        0) return 0 ;; # the changed dump is legal, for example with another name
        1) grep -q 'error: ' "$log" ;;
        *) return 1 ;;
    esac
}

# Damages every stride-th line of the dump after a pass, in four ways, one after the other.
check_damage() { # spec, pass, stride
    local label dump lines line how failed="" count=0 bad_count=0
    label="damage $(basename "$1" .yaml) after $2"
    dump=$work/damage/$2.yaml
    if ! "$rill" gen "$1" -o "$work/damage" --dump-after="$2" >"$log" 2>&1; then
        fail "$label" "$(reason)"
        return
    fi
    lines=$(wc -l <"$dump")
    for ((line = 2; line <= lines; line += $3)); do
        for how in drop number negative word; do
            count=$((count + 1))
            damage "$dump" "$line" "$how" && continue
            bad_count=$((bad_count + 1))
            failed=${failed:-line $line ($how), $(sed -n "${line}s/^ *//p" "$dump" | cut -c1-50)}
        done
    done
    if [ -z "$failed" ]; then ok "$label: $count dumps"; else fail "$label" "$bad_count of $count, first $failed"; fi
} 2>/dev/null # discards the shell's message about a crashed program

# Dumps refer to nodes, kernels and ports by name. Checks that a wrong name, or another wrong word of a dump, is an
# error at its line and column, and that the note, if one is given, suggests the most likely name.
refuses_name() { # what is wrong, sed expression, pattern of the message, note (may be missing)
    local label="names of a dump: $1"
    if ! sed "$2" "$work/names/design.yaml" >"$work/names/wrong.yaml" ||
            cmp -s "$work/names/design.yaml" "$work/names/wrong.yaml"; then
        fail "$label" "the dump is not changed"
    elif "$rill" gen "$work/names/wrong.yaml" -o "$work/names/from" >"$log" 2>&1; then fail "$label" "it is taken"
    elif grep -qE "wrong.yaml:[0-9]+:[0-9]+: error: $3" "$log" && grep -qF "${4:-error: }" "$log"; then ok "$label"
    else fail "$label" "$(reason)"; fi
}

# Rewrites a dump to the form of older versions: numbers instead of names of dies and ports, no types at edges, and an
# older name of a mode. The rewritten dump must give the same design.
check_old() {
    local label="a dump of an older version" old=$work/names/old.yaml
    "$rill" gen "$root/tests/e2e/cases/dies/spec.yaml" -o "$work/names/new" >"$log" 2>&1
    sed -E -e '/ from: /s/ (to_)?type: "[^"]*",//g' -e 's/SLR([0-9])(,|\]|\}|$)/\1\2/g' \
        -e 's/mode: scores/mode: keys/' \
        -e 's/\{(x: [^,]*, )?y: q,/{x_edge_port: 0, y_port: 0,/' "$work/names/new/design.yaml" >"$old"
    sed -i -E -e '/^dies:/,$s/name: ([0-9])/name: SLR\1/' "$old"
    # Checks that the rewriting worked: only the lines that name the three dies have SLR, and no mode is `scores`.
    if [ "$(grep -cE 'SLR[0-9]|mode: scores' "$old")" = 3 ] && grep -q 'x_edge_port: 0' "$old" &&
            "$rill" gen "$old" -o "$work/names/from" >"$log" 2>&1 &&
            diff -r "$work/names/new" "$work/names/from" >"$log" 2>&1; then
        ok "$label"
    else fail "$label" "$(head -n 3 "$log")"; fi
}

if ! passes=$("$rill" gen --dump-after=help); then
    fail "list of passes" "it breaks off"
    verdict
    exit 1
fi
slow_board "$work/slow.yaml" "# no clock"
# Most variants have `fifo: safe`, because the search for depths would take most of the time of every dump. five-auto,
# blocks-conservative and some others keep the search.
variant "$root"/tests/e2e/cases/odd/spec.yaml "$work"/odd-dies.yaml dies=3 fifo=safe
variant "$root"/tests/e2e/cases/grouped/spec.yaml "$work"/grouped-spatial.yaml channels=13 binding=spatial fifo=safe
variant "$root"/tests/e2e/cases/odd/spec.yaml "$work"/odd-groups.yaml on_chip_kib=14 dies=3 fifo=safe
variant "$root"/tests/e2e/cases/blocks/spec.yaml "$work"/blocks-conservative.yaml fifo=conservative
variant "$root"/tests/e2e/cases/five/spec.yaml "$work"/five-auto.yaml fifo=auto
variant "$root"/tests/e2e/cases/attentions/spec.yaml "$work"/attentions-spatial.yaml channels=17 binding=spatial
variant "$root"/configs/tinystories-gpt2-1m.yaml "$work"/tinystories-gpt2-1m.yaml fifo=safe
variant "$root"/tests/e2e/cases/attentions/spec.yaml "$work"/attentions.yaml fifo=safe
mkdir "$work"/own && ln -s "$root"/tests/e2e/kernels "$work"/own/kernels # the Verilog that the spec names
variant "$root"/tests/e2e/cases/kernels/spec.yaml "$work"/own/kernels.yaml fifo=safe
specs=("$root"/configs/graph-linear.yaml "$work"/tinystories-gpt2-1m.yaml "$root"/configs/gpt2-medium-u55c.yaml \
    "$work"/grouped-spatial.yaml
    "$work"/odd-dies.yaml "$root"/tests/pass/drop_unread.yaml "$work"/odd-groups.yaml "$work"/own/kernels.yaml
    "$work"/attentions.yaml "$work"/blocks-conservative.yaml "$work"/slow.yaml "$work"/five-auto.yaml)
[ $all = 0 ] || specs=("$root"/configs/*.yaml "$root"/tests/e2e/cases/*/spec.yaml "$work"/grouped-spatial.yaml \
    "$work"/odd-dies.yaml "$work"/odd-groups.yaml
    "$work"/attentions-spatial.yaml "$work"/slow.yaml "$work"/five-auto.yaml)
for spec in "${specs[@]}"; do queue check_dumps "$spec"; done
for spec in five blocks odd grouped layers7 kernels; do queue check_depths "$root/tests/e2e/cases/$spec/spec.yaml"; done
prepare "$rill" gen "$root/configs/graph-linear.yaml" -o "$work/names"
queue refuses_name "a node" 's/producer: x_q,/producer: xq,/' '`producer`: there is no node `xq`' 'did you mean `x_q`?'
queue refuses_name "a region" '/op: add/s/region: main/region: mian/' '`region`: there is no region `mian`' \
    'did you mean `main`?'
queue refuses_name "a key" 's/from: engine.y, /form: engine.y, /' 'unknown key `form` in edge' 'did you mean `from`?'
queue refuses_name "a kernel" 's/from: engine.y, /from: engin.y, /' '`from`: there is no kernel `engin`' \
    'did you mean `engine`?'
queue refuses_name "a port" 's/to: engine.x, /to: engine.xx, /' 'there is no input `engine.xx`' \
    'did you mean `engine.x`?'
queue refuses_name "a port of two edges" 's/to: x_q.x, /to: engine.x, /' '`to`: `engine.x` is at another edge too'
queue refuses_name "a type that is not the port's" '/from: x_q.y, /s/<1x64xmx, \[2,/<1x64xmx, [3,/' \
    '`type`: `itensor<1x64xmx, \[3, 1\].*` is not that of `x_q.y`'
queue refuses_name "an operand" 's/{x: x_q, /{x: xq, /' '`x`: there is no tensor `xq`' 'did you mean `x'
queue refuses_name "an operand of nobody" 's/{x: x_q, /{x: wx, /' '`x`: `wx` is on no stream of `x_mux`'
queue refuses_name "a kernel of that name" 's/^  - name: engine$/  - name: x_mux/' 'a second kernel `x_mux`'
queue refuses_name "a text in quotes of Verilog" 's/^      LANES: 8$/      LANES: "\\"8\\""/' \
    'a text must be written without the double quotes of Verilog: 8'
queue refuses_name "a parameter that is none" 's/^      LANES: 8$/      LANES: {verilgo: 8}/' \
    'unknown key `verilgo` in parameter' 'did you mean `verilog`?'
queue refuses_name "a port of no name" 's/{name: param, role: image, /{name: param, role: image, port: "-", /' \
    '`port` cannot be `-`'
queue refuses_name "a type" 's/\[12, 1\]\*\[8, 1\]/[12, 1]*[8]/' '`type`: .* is no itensor type'
queue check_old
stride=7 large=700 # lines from one damaged line to the next, in small dumps and in the large one
[ $all = 0 ] || stride=1 large=50
for pass in infer-types insert-control; do
    queue check_damage "$root/configs/graph-linear.yaml" $pass $stride
done
queue check_damage "$work/own/kernels.yaml" choose-lanes 3
queue check_damage "$root/configs/tinystories-gpt2-1m.yaml" allocate-memories $large
run_queue
verdict
