# SPDX-License-Identifier: Apache-2.0
# Functions for scripts that source this file. They make the commands with which Yosys reads a template with given
# parameters. Parameters are Verilog constants. A schedule table may also be NAME=random:BITS, a constant of BITS
# pseudo-random bits, or NAME=turns:ENTRIES:PORTS, entries of 8 bits that name the ports one after another, cyclically.
# shellcheck shell=bash disable=SC2034,SC2154 # variables for and from the scripts that source this

. "$root/verif/timing/closure.sh"

# Prints a pseudo-random constant of the given number of bits, equal in every run.
random_constant() { # bits
    awk -v bits="$1" 'BEGIN {
        x = 12345
        printf "%d\047h", bits
        for (i = 0; i < bits; i += 4) { x = (x * 1103515245 + 12345) % 2147483648; printf "%x", int(x / 65536) % 16 }
    }'
}

# Prints a constant of entries of 8 bits, the first one lowest, that name the ports one after another, cyclically.
turns_constant() { # entries ports
    local i hex=""
    for ((i = 0; i < $1; i++)); do hex=$(printf "%02x" $((i % $2)))$hex; done
    echo "$((8 * $1))'h$hex"
}

# Sets script to Yosys's commands that read the template, and synth_options to the options of synth_xilinx.
template_script() { # module name=value...
    local module=$1 part arg value parameters=""
    script="" synth_options="-family xcup -noiopad -noclkbuf -flatten"
    shift
    # Paths are relative to the root, so that nets have the same names on every machine.
    for part in $(closure_of "$module"); do
        script+="read_verilog -defer -DRILL_VENDOR_CELLS $include_dirs ${template_file[$part]}; "
    done
    for arg in "$@"; do
        value=${arg#*=}
        case $value in
            random:*) value=$(random_constant "${value#random:}") ;;
            turns:*:*) value=${value#turns:} value=$(turns_constant "${value%:*}" "${value#*:}") ;;
            -*) value=$(printf "32'h%08x" $((value & 0xffffffff))) ;; # chparam takes no sign
            '"ultra"') synth_options+=" -uram" ;;
        esac
        parameters+=" -set ${arg%%=*} $value"
    done
    [ -z "$parameters" ] || script+="chparam$parameters $module; "
}
