# SPDX-License-Identifier: Apache-2.0
# Functions for scripts that source this file. They make a netlist (Yosys, xcup) of a template with given parameters.
# verif/timing/run.sh searches it for the longest paths between registers (called a walk below), and
# verif/cost/measure.sh counts its cells. Netlists are kept in build/timing/ with a hash of their logic and parameters,
# and both scripts use them. The caller sets `root` and `log`. parameters.sh defines template_script, which sets
# `script` and `synth_options`. It sources verif/timing/closure.sh, which defines closure_of, headers_of and
# template_file.
# shellcheck shell=bash disable=SC2154 # variables from the scripts that source this

. "$root/verif/cost/parameters.sh"
work=$root/build/timing
mkdir -p "$work"

# Units of which a kernel has one or more in each lane. Each unit is mapped once and inserted afterwards, so that many
# lanes take as long to synthesize as one lane. No logic moves across the boundary of a unit.
units="rill_fp32_add rill_fp32_mul rill_fp32_exp rill_fp32_recip rill_fp32_rsqrt rill_fp32_from_int rill_fp32_to_fixed"
units+=" rill_gelu_lane rill_silu_lane rill_unary_lane rill_binary_lane"
apart="" together="setattr -mod -unset keep_hierarchy"
for unit in $units; do
    apart+="setattr -mod -set keep_hierarchy 1 *$unit; setattr -mod -set keep_hierarchy 1 *$unit\\\\*; "
    together+=" *$unit *$unit\\\\*"
done
together+="; flatten; opt_clean -purge"

# Submodules that make up most of a module and of which all instances are equal. A walk treats them as empty boxes and
# walks each one separately. A count of cells synthesizes each one once.
declare -A equal_parts=([rill_engine]="rill_engine_lane rill_dequantize" [rill_v_tail]=rill_v_tail_ram)

# Registers with the attribute `keep` are equal copies that divide a large number of loads. Yosys would merge them,
# because it respects `keep` only on cells, so this moves the attribute to their cells.
keep_copies="proc; select -set kept a:keep %ci1:+[Q] a:keep %d; opt_dff @kept; "
keep_copies+="setattr -set keep 1 a:keep %ci1:+[Q] a:keep %d; "

# Prints the name of the files of a netlist, without folder and suffix.
netlist_name() { # MODULE NAME=VALUE...
    echo "$(tr -c 'A-Za-z0-9_\n' '_' <<<"$*" | cut -c1-100)_$(sha256sum <<<"$*" | cut -c1-6)"
}

# Prints a hash of everything on which a netlist depends. The inside of modules that are left empty does not count.
netlist_key() { # MODULE NAME=VALUE...
    local part
    {
        echo "$* $script $keep_copies $apart $together $synth_options"
        yosys -V
        for part in $(closure_of "$1"); do
            [[ " $* " == *" box=$part "* ]] || { cat "$root/${template_file[$part]}" &&
                headers_of "$root/${template_file[$part]}"; }
        done
    } | sha256sum | cut -c1-64
}

# Hashes the elaborated logic of the sources of a netlist. Equal hashes mean equal netlists.
elaborated() { # NAME MODULE BOXES: writes $work/NAME.elaborated.new, a hash
    local made=$work/$1.elaborated.json logic
    (cd "$root" && yosys -q -p "$script hierarchy -top $2; proc; $3 opt_clean -purge; write_json $made") \
        >"$log" 2>&1 && logic=$(python3 "$root/verif/timing/logic.py" "$made" 2>>"$log") || return 1
    rm -f "$made"
    { yosys -V && echo "$keep_copies $apart $together $synth_options $3 $logic"; } | sha256sum | cut -c1-64 \
        >"$work/$1.elaborated.new"
}

# Makes $work/NAME.json, unless the existing one was made from the same sources or from sources that differ only in
# comments and layout. box=NAME leaves the modules NAME empty.
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
    elaborated "$name" "$top" "$boxes" || return 1
    if ! [ -s "$work/$name.json" ] || ! cmp -s "$work/$name.elaborated.new" "$work/$name.elaborated"; then
        rm -f "$work/$name.key" "$work/$name.elaborated"
        # Register copies stay separate modules, so that the loads of each copy are walked.
        script+="hierarchy -top $top; $keep_copies setattr -mod -set keep_hierarchy 1 *rill_register_copies*; "
        script+="setattr -mod -set keep_hierarchy 1 *rill_reset_stage*; $boxes"
        script+="$apart synth_xilinx $synth_options -nosrl -top $top; $together; write_json $work/$name.json"
        (cd "$root" && timeout "${RILL_TIMING_TIMEOUT:-1500}" yosys -q -p "$script") >"$log" 2>&1 || return 1
    fi
    mv "$work/$name.elaborated.new" "$work/$name.elaborated"
    echo "$key" >"$work/$name.key"
}
