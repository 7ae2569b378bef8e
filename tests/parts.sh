# SPDX-License-Identifier: Apache-2.0
# Sourced by tests/run.sh: the parts of the test suite, in this order.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of run.sh

known="harness unit sanitize readers passes schema emit report package install templates benches paths formal accuracy"
known+=" witness image matrix comparisons host pages docs board attention fuzz pieces failures control mutants"

# Parts that keep one core busy, one after the other beside those that stand first.
alone="passes pages schema report package install accuracy witness"

each_part() { # function that is given name, title, command and arguments
    "$1" harness "the test harness itself" tests/harness/run.sh
    "$1" unit "C unit tests" tests/unit/run.sh
    "$1" sanitize "C unit tests under sanitizers" tests/unit/run.sh --sanitize
    "$1" readers "readers under libFuzzer" tests/fuzz/readers/run.sh
    "$1" passes "refused specs, dumps of the passes" tests/pass/run.sh "${all[@]}"
    "$1" schema "the spec language for editors and people" tests/schema/run.sh
    "$1" emit "emitted files in three tools" tests/emit/run.sh "${all[@]}"
    "$1" report "the report as a page" tests/report/run.sh
    "$1" package "packages for the vendor's flow" tests/package/run.sh
    "$1" install "make install, Debian package, completions" tests/install/run.sh
    "$1" templates "templates alone in three tools" verif/unit/lint_templates.sh "${quick[@]}"
    "$1" benches "module benches" verif/unit/run.sh "${quick[@]}"
    "$1" paths "longest paths by a delay model" verif/timing/run.sh "${paths[@]}"
    "$1" formal "proofs of stream modules" verif/formal/run.sh "${quick[@]}"
    "$1" accuracy "accuracy against the float model" tests/e2e/accuracy.sh
    "$1" witness "values from outside" tests/witness/run.sh
    "$1" image "memory map against the image" tests/e2e/memory_map.sh
    "$1" matrix "spec to ids, design points" tests/e2e/matrix.sh "${all[@]}"
    "$1" comparisons "comparisons that must fail" tests/e2e/comparisons.sh
    "$1" host "requests on a simulated card" tests/host/run.sh
    "$1" pages "the pages of the docs" tests/docs/run.sh
    "$1" docs "commands of the tutorials" tests/e2e/docs.sh
    "$1" board "a board's memory, bounds" tests/e2e/board.sh
    "$1" attention "attention to the end of the context" tests/fuzz/attention.sh "${ends[@]}" --jobs 2
    "$1" fuzz "random graphs, spec to values" tests/fuzz/run.sh --set tests/fuzz/seeds found --jobs 2 --no-shrink "${forms[@]}"
    "$1" pieces "runs in pieces" tests/e2e/pieces.sh "${tune[@]}"
    "$1" failures "what goes wrong, ends well" tests/e2e/failures.sh
    "$1" control "ends that the host asks for" tests/e2e/control.sh
    "$1" mutants "planted faults" tests/mutants/run.sh --quick
}
