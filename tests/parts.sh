# SPDX-License-Identifier: Apache-2.0
# Sourced by tests/run.sh: lists the parts of the test suite in the order in which they run.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of run.sh

# The parts listed here keep one core busy. They run in the background, one after the other, beside the parts that run
# jobs of their own. Both groups run in the order of each_part, and all parts are reported in this order.
alone="lint host serve slots verify clocks passes legal onnx pages schema explore platform dumps report package install"
alone+=" accuracy witness pieces failures board netlists paths"

# The names of all parts: those that keep one core busy, those that run two jobs at the same time, and those of `alone`.
known="harness image comparisons tutorials control readers clock walks mutants"
known+=" unit sanitize clang emit templates benches formal matrix attention fuzz $alone"

# The parts of `make test` and of `make test-deep`. If both lists name a part, each set runs other checks of the part
# (choose_set in run.sh).
test_parts="harness image clock walks unit emit benches matrix attention fuzz passes onnx pages witness"
deep_parts="harness lint host serve slots verify clocks comparisons tutorials control board readers paths mutants unit"
deep_parts+=" sanitize clang emit templates benches formal matrix fuzz explore dumps package install legal pages schema"
deep_parts+=" report platform accuracy pieces netlists failures onnx"

# Calls a function for every part. run.sh sets the arrays, which are options that depend on the set or on --all.
each_part() { # function, which is given name, title, command and arguments of a part
    "$1" harness "the test harness itself" tests/harness/run.sh "${of_harness[@]}"
    "$1" lint "formats, warnings, tables from the sources" tests/lint.sh --quick
    "$1" image "memory map against the image" tests/e2e/memory_map.sh
    "$1" comparisons "comparisons that must fail" tests/e2e/comparisons.sh
    "$1" tutorials "commands of the tutorials" tests/e2e/docs.sh "${all[@]}"
    "$1" control "ends that the host asks for" tests/e2e/control.sh
    "$1" readers "readers under libFuzzer" tests/fuzz/readers/run.sh
    "$1" clock "the delay model on known paths" tests/timing/run.sh
    "$1" walks "walks whose results are kept" tests/timing/known.sh
    "$1" mutants "planted faults" tests/mutants/run.sh --quick
    "$1" unit "C unit tests" tests/unit/run.sh --jobs "$jobs" "${half[@]}"
    "$1" sanitize "C unit tests under sanitizers" tests/unit/run.sh --sanitize --jobs "$jobs"
    "$1" clang "C unit tests, compiled by clang" tests/unit/run.sh --clang --jobs "$jobs"
    "$1" emit "emitted files in three tools" tests/emit/run.sh "${all[@]}" "${half[@]}"
    "$1" templates "templates alone in three tools" verif/modules/lint_templates.sh "${quick[@]}"
    "$1" benches "module benches" verif/modules/run.sh "${quick[@]}" "${half[@]}"
    "$1" formal "proofs of stream modules" verif/formal/run.sh "${quick[@]}" --jobs "$jobs"
    "$1" matrix "spec to ids, design points" tests/e2e/matrix.sh "${all[@]}" "${half[@]}"
    "$1" attention "attention to the end of the context" tests/fuzz/attention.sh "${ends[@]}" --jobs "$jobs"
    "$1" fuzz "random graphs, spec to values" tests/fuzz/run.sh "${seeds[@]}" --jobs "$jobs" --no-shrink "${forms[@]}"
    "$1" host "requests on a simulated card" tests/host/run.sh
    "$1" serve "a server on a card that knows the answers" tests/serve/run.sh
    "$1" slots "requests at the same time on a simulated card" tests/host/slots.sh
    "$1" clocks "a simulated card whose clocks misbehave" tests/host/clocks.sh
    "$1" passes "refused specs and commands" tests/pass/run.sh
    "$1" legal "legal specs, without a word" tests/pass/legal.sh
    "$1" onnx "ONNX files, import to values" tests/onnx/run.sh "${half[@]}"
    "$1" pages "the pages of the docs" tests/docs/run.sh "${half[@]}"
    "$1" schema "the spec language for editors and people" tests/schema/run.sh
    "$1" explore "searches for designs" tests/explore/run.sh "${all[@]}"
    "$1" platform "boards and the vendor's tools" tests/platform/run.sh
    "$1" dumps "dumps of the passes" tests/pass/dumps.sh "${all[@]}"
    "$1" report "the report as a page" tests/report/run.sh
    "$1" package "packages for the vendor's flow" tests/package/run.sh
    "$1" install "make install, Debian package, completions" tests/install/run.sh
    "$1" accuracy "accuracy against the float model" tests/e2e/accuracy.sh
    "$1" witness "values from outside" tests/witness/run.sh
    "$1" pieces "runs in pieces" tests/e2e/pieces.sh --tune
    "$1" verify "requests from the middle and in shards" tests/verify/run.sh
    "$1" failures "what goes wrong, ends well" tests/e2e/failures.sh
    "$1" board "a board's memory, bounds" tests/e2e/board.sh
    "$1" netlists "netlists that are kept" tests/timing/netlist.sh
    "$1" paths "longest paths by a delay model" verif/timing/run.sh "${paths[@]}"
}
