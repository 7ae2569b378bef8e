#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Longest register-to-register paths of the templates by a stated delay model: Yosys synthesizes each with its real parameters for xcup, walk.py
# walks the netlist. One line per module; it fails above the limit or a fan-out. See --help.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../tests/verdict.sh"
. "$here/../cost/parameters.sh"

usage() {
    cat <<'TEXT'
usage: verif/timing/run.sh [--all] [--path] [module...]
       verif/timing/run.sh [--path] -- MODULE [NAME=VALUE...]
  --all    every line of verif/timing/modules.txt (half an hour); without it the quick ones at its top (30 s)
  --path   also the longest path of each, net by net
  module   all lines of these modules
  MODULE   one module with these parameters, as in verif/cost/measure.sh
RILL_TIMING_LIMIT: ns (default 3.2). Netlists are kept in build/timing/.
TEXT
}

work=$root/build/timing limit=${RILL_TIMING_LIMIT:-3.2} options=()
mkdir -p "$work"

walk_module() { # ns allowed or nothing, MODULE NAME=VALUE...
    local allowed=$1 name status=0 said
    shift
    name=$(tr -c 'A-Za-z0-9_\n' '_' <<<"$*" | cut -c1-100)
    log=$work/$name.log
    template_script "$@"
    if ! timeout "${RILL_TIMING_TIMEOUT:-600}" yosys -q -p "$script synth_xilinx $synth_options -nosrl -top $1; write_json $work/$name.json" >"$log" 2>&1; then
        fail "$*" "no synthesis: $(reason)"
        return
    fi
    said=$(python3 "$here/walk.py" "$work/$name.json" --limit "${allowed:-$limit}" "${options[@]}" 2>&1) || status=$?
    if [ $status = 0 ]; then ok "$*: $(head -n 1 <<<"$said")${allowed:+, allowed $allowed}"
    else fail "$*" "$(grep -m 1 error <<<"$said"); $(head -n 1 <<<"$said")"; fi
    [ ${#options[@]} = 0 ] || sed -n '2,$p' <<<"$said"
}

all=0 wanted=" " one=()
while [ $# -gt 0 ]; do
    case $1 in
        --all) all=1 ;;
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
