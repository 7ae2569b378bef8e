#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `make lint`: checks formatting, conventions of files, and the tables and the chart of docs/ that are made from the
# sources, and finds suspicious code. It runs no tests. build/rill must be built. Prints one line per check. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/lint.sh [--quick] [CHECK...]
  --quick  without the builds with gcc and clang, clang-tidy and the templates
  CHECK    runs only checks whose names contain CHECK (default: all checks)
Checks: clang-format; SPDX lines; line lengths, tabs and trailing blanks; headers of the Verilog files; rules of strict
front ends in the custom kernels of tests; paths of one machine and issue numbers; shell scripts in bash and shellcheck;
Python in pyflakes; cppcheck; marks of tools/new-op; tables and the chart in docs/ that are made from the sources;
includes of the oracle; layers of the folders (tests/walls.sh); layouts of bits (tests/fields.sh); gcc and clang with
-Wall -Wextra -Werror; clang-tidy; each template by itself in Verilator, Icarus and Yosys (first parameter sets;
the others in Icarus alone).
TEXT
}

quick=0
case ${1:-} in
    --quick) quick=1 && shift ;;
    --help | -h) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
esac
chosen=("$@")
cd "$root" || exit 1
work=build/lint
mkdir -p "$work"
log=$work/log

files() { # patterns of names: the project's own files
    local name args=()
    for name in "$@"; do args+=(-o -name "$name"); done
    find . \( -path ./build -o -path ./.git -o -path ./models \) -prune -o -type f \( "${args[@]:1}" \) -print |
        sed 's|^\./||' | sort
}
mapfile -t c_files < <(files '*.c' '*.h' '*.cpp' '*.hpp')
mapfile -t verilog < <(files '*.v' '*.sv')
mapfile -t scripts < <(files '*.sh' 'run' | grep -v -e '\.md$')
mapfile -t python < <(files '*.py')
mapfile -t all_files < <(files '*.c' '*.h' '*.cpp' '*.hpp' '*.def' '*.inc' '*.v' '*.vh' '*.sv' '*.vlt' '*.sh' '*.tcl' \
    '*.py' '*.rng' '*.awk' '*.yaml' '*.md' \
    '*.txt' Makefile run .clang-format .clang-tidy)

# Passes when the function prints nothing.
silent() { # name, command...
    local name=$1
    shift
    if "$@" >"$log" 2>&1 && [ ! -s "$log" ]; then
        ok "$name"
    else
        fail "$name" "$(wc -l <"$log") places, first $(head -n 1 "$log")"
        cp "$log" "$work/${name//[^A-Za-z0-9]/-}.out"
    fi
}

unformatted() {
    local file
    for file in "${c_files[@]}"; do clang-format --style=file "$file" | cmp -s - "$file" || echo "$file"; done
}

spdx_missing() {
    local file
    for file in "${all_files[@]}"; do
        case $file in
            # prose; inputs of tests, which an added line would change
            *.md | *.txt | tests/spec/*.yaml | tests/fuzz/* | tests/harness/cases/*) continue ;;
        esac
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
    done
}

too_long() {
    # A line `sweep` or `quick` of a bench may have any length, and a line in the Verilog of tests/ 150 characters.
    LC_ALL=C.UTF-8 awk 'length > (FILENAME ~ /^tests/ ? 150 : 120) && !/^\/\/ (sweep|quick): / {
        print FILENAME ":" FNR ": " length " characters" }' "${verilog[@]}"
    # Emitted modules contain these files, indented by four columns.
    LC_ALL=C.UTF-8 awk 'length > 116 { print FILENAME ":" FNR ": " length " characters" }' rtl-templates/*/*.vh
    LC_ALL=C.UTF-8 awk 'length > 120 { print FILENAME ":" FNR ": " length " characters" }' "${c_files[@]}" \
        include/*.def gen/*/*.def
    LC_ALL=C.UTF-8 awk 'length > 120 { print FILENAME ":" FNR ": " length " characters" }' "${scripts[@]}"
}

blanks() {
    grep -nHE '[[:space:]]+$' "${c_files[@]}" "${verilog[@]}" "${scripts[@]}" | cut -c1-120
    grep -nHP '\t' "${c_files[@]}" "${verilog[@]}" | cut -c1-120
}

# Every file must have a line of purpose below the SPDX line. A template must also have `default_nettype none` and
# exactly one module, which has the file's name.
verilog_headers() {
    local file name
    for file in "${verilog[@]}"; do
        case $file in tests/pass/*) continue ;; esac # wrong on purpose; their expected messages have line numbers
        sed -n 2p "$file" | grep -q '^// ' || echo "$file: no line of purpose below the licence"
        case $file in rtl-templates/*)
            grep -q '^`default_nettype none' "$file" || echo "$file: no default_nettype none"
            name=$(basename "$file" .v)
            [ "$(grep -cE '^module ' "$file")" = 1 ] && grep -qE "^module $name( |$|\()" "$file" ||
                echo "$file: not one module named $name"
            ;;
        esac
    done
}

foreign_words() { # paths of one machine, numbers of an issue tracker
    grep -nHE '(^|[^a-z])/(work|home|root)/|[Ii]ssue #?[0-9]' "${all_files[@]}" | grep -v '^tests/lint.sh' | cut -c1-120
}

shell_syntax() {
    local file
    for file in "${scripts[@]}"; do bash -n "$file"; done
}

build_with() { # compiler, CFLAGS
    make --no-print-directory -j2 CC="$1" CFLAGS="$2" OUT="$work/$1" "$work/$1/rill" "$work/$1/librill.a" || return
    local file
    for file in tests/unit/*.c verif/modules/*.c; do
        "$1" -std=c11 -D_GNU_SOURCE= -Wall -Wextra -Werror -ffp-contract=off -fsyntax-only -I. "$file" || return
    done
}

tidy() { find gen verif/check verif/harness verif/model verif/replay -name '*.c' -not -path '*/tables/*' -print0 |
    xargs -0 -P 2 -n 8 sh -c 'clang-tidy --quiet "$@" -- -std=c11 -D_GNU_SOURCE -I. 2>/dev/null' tidy; }

# Compares each table of keys in the two pages with `rill explain --table NAME`. The line `<!-- keys: ... -->` above a
# table names it. There must be 10 tables.
key_tables() {
    local table count=0 pages=(docs/spec.md docs/kernel-reference.md)
    while read -r table; do
        diff <(build/rill explain --table "$table") <(sed -n "/^<!-- keys: .* $table\` -->\$/,/^\$/p" "${pages[@]}" |
            sed '1d;/^$/d') || echo "$table"
        count=$((count + 1))
    done < <(sed -n 's/^<!-- keys: `rill explain --table \(.*\)` -->$/\1/p' "${pages[@]}")
    [ $count = 10 ] || echo "$count tables instead of 10"
}
operations_table() {
    diff <(build/rill explain --operations) <(sed -n '/^<!-- operations table/,/^$/p' docs/spec.md | sed '1d;/^$/d')
}
glossary_table() { diff <(build/rill explain --glossary) <(sed -n '/^<!-- glossary/,$p' docs/glossary.md | sed 1d); }
messages_table() { diff <(build/rill explain --messages) <(sed -n '/^<!-- messages/,$p' docs/messages.md | sed 1d); }
passes_table() { diff <(build/rill explain --passes) <(sed -n '/^<!-- passes/,/^$/p' docs/passes.md | sed '1d;/^$/d'); }

# The oracle must not use conclusions of the compiler. Checks all headers that its files include, directly or
# indirectly.
oracle_apart() {
    local known='include/rill_kernel\.h|gen/reference/[a-z0-9_]+\.([ch]|inc)|.*include/yaml\.h'
    known+='|gen/base/(base|diag|expression|messages|sampling|yaml)\.h|include/messages\.def'
    known+='|gen/model/(checkpoint|tokenizer)\.h'
    known+='|gen/numerics/(dot|fp32|library|numerics|quantize|wide)\.h'
    gcc -MM -std=c11 -D_GNU_SOURCE -I. gen/reference/*.c | tr -d '\\' | tr -s ' \n' '\n' |
        grep -E '/' | grep -vE "^($known)$" | sort -u
    # A file that includes gen/base/yaml.h must define RILL_YAML_LIBRARY_ALONE. This hides the compiler's own reader.
    grep -l '"gen/base/yaml.h"' gen/reference/*.[ch] | xargs grep -L 'RILL_YAML_LIBRARY_ALONE'
}

registers_table() {
    diff <(build/rill package --registers) <(sed -n '/^<!-- register table/,/^$/p' docs/registers.md | sed '1d;/^$/d')
}

# Checks that the chart shows the figures of bench/figures.txt.
chart() { diff <(bench/chart.py) docs/speed.svg; }

# Queues a check if it was chosen.
add() { # how, name, command...
    local part
    [ ${#chosen[@]} = 0 ] && { queue "$@"; return; }
    for part in "${chosen[@]}"; do
        [[ $2 != *"$part"* ]] || { queue "$@"; return; }
    done
}

add silent "clang-format" unformatted
add silent "SPDX lines" spdx_missing
add silent "line lengths" too_long
add silent "tabs and trailing blanks" blanks
add silent "Verilog headers" verilog_headers
add silent "custom kernels: rules of strict front ends" verif/lint/strict.py tests/e2e/kernels/*.v
add silent "words that do not belong" foreign_words
add silent "shell syntax" shell_syntax
add silent "shellcheck" shellcheck -x -S warning "${scripts[@]}"
add silent "pyflakes" pyflakes3 "${python[@]}"
add silent "cppcheck" cppcheck -q -j2 --std=c11 --enable=warning,performance,portability --inline-suppr \
    --error-exitcode=1 \
    --suppress=missingIncludeSystem --suppressions-list=tests/cppcheck.suppress \
    --template='{file}:{line}: {id}: {message}' -I. \
    gen verif/check verif/harness verif/model verif/replay
add silent "marks of tools/new-op" tools/new-op --marks
add silent "operations table of docs/spec.md" operations_table
add silent "tables of keys in docs/spec.md and docs/kernel-reference.md" key_tables
add silent "glossary of docs/glossary.md" glossary_table
add silent "messages of docs/messages.md" messages_table
add silent "passes of docs/passes.md" passes_table
add silent "register table of docs/registers.md" registers_table
add silent "the oracle knows nothing of the compiler" oracle_apart
add silent "docs/speed.svg" chart
add check "walls between folders" tests/walls.sh
add check "layouts of bits" tests/fields.sh
if [ $quick = 0 ]; then
    add check "gcc: no warnings" build_with gcc -O2
    add check "clang: no warnings" build_with clang -O1
    add silent "clang-tidy" tidy
    add check "templates alone" verif/modules/lint_templates.sh --quick
fi
run_queue
verdict
