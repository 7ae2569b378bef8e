#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints for each spec a hash of what `rill gen` and `rill forecast` make of it, or compares the hashes with recorded
# ones, so that a change of the compiler that changes a design unintentionally is noticed. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/emit/hashes.sh [--rill PROGRAM] [--check [--set test | --set deep] | --record] [spec...]
  --rill PROGRAM  default build/rill
  --check         compares with tests/emit/hashes.txt; --set: only the specs of this set
  --record        writes the hashes into tests/emit/hashes.txt, after an intended change
  spec            default: with --check and --record those of hashes.txt, otherwise those of configs, tests/e2e/cases
                  and tests/fuzz/found
Prints a line `HASH SPEC` per spec. Each hash covers all files that `rill gen` writes, without the copies of templates,
and the output of `rill forecast` for 8:8, or the error output if `rill gen` fails.
    tests/emit/hashes.sh >before; ...; tests/emit/hashes.sh | diff before -
TEXT
}

table=$root/tests/emit/hashes.txt
what=print set_name="" specs=()
while [ $# -gt 0 ]; do
    case $1 in
        --rill) rill=$(realpath "$2") && shift ;;
        --check | --record | --job) what=${1#--} ;; # --job: --check as a job of tests/emit/run.sh, which counts
        --set) set_name=$2 && shift ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) specs+=("$1") ;;
    esac
    shift
done
cd "$root" || exit 1

# Lists the specs of the table, or those of one of its sets. A line of the table is HASH SET SPEC.
listed() { awk -v set="$set_name" '!/^#/ && (set == "" || $2 == set) { print $3 }' "$table"; }

if [ ${#specs[@]} != 0 ]; then :
elif [ $what = print ]; then specs=(configs/*.yaml tests/e2e/cases/*/spec.yaml tests/fuzz/found/*.yaml)
else mapfile -t specs < <(listed)
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
log=$work/log

# Prints the text that is hashed for one spec. The folder always has the same name, because outputs may contain it.
text_of() { # spec
    rm -rf "$work/d"
    (cd "$work" && "$rill" gen "$root/$1" -o d) >"$work/log" 2>&1 || { sed "s|$root/||g" "$work/log" && return; }
    for template in rtl-templates/*/*.v; do rm -f "$work/d/rtl/${template##*/}"; done
    (cd "$work/d" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
    "$rill" forecast "$work/d/design.yaml" 8:8 2>&1 | sed "s|$work/||g"
}
hash_of() { text_of "$1" | sha256sum | cut -c1-16; } # spec

check_hash() { # spec
    local hash recorded
    again="tests/emit/hashes.sh --check $1"
    hash=$(hash_of "$1") recorded=$(awk -v spec="$1" '$3 == spec { print $1 }' "$table")
    if [ "$hash" = "$recorded" ]; then ok "emit $(spec_name "$1"): the recorded files and forecast"
    else
        fail "emit $(spec_name "$1"): the recorded files and forecast" \
            "they have changed; if that is intended, run tests/emit/hashes.sh --record"
    fi
}

record() {
    local hash set spec
    while read -r hash set spec; do
        case $hash in
            '#'*) echo "$hash $set $spec" ;;
            *) [ ! -e "$spec" ] || echo "$(hash_of "$spec") $set $spec" ;;
        esac
    done <"$table" >"$work/new" && mv "$work/new" "$table"
}

case $what in
    print) for spec in "${specs[@]}"; do echo "$(hash_of "$spec") $spec"; done ;;
    record) record ;;
    job) for spec in "${specs[@]}"; do check_hash "$spec"; done ;;
    check)
        for spec in "${specs[@]}"; do queue check_hash "$spec"; done
        run_queue
        verdict
        ;;
esac
