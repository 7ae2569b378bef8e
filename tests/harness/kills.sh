# SPDX-License-Identifier: Apache-2.0
# Functions for run.sh, which sources this file. They run the real scripts of all parts in a copy of the tree. killer.sh
# takes the place of the tools that they call, and kills a worker or the script itself. It decides by the number of
# calls, never by time, so each kill can be repeated.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of run.sh

tools="mktemp make timeout tar ln python3 xmllint verilator iverilog vvp yosys"
copy=$work/tree

# Prints a table with one kill per row. Its columns are:
#   part
#   tool, number of the call, who is killed (KILL_WHO of killer.sh), then two optional words, `-` if the first is left
#   out. `last`: the next call kills the test script (KILL_LAST). `whole`: the command takes only a second or two, so
#   queue_kills also runs it without a kill
#   pattern: the beginning of a line that the command must print
#   command: the part's own script, with a few of its jobs
kills() {
    sed ':more; /\\$/ { N; s/\\\n *//; b more }' <<'TEXT'
harness|timeout 1 tool last|FAIL  a run that is right: |tests/harness/run.sh --fake
lint|rill 1 tool last|FAIL  passes of docs/passes.md: |tests/lint.sh --quick passes
unit|timeout 2 tool - whole|FAIL  test_around: |tests/unit/run.sh test_base test_around test_deadlocks
sanitize|make 1 tool|FAIL  library: does not build|tests/unit/run.sh --sanitize test_base
clang|make 1 tool|FAIL  library: does not build|tests/unit/run.sh --clang test_base
readers|make 1 tool|FAIL  readers: the library does not build|tests/fuzz/readers/run.sh spec
dumps|rill 1 half last|FAIL  list of passes: |tests/pass/dumps.sh
passes|rill 4 tool last|FAIL  .*: exit status 137|tests/pass/run.sh
onnx|rill 2 tool last|FAIL  mlp: the values are numpy.s: |tests/onnx/run.sh mlp
legal|rill 1 tool last|FAIL  tests/e2e/cases/five/spec.yaml: |\
    tests/pass/legal.sh tests/e2e/cases/five/spec.yaml tests/e2e/cases/blocks/spec.yaml
platform|rill 1 tool last|FAIL  platforminfo, text: |tests/platform/run.sh
schema|rill 6 tool last|FAIL  explain |tests/schema/run.sh
emit|rill 1 job|FAIL  job .*status 137 after 0 of 16|tests/emit/run.sh configs/graph-linear.yaml
explore|rill 1 tool last|FAIL  limits are kept: |tests/explore/run.sh keys
report|rill 4 tool last|FAIL  page of odd-groups: |tests/report/run.sh
package|rill 1 tool last|FAIL  graph-linear: packaged: |tests/package/run.sh --no-sim configs/graph-linear.yaml
install|make 1 tool last|FAIL  make install: |tests/install/run.sh
templates|yosys 1 job - whole|FAIL  job .*status 137 after 0 of 1|\
    verif/modules/lint_templates.sh --quick --jobs 1 rill_fork rill_join
benches|vvp 1 job - whole|FAIL  job .*status 137 after 0 of|verif/modules/run.sh --quick --jobs 1 rill_fork rill_join
paths|yosys 2 tool|FAIL  rill_fork PORTS=2: no synthesis|verif/timing/run.sh -- rill_fork PORTS=2
netlists|yosys 2 tool|FAIL  a netlist that is not there|tests/timing/netlist.sh
clock|python3 2 tool last|FAIL  model: long_path: |tests/timing/run.sh
walks|python3 1 tool last|FAIL  what was never walked: |tests/timing/known.sh
formal|yosys 2 tool - whole|FAIL  rill_join 2 PORTS=2: |verif/formal/run.sh --quick rill_join
formal|yosys 5 tool|FAIL  rill_fork: no counterexample|verif/formal/run.sh --quick rill_fork
accuracy|rill 1 tool last|FAIL  accuracy int8: |tests/e2e/accuracy.sh
witness|rill 2 tool last|FAIL  attention: |tests/witness/run.sh
image|python3 1 tool last|FAIL  places of odd: |tests/e2e/memory_map.sh
matrix|python3 1 half|FAIL  design points: |tests/e2e/matrix.sh blocks
matrix|rill 1 job|FAIL  job .*status 137 after 0 of 4|tests/e2e/matrix.sh blocks
comparisons|rill 1 tool last|FAIL  a graph of rows: |tests/e2e/comparisons.sh --rows
host|python3 1 tool last|FAIL  package, image, binary of metadata: |tests/host/run.sh
serve|python3 1 tool last|FAIL  package, image, binary of metadata: |tests/serve/run.sh
clocks|python3 1 tool last|FAIL  package, image, binary of metadata: |tests/host/clocks.sh
slots|python3 1 tool last|FAIL  package, image, binary of metadata: |tests/host/slots.sh
pages|python3 1 tool last|FAIL  wrong cells of named specs and of a printed table are found: |tests/docs/run.sh
tutorials|rill 1 tool last|FAIL  tutorial, command 1: .*status 137|tests/e2e/docs.sh tutorial
board|rill 2 tool last|FAIL  a design: |tests/e2e/board.sh
attention|rill 2 job - whole|FAIL  job .*status 137 after 1 of 2|\
    tests/fuzz/attention.sh product-2x80-c6-t1-l8-spatial-200 input-1x64-c4-t2-l16-spatial-130
attention|python3 1 half|FAIL  attention: |tests/fuzz/attention.sh --every 5000
fuzz|rill 1 job|FAIL  job .*status 137 after 0 of 1|tests/fuzz/run.sh --quick --seeds 1-2 --together 1
pieces|rill 1 tool|FAIL  the design for the pieces: |tests/e2e/pieces.sh
verify|rill 1 tool last|FAIL  the design for verify: |tests/verify/run.sh
failures|rill 1 tool last|FAIL  wrong spec: unknown key: exit status 137|tests/e2e/failures.sh
control|rill 1 tool last|FAIL  the design for the ends of requests: |tests/e2e/control.sh
mutants|tar 1 job|FAIL  job .*status 137 after 0 of 1|tests/mutants/run.sh merge-rightmost
mutants|python3 1 half|FAIL  table: |tests/mutants/run.sh merge-rightmost layout-hash-offset
TEXT
}

# Copies the tree, so that killed scripts cannot damage its files and folders.
copy_tree() {
    local tool
    mkdir -p "$copy/build" "$work"/{tools,temporary} && tar -C "$root" --exclude=./build --exclude=./.git -cf - . |
        tar -C "$copy" -xf - || return
    cp -a "$root"/build/{obj,rill,librill.a} "$copy/build" && mv "$copy/build/rill" "$work/rill" || return
    for tool in $tools; do ln -s "$root/tests/harness/killer.sh" "$work/tools/$tool" || return; done
    cp "$root/tests/harness/killer.sh" "$copy/build/rill" # newer than its sources, so that make does not build it
}

# Runs a script of the copy with tools that are replaced by killer.sh.
with_kills() { # tool, call, who, 1 if the next call kills the script (KILL_LAST) or 0, command...
    rm -rf "$work/state" && mkdir -p "$work/state"
    (
        cd "$copy" && unset RILL_HOME || exit
        export KILL_TOOL=$1 KILL_CALL=$2 KILL_WHO=$3 KILL_LAST=$4 KILL_STATE=$work/state KILL_TOOLS=$work/tools \
            KILL_RILL=$work/rill
        # A killed script leaves files in TMPDIR. With `any`, tests/run.sh takes the place of this subshell and so is
        # KILL_ROOT: killer.sh kills the scripts of the parts and not the suite.
        export PATH=$work/tools:$PATH KILL_ROOT=$BASHPID TMPDIR=$work/temporary
        [ "$1" != any ] || exec "${@:5}"
        "${@:5}"
        exit
    ) >"$log" 2>&1 </dev/null
}

# Runs a command in which a worker is killed. It must fail and print a line like the pattern.
try_kill() { # part, tool, call, who, last, pattern, command...
    local status=0 label="$1: call $3 of $2: a $4 is killed"
    with_kills "$2" "$3" "$4" "$([ "$5" = last ] && echo 1 || echo 0)" "${@:7}" || status=$?
    if [ $status = 0 ]; then fail "$label" "ends with status 0: $(tail -n 1 "$log")"
    elif ! grep -Eq "^$6" "$log"; then
        fail "$label" "no line like '$6': $(grep -m 1 '^FAIL' "$log" || tail -n 1 "$log")"
    else ok "$label"
    fi
}

# Lists the checks of the rows. If a row says `whole`, its command must also pass if no process is killed.
queue_kills() { # rows on stdin
    local part how pattern command
    while IFS='|' read -r part how pattern command; do
        read -ra how <<<"$how - -"
        # shellcheck disable=SC2086 # words
        {
            queue try_kill "$part" "${how[@]:0:4}" "$pattern" $command
            [ "${how[4]}" != whole ] || queue check "$part: nothing is killed" with_kills none 0 none 0 $command
        }
    done
}

# Lists the checks of scripts. The script of each part is killed at its first call of a tool, all in one run of the
# suite.
queue_scripts() {
    local part
    prepare suite_of_killed
    for part in $known; do queue check_killed "$part"; done
}
suite_of_killed() {
    with_kills any any script 0 tests/run.sh && echo "error: the suite passes" && return 1
    cp "$log" "$work/scripts"
}
check_killed() { # part
    if grep -q "^FAIL  $1: ended with status 137" "$work/scripts"; then ok "$1: the script is killed"
    else fail "$1: the script is killed" \
        "the suite says: $(grep -m 1 "^FAIL  $1" "$work/scripts" || tail -n 1 "$work/scripts")"
    fi
}

# Checks that every part has a row, and that every row belongs to a part.
all_have_kills() { diff <(kills | cut -d'|' -f1 | sort -u) <(tr ' ' '\n' <<<"$known" | sort); }

kill_workers() { # part...: if there are any, kills only workers of these parts, and no scripts
    local rows
    . "$root/tests/parts.sh"
    rows=$(kills | grep -E "^($(tr ' ' '|' <<<"${*:-.*}"))\|")
    queue check "a copy of the tree" copy_tree
    queue check "every part has a worker that is killed" all_have_kills
    [ $# != 0 ] || queue_scripts
    queue_kills <<<"$rows"
    run_queue
}
