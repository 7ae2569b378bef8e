#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the module benches with Icarus: every `// sweep:` set of every <module>_tb.v, with source idles and sink stalls
# of 0 and 50 % in every combination. Prints one line per run and one verdict line at the end. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/verdict.sh"

usage() {
    cat <<'TEXT'
usage: verif/modules/run.sh [--quick [--set test | --set deep]] [--list] [--fast-sim] [--jobs N] [--seeds N] [module...]
  module     bench names without _tb (default: all benches in verif/modules)
  --quick    runs only the `// quick:` sets of each bench (its first sweep set if it has none), with idle = stall = 50 %
             and with idle = stall = 0; a line `// quick: SET @ IDLE:STALL...` names other pairs
  --set test with --quick: only the first quick set of each bench
  --set deep with --quick: only the others
  --list     only prints the sets
  --fast-sim defines the macro RILL_FAST_SIM, as `rill sim` does; a few parts then have a form that simulates faster
  --jobs N   sets that are built and run at the same time (default 2)
  --seeds N  seeds 0..N-1 for each run (default 1)
Logs of failing runs are kept in build/modules/. Exit status: 0 all passed, 1 a run failed, 2 usage.
TEXT
    echo "$launch_help"
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
logs=$root/build/modules

# Reads the quick sets of a bench and prints those of --set: `make test` runs the first one, `make test-deep` the
# others.
of_half() {
    case $HALF in
        test) head -n 1 ;;
        deep) tail -n +2 ;;
        *) cat ;;
    esac
}

# Prints the parameter sets of a bench's comment lines, or `-`: a bench without such lines runs with its defaults. An @
# and pairs IDLE:STALL may follow a set.
sweep_sets() {
    local sets quick
    sets=$(sed -n 's|^// sweep:[[:space:]]*||p' "$1")
    quick=$(sed -n 's|^// quick:[[:space:]]*||p' "$1")
    if [ "$QUICK" = 0 ]; then echo "${sets:--}"; else of_half <<<"${quick:-$(head -n 1 <<<"${sets:--}")}"; fi
}

# Prints the pairs IDLE:STALL, in percent, with which a set runs: those of its comment line, or else the default ones.
pairs_of() { # set
    if [[ $1 == *@* ]]; then echo "${1#*@}"
    elif [ "$QUICK" = 0 ]; then echo "0:0 0:50 50:0 50:50"
    else echo "50:50 0:0"
    fi
}

vector_flags=(-std=c11 -Wall -Wextra -ffp-contract=off "-I$root")

# Compiles the golden functions that all programs of vectors use, once, before the first program.
build_golden() {
    [ -e "$WORK/golden.a" ] && return
    mkdir -p "$WORK/golden" &&
        (cd "$WORK/golden" && gcc "${vector_flags[@]}" -O2 -c "$root"/gen/numerics/{fp32,ops_*}.c) &&
        ar rcs "$WORK/golden.a" "$WORK/golden"/*.o
}

# Prints the program of a bench's vectors (X for vectors_X.c) and its arguments: those of the bench's line
# `// vectors: PROGRAM ARGUMENTS`, or else the module's name if there is such a program. Prints an empty line if the
# bench has no vectors.
vectors_of() { # module
    local line
    line=$(sed -n 's|^// vectors:[[:space:]]*||p' "$here/${1}_tb.v")
    [ -n "$line" ] || [ ! -f "$here/vectors_$1.c" ] || line=$1
    echo "$line"
}

# Builds the program that writes a bench's vectors, once, before the runs start. It runs for milliseconds, so it is not
# optimized.
build_vectors() {
    local program source
    program=$(vectors_of "$1") && program=${program%% *} && source=$here/vectors_$program.c
    [ -n "$program" ] || return 0
    build_golden >"$WORK/vectors_$1.log" 2>&1 &&
        gcc "${vector_flags[@]}" -o "$WORK/vectors_$program" "$source" "$WORK/golden.a" -lm >"$WORK/vectors_$1.log" 2>&1
}

# Copies the sources to $WORK without the wires `unused...`, which nothing reads. They join wide buses, and Icarus would
# compute them in every cycle. Each removed line stays as an empty line, so that messages have the right line numbers.
copy_sources() {
    local sink='^[ \t]*wire\s+(?:\[[^\]]*\]\s*)?unused\w*\s*=[^;]*;'
    mkdir -p "$WORK/verif" && cp -r "$root/rtl-templates" "$WORK" && cp -r "$root/verif/model" "$here" "$WORK/verif" &&
        find "$WORK" \( -name '*.v' -o -name '*.sv' \) -print0 |
        xargs -0 perl -0777 -pi -e "s/$sink/(\$m = \$&) =~ tr{\n}{}cd; \$m/gem"
}

# Compiles a bench with the parameters of a set. form=NAME is a macro instead of a parameter.
compile_bench() { # module, output, NAME=VALUE...
    local module=$1 out=$2 dirs=() params=() pair dir
    shift 2
    for dir in "$WORK"/rtl-templates/*/; do dirs+=(-y "$dir" -I "$dir"); done
    for pair in "$@"; do
        case $pair in
            form=fast) params+=(-DRILL_FAST_SIM) ;;
            form=pump) params+=(-DRILL_PUMP) ;;
            form=cells) params+=(-DRILL_VENDOR_CELLS) ;;
            *) params+=("-P${module}_tb.$pair") ;;
        esac
    done
    iverilog -g2012 -DRILL_ASSERT ${DEFINE:+"-D$DEFINE"} "${dirs[@]}" -y "$WORK/verif/modules" \
        -y "$WORK/verif/model" -Y .sv -I "$WORK/verif/modules" -s "${module}_tb" "${params[@]}" \
        -o "$out" "$WORK/verif/modules/${module}_tb.v" || return
    # Icarus keeps drive strengths for buses whose parts have separate drivers, which can take ten times as long as the
    # rest of a simulation. The modules do not use drive strengths.
    sed -i 's/ \.concat8 / .concat /' "$out"
}

# A run passes if it prints PASS and no failure, error or assertion.
passed() { grep -q '^PASS' "$1" && ! grep -Eq '^FAIL|^ERROR|^FATAL|Assertion' "$1"; }

# Prints the line of a run. For a failed run, also keeps its log and prints the command that runs the bench again.
report() { # name, log, verdict
    if [ "$3" = ok ]; then
        echo "ok    $1"
    else
        local kept
        kept=$logs/$(tr -c 'A-Za-z0-9\n' '_' <<<"$1" | cut -c1-180).log
        mkdir -p "$logs" && cp "$2" "$kept"
        echo "FAIL  $1: $(grep -Em1 '^FAIL|^ERROR|error|Assertion' "$2" || tail -n 1 "$2") (${kept#"$root"/})"
        echo "again verif/modules/run.sh $([ "$QUICK" = 0 ] || echo "--quick ")${DEFINE:+--fast-sim }${1%% *}"
    fi
}

# Runs a compiled bench once, with one pair and one seed, and prints its line.
run_one() { # module, simulator image, vectors file or "", label, idle, stall, seed
    local args=("+idle=$5" "+stall=$6" "+seed=$7") label="$1 $4 idle=$5 stall=$6 seed=$7" log="$2.log"
    [ -z "$3" ] || args+=("+vectors=$3")
    timeout "${RILL_BENCH_TIMEOUT:-600}" vvp -n "$2" "${args[@]}" >"$log" 2>&1 ||
        echo "ERROR: vvp ended with status $?" >>"$log"
    if passed "$log"; then report "$label" "$log" ok; else report "$label" "$log" bad; fi
}

# Builds a bench with one set and runs it with each seed and each pair. This is the unit of parallel work.
run_set() { # module, "NAME=VALUE ..." or "-", pairs
    local module=$1 set=$2 pairs=$3 dir pair seed vectors sizes=() program=()
    [ "$set" = - ] || read -ra sizes <<<"$set"
    dir=$(mktemp -d "$WORK/set.XXXXXX")
    if ! compile_bench "$module" "$dir/sim" "${sizes[@]}" >"$dir/build.log" 2>&1; then
        report "$module $set build" "$dir/build.log" bad
        return
    fi
    for ((seed = 0; seed < SEEDS; seed++)); do
        vectors=""
        read -ra program <<<"$(vectors_of "$module")"
        if [ ${#program[@]} != 0 ]; then
            vectors=$dir/vectors.$seed
            if ! "$WORK/vectors_${program[0]}" "${program[@]:1}" "${sizes[@]}" "seed=$seed" >"$vectors" \
                    2>"$dir/vectors.log"; then
                report "$module $set vectors seed=$seed" "$dir/vectors.log" bad
                continue
            fi
        fi
        for pair in $pairs; do run_one "$module" "$dir/sim" "$vectors" "$set" "${pair%:*}" "${pair#*:}" "$seed"; done
    done
    rm -rf "$dir"
}

# run_jobs (tests/verdict.sh) starts this script again with --run-set for each set.
if [ "${1:-}" = --run-set ]; then
    run_set "$2" "$3" "$4"
    exit 0
fi

export QUICK=0 SEEDS=1 DEFINE="" HALF=""
jobs=${job_count:-2} list=0
modules=()
while [ $# -gt 0 ]; do
    case $1 in
        --quick) QUICK=1 ;;
        --list) list=1 ;;
        --set)
            [[ "${2:-}" =~ ^(test|deep)$ ]] || { usage >&2; exit 2; }
            HALF=$2 && shift
            ;;
        --fast-sim) DEFINE=RILL_FAST_SIM ;;
        --seeds)
            [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || { usage >&2; exit 2; }
            SEEDS=$2 && shift
            ;;
        --jobs | --launch | --batch | --limit | --journal)
            job_option "$1" "${2:-}" || { usage >&2; exit 2; }
            shift
            ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) modules+=("${1%_tb}") ;;
    esac
    shift
done
if [ ${#modules[@]} = 0 ]; then
    for bench in "$here"/*_tb.v; do
        name=${bench##*/}
        modules+=("${name%_tb.v}")
    done
fi

if [ $list = 1 ]; then
    for module in "${modules[@]}"; do sweep_sets "$here/${module}_tb.v" | sed "s/^/$module /"; done
    exit 0
fi

mkdir -p "$logs"
WORK=$(mktemp -d "$logs/run.XXXXXX")
export WORK
trap 'rm -rf "$WORK"' EXIT
copy_sources || { fail "sources" "they cannot be copied"; verdict; exit 1; }

# Adds a job for each set of a bench. Its first argument is the number of its runs.
add_bench() { # module
    local line set pairs
    while IFS= read -r line; do
        set=$(sed 's/ *@.*//' <<<"$line") pairs=$(pairs_of "$line")
        add_job $((SEEDS * $(wc -w <<<"$pairs"))) "${BASH_SOURCE[0]}" --run-set "$1" "$set" "$pairs"
    done < <(sweep_sets "$here/$1_tb.v")
}

for module in "${modules[@]}"; do
    rm -f "$logs/${module}_"*.log
    if [ ! -f "$here/${module}_tb.v" ]; then fail "$module" "no bench verif/modules/${module}_tb.v"
    elif [ -z "$(sweep_sets "$here/${module}_tb.v")" ]; then continue
    elif ! build_vectors "$module"; then
        report "$module vectors build" "$WORK/vectors_$module.log" bad
        bad=$((bad + 1))
    else add_bench "$module"
    fi
done
run_jobs "$jobs"
verdict
