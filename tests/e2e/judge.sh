# SPDX-License-Identifier: Apache-2.0
# Functions for tests/e2e/matrix.sh, which sources this file. They check the results of a run, and compare them with
# those of other runs and models. tests/harness/run.sh tests these functions with wrong results.
# shellcheck shell=bash disable=SC2154 # variables of verdict.sh, design.sh and the script that sources this

. "$(dirname "${BASH_SOURCE[0]}")/design.sh"

# Simulates a request set, which set_requests has put into variables, and judges its results. Without jitter (seed 0) it
# also compares the cycles with the forecast. key: name of the golden ids and of the logits, which all designs of a case
# have in common.
check_run() { # name of the design, key, set, seed
    local label="$1 $3 seed $4" base=$work/$1.$3.$4 start=$SECONDS status=0 json why golden="" rows="" more=()
    json=$base.json log=$base.log
    [ ! -f "$work/golden/$2.$3" ] || golden=$work/golden/$2.$3
    [ "$3" != rows-file ] || rows=${requests[3]}
    rm -f "$json" "$base.logits"
    if [ "$(spec_value "$work/$1.yaml" slots 1)" = 1 ]; then more=(--logits "$base.logits"); fi
    [ "$(spec_value "$work/$1.yaml" prefix 0)" = 0 ] || more+=(--prefix most)
    timeout "$run_limit" "$rill" sim "$work/$1" ${more[@]+"${more[@]}"} "${requests[@]}" "${flags[@]}" \
        ${joins[@]+"${joins[@]}"} --seed "$4" --json "$json" --quiet \
        >"$log" 2>&1 </dev/null || status=$?
    if [ $status = 124 ]; then fail "$label" "still running after $run_limit s"
    elif [ $status != 0 ]; then fail "$label" "exit status $status: $(reason)"
    elif ! why=$(judge_run "$json" "$work/$1.yaml" "$work/$1" 0 "$golden" "$rows" ${rows:+"$expected"}); then
        fail "$label" "$why"
    elif [ "$3" = turns-joins ] && ! grep -q '"prefix": [1-9]' "$json"; then fail "$label" "no position was kept"
    else
        why="$(json_value "$json" values_compared) values on $(json_value "$json" streams_compared)"
        why+=" of $(json_value "$json" streams) streams"
        ok "$label: $((${#requests[@]} / arguments)) requests, $why match ($((SECONDS - start)) s)"
        [ -s "$base.logits" ] && mv "$base.logits" "$work/logits/$2.$3.$1.$4"
        [ "$4" != 0 ] || if [ "$3" = together ] || [ "$3" = apart ]; then
            check_load "$1 $3" "$work/$1/design.yaml" "$json" "${joins[@]}"
        elif [ "$3" = turns-together ]; then check_turns "$1 $3" "$work/$1/design.yaml" "$json"
        else check_forecast "$1 $3" "$work/$1/design.yaml" "$json"; fi
    fi
}

# Prints a line for each request of a run without jitter: the numbers of prompt and generated ids as IN:OUT (for rows
# ROWS:1), the start cycle, the number of cycles, the position at which the request began, and for a design with drafts
# how often they were right, as `rill forecast --drafts` takes it.
requests_of() { # json
    sed -n '/^  "requests"/,$p' "$1" | awk -F: '
        /"prompt_ids"/ { ids = gsub(/[0-9]+/, "&"); drafts = ""; prefix = 0 }
        /"prefix"/ { prefix = $2 + 0 }
        /"token_ids"/ { made = gsub(/[0-9]+/, "&") }
        /"rows"/ { rows = $2 + 0 }
        /"draft_steps"/ { drafts = $2; gsub(/[][ ]|,$/, "", drafts); if (drafts !~ /[1-9]/) drafts = "" }
        /"cycle_start"/ { start = $2 + 0 }
        /"cycles_prefill"/ { prefill = $2 + 0 }
        /"cycles_decode"/ { print (ids ? ids ":" made : rows ":1"), start, prefill + $2, prefix, drafts }'
}

# Compares the forecast of every request with its measured cycles. They must agree within 2 % plus 64 cycles per step.
check_forecast() { # name, the compiled design, json
    local request start cycles prefix drafts json kept="" worst=0 count=0 difference limit bound
    while read -r request start cycles prefix drafts; do
        [ "$prefix" = 0 ] || kept="--prefix $prefix"
        json=$("$rill" forecast "$2" "$request" --start "$start" $kept ${drafts:+--drafts "$drafts"} --json) ||
            { fail "$1 forecast" "no forecast of $request"; return; }
        read -r difference limit < <(awk -F'[:,]' -v c="$cycles" '
            /^  "cycles_prefill"/ { f = $2 }
            /^  "cycles_decode"/ { decode = $2 }
            /^  "with_drafts"/ { decode = $7 }
            /^  "steps"/ { s = $2 }
            END { f += decode; d = f > c ? f - c : c - f; printf "%.0f %.0f\n", d, c * 0.02 + 64 * s }' <<<"$json")
        if [ "$difference" -gt "$limit" ]; then
            fail "$1 forecast" "request $request: off by $difference of $cycles cycles, at most $limit"
            return
        fi
        # The bound of the decode steps holds for steps with one token, so it is not used with drafts.
        bound=$(awk -F'[:,]' -v drafts="$drafts" '/^  "cycles_prefill_bound"/ { b += $2 }
            /^  "cycles_decode_bound"/ && drafts == "" { b += $2 }
            END { print b + 0 }' <<<"$json")
        if [ "$bound" = 0 ] || [ "$bound" -gt "$cycles" ]; then
            fail "$1 forecast" "request $request: $cycles cycles, below the bound of $bound"
            return
        fi
        worst=$(awk -v d="$difference" -v c="$cycles" -v w="$worst" 'BEGIN { x = 100 * d / c; print (x > w ? x : w) }')
        count=$((count + 1)) kept=--kept # the first one has loaded the parameters
    done < <(requests_of "$3")
    if [ $count = 0 ]; then fail "$1 forecast" "no request in the results"
    else ok "$1 forecast: cycles of $count requests within $(printf %.2f "$worst") %"; fi
}

# Compares the forecast of requests that run at the same time with their measured cycles, in the order of the slots:
# from the start of the first one to the first and to the last id of each. They must agree within 2 %. With drafts, the
# forecast gets the sum of the lists of all requests. It mixes them evenly, so only the last id of all is compared, with
# a limit of 4 %.
check_load() { # name, the compiled design, json, options of `rill sim` for the times at which requests join
    local said
    said=$(python3 - "$rill" "${@:2}" <<'TEXT'
import json, subprocess, sys
rill, design, run, *options = sys.argv[1:]
requests = json.load(open(run))["requests"]
lengths = ",".join("%d:%d" % (len(r["prompt_ids"]), len(r["token_ids"])) for r in requests)
drafts = [str(sum(counts)) for counts in zip(*(r.get("draft_steps", []) for r in requests))]
options += ["--drafts", ",".join(drafts)] if drafts else []
load = json.loads(subprocess.check_output([rill, "forecast", design, lengths, "--slots", str(len(requests)),
                                           "--json"] + options))
begin, to_cycles = requests[0]["cycle_start"], load["clock_mhz"] * 1e3
worst, ends = 0, []
def compare(name, cycles, ms, limit):
    off = abs(ms * to_cycles / cycles - 1) * 100
    assert off <= limit, "the %s id after %d cycles, by forecast after %d" % (name, cycles, ms * to_cycles)
    return off
for r, came, first, last in zip(requests, load["came_ms"], load["ttft_ms"], load["latency_ms"]):
    measured = r["cycle_start"] - begin + r["cycles_prefill"]
    ends.append(measured + r["cycles_decode"])
    worst = max(worst, compare("first", measured, came + first, 2))
    if not drafts: worst = max(worst, compare("last", ends[-1], came + last, 2))
if drafts: worst = max(worst, compare("last", max(ends), load["cycles"] / to_cycles, 4))
print("cycles of %d requests at the same time within %.2f %%" % (len(requests), worst))
TEXT
    ) 2>"$log" || { fail "$1 forecast" "$(reason)"; return; }
    ok "$1 forecast: $said"
}

# Compares the forecast of the last two of four requests, which begin after kept positions of the first two, with the
# measured cycles from the moment at which each comes to its first and to its last id. They must agree within 2 %.
check_turns() { # name, the compiled design, json
    local said
    said=$(python3 - "$rill" "${@:2}" <<'TEXT'
import json, subprocess, sys
rill, design, run = sys.argv[1:]
turns = json.load(open(run))["requests"][2:]
begin, come = (r["cycle_start"] for r in turns)
numbers = lambda values: ",".join(map(str, values))
prefixes = [r["prefix"] for r in turns]
assert all(prefixes), "no position was kept"
lengths = numbers("%d:%d" % (len(r["prompt_ids"]), len(r["token_ids"])) for r in turns)
load = json.loads(subprocess.check_output([rill, "forecast", design, lengths, "--slots", "2", "--prefix",
    numbers(prefixes), "--start", str(begin), "--join", str(come - begin), "--json"]))
to_cycles, worst = load["clock_mhz"] * 1e3, 0
for i, r in enumerate(turns):
    for name, cycles, ms in (("first", r["cycles_prefill"], load["ttft_ms"][i]),
                             ("last", r["cycles_prefill"] + r["cycles_decode"], load["latency_ms"][i])):
        off = abs(ms * to_cycles / cycles - 1) * 100
        assert off <= 2, \
            "request %d: the %s id after %d cycles, by forecast after %d" % (i + 3, name, cycles, ms * to_cycles)
        worst = max(worst, off)
print("cycles of 2 requests after kept positions %s within %.2f %%" % (numbers(prefixes), worst))
TEXT
    ) 2>"$log" || { fail "$1 forecast" "$(reason)"; return; }
    ok "$1 forecast: $said"
}
