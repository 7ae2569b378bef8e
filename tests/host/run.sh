#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs rill-host, the same binary that runs on a card, on a simulated card (verif/card): the packaged kernel, the memory
# model and a substitute for XRT's library. Cases: stories, errors, wrong files, programs that die.
# usage: tests/host/run.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ $# = 0 ] || { sed -n '3,5s/^# //p' "$0"; exit 2; }
work=$root/build/tests/host log=$root/build/tests/host.log keys=()
features=(sampling=8 drafts=1 draft_confidence=3 prefix=1 logprobs=4)
. "$(dirname "${BASH_SOURCE[0]}")/card.sh"

build_all

# ---- stories ----

story() {
    "$on_card" "${request[@]}" --verify >"$work/story.txt" && [ "$(cat "$work/story.txt")" = "$(
        "$rill" golden "$spec" --weights "$model" "${request[@]}")" ]
}
counted check "a story: the oracle's text" with_card -- story
counted check "a story: the oracle's ids, again on the same card" same_ids "${request[@]}"
two() {
    same_ids "${request[@]}" --prompt "Tom and his dog Max" && [ "$(ids "$work/run.json" | wc -l)" = 2 ] &&
        [ "$(ids "$work/run.json" | tail -n 1)" = "$(golden --prompt "Tom and his dog Max" --tokens 3 | golden_ids)" ]
}
counted check "two requests in a row" two
drawn() { # options of sampling: the oracle's ids, which are not the most likely ones
    "$on_card" --prompt-ids 1,2,3 --tokens 2 --ids "$@" >"$work/ids.txt" &&
        [ "$(cat "$work/ids.txt")" = "$(golden --prompt-ids 1,2,3 --tokens 2 "$@" | golden_ids)" ] &&
        [ "$(cat "$work/ids.txt")" != "$(golden --prompt-ids 1,2,3 --tokens 2 | golden_ids)" ]
}
counted check "ids drawn from all: the oracle's" drawn --temperature 5 --sampling-seed 20000000000
counted check "ids drawn from a list" drawn --temperature 20 --top-k 8 --min-p 0.01 --sampling-seed 3
no_text() { "$on_card" --prompt-ids 1,2,3 --tokens 2 --ids >"$work/ids.txt" && [ "$(cat "$work/ids.txt")" = "$(
    golden --prompt-ids 1,2,3 --tokens 2 | golden_ids)" ]; }
counted check "ids in, ids out" no_text
counters() { python3 -c 'import json, sys
top = json.load(open(sys.argv[1])); r = top["requests"][0]; f = top["found"]
assert r["cycles"] > 100000 and len(r["beats"]) == 2 and min(r["beats"]) > 50000 and min(r["stalls"]) > 0
assert len(r["seconds"]) == 3 and sorted(r["seconds"]) == r["seconds"] and r["watts"] == 31.5 and r["fault"] == 0
assert f["bdf"] and [b["bank"] for b in f["banks"]] == ["HBM[0]", "HBM[1]"] and r["text"]' "$work/run.json"; }
counted check "JSON: counters, times, power, what was found" counters
drafted() { # a text with one right draft and one wrong one
    local text=(--prompt "a cake. a cake. a cake. a" --tokens 8 --ignore-eot)
    "$on_card" "${text[@]}" --json >"$work/run.json" &&
        [ "$(ids "$work/run.json")" = "$(golden "${text[@]}" | golden_ids)" ] &&
        grep -q '"drafts": 2, "drafts_accepted": 1,' "$work/run.json"
}
counted check "drafts: the oracle's ids, and what the design counted" drafted
# A text with a right draft, so that a step makes two ids, and ids drawn at random.
logprobs() {
    local text=(--prompt "a cake. a cake. a cake. a" --tokens 8 --ignore-eot)
    local drawn=(--prompt-ids 1,2,3 --tokens 3 --temperature 5 --sampling-seed 20000000000)
    "$on_card" "${text[@]}" --logprobs --json >"$work/run.json" && right_logprobs "$work/run.json" 0 4 "${text[@]}" &&
        "$on_card" "${drawn[@]}" --logprobs --json >"$work/run.json" &&
        right_logprobs "$work/run.json" 0 4 "${drawn[@]}" &&
        "$on_card" "${drawn[@]}" --logprobs --ids 2>"$work/logprobs.txt" >/dev/null &&
        [ "$(grep -Ec '^rill-host: +-[0-9.]+ "[0-9]+"; most likely: "[0-9]+" -' "$work/logprobs.txt")" = 3 ]
}
counted check "log probabilities: those of the oracle's logits" logprobs
timeline() { "$on_card" "${request[@]}" --timeline "$work/timeline.csv" && [ "$(wc -l <"$work/timeline.csv")" = 4 ] &&
    grep -Eq '^0,2,[0-9]+,[0-9.]+$' "$work/timeline.csv"; }
counted check "timeline" timeline
probe() { "$on_card" --probe 2>"$work/probe" && grep -q '"bdf": "0000:00:00.1"' "$work/probe"; }
counted check "probe: what was found" probe
selftest() {
    "$on_card" --selftest "$work/golden.json" --json >"$work/run.json" && python3 -c 'import json, sys
want = json.load(open(sys.argv[2]))["logits_hash"]
assert [r["logits_hash"] for r in json.load(open(sys.argv[1]))["requests"]] == [want] != ["0" * 16]' \
        "$work/run.json" "$work/golden.json"
}
counted check "selftest: ids and logits" selftest
sed 's/"token_ids": \[\([0-9]*\), [0-9]*/"token_ids": [\1, 1/' "$work/golden.json" >"$work/other.json"
counted check_refused "selftest: another id" 1 'selftest: id 1 is [0-9]+, golden: 1$' "$on_card" \
    --selftest "$work/other.json"
sed 's/\("logits_hash": "[0-9a-f]*\)[0-7]"/\18"/; t; s/\("logits_hash": "[0-9a-f]*\)[89a-f]"/\10"/' \
    "$work/golden.json" >"$work/other.json"
counted check_refused "selftest: other logits" 1 \
    'selftest: the ids are right, the logits are not: their hash is [0-9a-f]{16}, golden: [0-9a-f]{15}[08]$' \
    "$on_card" --selftest "$work/other.json"
counted check_refused "selftest: no answer" 1 'not an answer of' "$on_card" --selftest "$spec"
bench() { "$on_card" --bench 3:2,1:3 >"$work/bench" && [ "$(wc -l <"$work/bench")" = 3 ] &&
    grep -Eq '^ +3 +2 +[0-9.]+ +[0-9.]+ +[0-9]+ .* 31\.5 +[0-9.]+$' "$work/bench"; }
counted check "bench: a table" bench
# Checks that --check-weights reads the memory of the card, not the copy of the host. It must find a flipped bit, and
# name its place.
counted check "the weights on the card: those of the image, after a request" same_ids "${request[@]}" --check-weights
flipped_at=$(python3 -c 'import json, sys
part = [p for p in json.load(open(sys.argv[1]))["parts"] if p["channel"] == 1 and p["bytes"] > 5000][-1]
base = json.load(open(sys.argv[2]))["found"]["banks"][1]["address"] % 2**29
print(base + part["offset"] + part["bytes"] - 1)' "$package/image/manifest.json" "$work/run.json")
counted check "... and without uploading again" "$on_card" --check-weights
counted refused "a bit in the card's memory that turned over" 1 \
    'segment `[a-z_0-9]*` on channel 1 \(HBM\[1\]\): the card.s memory does not hold what the image has' \
    --flip "1:$flipped_at" -- --prompt-ids 1 --tokens 1 --check-weights
counted refused "memory without an image" 1 "the card's memory does not hold what the image has" -- --check-weights
start_card --unwritten
in_python() { # program
    LD_LIBRARY_PATH=$work/standin RILL_HOST_LIBRARY=$work/moved/build/host/librill_host.so \
        PYTHONPATH=$work/moved/host/boards/host timeout 300 \
        python3 -c "import sys, rill_host
$1" "$package" "$work/golden.json"
}
binding() {
    in_python 'import json
golden = json.load(open(sys.argv[2]))
seen = []
with rill_host.Host(sys.argv[1], timeout=100, progress=lambda *_: seen.append(0)) as host:
    host.upload(verify=True)
    came = []
    answer = host.run("Once upon a time", tokens=3, token=lambda one, _: came.append(one), logprobs=True)
    assert all(top[0][0] == one and top[0][1] == own and len(top) == 4
               for one, (own, top) in zip(answer.ids, answer.logprobs)), answer.logprobs
    assert answer.ids == came == golden["token_ids"] and answer.text == golden["text"] and seen, answer.ids
    assert host.register("fault") == 0 and host.register("nothing") is None and answer.cycles > 100000
    assert answer.logits_hash == host.register("logits_hash") == int(golden["logits_hash"], 16), answer.logits_hash
    assert host.run([1], tokens=1).logprobs is None
    try:
        host.run([])
        sys.exit("an empty prompt is taken")
    except rill_host.HostError as error:
        assert error.status == "input"'
}
counted check "from Python" binding
# Checks that the second turn of a conversation begins after the first one. It must give the same ids as the whole
# prompt, in less time.
turns() {
    in_python '
with rill_host.Host(sys.argv[1], timeout=100) as host:
    host.upload()
    start = host.encode("Once upon a time")
    first = host.run(start, tokens=4)
    prompt = start + first.ids + [17, 18, 19]
    turn, whole = host.run(prompt, tokens=3), host.run(prompt, tokens=3, whole=True)
    assert (first.prefix, turn.prefix, whole.prefix) == (0, len(start) + 3, 0), turn.prefix
    assert (turn.ids, turn.logits_hash) == (whole.ids, whole.logits_hash), (turn.ids, whole.ids)
    assert turn.cycles < 0.8 * whole.cycles, (turn.cycles, whole.cycles)
    host.upload()
    assert host.register("held") == 0 and host.run(prompt, tokens=3).prefix == 0
    print(*prompt, sep=",")
    print(*turn.ids)
    print("%016x" % turn.logits_hash)' >"$work/turns" &&
        golden --prompt-ids "$(sed -n 1p "$work/turns")" --tokens 3 >"$work/turns.json" &&
        [ "$(golden_ids <"$work/turns.json")" = "$(sed -n 2p "$work/turns")" ] &&
        grep -q "\"logits_hash\": \"$(sed -n 3p "$work/turns")\"" "$work/turns.json"
}
counted check "a second turn begins after the first one: the oracle's ids and logits, in less time" turns
# Compiles and runs the program of docs/card.md with this package and request.
in_c() {
    local kit=$work/moved
    sed -n '/^    #include <stdio.h>/,/^        return failed;/p' "$root/docs/card.md" | sed "s/^    //
        s#build/medium-kernel#$package#; s/Hello, my name is/Once upon a time/; s/max_new = 32/max_new = 3/" \
        >"$work/page.c" && echo "}" >>"$work/page.c" &&
        gcc -std=c11 -Wall -Wextra -Werror -I"$kit/host/boards/host" -o "$work/page" "$work/page.c" \
            "$kit/build/host/librill_host.so" -Wl,-rpath-link,"$work/standin" &&
        [ "$(LD_LIBRARY_PATH=$work/standin:$kit/build/host timeout 300 "$work/page")" = "$("$rill" golden \
            "$spec" --weights "$model" "${request[@]}")" ]
}
counted check "from C, as on the page" in_c

# Uses a chat template of the package, and one from a file.
in_a_template() {
    printf '%s\n' 'chat: tale' 'requires: <|endoftext|>' 'prefix: "Once upon a "' 'suffix: ", there"' \
        'stop: <|endoftext|>' >"$work/tale.yaml"
        [ "$(golden --chat "$work/tale.yaml" --prompt time --tokens 3)" = \
            "$(golden --prompt "Once upon a time, there" --tokens 3)" ] &&
        [ "$(ls "$package/host/families/chat")" = "$(ls "$root/families/chat")" ] && start_card --unwritten &&
        "$on_card" --chat "$work/tale.yaml" --prompt time --tokens 3 --json >"$work/run.json" &&
        [ "$(ids "$work/run.json")" = "$(golden --prompt "Once upon a time, there" --tokens 3 | golden_ids)" ]
}
counted check "a question in a chat template" in_a_template

# Tests the server on the simulated card. tests/serve/run.sh tests it on a faster card.
served() {
    golden --prompt-ids "$(python3 -c 'import json, sys
golden = json.load(open(sys.argv[1]))
print(*golden["prompt_ids"] + golden["token_ids"] + [17, 18], sep=",")' "$work/golden.json")" --tokens 3 \
        >"$work/second.json" && make -s -C "$work/moved" serve WERROR=-Werror >"$work/serve.out" 2>&1 &&
        start_card --unwritten ||
        return
    LD_LIBRARY_PATH=$work/standin timeout 300 "$work/moved/build/host/rill-serve" "$package" --port 0 --timeout 60 \
        >"$work/serve.out" 2>&1 &
    local server=$! status=0
    for ((i = 0; i < 1200; i++)); do
        ! grep -q ' serves ' "$work/serve.out" && kill -0 $server 2>/dev/null || break
        sleep 0.1
    done
    python3 -c 'import json, re, sys, urllib.request
url = re.search(r"http://\S+", open(sys.argv[1]).read())[0] + "/v1/completions"
golden = json.load(open(sys.argv[2]))
body = json.dumps({"prompt": "Once upon a time", "max_tokens": 3}).encode()
ask = urllib.request.Request(url, body, {"Content-Type": "application/json"})
answer = json.load(urllib.request.urlopen(ask, timeout=200))
turn = json.load(open(sys.argv[3]))
body = json.dumps({"prompt": turn["prompt_ids"], "max_tokens": 3}).encode()
ask = urllib.request.Request(url, body, {"Content-Type": "application/json"})
second = json.load(urllib.request.urlopen(ask, timeout=200))
assert second["choices"][0]["text"] == turn["text"], second
kept = second["usage"]["prompt_tokens_details"]["cached_tokens"]
assert kept == len(turn["prompt_ids"]) - 3, second
assert answer["choices"][0]["text"] == golden["text"], answer
assert answer["timings"]["memory_bytes"] > 0 and answer["timings"]["design_cycles"] > 100000, answer' \
        "$work/serve.out" "$work/golden.json" "$work/second.json" || status=1
    kill -TERM $server && wait $server && [ $status = 0 ]
}
counted check "over HTTP: the oracle's text, and that of a second turn" served

# A package that was copied away brings its own splittings and chat templates: the copy has no project above it. The
# program, the library in Python and the refusal of a template, which needs its file, all run there.
away=$(mktemp -d "${TMPDIR:-/tmp}/rill-host-XXXXXX")
trap 'stop_card; rm -rf "$away"' EXIT
in_a_copy=$work/in_a_copy
printf '#!/bin/sh\ncd %s && LD_LIBRARY_PATH=%s exec env -u RILL_HOME timeout 300 "$@"\n' "$away" "$work/standin" \
    >"$in_a_copy"
chmod +x "$in_a_copy"
copied() {
    cp -r "$package"/{package.json,memory_map.json,image,host,build} "$away" && cp -r "$work/moved/build/host" \
        "$away/build" && start_card --unwritten &&
        [ "$("$in_a_copy" build/host/rill-host . --timeout 60 --quiet "${request[@]}")" = "$("$rill" golden "$spec" \
            --weights "$model" "${request[@]}")" ]
}
counted check "a copy of the package, with no project above it" copied
copied_python() {
    cp "$work/golden.json" "$away" && start_card --unwritten && "$in_a_copy" env PYTHONPATH=host/boards/host \
        RILL_HOST_LIBRARY=build/host/librill_host.so python3 -c 'import json, rill_host
with rill_host.Host(".", timeout=100) as host:
    host.upload()
    assert host.run("Once upon a time", tokens=3).ids == json.load(open("golden.json"))["token_ids"]'
}
counted check "a copy of the package, from Python" copied_python
counted check_refused "a copy of the package has the chat templates" 1 'has no token `<|im_start|>`' "$in_a_copy" \
    build/host/rill-host . --prompt Hi --chat chatml

# ---- two compute units of one package, each with its own banks; a process of the card for each unit ----

# The kernel is the same, so the simulation of the other package is used. The banks of the units are 3 and 4, and 5 and
# 6, so neither unit begins at bank 0.
pair=$away/pair pair_card="" other_request=(--prompt "Tom and his dog" --tokens 3)
stop_pair() {
    stop_card
    [ -z "$pair_card" ] || { kill -9 "$pair_card" && wait "$pair_card"; } 2>/dev/null
    pair_card=""
}
trap 'stop_pair; rm -rf "$away"' EXIT
start_pair() {
    stop_pair
    (cd "$away" && exec env -u RILL_HOME "$package/sim/card/card" --unwritten --first-bank 5 pair second.socket) \
        >"$work/pair.out" 2>&1 &
    pair_card=$!
    start_card --unwritten --first-bank 3 || return
    for ((i = 0; i < 600; i++)); do [ -S "$away/second.socket" ] && return || sleep 0.05; done
    return 1
}
make_pair() {
    "$rill" package "$work/design" -o "$pair" --units 2 --first-bank 3 && cp -r "$package/image" "$pair" &&
        mkdir -p "$pair/build/hw" && python3 "$root/tests/package/xclbin.py" "$pair" "$pair/build/hw/rill_1.xclbin"
}
on_pair=$work/on_pair
printf '#!/bin/sh\nRILL_CARD=%s:second.socket exec %s build/host/rill-host pair --timeout 60 --quiet --ids "$@"\n' \
    "$socket" "$in_a_copy" >"$on_pair"
chmod +x "$on_pair"
golden "${other_request[@]}" >"$work/other.json"
# Both units run at the same time, one request by each of two programs, then the other request.
both_units() {
    local first status=0
    start_pair || return
    for turn in 1 2; do
        "$on_pair" --unit 1 "${request[@]}" --check-weights >"$work/unit1.ids" &
        first=$!
        "$on_pair" --unit 2 "${other_request[@]}" --check-weights >"$work/unit2.ids" || status=1
        wait $first && [ $status = 0 ] && [ "$(cat "$work/unit1.ids")" = "$(golden_ids <"$work/golden.json")" ] &&
            [ "$(cat "$work/unit2.ids")" = "$(golden_ids <"$work/other.json")" ] || return
    done
}
counted check "two units: the package, outside the project" make_pair
counted check "two units: each decodes, both at once" both_units
units_in_python() {
    RILL_CARD=$socket:second.socket "$in_a_copy" env PYTHONPATH=host/boards/host \
        RILL_HOST_LIBRARY=build/host/librill_host.so python3 -c 'import json, sys, rill_host
hosts = [rill_host.Host("pair", timeout=100, unit=unit) for unit in (1, 2)]
banks = [[b["bank"] for b in json.loads(host.about())["banks"]] for host in hosts]
assert banks == [["HBM[3]", "HBM[4]"], ["HBM[5]", "HBM[6]"]], banks
want = [json.load(open(path))["token_ids"] for path in sys.argv[1:]]
for host in hosts:
    host.upload()
assert [hosts[0].run("Once upon a time", tokens=3).ids, hosts[1].run("Tom and his dog", tokens=3).ids] == want' \
        "$work/golden.json" "$work/other.json"
}
counted check "two units: both from one program, in Python" units_in_python
counted check_refused "two units: a third" 1 'there is no compute unit 3: the package has 2' "$on_pair" --unit 3 \
    "${request[@]}"
crossed() { # a binary in which unit 2 has a bank of unit 1
    rm -rf "$work/crossed" && mkdir "$work/crossed" && cp "$pair"/{package.json,link.cfg,kernel.xml} "$work/crossed" &&
        sed -i 's/^sp=rill_2.m_axi_hbm_01:HBM.6.$/sp=rill_2.m_axi_hbm_01:HBM[4]/' "$work/crossed/link.cfg" &&
        python3 "$root/tests/package/xclbin.py" "$work/crossed" "$away/crossed.xclbin"
    check_refused "two units: a binary in which they share a bank" 1 \
        'argument .hbm_01. is on HBM\[4\], the package has it on HBM\[6\]' "$on_pair" --unit 2 --binary crossed.xclbin \
        "${request[@]}"
}
counted crossed
stop_pair
start_card --unwritten

# ---- what is refused before the card is asked ----

usage() { check_refused "usage: $1" 2 "$2" "$on_card" "${@:3}"; }
counted usage "nothing to do" 'nothing to do'
counted usage "no list of ids" 'is not a list of ids' --prompt-ids 1,,3
counted usage "no number" 'is no number' --prompt x --tokens 0
counted usage "no table" 'IN:OUT' --bench 3:
refuses() { check_refused "$1" 1 "$2" "$on_card" "${@:3}"; }
counted refuses "a list that the design does not keep" 'top_k is 9, the design keeps a list of 8' --prompt-ids 1 \
    --temperature 1 --top-k 9
counted refuses "a temperature that is no number" 'the temperature must be 0 .* or 0.01 to 100' --prompt-ids 1 \
    --temperature nan
counted refuses "a prompt longer than the context" 'prompt has 257 ids.* 256' --prompt-ids "$(seq -s, 0 256)"
counted refuses "an id outside the vocabulary" 'id 1024 is outside the vocabulary' --prompt-ids 1,1024
counted refuses "an empty prompt" 'prompt is empty' --prompt-ids ""
counted refuses "a chat template without its token" 'has no token `<|im_start|>`' --prompt Hi --chat chatml
counted refuses "a chat template that is not known" 'there is no chat template `chatnl`' --prompt Hi --chat chatnl
rm -rf "$work/image.bad" && cp -r "$package/image" "$work/image.bad"
spoilt() { # name, pattern, file of the image, sed expression
    cp "$package/image/$3" "$work/image.bad/$3" && sed -i "$4" "$work/image.bad/$3"
    refuses "$1" "$2" --image "$work/image.bad" "${request[@]}"
    cp "$package/image/$3" "$work/image.bad/$3"
}
counted spoilt "an image of another design" 'image is for another design' manifest.json \
    's/"layout": "[0-9a-f]*"/"layout": "0123456789abcdef"/'
counted spoilt "a manifest that is none" 'manifest.json: line' manifest.json 's/^{/[/'
counted spoilt "a checksum that is another" 'segment .token_row. is damaged' manifest.json \
    '/token_row/s/"crc32": "[0-9a-f]*/"crc32": "01234567/'
# Changes a bit in the byte of the image's header that the argument names, and the checksum in the manifest to match. So
# the host takes the image for the package's, and the kernel itself must detect that it is for another design.
foreign() { python3 - "$package" "$work/image.bad" "$1" <<'END'
import json, re, sys, zlib
package, image, byte = sys.argv[1], sys.argv[2], int(sys.argv[3])
header = [s for s in json.load(open(package + "/memory_map.json"))["segments"] if s["kind"] == "header"][0]
file = f"{image}/channel_{header['channel']:02d}.bin"
data = bytearray(open(file, "rb").read())
begin, end = header["offset"], header["offset"] + header["bytes"]
data[begin + byte] ^= 4
open(file, "wb").write(data)
text = open(package + "/image/manifest.json").read()
text = re.sub(r'(image_header.*"crc32": ")[0-9a-f]*', lambda m: m[1] + f"{zlib.crc32(data[begin:end]):08x}", text)
open(image + "/manifest.json", "w").write(text)
END
}
foreign 9 && counted refuses "another image: the kernel's fault in words" \
    'fault 8: the image in the memory is for another design; latest step at position 0' \
    --image "$work/image.bad" "${request[@]}"
counted check "... and the right one" same_ids "${request[@]}"
kept() { # the checksum is the image's; the next request reads its header alone (tests/e2e/control.sh counts the cycles)
    in_python 'import json
with rill_host.Host(sys.argv[1], timeout=100) as host:
    host.upload()
    answers = [host.run("Once upon a time", tokens=3).ids for _ in range(2)]
    assert answers[0] == answers[1] == json.load(open(sys.argv[2]))["token_ids"], answers
    manifest = json.load(open(sys.argv[1] + "/image/manifest.json"))
    assert host.register("image") == int(manifest["checksum"], 16), host.register("image")'
}
counted check "two requests, and the checksum of the image that they ran on" kept
cp "$package"/image/* "$work/image.bad"
truncate -s 700000 "$work/image.bad/channel_00.bin"
counted refuses "an image cut off" 'is cut off' --image "$work/image.bad" "${request[@]}"
mkdir -p "$work/no_words" && cp "$package"/image/{manifest.json,channel_*.bin} "$work/no_words"
counted refuses "text without a tokenizer" 'has no tokenizer' --image "$work/no_words" "${request[@]}"
other_binary() { # name, pattern, sed expression for a copy of the package, memories before HBM
    rm -rf "$work/relinked" && mkdir "$work/relinked" &&
        cp "$package"/{package.json,link.cfg,kernel.xml} "$work/relinked" &&
        sed -i "$3" "$work/relinked"/* &&
        python3 "$root/tests/package/xclbin.py" "$work/relinked" "$work/other.xclbin" "${4:-0}"
    refuses "$1" "$2" --binary "$work/other.xclbin" "${request[@]}"
}
counted other_binary "a binary of another kernel" 'compute unit .other:rill_1' \
    's/kernel name="rill_kernel"/kernel name="other"/'
counted other_binary "a binary for another platform" 'linked for .xilinx_u280' \
    's/xilinx_u55c_gen3x16/xilinx_u280_gen3x16/'
counted other_binary "a binary with another bank" 'is on HBM\[7\], the package has it on HBM\[1\]' \
    's/hbm_01:HBM\[1\]/hbm_01:HBM[7]/'
counted other_binary "a binary with another bank, of a platform whose first memories are others" \
    'hbm_01. is on HBM\[7\], the package has it on HBM\[1\]' 's/hbm_01:HBM\[1\]/hbm_01:HBM[7]/' 2
counted other_binary "a binary with another offset" 'at another offset' \
    's/offset="0x064"/offset="0x068"/; s/offset="0x64"/offset="0x68"/'
counted refuses "no binary" 'make xclbin' --binary "$work/none" "${request[@]}"
counted refuses "a binary that is none" 'no .xclbin' --binary "$package/package_xo.tcl" "${request[@]}"
LD_LIBRARY_PATH=$work/standin counted check_refused "no package" 1 'none/package.json: ' "$host" "$work/none" \
    "${request[@]}"
wrong_type() { # member of package.json that becomes a text; the message
    mkdir -p "$work/wrong_type" && sed "s/\"$1\": [a-z]*/\"$1\": \"yes\"/" "$package/package.json" \
        >"$work/wrong_type/package.json"
    LD_LIBRARY_PATH=$work/standin check_refused "package.json: $1 is a text" 1 "$2" "$host" "$work/wrong_type" \
        "${request[@]}"
}
counted wrong_type language_model 'true or false is expected'
stop_card
counted refuses "no card" 'xbutil examine' "${request[@]}"
XILINX_XRT=$work/xrt XCL_EMULATION_MODE=noop counted check_refused "XRT's own library: as far as the first register" 1 \
    'reading a register: failed to read ip' \
    "$host" "$package" "${request[@]}"

# ---- the memory ----

cycles() { sed -n 's/.*"cycles": \([0-9]*\).*/\1/p' "$work/run.json"; }
counted check "memory with jitter" with_card --seed 3 -- same_ids "${request[@]}"
in_order=$(cycles)
other_order() { same_ids "${request[@]}" && [ "$(cycles)" != "$in_order" ]; }
counted check "memory that answers in another order" with_card --seed 3 --shuffle -- other_order
# The design's clock misses cycles, or is slower for a while. The memory has its own clock, so its answers and refreshes
# come in other cycles of the design.
counted check "the clock as it should be" with_card -- same_ids "${request[@]}"
whole=$(cycles)
other_cycles() { same_ids "${request[@]}" && [ "$(cycles)" != "$whole" ]; }
for seed in 1 2; do
    counted check "gaps in the clock at random, seed $seed" with_card --gaps $seed -- same_ids "${request[@]}"
done
counted check "a long gap in the clock" with_card --gap-at 20000:3000 -- other_cycles
counted check "a slower clock" with_card --slow-at 100:50000 -- other_cycles
counted check "responses 5,000 cycles late" with_card --late 0:3000:5000 --late 1:20:9000 -- same_ids "${request[@]}"
counted refused "an error in a beat of the parameters" 1 'fault 6: the memory answered an error on channel 0' \
    --bad-beat 0:5 -- "${request[@]}"
counted check "... and the next request is right" same_ids "${request[@]}"
counted refused "an error in a beat of a step" 1 'fault 6: the memory answered an error on channel 1' \
    --bad-beat 1:20000 -- "${request[@]}"
counted check "... and the next request is right: two" same_ids "${request[@]}"
counted refused "an error of a write" 1 'fault 6: the memory answered an error on channel 1' --bad-write 1:3 \
    -- "${request[@]}"
counted check "... and the next request is right: three" same_ids "${request[@]}"

# ---- what happens while a request runs ----

long=(--prompt-ids 1,2,3 --tokens 60 --ignore-eot)
golden "${long[@]}" | golden_ids >"$work/long.ids"
# drive.py runs the program without `timeout`, because signals of drive.py would end `timeout` and not the program.
driven() { # action
    LD_LIBRARY_PATH=$work/standin timeout 300 python3 "$root/tests/host/drive.py" "$1" "$(cat "$work/long.ids")" \
        "$host" "$package" --timeout 60 \
        --quiet --ids "${long[@]}"
}
after() { check "$1: the next request is right" same_ids "${request[@]}"; }
counted check "Ctrl-C: stopped after a step, with the ids before" with_card -- driven stop
counted after "Ctrl-C"
counted check "Ctrl-C twice" driven kill
counted after "Ctrl-C twice"
counted check "a host that is killed" driven die
counted after "a host that is killed"
counted check "a card that is reset" driven reset
counted after "a card that is reset"
# Resets the kernel in each of three consecutive cycles. In one of them, the kernel sends one more request to the memory
# before the reset arrives.
every_cycle() {
    local at asked
    start_card --unwritten --asked-after 60000 --reset-at 60500 || return
    ! "$on_card" --ids "${long[@]}" >/dev/null 2>&1 || return
    asked=$(sed -n 's/^card: a burst is read \([0-9]*\) cycles after the first command$/\1/p' "$work/card.out")
    [ -n "$asked" ] || return
    for at in $((asked - 2)) $((asked - 1)) $asked; do
        start_card --unwritten --reset-at $at || return
        ! "$on_card" --ids "${long[@]}" >/dev/null 2>&1 && same_ids "${request[@]}" || return
    done
}
counted check "reset in one cycle after the other: the next request is right" every_cycle

# A response of the memory never comes. The design's watchdog ends the request, or the host gives up. In both cases the
# kernel still waits for the memory, so the card needs a reset.
lost=(--late 1:4000:999999999999)
counted refused "the watchdog" 1 'fault 7: nothing moved .*; not idle: ' "${lost[@]}" -- --watchdog 20000 \
    "${request[@]}"
counted check_refused "the watchdog: the next program finds a card to reset" 1 \
    'busy with a request of an earlier program: .*; reset' "$on_card" \
    --timeout 1 "${request[@]}"
counted check "the watchdog: reset" "$on_card" --reset
counted after "the watchdog"
counted refused "nothing moves, and no watchdog" 1 \
    'nothing has moved for [0-9]+ s; the design is .*state [0-9]+.*, not idle: .*reset' "${lost[@]}" -- \
    --watchdog 4000000000 --timeout 10 "${request[@]}"
counted check "nothing moves: reset" "$on_card" --reset
counted after "nothing moves"

verdict
