#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs rill-host, its libraries and rill-serve on a simulated card whose design has slots (docs/batches.md).
# usage: tests/host/slots.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ $# = 0 ] || { sed -n '3,4s/^# //p' "$0"; exit 2; }
work=$root/build/tests/slots log=$root/build/tests/slots.log keys=()
features=(slots=4 sampling=8 drafts=1 draft_confidence=3 prefix=1 logprobs=5)
. "$(dirname "${BASH_SOURCE[0]}")/card.sh"
# Requests of many lengths. With four slots, the later ones wait for the end of earlier ones.
prompts=("Once upon a time" "Tom and his dog Max" "The sun" "One day" "Lily" "A big red ball was in the park near the")
tokens=6

build_all
make_golden() { # the oracle's answer to each prompt alone
    local one
    rm -f "$work/golden.jsonl"
    for one in "${prompts[@]}"; do
        golden --prompt "$one" --tokens $tokens | tr -d '\n' >>"$work/golden.jsonl" && echo >>"$work/golden.jsonl" ||
            return
    done
}
# Settings of sampling for the requests in drawn.jsonl: temperature, top_k, min_p, seed. No two requests with the same
# prompt have the same settings.
settings=("0 0 0 0" "1.5 0 0 7" "1.5 0 0 8" "0.7 0 0 7" "1.5 5 0 7" "1.5 8 0.3 7" "3 8 0.05 20000000000" "0 0 0 9")
# Writes one answer of the oracle for each of the settings. The settings 3, 5 and 7, counted from 0, each have another
# prompt. All other settings have the first prompt.
make_drawn() {
    local i=0 one
    rm -f "$work/drawn.jsonl"
    for one in "${settings[@]}"; do
        # shellcheck disable=SC2086 # four words
        set -- $one
        golden --prompt "${prompts[i % 2 * (i / 2)]}" --tokens $((tokens + i)) --temperature "$1" --top-k "$2" \
            --min-p "$3" --sampling-seed "$4" | python3 -c 'import json, sys
t, k, p, seed = (float(a) if "." in a else int(a) for a in sys.argv[1:])
a = json.load(sys.stdin)
a["settings"] = {"temperature": t, "top_k": k, "min_p": p, "seed": seed}
print(json.dumps(a))' "$@" >>"$work/drawn.jsonl" || return
        i=$((i + 1))
    done
}
# Writes the oracle's answers to three turns of two conversations. Each turn begins with the previous turn and its
# answer.
make_turns() {
    local text turn given
    rm -f "$work/turns.jsonl"
    for text in "${prompts[5]}" "${prompts[1]}"; do
        given=(--prompt "$text")
        for turn in 1 2 3; do
            golden "${given[@]}" --tokens $tokens | tr -d '\n' >"$work/turn.json" &&
                given=(--prompt-ids "$(python3 -c 'import json, sys
turn = json.load(open(sys.argv[1]))
print(*turn["prompt_ids"], *turn["token_ids"], int(sys.argv[2]), sep=",")' "$work/turn.json" "$turn")") || return
            cat "$work/turn.json" >>"$work/turns.jsonl"
            echo >>"$work/turns.jsonl"
        done
    done
}
counted check "answers of the oracle" make_golden
counted check "answers of the oracle to turns of two conversations" make_turns
counted check "answers of the oracle that are drawn at random" make_drawn
[ $bad = 0 ] || { verdict; exit; }

# ---- rill-host ----

all_prompts=()
for one in "${prompts[@]}"; do all_prompts+=(--prompt "$one"); done
together() { # options: every answer is the oracle's, in the order of the prompts
    "$on_card" "${all_prompts[@]}" --tokens $tokens --json "$@" >"$work/run.json" && python3 -c 'import json, sys
got = json.load(open(sys.argv[1]))["requests"]
want = [json.loads(line) for line in open(sys.argv[2])]
assert len(got) == len(want)
for g, w in zip(got, want):
    assert (g["token_ids"], g["logits_hash"]) == (w["token_ids"], w["logits_hash"]), (g, w)
    assert g["cycles"] > 0 and min(g["beats"]) > 0' "$work/run.json" "$work/golden.jsonl"
}
counted check "six prompts at the same time: ids and hashes of the oracle" with_card -- together
counted check "... again on the same card" together
counted check "... with a memory that answers in another order" with_card --seed 3 --shuffle -- together
texts() {
    local one
    "$on_card" "${all_prompts[@]}" --tokens $tokens >"$work/texts" &&
        for one in "${prompts[@]}"; do
            "$rill" golden "$spec" --weights "$model" --prompt "$one" --tokens $tokens
        done | diff "$work/texts" -
}
counted check "the texts, in the order of the prompts" texts
logprobs_together() { # the log probabilities of each request are those of the oracle's logits
    local i options=(--tokens $tokens --temperature 1.5 --sampling-seed 3)
    "$on_card" "${all_prompts[@]}" "${options[@]}" --logprobs --json >"$work/run.json" &&
        for i in "${!prompts[@]}"; do
            right_logprobs "$work/run.json" "$i" 5 --prompt "${prompts[i]}" "${options[@]}" || return
        done
}
counted check "log probabilities of six prompts" logprobs_together
drawn_together() { # all prompts with one seed
    local one
    local options=(--tokens $tokens --temperature 1.5 --top-k 6 --sampling-seed 3)
    for one in "${prompts[@]}"; do golden --prompt "$one" "${options[@]}" | golden_ids; done >"$work/want"
    "$on_card" "${all_prompts[@]}" "${options[@]}" --json >"$work/run.json" && ids "$work/run.json" |
        diff "$work/want" -
}
counted check "six prompts that are drawn at random" drawn_together
# Each prompt has its own number of tokens and its own settings, in the same commands for rill-host and for the oracle.
# The first temperature is also that of the last prompt.
own_settings() {
    local options=(--prompt "The sun" --temperature 0.7 --sampling-seed 7 --tokens 5 --prompt "Once upon a time"
        --temperature 0 --tokens 9 --prompt "The sun" --temperature 1.5 --top-k 5 --sampling-seed 9 --prompt Lily)
    "$on_card" "${options[@]}" --json >"$work/run.json" && {
        golden --prompt "The sun" --temperature 0.7 --sampling-seed 7 --top-k 5 --tokens 5 | golden_ids
        golden --prompt "Once upon a time" --tokens 9 | golden_ids
        golden --prompt "The sun" --temperature 1.5 --top-k 5 --sampling-seed 9 --tokens 5 | golden_ids
        golden --prompt Lily --temperature 0.7 --sampling-seed 7 --top-k 5 --tokens 5 | golden_ids
    } | diff - <(ids "$work/run.json")
}
counted check "each prompt has its own settings and number of tokens" own_settings
counted check "one prompt: the oracle's ids" same_ids "${request[@]}"
# A text with one right draft and one wrong one runs together with a text without drafts, which ends first. Each has the
# counters of its own request.
drafted() {
    local text="a cake. a cake. a cake. a" other="The sun" options=(--tokens 8 --ignore-eot)
    "$on_card" --prompt "$other" --prompt "$text" --prompt "$other" --tokens 8 --ignore-eot --json >"$work/run.json" &&
        for one in "$other" "$text" "$other"; do golden --prompt "$one" "${options[@]}" | golden_ids; done |
        diff - <(ids "$work/run.json") && python3 -c 'import json, sys
got = json.load(open(sys.argv[1]))["requests"]
for r in got:
    assert r["drafts_accepted"] <= r["drafts"] <= 7, r
assert got[0]["drafts"] == got[2]["drafts"] == 0, got' "$work/run.json" &&
        "$on_card" --prompt "$text" "${options[@]}" --json >"$work/run.json" &&
        grep -q '"drafts": 2, "drafts_accepted": 1,' "$work/run.json"
}
counted check "drafts: the oracle's ids, and the counters of each request" drafted
counted refused "an error of the memory ends all requests" 1 'fault 6: the memory answered an error on channel 1' \
    --bad-beat 1:20000 -- "${all_prompts[@]}" --tokens $tokens
counted check "... and the next requests are right" together

# ---- the library ----

in_python() { # program
    LD_LIBRARY_PATH=$work/standin RILL_HOST_LIBRARY=$work/moved/build/host/librill_host.so \
        PYTHONPATH=$work/moved/host/boards/host timeout 300 \
        python3 -c "import json, sys, rill_host
from rill_host import HostError
golden, drawn, turns = ([json.loads(line) for line in open(name)] for name in sys.argv[2:])
host = rill_host.Host(sys.argv[1], timeout=100)
host.upload()
def right(answer, want):
    assert (answer.ids, answer.logits_hash) == (want['token_ids'], int(want['logits_hash'], 16)), (answer.ids, want)
def take():
    while True:
        number, answer = host.wait(0.5)
        if number is not None:
            return number, answer
$1
host.close()" "$package" "$work/golden.jsonl" "$work/drawn.jsonl" "$work/turns.jsonl"
}
# Checks that requests join while others run, and that a number is free again when its result was taken.
joining() {
    in_python '
assert host.slots == 4
sent = {host.submit(golden[i]["prompt_ids"], tokens=6): i for i in range(4)}
assert sorted(sent) == [0, 1, 2, 3]
try:
    host.submit([1], tokens=1)
    sys.exit("a fifth request was taken")
except HostError as error:
    assert error.status == "input" and "4 slots" in str(error), error
try:
    host.run([1], tokens=1)
    sys.exit("a request was run beside others")
except HostError as error:
    assert error.status == "input"
left, cycles, bytes_ = [4, 5, 0, 1], 0, 0
while sent:
    number, answer = take()
    right(answer, golden[sent.pop(number)])
    assert answer.cycles >= answer.new_cycles > 0
    cycles += answer.new_cycles
    bytes_ += answer.new_bytes
    if left:
        i = left.pop(0)
        sent[host.submit(golden[i]["prompt_ids"], tokens=6)] = i
assert host.wait(0) == (None, None)
# No cycle and no byte of the run was counted twice.
assert cycles == host.register("cycles"), (cycles, host.register("cycles"))
assert bytes_ == 32 * sum(host.register("beats_%02d" % c) for c in (0, 1))'
}
counted check "requests join while others run" with_card -- joining
# Checks that each request keeps its own settings while requests with others are submitted and run in other slots.
each_its_own() {
    in_python '
waits, sent = list(range(len(drawn))) * 2, {}
while waits or sent:
    while waits and len(sent) < 4:
        i = waits.pop(0)
        sent[host.submit(drawn[i]["prompt_ids"], tokens=6 + i, **drawn[i]["settings"])] = i
    number, answer = take()
    right(answer, drawn[sent.pop(number)])'
}
counted check "requests with settings of their own, greedy ones among them" each_its_own
# Checks a request that comes while the run of the previous request drains, or after its end.
one_after_another() {
    in_python '
for want in golden * 2:
    came = []
    host.submit(want["prompt_ids"], tokens=6, token=lambda one, _: came.append(one))
    while len(came) < 6:
        number, answer = host.wait(0)
        if number is not None:
            break
    other = host.submit(golden[0]["prompt_ids"], tokens=2) if number is None else None
    if number is None:
        results = dict([take(), take()])
        right(results.pop(0 if other else 1), want)
        assert list(results.values())[0].ids == golden[0]["token_ids"][:2]
    else:
        right(answer, want)'
}
counted check "a request that comes when the last one ends" one_after_another
# Checks that each turn of two conversations begins after the turn before it, while another request runs, and that a
# request that only begins like a conversation does not take its slot.
conversing() {
    in_python '
other = host.submit([1, 2, 3], tokens=200, ignore_eot=True)
held = {}
for turn in range(3):
    sent = {host.submit(turns[i + turn]["prompt_ids"], tokens=6): i for i in (0, 3)}
    while sent:
        number, answer = take()
        i = sent.pop(number)
        right(answer, turns[i + turn])
        assert answer.prefix == held.get(i, 0), (turn, i, answer.prefix, held)
        held[i] = len(answer.ids) + len(turns[i + turn]["prompt_ids"]) - 1
    if turn == 1:
        number = host.submit(turns[0]["prompt_ids"][:3], tokens=1)
        ended, answer = take()
        assert ended == number and answer.prefix == 0, (ended, answer.prefix)
host.stop_request(other)
try:
    take()
    sys.exit("the long request was not stopped")
except HostError as error:
    assert error.status == "stopped" and error.number == other
whole = host.submit(turns[2]["prompt_ids"], tokens=6, whole=True)
number, answer = take()
right(answer, turns[2])
assert answer.prefix == 0'
}
counted check "turns of two conversations begin after kept positions while another request runs" conversing
stopping() {
    in_python '
long = host.submit([1, 2, 3], tokens=200, ignore_eot=True, token=lambda one, _: seen.append(one))
seen = []
other = host.submit(golden[0]["prompt_ids"], tokens=6)
while len(seen) < 3:
    number, answer = host.wait(0)
    if number is not None:
        assert number == other
        right(answer, golden[0])
host.stop_request(long)
third = host.submit(golden[1]["prompt_ids"], tokens=6)
ended = {}
while third not in ended:
    try:
        number, answer = take()
    except HostError as error:
        assert (error.status, error.number) == ("stopped", long), error
        number, answer = error.number, error.answer
        assert 3 <= len(answer.ids) < 200 and answer.ending == 4
    ended[number] = answer
right(ended[third], golden[1])
assert long in ended'
}
counted check "one request is stopped, and the others go on" stopping
all_stopped() {
    in_python '
numbers = [host.submit([1, 2, 3 + i], tokens=200, ignore_eot=True) for i in range(3)]
host.wait(0)
host.stop()
for _ in numbers:
    try:
        take()
        sys.exit("a request was not stopped")
    except HostError as error:
        assert error.status == "stopped"
host.submit(golden[2]["prompt_ids"], tokens=6)
right(take()[1], golden[2])'
}
counted check "all requests are stopped, and the next one is right" all_stopped
# Checks that a memory error ends every request that runs, each with the fault, and that the next request begins a new
# run.
all_faulty() {
    in_python '
for want in golden[:3]:
    host.submit(want["prompt_ids"], tokens=6)
for _ in range(3):
    try:
        take()
        sys.exit("no fault")
    except HostError as error:
        assert error.status == "fault" and "fault 6" in str(error) and error.answer.fault == 6, error
host.submit(golden[2]["prompt_ids"], tokens=6)
right(take()[1], golden[2])'
}
counted check "a fault of the run ends all requests" with_card --bad-beat 1:20000 -- all_faulty

# ---- the server ----

stop_server() {
    [ -z "$server" ] || { kill -9 "$server" && wait "$server"; } 2>/dev/null
    server=""
}
server=""
trap 'stop_server; stop_card' EXIT
# Serves eight clients at once over four slots, and then one that goes away, whose slot the others take.
served() {
    local port="" status=0
    python3 -c 'import json, sys
print(json.dumps([{"request": dict({"prompt": a["prompt_ids"], "max_tokens": len(a["token_ids"])},
                                   **a.get("settings", {})), "text": a["text"], "ids": a["prompt_ids"],
                   "count": len(a["token_ids"])} for name in sys.argv[1:] for a in map(json.loads, open(name))]))' \
        "$work/golden.jsonl" "$work/drawn.jsonl" >"$work/answers.json" &&
        make -s -C "$work/moved" serve WERROR=-Werror >"$work/serve.out" 2>&1 && start_card --unwritten || return
    LD_LIBRARY_PATH=$work/standin timeout 600 "$work/moved/build/host/rill-serve" "$package" --port 0 --timeout 60 \
        >"$work/serve.out" 2>&1 &
    server=$!
    for ((i = 0; i < 1200; i++)); do
        port=$(sed -n 's/^rill-serve: http:..127.0.0.1:\([0-9]*\) serves .*/\1/p' "$work/serve.out")
        [ -z "$port" ] && kill -0 $server 2>/dev/null || break
        sleep 0.1
    done
    for one in "many 8 2" slots_leaves "many 5 1"; do
        # shellcheck disable=SC2086 # the case and its arguments
        set -- $one
        RILL_CLIENT_SECONDS=280 timeout 300 python3 "$root/tests/serve/client.py" "$1" "$port" "$work/answers.json" \
            "${@:2}" || return
    done
    kill -TERM $server && wait $server || status=1
    server=""
    cat "$work/serve.out"
    return $status
}
counted check "over HTTP: eight clients over four slots, and one that goes away" served
verdict
