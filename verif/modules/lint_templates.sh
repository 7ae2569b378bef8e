#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lints every template alone, under each parameter set of its folder's lint.txt, in Verilator (-Wall), Icarus (-Wall)
# and Yosys, and by the rules of strict front ends (verif/lint/strict.py). All three tools must refuse each set that
# begins with `!`, by a module whose name is the message (rill_error_*). Only Verilator looks for outputs and signals
# that nothing reads, because it knows how templates mark those that are unread on purpose. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/verdict.sh"

usage() {
    cat <<'TEXT'
usage: verif/modules/lint_templates.sh [--jobs N] [--quick] [module...]
  module     templates to lint (default: all of rtl-templates)
  --jobs N   sets linted at the same time (default 2)
  --quick    only the first legal set of each module in all three tools, and the other sets in Icarus alone
Exit status: 0 all clean, 1 a set failed, or a template has too few legal sets or breaks a rule of form, 2 usage.
TEXT
    echo "$launch_help"
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
limit=${RILL_LINT_TIMEOUT:-600} # seconds for one set in one tool

verilator_lint() { # file, module, NAME=VALUE...
    local file=$1 module=$2 args=() dir
    shift 2
    for dir in "$root"/rtl-templates/*/; do args+=(-y "$dir"); done
    [ ! -f "$here/lint.vlt" ] || args+=("$here/lint.vlt")
    timeout "$limit" verilator --lint-only -Wall "${args[@]}" "${@/#/-G}" --top-module "$module" "$file"
}

icarus_lint() {
    # BASHPID is expanded here, because it is another number in the process that makes the redirection below.
    local file=$1 module=$2 args=() dir said=$WORK/icarus.$BASHPID
    shift 2
    for dir in "$root"/rtl-templates/*/; do args+=(-y "$dir" -I "$dir"); done
    timeout "$limit" iverilog -g2005 -Wall -Wno-timescale -t null "${args[@]}" "${@/#/-P$module.}" -s "$module" \
        "$file" >"$said" 2>&1
    local status=$? warned=0
    cat "$said"
    grep -q warning "$said" && warned=1
    rm -f "$said"
    [ "$status" = 0 ] && [ "$warned" = 0 ]
}

# Prints a quoted string as a sized constant, because chparam takes no strings; prints other values as they are.
string_bits() {
    local text=${1#\"}
    if [ "$text" = "$1" ]; then echo "$1"; return; fi
    text=${text%\"}
    echo "$((${#text} * 8))'h$(printf '%s' "$text" | od -An -tx1 | tr -d ' \n')"
}

# Yosys finds modules among all templates, which are read without elaborating their defaults. Parameters are set by
# chparam, because `hierarchy -chparam` of Yosys 0.23 stops with an error at modules whose parts have equal parameters.
yosys_lint() {
    local file=$1 module=$2 set_params="" include_dirs="" pair dir
    shift 2
    for pair in "$@"; do set_params+=" -set ${pair%%=*} $(string_bits "${pair#*=}")"; done
    for dir in "$root"/rtl-templates/*/; do include_dirs+="-I$dir "; done
    timeout "$limit" yosys -q -p "read_verilog -defer $include_dirs $(printf '%s ' "$root"/rtl-templates/*/*.v)
        ${set_params:+chparam$set_params $module; }hierarchy -check -top $module; proc"
}

# Lints one set, as one job of run_jobs. All three tools must accept a set of the kind legal, and refuse one of the kind
# illegal. With --quick, Icarus alone must accept a set of the kind accepted, and refuse one of the kind refused.
lint_set() { # kind, module, "NAME=VALUE ..."
    local kind=$1 module=$2 set=$3 file tool out bad="" params=()
    read -ra params <<<"$set"
    file=$(ls "$root"/rtl-templates/*/"$module.v" 2>/dev/null)
    if [ -z "$file" ]; then
        echo "FAIL  $module $set: no such template"
        return
    fi
    local tools="verilator icarus yosys"
    case $kind in accepted | refused) tools=icarus ;; esac # of the three the fastest
    for tool in $tools; do
        out=$("${tool}_lint" "$file" "$module" "${params[@]}" 2>&1)
        local status=$?
        if [ "$status" = 124 ]; then bad+=" $tool: not done in $limit s"
        elif [[ $kind = legal || $kind = accepted ]]; then
            [ "$status" = 0 ] || bad+=" $tool: $(grep -Eim1 'error|warning' <<<"$out")"
        elif [ "$status" = 0 ]; then bad+=" $tool accepts it"
        elif ! grep -q 'rill_error_' <<<"$out"; then bad+=" $tool refuses it without a rill_error_ message"
        fi
    done
    if [ -z "$bad" ]; then
        echo "ok    $kind $module $set"
    else
        echo "FAIL  $kind $module $set:$bad" && echo "again verif/modules/lint_templates.sh $module"
    fi
}

if [ "${1:-}" = --lint-set ]; then
    lint_set "$2" "$3" "${4:-}"
    exit 0
fi

jobs=${job_count:-2} quick=0
wanted=" "
while [ $# -gt 0 ]; do
    case $1 in
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --quick) quick=1 ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) wanted+="$1 " ;;
    esac
    shift
done

mkdir -p "$root/build/modules"
WORK=$(mktemp -d "$root/build/modules/lint.XXXXXX")
export WORK
trap 'rm -rf "$WORK"' EXIT

# Adds a job for each set of the table. The kind legal takes the lines without `!`, the other kinds those with `!`.
list_sets() { # kind (legal, illegal or refused), table file
    local module rest kind seen=" "
    while read -r module rest; do
        case $module in
            "" | "#"*) continue ;;
            "!") [ "$1" != legal ] && module=${rest%% *} || continue ;;
            *) [ "$1" = legal ] || continue ;;
        esac
        [ "$1" = legal ] || { [[ $rest == *" "* ]] && rest=${rest#* } || rest=""; }
        [ "$wanted" = " " ] || [[ $wanted == *" $module "* ]] || continue
        kind=$1
        if [ "$quick$1" = 1legal ] && [[ $seen == *" $module "* ]]; then kind=accepted; fi
        seen+="$module "
        [ -f "${2%/*}/$module.v" ] || { fail "$module" "a set in ${2#"$root"/}, but no such template there" &&
            continue; }
        add_job 1 "${BASH_SOURCE[0]}" --lint-set "$kind" "$module" "$rest"
    done <"$2"
}

# Checks the rules of front ends that are stricter than these three tools (verif/lint/strict.py).
check_strict() {
    local dir file module include=() files=()
    for dir in "$root"/rtl-templates/*/; do include+=(-I "$dir"); done
    for file in "$root"/rtl-templates/*/*.v; do
        module=$(basename "$file" .v)
        [ "$wanted" != " " ] && [[ $wanted != *" $module "* ]] || files+=("$file")
    done
    if [ ${#files[@]} = 0 ] || "$root/verif/lint/strict.py" "${include[@]}" "${files[@]}" >"$WORK/strict" 2>&1; then
        ok "rules of strict front ends: ${#files[@]} files"
    else fail "rules of strict front ends" "$(head -n 1 "$WORK/strict")"
    fi
}

# Checks that every template has two legal sets (one if it has no parameter) and no line of more than 120 characters.
check_coverage() {
    local dir file module least
    for dir in "$root"/rtl-templates/*/; do
        for file in "$dir"*.v; do
            [ -f "$file" ] || continue
            module=$(basename "$file" .v)
            [ "$wanted" = " " ] || [[ $wanted == *" $module "* ]] || continue
            least=1
            grep -q '^ *parameter' "$file" && least=2
            [ "$(grep -Ec "^$module( |$)" "$dir/lint.txt" 2>/dev/null)" -ge $least ] ||
                fail "$module" "fewer than $least sets in lint.txt"
            ! grep -nEm1 '^.{121,}$' "$file" >"$WORK/long" ||
                fail "$module" "line $(cut -d: -f1 "$WORK/long") is longer than 120 characters"
        done
    done
}

for dir in "$root"/rtl-templates/*/; do
    list_sets legal "$dir/lint.txt"
    if [ "$quick" = 1 ]; then list_sets refused "$dir/lint.txt"; else list_sets illegal "$dir/lint.txt"; fi
done
counted check_strict
check_coverage
run_jobs "$jobs"
verdict
