#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Longest register-to-register paths of the templates by a stated delay model: Yosys synthesizes each with its real parameters for xcup, walk.py
# walks the netlist. One line per module; it fails above the limit or a fan-out. See --help.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../tests/verdict.sh"
. "$here/../cost/parameters.sh"
. "$here/closure.sh"

usage() {
    cat <<'TEXT'
usage: verif/timing/run.sh [--all | --covered] [--path] [module...]
       verif/timing/run.sh [--path] -- MODULE [NAME=VALUE...]
  --all      every line of verif/timing/modules.txt (an hour at first); without it the quick ones at its top (30 s)
  --covered  only whether every template of the GPT-2 medium design is in a line or part of a module that is; both also look at that
  --path     also the longest path of each, net by net
  module     all lines of these modules
  MODULE     one module with these parameters, as in verif/cost/measure.sh; box=NAME leaves the modules NAME inside it empty
RILL_TIMING_LIMIT: ns (default 3.2). Netlists are kept in build/timing/ and made again when a template in them or a parameter has changed, so a run
that was broken off goes on where it was.
TEXT
}

work=$root/build/timing limit=${RILL_TIMING_LIMIT:-3.2} options=()
mkdir -p "$work"

# What a netlist depends on.
netlist_key() { # MODULE NAME=VALUE...
    local part
    {
        echo "$* $script $synth_options"
        yosys -V
        for part in $(closure_of "$1"); do cat "$root/${template_file[$part]}"; done
    } | sha256sum | cut -c1-64
}

# Makes $work/NAME.json unless the one that is there is of the same sources.
synthesize_once() { # NAME MODULE NAME=VALUE...
    local name=$1 top=$2 key arg parameters=() boxes=""
    shift
    for arg in "$@"; do
        case $arg in
            box=*) boxes+="blackbox *${arg#box=}*; " ;;
            *) parameters+=("$arg") ;;
        esac
    done
    template_script "${parameters[@]}"
    [[ ${template_file[$top]} != verif/* ]] || script="read_verilog -defer $root/${template_file[$top]}; $script"
    key=$(netlist_key "$@")
    [ -s "$work/$name.json" ] && [ "$(cat "$work/$name.key" 2>/dev/null)" = "$key" ] && return 0
    rm -f "$work/$name.key"
    script+="hierarchy -top $top; setattr -mod -set keep_hierarchy 1 *rill_register_tree*; $boxes" # Yosys would merge the copies
    script+="synth_xilinx $synth_options -nosrl -top $top; write_json $work/$name.json"
    timeout "${RILL_TIMING_TIMEOUT:-1500}" yosys -q -p "$script" >"$log" 2>&1 || return 1
    echo "$key" >"$work/$name.key"
}

walk_module() { # ns allowed or nothing, MODULE NAME=VALUE...
    local allowed=$1 name status=0 said
    shift
    name=$(tr -c 'A-Za-z0-9_\n' '_' <<<"$*" | cut -c1-100)_$(sha256sum <<<"$*" | cut -c1-6)
    log=$work/$name.log
    if ! synthesize_once "$name" "$@"; then
        fail "$*" "no synthesis: $(reason)"
        return
    fi
    said=$(python3 "$here/walk.py" "$work/$name.json" --limit "${allowed:-$limit}" "${options[@]}" 2>&1) || status=$?
    if [ $status = 0 ]; then ok "$*: $(head -n 1 <<<"$said")${allowed:+, allowed $allowed}"
    else fail "$*" "$(grep -m 1 error <<<"$said"); $(head -n 1 <<<"$said")"; fi
    [ ${#options[@]} = 0 ] || sed -n '2,$p' <<<"$said"
}

# Every template that the GPT-2 medium design instantiates has a line or is part of a module that has one.
check_covered() {
    local design=$work/covered module part missing=""
    local -A walked=()
    log=$work/covered.log
    rm -rf "$design"
    if ! "$rill" gen "$root/configs/gpt2-medium-u55c.yaml" -o "$design" >"$log" 2>&1; then
        fail "templates of gpt2-medium-u55c are walked" "$(reason)"
        return
    fi
    for module in $(sed -n 's/^\(rill_[a-z0-9_]*\).*/\1/p' "$here/modules.txt" | sort -u); do
        [ -z "${walked[$module]:-}" ] || continue
        for part in $(closure_of "$module"); do walked[$part]=1; done
    done
    for module in $(instances_of "$design/rtl/rill_top.v"); do
        [ -n "${walked[$module]:-}" ] || [ -z "${template_file[$module]:-}" ] || missing+=" $module"
    done
    if [ -z "$missing" ]; then ok "templates of gpt2-medium-u55c are walked"
    else fail "templates of gpt2-medium-u55c are walked" "no line in verif/timing/modules.txt:$missing"; fi
}

all=0 covered=0 wanted=" " one=()
while [ $# -gt 0 ]; do
    case $1 in
        --all) all=1 ;;
        --covered) covered=1 ;;
        --path) options=(--path) ;;
        --help | -h) usage; exit 0 ;;
        --)
            shift
            one=("$@")
            break
            ;;
        -*) usage >&2; exit 2 ;;
        *) wanted+="$1 " ;;
    esac
    shift
done
if [ ${#one[@]} -gt 0 ]; then
    walk_module "" "${one[@]}"
    verdict
    exit
fi
[ "$wanted" != " " ] || check_covered
if [ $covered = 1 ]; then
    verdict
    exit
fi
while IFS= read -r line; do
    [[ $line != "# ---- all"* ]] || [ $all = 1 ] || [ "$wanted" != " " ] || break
    [[ $line != "#"* && -n $line ]] || continue
    [ "$wanted" = " " ] || [[ $wanted == *" ${line%% *} "* ]] || continue
    allowed=""
    [[ $line != *" : "* ]] || { allowed=${line##* : } allowed=${allowed%% *} line=${line%% : *}; }
    # shellcheck disable=SC2086 # one word per parameter
    walk_module "$allowed" $line
done <"$here/modules.txt"
verdict
