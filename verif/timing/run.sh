#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Longest register-to-register paths of the templates by a stated delay model: Yosys synthesizes each with its real parameters for xcup, walk.py
# walks the netlist. One line per module; it fails above the limit or a fan-out. See --help.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../tests/verdict.sh"
. "$here/../cost/parameters.sh"
. "$here/../cost/instances.sh"

usage() {
    cat <<'TEXT'
usage: verif/timing/run.sh [--all | --design SPEC] [--list] [--path] [module...]
       verif/timing/run.sh [--path] -- MODULE [NAME=VALUE...]
  --all      every line of verif/timing/modules.txt and every instance of the designs it names; without it the quick lines at its top (30 s)
  --design   every instance of the design that SPEC gives
  --list     only prints what would be walked
  --path     also the longest path of each, net by net
  module     all lines and instances of these modules
  MODULE     one module with these parameters, as in verif/cost/measure.sh; box=NAME leaves the modules NAME inside it empty
RILL_TIMING_LIMIT: ns (default 3.2). Netlists are kept in build/timing/ and made again when a template in them or a parameter has changed, so a run
that was broken off goes on where it was.
TEXT
}

work=$root/build/timing limit=${RILL_TIMING_LIMIT:-3.2} options=()
mkdir -p "$work"

# Units of which a kernel has one or more for each lane are mapped once and put in their places afterwards: no logic moves over their borders, and the
# synthesis of many lanes takes the time of one. All paths are walked in the whole.
units="rill_fp32_add rill_fp32_mul rill_fp32_exp rill_fp32_recip rill_fp32_rsqrt rill_fp32_from_int rill_fp32_to_fixed rill_gelu_lane rill_silu_lane"
apart="" together="setattr -mod -unset keep_hierarchy"
for unit in $units; do
    apart+="setattr -mod -set keep_hierarchy 1 *$unit; setattr -mod -set keep_hierarchy 1 *$unit\\\\*; "
    together+=" *$unit *$unit\\\\*"
done
together+="; flatten; opt_clean -purge"

# What a netlist depends on: not on what is inside the modules that it leaves empty.
netlist_key() { # MODULE NAME=VALUE...
    local part
    {
        echo "$* $script $apart $together $synth_options"
        yosys -V
        for part in $(closure_of "$1"); do [[ " $* " == *" box=$part "* ]] || cat "$root/${template_file[$part]}"; done
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
    key=$(netlist_key "$@")
    [ -s "$work/$name.json" ] && [ "$(cat "$work/$name.key" 2>/dev/null)" = "$key" ] && return 0
    rm -f "$work/$name.key"
    script+="hierarchy -top $top; setattr -mod -set keep_hierarchy 1 *rill_register_tree*; $boxes" # Yosys would merge the copies
    script+="$apart synth_xilinx $synth_options -nosrl -top $top; $together; write_json $work/$name.json"
    (cd "$root" && timeout "${RILL_TIMING_TIMEOUT:-1500}" yosys -q -p "$script") >"$log" 2>&1 || return 1
    echo "$key" >"$work/$name.key"
}

cd "$root" || exit 1 # specs of modules.txt
netlist="" # the last one walked
walk_module() { # MODULE NAME=VALUE...
    local name status=0 said
    name=$(tr -c 'A-Za-z0-9_\n' '_' <<<"$*" | cut -c1-100)_$(sha256sum <<<"$*" | cut -c1-6)
    netlist=$name log=$work/$name.log
    if ! synthesize_once "$name" "$@"; then
        fail "$*" "no synthesis: $(reason)"
        return
    fi
    said=$(python3 "$here/walk.py" "$work/$name.json" --limit "$limit" "${options[@]}" 2>&1) || status=$?
    if [ $status = 0 ]; then ok "$*: $(head -n 1 <<<"$said")"
    else fail "$*" "$(grep -m 1 error <<<"$said"); $(head -n 1 <<<"$said")"; fi
    [ ${#options[@]} = 0 ] || sed -n '2,$p' <<<"$said"
}

# Rows of all instances of a design, with large parts that are walked on their own left empty.
design_lines() { # SPEC
    local design=$work/design lanes readers writers beats
    log=$work/design.log
    rm -rf "$design"
    if ! "$rill" gen "$1" -o "$design" >"$log" 2>&1; then
        echo "error: $1: $(reason)" >&2
        return 1
    fi
    design_instances "$design" | sed -E 's/^rill_engine .*/& box=rill_engine_lane box=rill_dequantize/; s/^rill_v_tail .*/& box=rill_v_tail_ram/' >"$work/rows"
    cat "$work/rows"
    # Where no FIFO lies between modules: the memory channel with most engines.
    lanes=$(sed -nE 's/^rill_fork PORTS=([0-9]+)$/\1/p' "$work/rows" | sort -n | tail -n 1)
    readers=$(sed -nE 's/^rill_axi_read_arbiter CLIENTS=([0-9]+) .*/\1/p' "$work/rows" | sort -n | tail -n 1)
    writers=$(sed -nE 's/^rill_axi_write_arbiter CLIENTS=([0-9]+) .*/\1/p' "$work/rows" | sort -n | tail -n 1)
    beats=$(sed -nE 's/^rill_dma_read .*PREFETCH_BEATS=([0-9]+) .*/\1/p' "$work/rows" | sort -n | tail -n 1)
    echo "rill_timing_channel CHANNELS=$lanes READERS=$readers WRITERS=$writers PREFETCH_BEATS=$beats"
}

# Every module that the designs of modules.txt instantiate is among their rows.
check_designs() {
    local of rows module missing
    while IFS= read -r of; do
        rows=$(design_lines "$of") || { fail "instances of $of" "$(reason)"; continue; }
        missing=""
        for module in $(instances_of "$work/design/rtl/rill_top.v"); do
            [[ $module == *_probe || -z ${template_file[$module]:-} ]] || grep -q "^$module\b" <<<"$rows" || missing+=" $module"
        done
        if [ -z "$missing" ]; then ok "instances of $of: $(wc -l <<<"$rows") kinds"
        else fail "instances of $of" "not found in rill_top.v:$missing"; fi
    done < <(sed -n 's/^design //p' "$here/modules.txt")
}

lines_of_file() {
    if [ -n "$spec" ]; then echo "design $spec"
    elif [ $all = 1 ]; then cat "$here/modules.txt"
    else sed '/^# ---- all/,$d' "$here/modules.txt"; fi
}

# Every line to be walked, once.
all_lines() {
    local line
    while IFS= read -r line; do
        case $line in
            '' | '#'*) ;;
            'design '*) echo "$line" && design_lines "${line#design }" || return 1 ;;
            *) echo "$line" ;;
        esac
    done < <(lines_of_file) | awk -f "$here/larger.awk"
}

# The modules that a netlist leaves empty, with their parameters.
boxes_of() { # NAME
    [ ! -s "$work/$1.json" ] || python3 "$here/walk.py" "$work/$1.json" --boxes
}

declare -A walked=()
# A line, and the parts that it leaves empty.
walk_line() { # line
    local line=$1 part
    [ -z "${walked[$line]:-}" ] || return 0
    walked[$line]=1
    # shellcheck disable=SC2086 # one word per parameter
    walk_module $line
    [[ $line == *" box="* ]] || return 0
    while IFS= read -r part; do walk_line "$part"; done < <(boxes_of "$netlist")
}

all=0 list=0 spec="" wanted=" " one=()
while [ $# -gt 0 ]; do
    case $1 in
        --all) all=1 ;;
        --design)
            spec=${2-}
            [ -f "$spec" ] || { usage >&2; exit 2; }
            spec=$(realpath "$spec")
            shift
            ;;
        --list) list=1 ;;
        --path) options=(--path) ;;
        --help | -h) usage; exit 0 ;;
        --)
            shift
            one=("$@")
            break
            ;;
        -*) usage >&2; exit 2 ;;
        *) all=1 wanted+="$1 " ;;
    esac
    shift
done
if [ ${#one[@]} -gt 0 ]; then
    walk_line "${one[*]}"
    verdict
    exit
fi
if [ $list = 1 ]; then
    all_lines
    exit
fi
[ "$wanted" != " " ] || [ -n "$spec" ] || check_designs
while IFS= read -r line; do
    [ "$wanted" = " " ] || [[ $wanted == *" ${line%% *} "* ]] || continue
    walk_line "$line"
done < <(all_lines)
verdict
