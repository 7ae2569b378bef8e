#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures a template with Yosys: LUTs, flip-flops, DSPs and block RAMs. See --help.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
table=$root/verif/cost/measured.txt
limit=${RILL_MEASURE_TIMEOUT:-300}
. "$root/verif/timing/netlist.sh"
. "$root/verif/cost/instances.sh"

usage() {
    cat <<'TEXT'
usage: verif/cost/measure.sh MODULE [NAME=VALUE...]
       verif/cost/measure.sh --table [--all] [module...]
       verif/cost/measure.sh --design DIR
  MODULE      synthesizes one template (yosys synth_xilinx -family xcup) and prints its row of the table
  NAME=VALUE  its parameters, as Verilog constants. A schedule table may also be NAME=random:BITS, this many
              pseudo-random bits, or NAME=turns:ENTRIES:PORTS, entries of 8 bits that name the ports in turn.
              apart=MODULE synthesizes this part once, separately from the logic around its instances. It is for
              modules with many equal parts. apart=units does this with all units of which a kernel has one or more
              for each lane
  --table     measures the rows of verif/cost/measured.txt that have no figures yet and puts them in; a new row is a
              line `MODULE NAME=VALUE...`
  --all       also measures the rows that have figures
  module      only rows of these modules
  --design    prints a row for each instance of a generated design that is not in the table yet, each row once, to be
              added to the table
Modules without such units, and rows with apart=units, use the netlists of verif/timing/run.sh in build/timing/, so that
each netlist is made once for both scripts.

A row: MODULE NAME=VALUE... : LUT FF DSP BRAM36 URAM
LUT counts each LUT cell and each shift register as one, and LUTRAM by the LUTs that it occupies. A RAMB18 is half a
BRAM36.
One synthesis may take RILL_MEASURE_TIMEOUT seconds (default 300).
TEXT
}

# Returns 0 if a row is counted in a netlist of verif/timing/netlist.sh, which synthesizes units separately.
of_timing() { # module name=value...
    local part
    [[ " $* " != *" apart=units "* ]] || return 0
    [[ " $* " != *" apart="* ]] || return 1
    for part in $(closure_of "$1"); do [[ " $units " != *" $part "* ]] || return 1; done
}

# Counts the cells of a row in its netlist of verif/timing/netlist.sh. That netlist has flip-flops in place of shift
# registers, so Yosys first makes shift registers of them.
count_netlist() { # result-file module name=value...
    local result=$1 arg args=() name log=$1.log
    shift
    for arg in "$@"; do [ "$arg" = apart=units ] || args+=("$arg"); done
    name=$(netlist_name "${args[@]}")
    RILL_TIMING_TIMEOUT=$limit synthesize_once "$name" "${args[@]}" || return 1
    yosys -q -p "read_json $work/$name.json
        setparam -set IS_C_INVERTED 1'b0 -set IS_D_INVERTED 1'b0 -set IS_R_INVERTED 1'b0 t:FDRE; xilinx_srl -fixed
        techmap -map +/xilinx/cells_map.v; clean; tee -q -o $result stat -top $1" >"$log" 2>&1
}

# Writes the output of `stat` for a row to a file.
synthesize() { # result-file module name=value...
    local result=$1 module=$2 arg parameters=() parts=""
    shift
    if of_timing "$@"; then
        count_netlist "$result" "$@"
        return
    fi
    for arg in "$@"; do
        case $arg in
            apart=*) parts+="setattr -mod -set keep_hierarchy 1 *${arg#apart=}*; " ;;
            *) parameters+=("$arg") ;;
        esac
    done
    template_script "${parameters[@]}"
    script+="hierarchy -top $module; $keep_copies$parts"
    (cd "$root" && timeout "$limit" \
        yosys -q -p "$script synth_xilinx $synth_options -top $module; tee -q -o $result stat -top $module") \
        >"$result.log" 2>&1
}

# Prints the five figures of an output of `stat`. `memory` has the LUTs that a cell of LUTRAM or a shift register
# occupies.
count_cells() { # result-file
    awk '
        /^=== design hierarchy ===$/ { delete cells }
        /^ +[A-Z0-9_]+ +[0-9]+$/ { cells[$1] += $2 }
        END {
            memory["RAM32M16"] = memory["RAM64M8"] = memory["RAM512X1S"] = memory["RAM64X8SW"] = 8
            memory["RAM32X16DR8"] = 8
            memory["RAM32M"] = memory["RAM64M"] = memory["RAM128X1D"] = memory["RAM256X1S"] = 4
            memory["RAM256X1D"] = 8; memory["RAM32X1D"] = memory["RAM64X1D"] = memory["RAM128X1S"] = 2
            memory["RAM32X1S"] = memory["RAM64X1S"] = memory["SRL16E"] = memory["SRLC16E"] = memory["SRLC32E"] = 1
            for (c in cells) {
                if (c ~ /^LUT[1-6]$/) lut += cells[c]
                else if (c in memory) lut += memory[c] * cells[c]
                else if (c ~ /^(FD[RSCP]E|LD[CP]E)(_1)?$/) ff += cells[c]
                else if (c ~ /^RAMB36/) bram += cells[c]
                else if (c ~ /^RAMB18/) bram += cells[c] / 2
                else if (c ~ /^DSP48/) dsp += cells[c]
                else if (c ~ /^URAM/) uram += cells[c]
                else if (c !~ /^(CARRY[48]|MUXF[789]|INV|GND|VCC)$/) { print "unknown cell " c > "/dev/stderr"; exit 1 }
            }
            printf "%d %d %d %g %d\n", lut, ff, dsp, bram, uram
        }' "$1"
}

# Measures a row and prints it with its figures. Returns 1 and prints the reason if that fails.
measure() { # module name=value...
    local result figures
    result=$(mktemp -d)/stat
    if synthesize "$result" "$@" && figures=$(count_cells "$result"); then
        echo "$* : $figures"
        rm -rf "$(dirname "$result")"
        return 0
    fi
    echo "$*: $(grep -m1 ERROR "$result.log" || echo "no result within $limit s")" >&2
    rm -rf "$(dirname "$result")"
    return 1
}

# Returns 0 if the first module is one of the others, or if there are no others.
wanted() { # module module...
    local module=$1
    shift
    [ $# = 0 ] && return 0
    for name in "$@"; do [ "$name" = "$module" ] && return 0; done
    return 1
}

# Replaces one line of the table, so that each row is saved as soon as it is measured.
put_row() { # old-line new-line
    OLD=$1 NEW=$2 awk '$0 == ENVIRON["OLD"] { print ENVIRON["NEW"]; next } { print }' "$table" >"$table.new" &&
        mv "$table.new" "$table"
}

# Measures the rows of the table that have no figures, or all rows.
update_table() { # all(0|1) module...
    local all=$1 rows line row words failed=0
    shift
    mapfile -t rows <"$table"
    for line in "${rows[@]}"; do
        case $line in '' | '#'*) continue ;; esac
        [ "$all" = 0 ] && [ "$line" != "${line% : *}" ] && continue
        read -ra words <<<"${line% : *}"
        wanted "${words[0]}" "$@" || continue
        if row=$(measure "${words[@]}"); then put_row "$line" "$row"; else failed=1; fi
    done
    return $failed
}

# Prints the rows of a design that are not in the table, without those of FIFOs, crossings, register copies and forks.
design_rows() { # directory
    local row part
    local streams='^rill_(fifo|credit_send|credit_receive|hop|register_copies|fork) '
    design_instances "$1" | grep -vE "$streams" | while IFS= read -r row; do
        ! grep -qF "$row" "$table" || continue
        for part in ${equal_parts[${row%% *}]:-}; do row+=" apart=$part"; done
        # shellcheck disable=SC2086 # one word per parameter
        of_timing $row || [[ $row == *" apart="* ]] || row+=" apart=units"
        echo "$row"
    done
}

case ${1:-} in
    --help | -h) usage ;;
    --table)
        shift
        all=0
        [ "${1:-}" = --all ] && { all=1; shift; }
        update_table $all "$@" ;;
    --design)
        [ -s "${2:-}/rtl/rill_top.v" ] || { echo "$0: no generated design in '${2:-}'" >&2; exit 2; }
        design_rows "$2" ;;
    '' | -*) usage >&2; exit 2 ;;
    *) measure "$@" ;;
esac
