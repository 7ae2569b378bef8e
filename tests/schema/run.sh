#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the JSON Schemas and `rill explain`. The schemas accept every legal spec, board, family and chat template of the
# tree. They reject copies with a fault, and the wrong specs of tests/spec except those in beyond.txt. `rill explain`
# knows everything that messages refer to, and explains every message by its id.
# usage: tests/schema/run.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ $# = 0 ] || { sed -n '3,6s/^# //p' "$0"; exit 2; }
cd "$root" || exit 1

work=build/tests/schema
mkdir -p "$work"
log=$work/log
specs() {
    find configs tests bench -name '*.yaml' -not -path 'tests/spec/*' -not -path 'tests/pass/*' \
        -not -path '*/families/*' -print
}
mapfile -t valid < <(specs | sort | xargs grep -lE '^(graph|model):')
valid+=(tests/spec/ok_*.yaml)
mapfile -t wrong < <(ls tests/spec/*.expect)
mapfile -t beyond < <(grep -v '^#' tests/schema/beyond.txt | tr ' ' '\n' | sed '/^$/d; s|.*|tests/spec/&.yaml|')
# The wrong specs that the schema must refuse. A schema cannot express the rules that the specs of beyond.txt break.
refused=()
for expect in "${wrong[@]}"; do
    spec=${expect%.expect}.yaml
    [[ " ${beyond[*]} " == *" $spec "* ]] || refused+=("$spec")
done
# Collects every `rill explain WORD` in the expected messages of these specs.
mapfile -t pointed < <(grep -rhoE '`rill explain [^`]+`' tests/spec tests/pass | sed 's/`rill explain \(.*\)`/\1/' |
    sort -u)

# Prints a row for each board, family and chat template that a schema must refuse: a file of the tree, the name of the
# wrong copy, and the sed command that makes it wrong.
spoilt() {
    cat <<'TEXT'
boards/u55c.yaml board/key s/^platform:/platfrom:/
boards/u55c.yaml board/no-memory /^hbm:/,$d
boards/u55c.yaml board/range s/sustained_gbs: 13.27/sustained_gbs: 0/
boards/u55c.yaml board/die s/^    hbm: true/    hbm: 1/
boards/u55c.yaml board/region s/region: {lut: 389680/region: {luts: 389680/
boards/u55c.yaml board/limit s/lut: 60,/lut: 160,/
families/gpt2.yaml family/key s/^let:/lets:/
families/gpt2.yaml family/type s/type: flag/type: flags/
families/gpt2.yaml family/check 0,/^    of:/s/^    of:/    off:/
families/gpt2.yaml family/config s/is: layers/was: layers/
families/gpt2.yaml family/no-graph /^graph:/,$d
families/gpt2.yaml family/required s/required: true/required: 1/
families/chat/gemma.yaml chat/key s/^stop:/stops:/
families/chat/gemma.yaml chat/value s/^stop: .*/stop: [1]/
TEXT
}
spoil_all() {
    local from name edit
    while read -r from name edit; do
        mkdir -p "$work/${name%/*}" && sed "$edit" "$from" >"$work/$name.yaml" || return
        ! cmp "$from" "$work/$name.yaml" || { echo "error: $name is as it was" && return 1; }
    done < <(spoilt)
}
queue check "boards, families and chat templates are made wrong" spoil_all
boards=(boards/*.yaml tests/e2e/boards/*.yaml) families=(families/*.yaml tests/e2e/families/*.yaml)
chats=(families/chat/*.yaml)

schemas() {
    local schema
    "$rill" schema >"$work/spec.json" || return
    for schema in board family chat; do "$rill" schema $schema >"$work/$schema.json" || return; done
}
prepare schemas
by_schema() { # schema, good or bad, files...: makes a check for each file
    local line
    while IFS= read -r line; do
        case $line in
            "ok    "*) ok "${line#ok    }" ;;
            "FAIL  "*) fail "${line#FAIL  }" "not so by the schema" ;;
            *) fail "$1 of $2 files" "$line" ;;
        esac
    done < <(python3 tests/schema/check.py "$work/$1.json" "${@:2}" 2>&1)
}
queue_by_schema() { queue_many $(($# - 2)) by_schema "$@"; }
queue_by_schema board good "${boards[@]}"
queue_by_schema family good "${families[@]}"
queue_by_schema chat good "${chats[@]}"
for kind in board family chat; do
    mapfile -t names < <(spoilt | cut -d' ' -f2 | sed -n "s|^$kind/.*|&.yaml|p")
    queue_by_schema $kind bad "${names[@]/#/$work/}"
done
queue check_refused "schema: of no such file" 2 'FILE takes spec' "$rill" schema design
queue_by_schema spec good "${valid[@]}" "${beyond[@]}"
queue_by_schema spec bad "${refused[@]}"
for topic in "${pointed[@]}"; do queue check "explain $topic" "$rill" explain "$topic"; done

says() { # name of the check, pattern that `rill explain` must print, its arguments...
    says_so() { "$rill" explain "${@:2}" >"$log" 2>&1 && grep -qE -- "$1" "$log"; }
    check "explain: $1" says_so "${@:2}"
}
queue says "a key" '^design\.T: integer \(1, 2, 4, 8\); default: 1$' design.T
queue says "its last part: all that have it" '^kernels\.T: ' T
queue says "a map's keys" '^  - graph\.regions\.ops$' graph.regions
queue says "an operation" '^operation softmax: 3 in, 2 out$' softmax
queue says "bounds with a decimal point" '^  pad: .*-3\.4e38 to 3\.4e38' patch
queue says "a parameter that is found by its own name" \
    '^parameter gemma2\.kv_heads: a key of `model` with `family: gemma2`$' kv_heads
queue says "what a composite stands for" '^  stands for quantize, kv_quantize, kv_quantize, attn_scores, ' attention
queue says "a word among several" '^  weights: one of int8, int4 or int4_asym; optional$' matmul.weights
queue says "an attribute" '^  eps: number 1e-12 to 1; default: 1e-5$' rmsnorm.eps
queue says "a register" '^register fault_address: offset 0x230, 64 bits, read only$' fault_address
queue says "the offset of a register after those of the channels" \
    '^register stalls_c: offset 0x408 \+ 8\*\(C \+ c\), 64 bits, read only$' stalls
queue says "the offset of the counters" '^register counter_i: offset 0x408 \+ 8\*\(2C \+ i\), 64 bits' counter
for name in hbm_c hbm_00; do
    queue says "a register by its name $name" '^register hbm_c: offset 0x058 \+ 0xC\*c, 64 bits, read and write$' $name
done
queue says "a register by its name beats_c" '^register beats_c: offset 0x408 \+ 8\*c, ' beats_c
queue says "a register by its name counter_i" '^register counter_i: ' counter_i
queue says "a register by its name eot_more_i" '^register eot_more_i: offset 0x280 \+ 4\*i, 32 bits' eot_more_i
queue says "a message about a register of several" '^register stalls_c: ' 'look at stalls_03 first'
queue check_refused "explain: the number of a register without numbers" 1 'nothing is known about `fault_00`' "$rill" \
    explain fault_00
queue says "a message about a key" '^design\.fifo: ' \
    'x.yaml:5:16: error: design.fifo must be timed, safe or auto, not `x`'
queue says "a message about an operation" '^operation matmul: ' 'x.yaml:9:3: error: operation `matmul` needs `rows`'
queue says "a word of the glossary, in any case" '^beat: one transfer on a memory port' Beat
queue says "a message that names a word alone" '^walker: the module that' "it has no walker"
queue says "a word beside a key of its name" '^T: the largest number of tokens' T
queue says "a legal word of a key" '^`shared` is a value of design\.binding: all products take turns' shared
queue says "a legal word of an attribute, too" '^`int4_asym` is a value of attribute matmul\.weights: 4 bits' int4_asym
queue says "a parameter of a family" '^parameter gpt2\.ffn: a key of `model` with `family: gpt2`$' gpt2.ffn
queue says "what a parameter of a family means" '^  newest positions that a layer with a window sees$' gemma3.window
queue says "what an attribute means" '^    least exponent of a block' quantize.exp_min
queue says "a link as a page" '\(docs/fifos\.md\)' design.fifo
queue says "a key of a family file" '^  - family\.checks\.nearest$' family.checks
queue says "a key of a board file" '^board\.hbm\.read_to_write_ns: number \(0 to 20000\); default: 7$' read_to_write_ns
queue says "a command" '^command `rill sim`: simulate a design' sim
queue says "an option" '^option of `rill sim`: --inject-error CH:N$' inject-error
queue says "a message about an option" '^option of `rill sim`: --watchdog CYCLES$' \
    'rill sim: error: `--watchdog` takes an integer'
queue says "a word that is a register, too" "^image: the content of the design's memory" 'of which image is it?'
queue says "a message by its id" '^message image-stale: the image was packed for another design' image-stale
queue says "a message by its whole line" '^message image-stale: ' \
    'x.yaml: error: the image was packed for another design (`y`); run `rill pack` again [image-stale]'
queue says "what a message means" '^  meaning: The design was generated again after' image-stale
queue says "what to do" '^  what to do: Run `rill pack` again' image-stale
queue says "where more is" '^  more: docs/debug.md#a-deadlock$' 'rill sim: error: deadlock: nothing moves [deadlock]'
queue says "the meaning of the row above" '^  what to do: Look at the indentation' yaml-tab
queue says "a number and a name of a message" '^message row-groups: \.\.\. `\.\.\.`: a row has N groups' row-groups
queue says "brackets that a message quotes are no id" '^message reshape: ' 'reshape `y`: like `x` [4, 2] [reshape]'
queue says "what stands behind --" '^option of `rill sim`: --chat NAME[|]FILE$' -- --chat
queue says "an option of another command" '^option of `rill sim`: --chat NAME[|]FILE$' --chat
queue says "a family" '^  - gpt2\.layers$' gpt2
no_operation() { ! "$rill" explain 'the design reports fault 4: at position 3' | grep '^operation position'; }
queue check "explain: a plain word of a message is no operation" no_operation
queue says "a text without an id" '^this text does not end with the id of a message. Its words mean:$' \
    'it has no walker'
queue check_refused "explain: a message of which nothing is known" 1 'nothing is known about `blub xx`' \
    "$rill" explain \
    'blub xx'
queue check_refused "explain: a slip in its own option" 2 'unknown option `--tabls`; did you mean `--table`' "$rill" \
    explain \
    --tabls
queue check_refused "explain: a slip of the pen" 1 'nothing is known about `softmx`; did you mean `softmax`' "$rill" \
    explain \
    softmx
queue check_refused "explain: nothing" 1 'nothing is known about `zzz` ' "$rill" explain zzz
queue check_refused "explain: no such table" 2 'a spec has no map `designs`' "$rill" explain --table designs
complete() { # every key in every table of keys has an explanation
    "$rill" explain --tables | while read -r table; do "$rill" explain --table "$table"; done | sed 1,2d |
        grep -E '\(null\)|\|  \|' && return 1
    [ "$("$rill" explain --tables | wc -l)" -ge 12 ]
}
queue check "explain: every key of every map has its words" complete
# Checks that every entry has a meaning, a type, a default and a page, and that the page exists (whole.py).
whole() {
    "$rill" explain --all >"$work/all" && tests/schema/whole.py "$work/all" >"$work/lacks" && [ ! -s "$work/lacks" ] &&
        return
    head -n 3 "$work/lacks"
    return 1
}
queue check "explain: everything has its meaning, its legal values and a page that is there" whole
unknown_id() { ! "$rill" explain 'x.yaml: error: no such thing [no-such-id]' | grep '^message '; }
queue check "explain: an id that no message has" unknown_id

# Checks that include/messages.def fits the code (messages.py).
table() {
    tests/schema/messages.py >"$work/faults" && [ ! -s "$work/faults" ] && return
    head -n 3 "$work/faults"
    return 1
}
queue check "messages: the table fits the code" table
# Checks that `rill explain ID` explains every row of the table of messages.
every_row() {
    local id
    "$rill" explain --messages | sed -n 's/^| `\([a-z0-9-]*\)` | .*/\1/p' >"$work/ids"
    [ "$(wc -l <"$work/ids")" -ge 500 ] || return
    while read -r id; do
        "$rill" explain "$id" | grep "^message $id: " >/dev/null || { echo "$id" && return 1; }
    done <"$work/ids"
}
queue check "messages: every row is explained" every_row
# Checks that every message of a refused spec ends with the id of a row.
with_ids() {
    grep -hE '^[^ ]+: (error|warning): ' tests/pass/*.expect tests/spec/*.expect | sed 's/.*\[\([a-z0-9-]*\)\]$/\1/' |
        sort -u >"$work/used"
    [ -s "$work/used" ] && ! grep -vxFf "$work/ids" "$work/used"
}
queue check "messages: those of refused specs end with an id" with_ids
run_queue
verdict
