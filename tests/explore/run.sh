#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the search over the keys of a design, and advice on single changes. The usage must stay in line 6, from which it
# is printed. The checks are listed after it.
#
# usage: tests/explore/run.sh [--all] [fronts|estimate|shipped|keys|page|journal|refused|advice|simulate]...
#
# - The front of an exhaustive search is that of all points evaluated alone, and it is the same for every number of
#   jobs, with workers that a command starts, and in every order of the options.
# - A search by NSGA-II finds designs that are as good as those of the exhaustive search, and equal ones with an equal
#   seed.
# - Estimates of a design are near its forecast, also if its layers have attention windows of two lengths.
# - The search learns from designs that do not fit, although their estimates do, and evaluates the neighbours of its
#   front last.
# - Limits, fixed keys and formats by name are kept; specs that a search writes are the designs that it found, and no
#   line of the old section `design` is left over.
# - A search that is killed continues from its journal and ends with the same lines; two searches may share one; a torn
#   line is dropped; a full disk ends the search with a message.
# - Wrong keys, values, figures and requests are refused with a hint.
# - Designs that the search simulates have about the cycles of their forecasts, and a simulation that fails ends
#   the search.
# - `rill advise` and `rill check` name what helps a design beyond its limits, and --strict ends with 1.
# With --all, the search with a journal is killed 20 times instead of 4 times. `shipped` runs only if it is named: it
# searches 10,000 points of GPT-2 medium and of Llama-3.2-1B, which takes 10 to 15 minutes of processor time, and
# compares the two fronts with all shipped designs of the two models.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
kills=4 parts=""
for word in "$@"; do
    case $word in
        --all) kills=20 ;;
        fronts | estimate | shipped | keys | page | journal | refused | advice | simulate) parts+=" $word" ;;
        *) sed -n '6s/^# //p' "$0"; exit 2 ;;
    esac
done
wanted() { [ -z "$parts" ] || [[ "$parts " == *" $1 "* ]]; }
cd "$root" || exit 1
work=build/tests/explore log=build/tests/explore.log
rm -rf "$work" && mkdir -p "$work"

# A small model with safe depths, whose points take a tenth of a second.
spec=$work/small.yaml
cat >"$spec" <<'YAML'
# A comment that stays.
name: small
board: u55c
model: {family: gpt2, layers: 2, heads: 2, hidden: 128, ffn: 512, vocab: 256, context: 64}
design:
  channels: 2 # a comment that goes
  lanes: 4
  fifo: safe
YAML
space=(--vary channels=1,2 --vary lanes=2,4,8 --vary T=1,2 --vary A=1,2 --for tokens_s,ttft_ms,lut)
command=("$rill" explore "$spec" --request 16:16 --quiet)
explore() { "${command[@]}" "$@"; }
front() { python3 -c 'import json, sys; print(*sorted(p["point"] for p in json.load(sys.stdin)["front"]))'; }
lines() { grep -v '^$' "$1" | sort; }

# ---- fronts ----

# Evaluates all points with `rill check` and `rill forecast`, and prints their front.
by_hand() {
    local c l t a n=0
    for c in 1 2; do for l in 2 4 8; do for t in 1 2; do for a in 1 2; do
        [ $((t % a)) = 0 ] || continue
        n=$((n + 1))
        { printf 'name: p\nboard: u55c\n' && sed -n '/^model/p' "$spec" &&
            printf 'design: {channels: %d, lanes: %d, T: %d, A: %d, fifo: safe}\n' $c $l $t $a; } >"$work/p.yaml"
        "$rill" forecast "$work/p.yaml" 16:16 --json >"$work/f.json" &&
            "$rill" check "$work/p.yaml" --json >"$work/c.json" || return
        python3 - "$c $l $t $a" "$work/f.json" "$work/c.json" <<'PY'
import json, sys
f, c = json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
print(sys.argv[1], f["tokens_per_second"], f["ttft_ms"], c["resources"]["total"]["lut"])
PY
    done; done; done; done >"$work/hand.txt"
    [ $n = 18 ]
}
compare_by_hand() {
    by_hand && explore "${space[@]}" --json >"$work/front.json" && python3 - "$work" <<'PY'
import json, sys
work = sys.argv[1]
points = [line.split() for line in open(work + "/hand.txt")]
of = {tuple(p[:4]): (-float(p[4]), float(p[5]), float(p[6])) for p in points}
beats = lambda a, b: all(x <= y for x, y in zip(a, b)) and a != b
want = {k for k, v in of.items() if not any(beats(w, v) for w in of.values())}
found = json.load(open(work + "/front.json"))
have = {tuple(p["keys"][k] for k in ("channels", "lanes", "T", "A")) for p in found["front"]}
assert found["exact"] and found["method"] == "exhaustive", "not exact"
assert have == want, f"the front is {sorted(have)}, by hand {sorted(want)}"
for p in found["front"]:
    k = tuple(p["keys"][k] for k in ("channels", "lanes", "T", "A"))
    assert abs(p["value"]["tokens_s"] + of[k][0]) <= 1e-5 * -of[k][0], f"{k}: {p['value']['tokens_s']}, {-of[k][0]}"
    assert p["value"]["lut"] == of[k][2] and p["words"], k
print("ok", len(have), "points")
PY
}
exact_is_said() { explore "${space[@]}" | head -n 1 | grep -q '^exhaustive: all 24 points, the front is exact'; }
# Checks that the second line has the number of points that were left out by their bounds.
bounds_are_counted() {
    local n
    n=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["pruned"])' "$work/front.json")
    [ "$n" -gt 0 ] && explore "${space[@]}" | sed -n 2p | grep -q ", $n worse than the front by their bounds$"
}
same_for_jobs() {
    [ "$(explore "${space[@]}" --jobs 3 --json | front)" = "$(front <"$work/front.json")" ]
}
same_for_order() {
    [ "$(explore --for tokens_s,ttft_ms,lut --vary A=2,1 --vary lanes=8,4,2 --vary T=2,1 --vary channels=2,1 --json |
        front)" = "$(front <"$work/front.json")" ]
}
same_for_launch() {
    [ "$(explore "${space[@]}" --jobs 2 --launch "env LANG=C" --json | front)" = "$(front <"$work/front.json")" ]
}
# Checks that the front is the same although a worker is lost at its beginning. The worker is killed, or it ends with
# status 0, as when a node of Slurm fails.
same_for_lost() { # once or lost
    rm -rf "$work/lost"
    [ "$(explore "${space[@]}" --jobs 2 --launch "$root/tests/verify/launch.sh $1 $work/lost" --json | front)" = \
        "$(front <"$work/front.json")" ] && [ -e "$work/lost" ]
}
lost_workers() {
    check_refused "$1" 1 'a worker ended without an answer' "${command[@]}" "${space[@]}" --launch "false"
}
# Searches with fewer points than the space has, so the search is NSGA-II.
by_chance() { explore "${space[@]}" --points 20 --whole 20 --seed "$1" --json; }
genetic() {
    by_chance 1 >"$work/a.json" && by_chance 1 --jobs 3 >"$work/b.json" && cmp "$work/a.json" "$work/b.json" &&
        python3 - "$work" <<'PY'
import json, sys
found, exact = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("a", "front"))
goals = lambda p: (-p["value"]["tokens_s"], p["value"]["ttft_ms"], p["value"]["lut"])
assert found["method"] == "nsga2" and not found["exact"] and found["points"] <= 20, "not NSGA-II"
most = max(p["value"]["tokens_s"] for p in exact["front"])
assert max(p["value"]["tokens_s"] for p in found["front"]) >= 0.99 * most, "the fastest was not found"
assert len(found["front"]) >= len(exact["front"]) / 2, "half of the front was not found"
PY
}
# Searches a space in which the estimates of designs with four tokens per beat are too small for their dies. The search
# must find out which of them fit, instead of evaluating more and more designs that do not.
cat >"$work/wide.yaml" <<'YAML'
name: wide
board: u55c
model: {family: gpt2, layers: 2, heads: 16, hidden: 1024, ffn: 4096, vocab: 512, context: 128}
design: {channels: 16, lanes: 16, T: 8, A: 2, pump: 2, dies: 3, weights: int4, head: int4, fifo: safe, unroll: 240}
YAML
learns() {
    "$rill" explore "$work/wide.yaml" --request 32:32 --vary channels=16,18,20,22,24,26,28,30,32 --vary A=2,4 \
        --vary prefetch_beats=64,128,256,512 --vary outstanding=4,8,16,32 --vary query_heads=1,2,4,8 --points 160 \
        --whole 12 --quiet --json >"$work/wide.json" && python3 - "$work/wide.json" <<'PY'
import json, sys
front = [p["keys"] for p in json.load(open(sys.argv[1]))["front"]]
assert any(k["A"] == "4" and int(k["channels"]) >= 24 for k in front), f"no design with A: 4 in {front}"
assert any(k["A"] == "2" and k["channels"] == "32" for k in front), f"no design with 32 channels in {front}"
PY
}
# Checks that a design that does not fit is no lesson against a point that is much nearer to a design that fits. All
# results are made up, in a journal: with 64 beats of prefetch a design is the fastest by its estimate and does not fit.
# With 256 beats it is like that design, but it is nearer to the one with 128 beats, which fits and is the slowest.
nearest_lesson_counts() {
    local keys=(--vary channels=1,2 --vary prefetch_beats=64,128,256 --vary outstanding=4,8,16 --for tokens_s)
    rm -f "$work/real.jsonl"
    explore "${keys[@]}" --journal "$work/real.jsonl" --json >/dev/null && python3 - "$work" <<'PY' || return
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1] + "/real.jsonl")]
made = {"64": (2200, 100000), "128": (2150, 99000), "256": (2190, 99100)}  # tokens/s and LUTs with two channels
with open(sys.argv[1] + "/made.jsonl", "w") as out:
    for line in (l for l in lines if l["level"] == 2):
        two, beats = line["keys"]["channels"] == "2", line["keys"]["prefetch_beats"]
        speed, lut = made[beats] if two else (1000, 50000)
        line["value"].update(tokens_s=speed, ttft_ms=1, latency_ms=1, lut=lut, ff=lut, dsp=1000, bram36=100, uram=0)
        line["bound"].update(tokens_s=9999, lut=1)
        for level in 2, 3:
            large = level == 3 and two and beats == "64"
            print(json.dumps({**line, "level": level, "fits": not large, "beyond": 0.5 if large else 0}), file=out)
PY
    explore "${keys[@]}" --points 17 --whole 8 --journal "$work/made.jsonl" --json >"$work/made.json" &&
        python3 - "$work/made.json" <<'PY'
import json, sys
found = json.load(open(sys.argv[1]))
speeds = [p["value"]["tokens_s"] for p in found["front"]]
assert found["method"] == "nsga2" and speeds == [2190], f"{found['method']}: {speeds}"
PY
}
# Checks that the search ends with the neighbours of its front. With this seed, one of them is the fastest design.
polishes() {
    explore --vary channels --vary lanes=2,4,8,16 --vary T=1,2,4 --vary A=1,2,4 \
        --vary prefetch_beats=16,32,64,128,256,512 --vary outstanding=1,2,4,8,16 --points 150 --whole 6 --seed 4 \
        --json >"$work/polished.json" && python3 - "$work/polished.json" <<'PY'
import json, sys
most = max(p["value"]["tokens_s"] for p in json.load(open(sys.argv[1]))["front"])
assert most > 118000, f"{most} tokens/s"
PY
}
if wanted fronts; then
    queue check "the front of a small space is that of all points, evaluated alone" compare_by_hand
    queue check "the output says that the front is exact" exact_is_said
    queue check "the output counts the points that bounds leave out" bounds_are_counted
    queue check "the same front with three jobs" same_for_jobs
    queue check "the same front for another order of the options" same_for_order
    queue check "the same front with workers that a command starts" same_for_launch
    queue check "the same front although a worker is killed" same_for_lost once
    queue check "the same front although a worker ends with status 0" same_for_lost lost
    queue lost_workers "a worker that does not answer"
    queue check "NSGA-II: as good, and the same for every number of jobs" genetic
    queue check "NSGA-II: a design that does not fit is a lesson for those like it" learns
    queue check "NSGA-II: the nearest design counts as the lesson" nearest_lesson_counts
    queue check "NSGA-II: neighbours of the front are evaluated last" polishes
fi

# ---- estimates ----

# Compares the estimate of a spec with its forecast. Both must be within 3 %.
estimate_is_near() { # SPEC
    rm -f "$work/near.jsonl"
    "$rill" explore "$1" --points 1 --quiet --journal "$work/near.jsonl" >/dev/null &&
        python3 - "$work/near.jsonl" <<'PY'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1]) if line.strip()]
of = {line["level"]: line["value"] for line in lines}
assert set(of) == {2, 3}, f"levels {sorted(of)}"
for figure in ("tokens_s", "ttft_ms"):
    error = of[2][figure] / of[3][figure] - 1
    assert abs(error) <= 0.03, f"{figure}: {100 * error:+.1f} %"
PY
}
if wanted estimate; then
    queue check "an estimate is near the forecast" estimate_is_near configs/gpt2-medium-u55c.yaml
    queue check "an estimate is near the forecast: layers with windows" estimate_is_near \
        configs/gemma3-270m-u55c-27.yaml
fi

# ---- shipped designs ----

# Searches from a spec, and checks that for each given design that is within the limits of its board, a design of the
# front has at least its tokens/s and at most its TTFT.
as_good_as_shipped() { # SPEC DESIGN...
    local file front=$work/shipped.json
    "$rill" explore "$1" --jobs 2 --quiet --json >"$front" || return
    for file in "${@:2}"; do
        "$rill" check --strict "$file" >/dev/null 2>&1 || { echo "$file: exceeds the limits" && continue; }
        "$rill" forecast "$file" 256:256 --json >"$work/shipped.one.json" || return
        python3 - "$file" "$front" "$work/shipped.one.json" <<'PY' || return
import json, sys
front, one = json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
assert front["points"] >= 10000, f"{front['points']} points"
speed, first = one["tokens_per_second"], one["ttft_ms"]
good = [p for p in (p["value"] for p in front["front"])
        if p["tokens_s"] >= speed * (1 - 1e-5) and p["ttft_ms"] <= first * (1 + 1e-5)]
print(f"{sys.argv[1]}: {speed:.1f} tokens/s, {first:.2f} ms;", len(good), "designs of the front are as good")
assert good
PY
    done
}
# Lists the shipped specs of a model. Specs for several requests are left out, because a search compares one request.
shipped_of() { find configs bench/designs -name "$1-u55c*.yaml" ! -name '*-slots.yaml' | sort; }
if [[ "$parts " == *" shipped "* ]]; then
    # shellcheck disable=SC2046 # one word per file
    queue check "GPT-2 medium: the front is as good as every shipped design" as_good_as_shipped \
        configs/gpt2-medium-u55c.yaml $(shipped_of gpt2-medium)
    # The head of llama32-1b-u55c-32-head4 has another format than the spec from which the search starts.
    # shellcheck disable=SC2046
    queue check "Llama-3.2-1B: the front is as good as every shipped design" as_good_as_shipped \
        bench/designs/llama32-1b-u55c-32.yaml $(shipped_of llama32-1b | grep -v head4)
fi

# ---- limits and keys ----

limits_hold() {
    explore "${space[@]}" --limit dsp=8% --min tokens_s=30000 --max lut=110000 --json >"$work/limits.json" &&
        python3 - "$work/limits.json" <<'PY'
import json, sys
front = json.load(open(sys.argv[1]))["front"]
for v in (p["value"] for p in front):
    assert v["dsp"] <= 0.08 * 9024 and v["tokens_s"] >= 30000 and v["lut"] <= 110000, v
assert front
PY
}
fixed_holds() {
    explore "${space[@]:2}" --fix channels=3 --json >"$work/fix.json" &&
        python3 -c 'import json, sys; assert {p["keys"]["channels"] for p in json.load(sys.stdin)["front"]} == {"3"}' \
            <"$work/fix.json"
}
# Checks that `--fix T=4` gives the design of a spec with this line. The spec has no T.
fixed_reaches_the_design() {
    sed 's/^design:/&\n  T: 4/' "$spec" >"$work/with_t.yaml" &&
        "$rill" check "$work/with_t.yaml" --json >"$work/with_t.json" &&
        explore --fix T=4 --vary lanes=4 --json >"$work/fixed.json" && python3 - "$work" <<'PY'
import json, sys
read = lambda name: json.load(open(f"{sys.argv[1]}/{name}.json"))
found, want = read("fixed")["front"], read("with_t")["resources"]["total"]["lut"]
assert [p["value"]["lut"] for p in found] == [want], f"{[p['value']['lut'] for p in found]} LUTs, with the key {want}"
PY
}
specs_are_designs() { # a shell reads the command at the top of a spec as it was given, a single quote in it included
    local file specs="$work/the user's specs"
    explore --vary lanes=4,8 --vary 'weights.*.c_fc.*=int4,int8' --for tokens_s,lut --emit "$specs" \
        --json >"$work/emit.json" || return
    python3 - "$work/emit.json" <<'PY' >"$work/want.txt"
import json, sys
for p in json.load(open(sys.argv[1]))["front"]: print("%.6g" % p["value"]["tokens_s"])
PY
    for file in "$specs"/small-*.yaml; do
        head -n 1 "$file" | grep -q '^# Found by: rill explore ' && grep -q '^# A comment that stays' "$file" || return
        eval "set -- $(sed -n '1s/^# Found by: //p' "$file")" && [[ " $* " == *" $specs "* ]] || return
        "$rill" forecast "$file" 16:16 --json |
            python3 -c 'import json, sys; print("%.6g" % json.load(sys.stdin)["tokens_per_second"])'
    done >"$work/have.txt"
    grep -q "c_fc" "$specs"/small-01.yaml && diff "$work/want.txt" "$work/have.txt"
}
# Checks that a new spec has no line of the old section `design`, whose last value may end on a later line than its last
# item, and that it has all lines after the section.
section_ends() {
    local n=0 values
    sed -n '/^model/p' "$spec" >"$work/after.txt" && echo '# Another comment that stays.' >>"$work/after.txt" || return
    for values in $'\n  lanes: 4\n  weights: {default: int8,\n    "*.c_fc.*": int4\n  } # closes the list' \
        $' {\n  lanes: 4,\n  weights: {\n    default: int8, "*.c_fc.*": int4}\n}' \
        $'\n  lanes: 4\n  weights:\n    default: int8\n    "*.c_fc.*": "int4\\\n      "' \
        $'\n  lanes: 4\n  weights:\n    default: int8\n    "*.c_fc.*": >-\n      int4'; do
        n=$((n + 1))
        { printf 'name: ends\nboard: u55c\ndesign:%s\n' "$values" && cat "$work/after.txt"; } >"$work/ends$n.yaml"
        "$rill" explore "$work/ends$n.yaml" --request 16:16 --quiet --vary lanes=4 --for lut \
            --emit "$work/ends$n" >/dev/null || return
        { printf 'name: ends\nboard: u55c\ndesign:\n  lanes: 4\n  weights: {default: int8, "*.c_fc.*": int4}\n' &&
            cat "$work/after.txt"; } | diff - <(sed '1,/^# Forecast/d' "$work/ends$n/ends-01.yaml") || return
    done
}

# Checks that a spec that is a JSON file becomes a spec with the values of a point.
flow_spec() {
    local model='{"family": "gpt2", "layers": 1, "hidden": 32, "heads": 2, "ffn": 64, "vocab": 97, "bos": 0, "eot": 0'
    printf '# A comment.\n{"name": "flow", "board": "u55c", "design": {"channels": 4, "T": 4},\n "model": %s,\n%s' \
        "$model" ' "context": 32}}' >"$work/flow.yaml" || return
    "$rill" explore "$work/flow.yaml" --request 16:16 --quiet --fix context=64 --vary T=4 --for lut \
        --emit "$work/flow" >/dev/null || return
    printf '"name": "flow"\n"board": "u55c"\n"model": %s, "context": 64}\ndesign:\n  channels: 4\n  T: 4\n' \
        "$model" | diff - <(sed '1,/^# Forecast/d' "$work/flow/flow-01.yaml")
}
# The table has a column for each goal and each usual figure, and none twice.
goals_are_shown() {
    explore --vary lanes=4,8 --for ff,tokens_s,latency_ms >"$work/goals.txt" && python3 - "$work/goals.txt" <<'PY'
import sys
header = next(line for line in open(sys.argv[1]) if "tokens/s" in line)
titles = ["FF", "latency, ms", "tokens/s", "TTFT, ms", "tokens/J", "LUT", "DSP", "BRAM36", "URAM", "fill, %"]
found = [header.count(title) for title in titles]
assert found == [1] * len(titles), f"{dict(zip(titles, found))}"
assert header.index("FF") < header.index("latency, ms") < header.index("tokens/s"), header
PY
}
page_shows() {
    explore --vary lanes=4,8 --html "$work/page.html" >/dev/null && grep -q '</html>' "$work/page.html" &&
        ! grep -q 'http' "$work/page.html" || return
    command -v chromium >/dev/null || return 0
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --dump-dom \
        "file://$root/$work/page.html" 2>/dev/null >"$work/dom.html"
    [ "$(grep -o '<circle' "$work/dom.html" | wc -l)" -ge 1 ] && grep -q 'lanes=8' "$work/dom.html"
}
if wanted keys; then
    queue check "limits are kept" limits_hold
    queue check "the table has every goal and the usual figures" goals_are_shown
    queue check "a fixed key keeps its value" fixed_holds
    queue check "a fixed key that the spec does not have is in the design" fixed_reaches_the_design
    queue check "specs of the front are the designs that were found" specs_are_designs
    queue check "a new spec has nothing left of the old section, whatever form its last value has" section_ends
    queue check "a spec that is a JSON file can be changed, too" flow_spec
fi
if wanted page; then
    queue check "the page shows the points" page_shows
fi

# ---- the journal ----

journal_resumes() {
    local n pid
    rm -f "$work/whole.jsonl" "$work/killed.jsonl"
    explore "${space[@]}" --journal "$work/whole.jsonl" --json | front >"$work/whole.front" || return
    for ((n = 1; n <= kills; n++)); do
        explore "${space[@]}" --journal "$work/killed.jsonl" >/dev/null 2>&1 &
        pid=$!
        sleep "0.$((n * 37 % 100 / 10))$((n * 37 % 10))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
    done
    explore "${space[@]}" --journal "$work/killed.jsonl" --json | front >"$work/killed.front" || return
    cmp "$work/whole.front" "$work/killed.front" &&
        diff <(lines "$work/whole.jsonl") <(lines "$work/killed.jsonl" | uniq)
}
journal_is_used() { # a line of the journal is not evaluated again
    sed 's/"tokens_s": [0-9.e+]*/"tokens_s": 123456/' "$work/whole.jsonl" >"$work/other.jsonl" &&
        explore "${space[@]}" --journal "$work/other.jsonl" | grep -q 123456.0
}
torn_line() {
    head -c -40 "$work/whole.jsonl" >"$work/torn.jsonl" &&
        explore "${space[@]}" --journal "$work/torn.jsonl" --json | front | cmp - "$work/whole.front" &&
        diff <(lines "$work/whole.jsonl") <(lines "$work/torn.jsonl")
}
shared_journal() {
    rm -f "$work/shared.jsonl"
    explore "${space[@]}" --journal "$work/shared.jsonl" >/dev/null &
    explore "${space[@]}" --journal "$work/shared.jsonl" >/dev/null
    wait $! && diff <(lines "$work/whole.jsonl") <(lines "$work/shared.jsonl" | uniq)
}
if wanted journal; then
    queue check "a search that is killed $kills times ends with the same journal" journal_resumes
    queue check "points of the journal are not evaluated again" journal_is_used
    queue check "a torn last line is dropped" torn_line
    queue check "two searches share a journal" shared_journal
    queue check_refused "a full disk ends the search" 1 '/dev/full cannot be written: No space left' \
        "${command[@]}" "${space[@]}" --journal /dev/full
fi

# ---- what is refused ----

if wanted refused; then
    sed "s/channels: 2/channels: 99/" "$spec" >"$work/wrong.yaml"
    queue check_refused "an unknown key" 1 'no key `lane`: did you mean `lanes`' "${command[@]}" --vary lane=4
    queue check_refused "a value that no spec may have" 1 '`lanes` cannot be 5: .* ' \
        "${command[@]}" --vary lanes=4,5
    queue check_refused "more channels than the board has" 1 '`channels` cannot be 64' "${command[@]}" --fix channels=64
    queue check_refused "a key twice" 1 '`lanes` is named twice' "${command[@]}" --vary lanes --fix lanes=4
    queue check_refused "an unknown figure" 1 '`token_s` is not a figure of a design: did you mean `tokens_s`' \
        "${command[@]}" --for token_s
    queue check_refused "a limit in percent of no resource" 1 'only resources' "${command[@]}" --limit ttft_ms=40%
    queue check_refused "a request beyond the context" 1 'does not fit the context of 64' \
        "$rill" explore "$spec" --request 60:60
    queue check_refused "limits that no design meets" 1 \
        'none of the [0-9]* designs that were evaluated meets the limits' \
        "${command[@]}" --vary lanes=4,8 --min tokens_s=100000000
    queue check_refused "a spec that is wrong" 1 'wrong.yaml:6:13: error' \
        "$rill" explore "$work/wrong.yaml"
fi

# ---- advice and verdict ----

beyond=$work/beyond.yaml
sed 's/channels: 2.*/channels: 32/; s/lanes: 4/lanes: 32/; s/hidden: 128/hidden: 1024/; s/heads: 2/heads: 16/
    s/ffn: 512/ffn: 4096/
    s/fifo: safe/fifo: safe\n  dies: 3\n  weights: int4_asym\n  T: 8\n  A: 4/' "$spec" >"$beyond"
# A smaller design that is not spread over dies. It is within the limits of the whole board, but larger than one die.
unplaced=$work/unplaced.yaml
sed 's/dies: 3/dies: 1/; s/channels: 32/channels: 24/; s/A: 4/A: 1/; s/lanes: 32/lanes: 16/' "$beyond" >"$unplaced"
advice() {
    "$rill" advise "$spec" --whole 2 >"$work/advice.txt" && grep -q '^channels=3 ' "$work/advice.txt" &&
        grep -q 'another channel reads more weights' "$work/advice.txt"
}
# The changes are only estimated, so no note says that one fits.
causes() {
    "$rill" check "$beyond" >"$work/causes.txt" 2>&1 &&
        grep -q '^note: `[a-zA-Z_]*=.*` may help .*: ' "$work/causes.txt" &&
        ! grep -qE '^note: `.*` (fits|helps) ' "$work/causes.txt" && grep -q 'advise SPEC --whole' "$work/causes.txt" &&
        tail -n 1 "$work/causes.txt" | grep -q '^verdict: exceeds the limits of u55c; forecast [0-9.]* tokens/s, TTFT'
}
verdict_fits() {
    "$rill" check --strict "$spec" >"$work/fits.txt" &&
        tail -n 1 "$work/fits.txt" | grep -q '^verdict: fits u55c; forecast [0-9.]* tokens/s, TTFT .*bound by'
}
# Checks that a design beyond the limits has a forecast with --over, and not only its bounds.
over_has_forecast() {
    "$rill" explore "$beyond" --request 16:16 --quiet --over --vary lanes=32 --json >"$work/over.json" &&
        "$rill" forecast "$beyond" 16:16 --json >"$work/over.forecast.json" && python3 - "$work" <<'PY'
import json, sys
found, told = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("over", "over.forecast"))
for p in found["front"]:
    assert not p["fits"] and abs(p["value"]["ttft_ms"] / told["ttft_ms"] - 1) < 1e-5, p["value"]["ttft_ms"]
assert found["front"]
PY
}
if wanted advice; then
    queue check "a design beyond the limits has a forecast with --over" over_has_forecast
    queue check "advice lists single changes with reasons" advice
    queue check "rill check names what would help a design beyond its limits" causes
    queue check "rill check closes with a verdict" verdict_fits
    queue check_refused "rill check --strict ends with 1" 1 'verdict: exceeds the limits' \
        "$rill" check --strict "$beyond"
    queue check_refused "a design larger than one die without dies is not said to fit" 1 \
        'verdict: not known to fit u55c' "$rill" check --strict "$unplaced"
fi

# ---- simulations ----

# Checks that the RTL of two designs takes the cycles of the forecast, within 2 % plus 64 cycles.
simulated() {
    RILL_QUICK_BUILD=1 "$rill" explore configs/graph-linear.yaml --request 8:1 --quiet --vary lanes=4,8 \
        --for tokens_s,lut --emit "$work/rtl" --simulate 2 --json >"$work/rtl.json" && python3 - "$work/rtl" <<'PY'
import json, sys
runs = json.load(open(sys.argv[1] + ".json"))["simulated"]
assert len(runs) == 2, f"{len(runs)} designs"
for n, r in enumerate(runs):
    made, told = r["cycles_prefill"], r["forecast_prefill"]
    assert r["match"] and r["values_compared"] > 0 and abs(told - made) <= 0.02 * made + 64, r
    sim = json.load(open(f"{sys.argv[1]}/graph-linear-0{n + 1}.sim.json"))
    assert made == sim["cycles_prefill"], (made, sim["cycles_prefill"])
PY
}
if wanted simulate; then
    queue check "simulated designs have the cycles of their forecasts" simulated
    queue check_refused "a simulation that cannot be built" 1 \
        '`rill sim` of .*/graph-linear-01.yaml failed with status' \
        env PATH="$work" "$rill" explore configs/graph-linear.yaml --request 8:1 --quiet --vary lanes=4 \
        --emit "$work/broken" --simulate 1
    queue check_refused "a simulation without a folder" 2 'simulate.*emit' "${command[@]}" --simulate 1
fi

run_queue
verdict
