# SPDX-License-Identifier: Apache-2.0
# Functions for run.sh, which sources this file. They check that the sets `test` and `deep` together have every check,
# that cases.py rejects wrong cases, that tests/both.sh adds the results of both sets, and that a failed check can be
# run again.
# shellcheck shell=bash disable=SC2154 # variables of verdict.sh and run.sh

# ---- the sets of the tree ----

listed() { "$root/tests/run.sh" --list "$@"; }

# Checks the parts of both sets. The parts named below must be in both sets, because each set runs some of their checks;
# other functions of this file compare these checks. Every other part must be in exactly one set, with the same
# arguments as in the whole suite.
parts_in_sets() {
    local name both
    for name in $(listed | cut -d: -f1); do
        both=$({ listed --set test && listed --set deep; } | grep "^$name: ")
        case $name in
            harness | unit | emit | benches | matrix | fuzz | onnx | pages) [ "$(wc -l <<<"$both")" = 2 ] ;;
            *) [ "$both" = "$(listed | grep "^$name: ")" ] ;;
        esac || { echo "error: $name is not in the sets as it is in the whole" && return 1; }
    done
}

# Checks that both sets together run every unit test: each case in exactly one of them.
units_in_sets() {
    local unit=$root/tests/unit/run.sh
    { "$unit" --set test --list && "$unit" --set deep --list; } | sort | diff - <("$unit" --list | sort)
}

# Checks that both sets together check the same designs as the part `emit` as a whole.
designs_in_sets() {
    local emit=$root/tests/emit/run.sh
    { "$emit" --set test --list && "$emit" --set deep --list; } | sort | diff - <("$emit" --list | sort)
}

# Checks that both sets together run every quick set of every bench, and that the set `test` runs exactly one quick set
# for each bench.
benches_in_sets() {
    local benches=("$root/verif/modules/run.sh" --quick)
    { "${benches[@]}" --set test --list && "${benches[@]}" --set deep --list; } | sort |
        diff - <("${benches[@]}" --list | sort) &&
        "${benches[@]}" --set test --list | cut -d' ' -f1 | sort |
        diff - <(cd "$root/verif/modules" && printf '%s\n' *_tb.v | sed 's/_tb\.v$//' | sort)
}

# Checks that both sets together run every point of the matrix.
points_in_sets() {
    local matrix=$root/tests/e2e/matrix.sh
    { "$matrix" --set test --list && "$matrix" --set deep --list; } | sort | diff - <("$matrix" --list | sort)
}

# Runs cases.py on a case.yaml. It prints the design points of the set `all`, or an error. The output must equal the
# lines `# says: ` at the head of the case.yaml.
reads_case() { # file
    local folder
    folder=$work/cases/$(basename "$1" .yaml)
    mkdir -p "$folder/case" && cp "$1" "$folder/case/case.yaml" || return
    "$root/tests/e2e/cases.py" --cases "$folder" --set all >"$work/said" 2>&1
    diff <(sed -n 's/^# says: //p' "$1") <(sed \
        "s#${folder#"$root"/}/case/case.yaml#CASE#g; s#\t$root/#\t#g; s#\t# | #g" \
        "$work/said")
}

# Checks that one of the sets simulates each family, with one engine and with an engine for each product.
families_in_sets() {
    local file name points matrix=$root/tests/e2e/matrix.sh
    points=" $({ "$matrix" --set test --list && "$matrix" --set deep --list; } | tr '\n' ' ')"
    for file in "$root"/families/*.yaml; do
        name=$(basename "$file" .yaml)
        for name in "$name" "$name-spatial"; do
            [[ $points == *" $name "* ]] || { echo "error: no set has a design point $name" && return 1; }
        done
    done
}

# Checks that logits that are compared with one another are made in the same set.
kinds_in_sets() {
    local matrix=$root/tests/e2e/matrix.sh
    { "$matrix" --set test --kinds && "$matrix" --set deep --kinds; } | sort | diff - <("$matrix" --kinds | sort)
}

# Checks the arguments of the part `fuzz`: every word in a set is also in the whole suite. The set `test` has the file
# seeds.test, and the set `deep` has the file `seeds` and the folder of found seeds.
seeds_in_sets() {
    local whole
    whole=$(listed | sed -n 's/^fuzz: //p')
    for word in $({ listed --set test && listed --set deep; } | sed -n 's/^fuzz: //p'); do
        [[ " $whole " == *" $word "* ]] || { echo "error: $word" && return 1; }
    done
    [[ "$(listed --set test)" == *" tests/fuzz/seeds.test "* &&
        "$(listed --set deep)" == *" tests/fuzz/seeds found "* ]]
}

# ---- both sets with cheap jobs: a program replaces make ----

# Runs tests/both.sh with two sets that go wrong in the given ways: each is a HOW of part.sh, or a word of the stub
# below. The last line must be the expected one, and the exit status 1 if that line counts failures.
both() { # HOW of the first set, HOW of the second set, expected last line
    local status=0 target=test how
    rm -rf "$work/both" && mkdir -p "$work/both"
    for how in "$1" "$2"; do
        parts_of "$how" 0 >"$work/both/$target.parts"
        echo "$how" >"$work/both/$target.how"
        target=test-deep
    done
    # The stub replaces make. killed: it is killed in the middle of its verdict. silent: it prints no verdict and exits
    # with 0. pretends: it prints a good verdict and exits with 2. denies: it prints a failed check in its verdict
    # and exits with 0. Any other word runs a suite with part.sh, to which it gives the word as HOW.
    cat >"$work/both/make" <<STUB
#!/usr/bin/env bash
target=\${!#} && cd "$work/both" || exit
case \$(cat \$target.how) in
    killed) echo "5 passed, 0 failed" | head -c 9 && kill -9 \$\$ ;;
    silent) exit 0 ;;
    pretends) echo "5 passed, 0 failed" && exit 2 ;;
    denies) echo "4 passed, 1 failed" && exit 0 ;;
esac
RILL_TEST_PARTS=$work/both/\$target.parts RILL_TEST_OUT=$work/both/\$target exec "$root/tests/run.sh"
STUB
    chmod +x "$work/both/make"
    PATH=$work/both:$PATH RILL_TEST_OUT=$work/both timeout 60 "$root/tests/both.sh" >"$work/said" 2>&1 || status=$?
    [ "$(tail -n 1 "$work/said")" = "$3" ] || { echo "error: ends with: $(tail -n 1 "$work/said")" >>"$work/said" &&
        return 1; }
    [ $status = $(($(sed 's/.* passed, \([0-9]*\) failed/\1/' <<<"$3") != 0)) ] && return
    echo "error: status $status" >>"$work/said"
    return 1
}

sums() { # label, then the arguments of `both`
    if both "${@:2}"; then ok "$1"; else fail "$1" "$(tail -n 1 "$work/said")"; fi
}

# Checks the last lines of a failed suite, which must name the command that runs the failed check again.
says_again() { # this command, HOW of part.sh
    suite "$2" >"$work/said" 2>&1
    tail -n 4 "$work/said" | head -n 2 | diff - <(printf 'to run again what failed:\n    %s\n' "$1")
}

# Checks that tests/both.sh lists the commands for the failed checks of both sets: for a failed check of the first set
# its own command, and for the second one, in which a job ended with a wrong status, the command of the whole part.
says_both() {
    both job-child job-status "9 passed, 2 failed"
    tail -n 4 "$work/said" | head -n 3 | diff - <(printf "%s\n" "to run again what failed:" "    run job 4" \
        "    $root/tests/harness/part.sh job-status 0")
}

cases=("$root"/tests/harness/cases/*.yaml)
check_sets() {
    local file
    counted check "each part is in a set" parts_in_sets
    counted check "each design point is in one set" points_in_sets
    counted check "each case of a unit test is in one set" units_in_sets
    counted check "each design whose files are read is in one set" designs_in_sets
    for file in "${cases[@]}"; do counted check "case.yaml: $(basename "$file" .yaml)" reads_case "$file"; done
    counted check "each quick set of a bench is in one set" benches_in_sets
    counted check "each family is in a set, in both bindings" families_in_sets
    counted check "logits of a kind are in one set" kinds_in_sets
    counted check "the seeds of the sets are those of the whole" seeds_in_sets
    counted sums "both sets pass" nothing nothing "10 passed, 0 failed"
    counted sums "the first set fails, the second runs" job-status nothing "10 passed, 1 failed"
    counted sums "the second set fails" nothing job-status "10 passed, 1 failed"
    counted sums "the first set is killed" killed nothing "5 passed, 1 failed"
    counted sums "the second set is killed" nothing killed "5 passed, 1 failed"
    counted sums "a set says nothing" nothing silent "5 passed, 1 failed"
    counted sums "a set ends with a bad status after a good verdict" pretends nothing "10 passed, 1 failed"
    counted sums "a set that failed ends without a status" denies nothing "9 passed, 2 failed"
    counted check "a failing check says how it is run again" says_again "run job 4" job-child
    counted check "a job that is killed: how its part is run again" says_again \
        "$root/tests/harness/part.sh job-first 0" \
        job-first
    counted check "both sets: how what failed is run again" says_both
}
