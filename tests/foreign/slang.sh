#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reads every template, every design of the tree's specs and its packages with slang, a strict third-party front end. It
# is not a part of the suite, because it installs slang from PyPI, into build/foreign/slang. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/foreign/slang.sh [--no-faults] [--no-templates] [spec...]
  --no-faults     without the planted faults
  --no-templates  without the templates alone
  spec            designs of these specs (default: configs, tests/e2e/cases, tests/foreign/specs; those of configs and
                  tests/foreign as packages, too)
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
package=pyslang==12.1.0
[ ${#specs[@]} -gt 0 ] || specs=("$root"/configs/*.yaml "$root"/tests/e2e/cases/*/spec.yaml "$here"/specs/*.yaml)

environment() {
    [ "$(cat "$venv/packages" 2>/dev/null)" = "$package" ] && return
    rm -rf "$venv" && python3 -m venv "$venv" && "$venv/bin/pip" install -q "$package" &&
        echo "$package" >"$venv/packages"
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

queue check "environment: $package" environment
[ $templates = 0 ] || queue reads "every template" templates
for spec in "${specs[@]}"; do
    queue read_spec "$spec"
    ! is_packaged "$spec" || queue read_package "$spec"
done
fault() { queue check_fault "$@"; }
if [ $faults = 1 ]; then
    prepare "$rill" gen "$root/tests/e2e/cases/pump/spec.yaml" -o "$work/one"
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
