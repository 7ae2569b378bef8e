#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The emitted files: two runs give identical bytes; all RTL of a design is clean in `verilator --lint-only -Wall` with
# the waivers of its lint.vlt, compiles in Icarus as Verilog-2005, and elaborates in Yosys. No tool is told the top:
# filelist.f holds what it reaches and nothing else. One line per design. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/emit/run.sh [--all] [spec...]
  --all   every config and end-to-end spec, and variants in channels, beats, lanes, T and formats
  spec    these files only
TEXT
}

lint_design() { # folder
    (cd "$1" && verilator --lint-only -Wall lint.vlt -f filelist.f) || return
    if LC_ALL=C grep -nE '^.{121,}$' "$1"/rtl/rill_*.v | head -n 1 | cut -c1-80 | grep .; then
        echo "error: a line of a design is longer than 120 characters"
        return 1
    fi
    if grep -nE '\[0:0\]|[a-z0-9]__|\bu_\w*_ \(' "$1/rtl/rill_top.v" | head -n 1 | cut -c1-80 | grep .; then
        echo "error: rtl/rill_top.v has a vector of one bit, or a name with a hole"
        return 1
    fi
    if grep -nE "[(=& ]\{[^{},]+\}|\b1'[dh]|[02-9]'b" "$1/rtl/rill_top.v" | grep -v ':\s*//' | head -n 1 | cut -c1-80 |
            grep .; then
        echo "error: rtl/rill_top.v has braces around one name, or a literal in another form"
        return 1
    fi
}

# The comment above a stream has its tensor or its purpose, that above a kernel what it does.
read_comments() { # folder
    local top=$1/rtl/rill_top.v
    [ "$(grep -cE '^    // \S+ -> \S+: \S' "$top")" = "$(grep -cE '^  - \{name: \S+, from: ' "$1/design.yaml")" ] || {
        echo "error: not every stream of rtl/rill_top.v has a comment"
        return 1
    }
    if grep -E '^    // \S+ -> \S+\.step: ' "$top" | grep -v 'step words'; then
        echo "error: a comment of rtl/rill_top.v says of a stream of step words something else"
        return 1
    fi
    if grep -nE '^    // (\S+ -> \S+($|;|: (of no tensor|;))|\w+: (rill_\w+(:|$)|$))' "$top" | head -n 1 | grep .; then
        echo "error: a comment of rtl/rill_top.v does not say what a stream carries, or what a kernel does"
        return 1
    fi
}

read_icarus() { # folder
    (cd "$1" && iverilog -g2005 -t null -f filelist.f)
}

read_yosys() { # folder
    (cd "$1" && timeout 600 yosys -q -p "read_verilog $(tr '\n' ' ' <filelist.f)
        hierarchy -auto-top -check; select -assert-any rill_top")
}

# A stream has the name of its ends, with a number where another one has that.
read_names() { # folder
    awk -F'[ ,]+' '/^  - \{name: [^ ]+, from: / {
        name = $4; want = $6 "_to_" $8; gsub(/\./, "_", want); sub(/_[0-9]+$/, "", name)
        if ($4 != want && name != want) { print "error: stream " $4 " from " $6 " to " $8; wrong = 1 }
        streams++ }
        END { exit wrong || !streams }' "$1/design.yaml"
}

# An entry of a multiplexer's table is the place of the stream that its comment names.
read_tables() { # folder
    awk "/^ +8'h[0-9a-f]+,? \/\/ / {
        place = \$1; gsub(/8'h|,/, \"\", place); names++
        at = index(\"0123456789abcdef\", place) - 1
        if (length(place) == 1 && \$3 !~ \"_\" at \"(_to_|\$)\") { print \"error: \" \$0; wrong = 1 }
    }
    END { exit wrong }" "$1/rtl/rill_top.v"
}

# A template that nothing instantiates is a second top: each tool must stop there, or the three checks above show
# nothing.
refuses_more() { # folder
    local tool
    cp -r "$1" "$1.more" && cp "$root/rtl-templates/dma/rill_burst_splitter.v" "$1.more/rtl/rill_unreached.v" || return
    sed -i 's/module rill_burst_splitter/module rill_unreached/' "$1.more/rtl/rill_unreached.v"
    sed -i '1i rtl/rill_unreached.v' "$1.more/filelist.f"
    for tool in lint_design read_icarus; do
        if $tool "$1.more" >"$1.said" 2>&1 || ! grep -q 'rill_unreached\|rill_error_' "$1.said"; then
            echo "error: $tool does not see a module that is not reached"
            return 1
        fi
    done
}

# What is made must not depend on the folder or on the run.
same_bytes() { # spec, folder
    (cd / && "$rill" gen "$1" -o "$2.again") && diff -rq "$2" "$2.again"
}

check_design() { # spec: the unit of parallel work
    local spec=$1 label dir again=""
    [[ $spec == "$work"/* ]] || again="tests/emit/run.sh ${spec#"$root"/}"
    label=$(basename "$spec" .yaml)
    dir=$work/$label log=$work/$label.log
    rm -rf "$dir" "$dir.again"
    if ! "$rill" gen "$spec" -o "$dir" >"$log" 2>&1; then
        fail "emit $label" "$(reason)"
        return
    fi
    check "emit $label: identical bytes twice" same_bytes "$spec" "$dir"
    check "emit $label: Verilator lint" lint_design "$dir"
    check "emit $label: what comments say" read_comments "$dir"
    check "emit $label: names of streams" read_names "$dir"
    check "emit $label: tables" read_tables "$dir"
    check "emit $label: rules of strict front ends" "$root/verif/lint/strict.py" "$dir"/rtl/*.v
    check "emit $label: Icarus" read_icarus "$dir"
    check "emit $label: Yosys" read_yosys "$dir"
    [ "$label" != graph-linear ] || check "emit $label: a module that is not reached is seen" refuses_more "$dir"
    rm -rf "$dir.again" "$dir.more" "$dir.said"
}

work=$root/build/emit
if [ "${1:-}" = --check-design ]; then
    check_design "$2"
    exit 0
fi

all=0
specs=()
for arg in "$@"; do
    case $arg in
        --all) all=1 ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) specs+=("$(realpath "$arg")") ;; # the jobs run elsewhere
    esac
done
rm -rf "$work" && mkdir -p "$work/specs"
story=$root/configs/tinystories-gpt2-1m.yaml

if [ ${#specs[@]} = 0 ]; then
    variant "$story" "$work/specs/int4-c3-b256-t1.yaml" weights=int4 channels=3 beat_bits=256 T=1 lanes=4 fifo=safe
    variant "$root/tests/e2e/specs/odd.yaml" "$work/specs/odd-spatial.yaml" channels=11 binding=spatial fifo=safe
    specs=("$root/configs/graph-linear.yaml" "$story" "$work/specs/int4-c3-b256-t1.yaml" "$work/specs/odd-spatial.yaml"
        "$root/tests/e2e/specs/blocks.yaml")
    if [ $all = 1 ]; then
        variant "$story" "$work/specs/int8-c1-b512-t8.yaml" channels=1 T=8 lanes=32
        variant "$story" "$work/specs/int4-c32-b512-t2.yaml" weights=int4 head=int4 channels=32 lanes=16
        variant "$story" "$work/specs/int4-c5-b512-t4-g256.yaml" weights=int4 head=int4 channels=5 T=4 group=256 lanes=1
        variant "$story" "$work/specs/int8-c8-b256-t2.yaml" channels=8 beat_bits=256 lanes=2
        specs+=("$work"/specs/int8-*.yaml "$work"/specs/int4-c[0-9]*-b512-*.yaml)
        for spec in "$root"/configs/*.yaml "$root"/tests/e2e/specs/*.yaml; do
            [[ " ${specs[*]} " == *" $spec "* ]] || specs+=("$spec")
        done
    fi
fi

for spec in "${specs[@]}"; do
    checks=7
    [ "$(basename "$spec" .yaml)" != graph-linear ] || checks=8 # with a module that is not reached
    add_job $checks "${BASH_SOURCE[0]}" --check-design "$spec"
done
run_jobs 2
verdict
