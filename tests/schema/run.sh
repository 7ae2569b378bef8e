#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The spec language for editors and for people: every spec of the tree is valid by the JSON Schema, every wrong one of
# tests/spec is not, but for those of beyond.txt; boards, families and chat templates by theirs likewise;
# `rill explain` knows what messages point to, and says of every message what it means. usage: tests/schema/run.sh
# RILL_UPDATE=1 writes tests/schema/messages.txt anew (look at the difference).
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ $# = 0 ] || { sed -n '3,7s/^# //p' "$0"; exit 2; }
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
refused=() # by the schema too
for expect in "${wrong[@]}"; do
    spec=${expect%.expect}.yaml
    [[ " ${beyond[*]} " == *" $spec "* ]] || refused+=("$spec")
done
# What the messages of these specs point to.
mapfile -t pointed < <(grep -rhoE '`rill explain [^`]+`' tests/spec tests/pass | sed 's/`rill explain \(.*\)`/\1/' |
    sort -u)

# Boards and families that are wrong: name, sed expression on u55c or gpt2.
mkdir -p "$work/board" "$work/family" "$work/chat"
spoil() { sed "$3" "$1" >"$work/$2.yaml" && ! cmp -s "$1" "$work/$2.yaml"; }
spoil_all() {
    spoil boards/u55c.yaml board/key 's/^platform:/platfrom:/' && spoil boards/u55c.yaml board/no-memory '/^hbm:/,$d' &&
        spoil boards/u55c.yaml board/range 's/sustained_gbs: 13.27/sustained_gbs: 0/' &&
        spoil boards/u55c.yaml board/die 's/^    hbm: true/    hbm: 1/' &&
        spoil boards/u55c.yaml board/shell 's/shell: {lut: 62000/shell: {luts: 62000/' &&
        spoil boards/u55c.yaml board/limit 's/lut: 60,/lut: 160,/' &&
        spoil families/gpt2.yaml family/key 's/^let:/lets:/' &&
        spoil families/gpt2.yaml family/type 's/type: flag/type: flags/' &&
        spoil families/gpt2.yaml family/check '0,/^    of:/s/^    of:/    off:/' &&
        spoil families/gpt2.yaml family/config 's/is: layers/was: layers/' &&
        spoil families/gpt2.yaml family/no-graph '/^graph:/,$d' &&
        spoil families/gpt2.yaml family/required 's/required: true/required: 1/' &&
        spoil families/chat/gemma.yaml chat/key 's/^stop:/stops:/' &&
        spoil families/chat/gemma.yaml chat/value 's/^stop: .*/stop: [1]/'
}
spoil_all || fail "wrong boards and families" "one is as it was"
boards=(boards/*.yaml tests/e2e/specs/boards/*.yaml) families=(families/*.yaml tests/e2e/specs/families/*.yaml)
chats=(families/chat/*.yaml)

plan 12
plan $((${#valid[@]} + ${#wrong[@]} + ${#pointed[@]} + 12 + ${#boards[@]} + ${#families[@]} + ${#chats[@]} + 26 + 13))
"$rill" schema >"$work/schema.json"
by_schema() { # good or bad, files
    local line
    while IFS= read -r line; do
        case $line in
            "ok    "*) ok "${line#ok    }" ;;
            "FAIL  "*) fail "${line#FAIL  }" "not so by the schema" ;;
            *) fail "$1 specs" "$line" ;;
        esac
    done < <(python3 tests/schema/check.py "$work/${schema:-schema}.json" "$@" 2>&1)
}
for schema in board family chat; do "$rill" schema $schema >"$work/$schema.json"; done
schema=board by_schema good "${boards[@]}"
schema=board by_schema bad "$work"/board/*.yaml
schema=family by_schema good "${families[@]}"
schema=family by_schema bad "$work"/family/*.yaml
schema=chat by_schema good "${chats[@]}"
schema=chat by_schema bad "$work"/chat/*.yaml
unset schema
check_refused "schema: of no such file" 2 'FILE takes spec' "$rill" schema design
by_schema good "${valid[@]}" "${beyond[@]}"
by_schema bad "${refused[@]}"
for topic in "${pointed[@]}"; do check "explain $topic" "$rill" explain "$topic"; done

says() { # name, pattern, arguments of rill explain
    says_so() { "$rill" explain "${@:2}" >"$log" 2>&1 && grep -qE -- "$1" "$log"; }
    check "explain: $1" says_so "${@:2}"
}
says "a key" '^design\.T: integer \(1, 2, 4, 8\); default: 1$' design.T
says "its last part: all that have it" '^kernels\.T: ' T
says "a map's keys" '^  - graph\.regions\.ops$' graph.regions
says "an operation" '^operation softmax: 3 in, 2 out$' softmax
says "what a composite stands for" '^  stands for quantize, kv_quantize, kv_quantize, attn_scores, ' attention
says "a word among several" '^  weights: one of int8, int4 or int4_asym; optional$' matmul.weights
says "an attribute" '^  eps: number 1e-12 to 1; default: 1e-5$' rmsnorm.eps
says "a register" '^register fault_address: offset 0x230, 64 bits, read only$' fault_address
says "a message about a key" '^design\.fifo: ' 'x.yaml:5:16: error: design.fifo must be timed, safe or auto, not `x`'
says "a message about an operation" '^operation matmul: ' 'x.yaml:9:3: error: operation `matmul` needs `rows`'
says "a word of the glossary, in any case" '^beat: one transfer on a memory port' Beat
says "a message that names a word alone" '^certificate: why a FIFO' "it has no certificate"
says "a word beside a key of its name" '^T: the most positions' T
says "a legal word of a key" '^`shared` is a value of design\.binding: all products take turns' shared
says "a legal word of an attribute, too" '^`int4_asym` is a value of attribute matmul\.weights: 4 bits' int4_asym
says "a parameter of a family" '^parameter gpt2\.ffn: a key of `model` with `family: gpt2`$' gpt2.ffn
says "what a parameter of a family means" '^  newest positions that a layer with a window sees$' gemma3.window
says "what an attribute means" '^    least exponent of a block' quantize.exp_min
says "a link as a page" '\(docs/timing\.md#depths\)' design.fifo
says "a key of a family file" '^  - family\.checks\.nearest$' family.checks
says "a key of a board file" '^board\.hbm\.read_to_write_ns: number \(0 to 20000\); default: 7$' read_to_write_ns
says "a command" '^command `rill sim`: simulate a design' sim
says "an option" '^option of `rill sim`: --inject-error CH:N$' inject-error
says "a message about an option" '^option of `rill sim`: --watchdog CYCLES$' \
    'rill sim: error: `--watchdog` takes an integer'
says "a word that is a register, too" "^image: what a design's memory holds" 'of which image is it?'
says "what a message means" '^message other_image: the design was made anew' \
    'x.yaml: error: the image was packed for another design (`y`); pack again'
says "what to do" '^  what to do: run `rill pack` once more' 'the image was packed for another design'
says "where more stands" '^  more: docs/debug.md#a-deadlock$' 'rill sim: error: deadlock: nothing moves at cycle 5'
says "a message that begins as an option does" '^message request_too_long: ' \
    '--tokens 1000: behind a prompt of 3 ids the context of 64 has room for 62'
says "what stands behind --" '^option of `rill sim`: --chat NAME[|]FILE$' -- --chat
says "an option of another command" '^option of `rill sim`: --chat NAME[|]FILE$' --chat
says "a family" '^  - gpt2\.layers$' gpt2
says "a key that config.json lacks" '^message config_key_missing: ' 'm/config.json: error: `hidden_size` is missing'
says "an argument that is missing" '^message usage: ' 'rill gen: error: SPEC is missing'
says "options that do not go together" '^message usage: ' '`--html` and `--json` do not go together'
says "a fault of the design" '^message design_fault: ' 'the design reports fault 4: position'
no_operation() { ! "$rill" explain 'the design reports fault 4: at position 3' | grep '^operation position'; }
check "explain: a plain word of a message is no operation" no_operation
says "a message that is not known" \
    '^no known message of Rill matches this text. Its words mean:$' 'it has no certificate'
check_refused "explain: a message of which nothing is known" 1 'nothing is known of `blub xx`' "$rill" explain 'blub xx'
check_refused "explain: a slip in its own option" 2 'unknown option `--tabls`; did you mean `--table`' "$rill" explain \
    --tabls
check_refused "explain: a slip of the pen" 1 'nothing is known of `softmx`; did you mean `softmax`' "$rill" explain \
    softmx
check_refused "explain: nothing" 1 'nothing is known of `zzz`$' "$rill" explain zzz
check_refused "explain: no such table" 2 'a spec has no map `designs`' "$rill" explain --table designs
complete() { # every key has its words
    "$rill" explain --tables | while read -r table; do "$rill" explain --table "$table"; done | sed 1,2d |
        grep -E '\(null\)|\|  \|' && return 1
    [ "$("$rill" explain --tables | wc -l)" -ge 12 ]
}
check "explain: every key of every map has its words" complete
# Nothing without a meaning, a type, a default or a page, and every page is there.
whole() {
    "$rill" explain --all >"$work/all" && tests/schema/whole.py "$work/all" >"$work/lacks" && [ ! -s "$work/lacks" ] &&
        return
    head -n 3 "$work/lacks"
    return 1
}
check "explain: everything has its meaning, its legal values and a page that is there" whole
in_another_order() {
    ! "$rill" explain '(1) must divide design.T: design.A (2)' | grep '^message design_a_t'
}
check "explain: the words of a message in another order are none" in_another_order

# The row of include/messages.def that each message has, `none` where it has none.
rows_of() { # what of messages.py
    local line row
    tests/schema/messages.py "$@" | while IFS= read -r line; do
        row=$("$rill" explain "error: ${line#error: }" 2>&1 | sed -n '1s/^message \([a-z_]*\): .*/\1/p')
        echo "${row:-none} $line"
    done
}
of_tests() {
    { rows_of expected && rows_of debug && rows_of runs; } >"$work/messages.txt"
    [ -z "${RILL_UPDATE:-}" ] || cp "$work/messages.txt" tests/schema/messages.txt
    ! grep '^none' "$work/messages.txt" && diff "$work/messages.txt" tests/schema/messages.txt && return
    echo "RILL_UPDATE=1 tests/schema/run.sh writes tests/schema/messages.txt; rows are of include/messages.def"
    return 1
}
check "explain: messages of refused specs, of docs/debug.md, of runs and command lines" of_tests
of_sources() {
    rows_of sources | sort -u >"$work/sources.txt"
    [ "$(wc -l <"$work/sources.txt")" -ge 350 ] &&
        diff <(sed -n 's/^none //p' "$work/sources.txt") <(grep -v '^#' tests/schema/unexplained.txt)
}
check "explain: every error of the program, but for those of unexplained.txt" of_sources
verdict
