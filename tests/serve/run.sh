#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests rill-serve on an imitated card (fast_card.c) that gives the oracle's answers. The server is built with
# sanitizers from the files of a package alone. tests/host/run.sh runs the server on the simulated card.
# usage: tests/serve/run.sh
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"
[ $# = 0 ] || { sed -n '3,5s/^# //p' "$0"; exit 2; }
work=$root/build/tests/serve log=$root/build/tests/serve.log keys=()
. "$root/tests/host/card.sh"
control=$work/control table=$work/table template=$model/chat.yaml
kit=$work/moved/build/host # the server and its library
server="" port=""
trap 'stop_server; stop_card' EXIT

# ---- what is built ----

# The leak sanitizer reports leaks when the server ends (ends_well). The C++ of the library has only the address
# sanitizer, which also finds leaks and compiles in half the time.
sanitize="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
build_server() {
    rm -rf "$work/moved" && mkdir "$work/moved" && cp -r "$package"/{host,Makefile,design.mk,filelist.f} \
        "$work/moved" &&
        make -s -j2 -C "$work/moved" serve WERROR=-Werror CFLAGS="$sanitize" CXXFLAGS="-O0 -fsanitize=address" \
            >"$work/host.out" 2>&1 && ! grep -Ei 'warning|error' "$work/host.out"
}
build_fast_card() {
    gcc -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -I"$root" "$root/tests/serve/fast_card.c" \
        -o "$work/fast_card" -ljansson && mkdir -p "$work/standin" &&
        g++ -std=c++17 -O0 -Wall -Wextra -Werror -fPIC -shared -I"$root" -isystem /usr/include/xrt \
            "$root/verif/card/xrt.cpp" -o "$work/standin/libxrt_coreutil.so.2" -Wl,-soname,libxrt_coreutil.so.2 \
            -luuid -pthread
}

# Appends an answer of the oracle to golden.jsonl, with the request to the server that must get it.
one_answer() { # temperature, top_k, min_p, seed, tokens, prompt
    local options=()
    [ "$1" = 0 ] || options=(--temperature "$1" --top-k "$2" --min-p "$3" --sampling-seed "$4")
    golden --prompt "$6" --tokens "$5" ${options[@]+"${options[@]}"} | python3 -c 'import json, sys
t, k, p, s, n = (float(a) if "." in a else int(a) for a in sys.argv[1:6])
a = json.load(sys.stdin)
a["request"] = {"prompt": sys.argv[6], "max_tokens": n}
if t: a["request"].update(temperature=t, top_k=k, min_p=p, seed=s)
a["settings"] = [t, k, p, s]
print(json.dumps(a))' "$@" >>"$work/golden.jsonl"
}
# A text with characters of several bytes. Its tokens are the answer to the prompt [7].
shown="naïve 😀 über “x” end."
answers() {
    rm -f "$work/golden.jsonl"
    one_answer 0 0 0 0 40 "Once upon a time" && one_answer 0 0 0 0 12 "Tom and his dog Max" &&
        one_answer 0.8 8 0.05 7 24 "Once upon a time" && one_answer 0 0 0 0 30 "The sun" &&
        one_answer 1.5 5 0 20000000000 30 "One day" && one_answer 0 0 0 0 9 "Lily" &&
        golden --prompt "Once upon a time" --tokens 9 --chat "$template" >"$work/chat.json" &&
        ids=$(golden --prompt "$shown" --tokens 1 | python3 -c 'import json, sys
print(*json.load(sys.stdin)["prompt_ids"][1:], sep=",")') &&
        python3 "$root/tests/serve/client.py" table "$work/golden.jsonl" "$table" "$ids"
}

# ---- running ----

start_fast_card() {
    stop_card
    rm -f "$control"
    "$work/fast_card" "$package" "$socket" "$table" "$control" >"$work/card.out" 2>&1 &
    card=$!
    for ((i = 0; i < 600; i++)); do
        [ ! -S "$socket" ] || return 0
        kill -0 $card 2>/dev/null || return 1
        sleep 0.05
    done
}
stop_server() {
    [ -z "$server" ] || { kill -9 "$server" && wait "$server"; } 2>/dev/null
    server=""
}
serve_command=(env LD_LIBRARY_PATH="$work/standin" ASAN_OPTIONS=detect_leaks=1 timeout 300 "$kit/rill-serve" "$package"
    --library "$kit/librill_host.so")
start_server() { # options
    stop_server
    start_fast_card || return
    : >"$work/serve.out"
    LD_LIBRARY_PATH=$work/standin "$kit/rill-serve" "$package" --library "$kit/librill_host.so" --port 0 "$@" \
        >"$work/serve.out" 2>"$work/serve.err" &
    server=$!
    for ((i = 0; i < 600; i++)); do
        port=$(sed -n 's/^rill-serve: http:..127.0.0.1:\([0-9]*\) serves .*/\1/p' "$work/serve.out")
        [ -z "$port" ] || return 0
        kill -0 $server 2>/dev/null || { cat "$work/serve.err" && return 1; }
        sleep 0.05
    done
    return 1
}
asked=$table.json # requests of the table, with their answers
case_of() { timeout 120 python3 "$root/tests/serve/client.py" "$1" "$port" "$asked" "${@:2}"; } # name, arguments
with_server() { # options of the server -- case, arguments
    local options=()
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    start_server ${options[@]+"${options[@]}"} && case_of "$@"
}
# Checks that the server ends with status 0 and that the sanitizers report nothing.
ends_well() { # 1 (default): send SIGTERM; 0: the server is ending already
    local status=0
    [ "${1:-1}" = 0 ] || kill -TERM "$server"
    wait "$server" || status=$?
    server=""
    cat "$work/serve.err"
    [ $status = 0 ] && ! grep -E 'Sanitizer|runtime error' "$work/serve.err"
}

counted check "package, image, binary of metadata" make_package
counted check "the server builds from a package alone, without a warning" build_server
counted check "the card without a design" build_fast_card
counted check "answers of the oracle" answers
[ $bad = 0 ] || { verdict; exit; }

# ---- answers ----

counted check "text of the oracle" with_server -- plain
counted check "... as a stream" case_of streamed "$control"
counted check "characters are never cut" case_of characters "$shown"
counted check "stop strings across tokens" case_of stops
counted check "seeds" case_of seeds
counted check "fields are honoured or refused by name" case_of fields
counted check "eight clients at once" case_of many 8 12
counted check "a slow reader" case_of slow_reader "$control"
counted check "no origin is allowed by default" case_of no_origins
counted check "SIGTERM: ends, and no memory is lost" ends_well
counted check "chat" with_server --chat "$template" -- chat "$work/chat.json"
counted check "log probabilities are refused by name" case_of logprobs_refused
counted check "a request keeps the positions that it shares with the one before" \
    with_server --timeout 1 -- turns "$control"
counted check "clients that are killed" case_of killed "$control"
counted check "a card that faults, hangs, does not start" with_server --timeout 1 -- faults "$control"
counted check "after faults: no memory is lost" ends_well
counted check "the commands of the page" with_server --chat "$template" -- page "$root/docs/serve.md"
fields_of_page() { # the table of fields names those of the source
    diff <(sed -n '/^static const struct field fields/,/^};/s/^    {"\([a-z_]*\)".*/\1/p' \
        "$root/boards/serve/serve_request.c" | sort) <(sed -n '/^<!-- fields of/,/^$/p' "$root/docs/serve.md" |
        cut -d'|' -f2 | grep -o '`[a-z_]*`' | tr -d '`' | sort)
}
counted check "the page has every field" fields_of_page
codes_of_page() { # the table of errors names the codes of the source
    diff <(cat "$root"/boards/serve/*.c | tr '\n' ' ' |
        grep -oE '(refuse\([^;"]*|cut\([^;]*", |code = |[?:] )"[a-z_]+"' |
        grep -oE '"[a-z_]+"$' | tr -d '"' | grep _ | grep -vE 'completion|_error$|_total' | sort -u) \
        <(sed -n '/^<!-- codes of/,/^$/p' "$root/docs/serve.md" | cut -d'|' -f3 | grep -o '`[a-z_]*`' | tr -d '`' |
            grep _ | grep -v '_error$' | sort -u)
}
counted check "the page has every code of an error" codes_of_page

# ---- limits ----

counted check "bodies that are wrong or too long" with_server --max-body 4000 --body-timeout 1 -- bodies
counted check "a body that comes slowly" case_of slow_body
counted check "a full queue" with_server --queue 1 -- full "$control"
counted check "a request that takes too long" with_server --request-timeout 0.6 -- late "$control"
printf 'first key\nsecond-key\r\n' >"$work/keys"
export RILL_API_KEY=third
counted check "keys" with_server --api-key-file "$work/keys" --cors http://a.example -- \
    keys "first key" second-key third
unset RILL_API_KEY
counted check "pages of one origin" case_of origins http://a.example
counted check "after refusals: no memory is lost" ends_well
drains() { start_server && case_of drained "$control" $server && ends_well 0; }
counted check "SIGTERM in a request: what runs and waits is answered" drains
hurries() { start_server && case_of hurried "$control" $server && ends_well 0; }
counted check "a second SIGTERM: what runs is ended" hurries

# ---- a design with slots: several requests at the same time ----

# The same server program runs with a package of a design with slots. Some of the answers are drawn at random, so a
# request that ran with the settings of another one would get another answer.
one_at_a_time=$package
slots_package() {
    features=(slots=4 sampling=8) spec=$work/slots.yaml package=$work/slots
    make_package
}
counted check "slots: package and image" slots_package
counted check "slots: requests run at the same time, and a further one waits" with_server -- slots_fill "$control"
counted check "slots: eight clients at once" case_of many 8 25
counted check "slots: clients that are killed" case_of slots_killed "$control"
counted check "slots: a stop string ends its request alone" case_of slots_stop "$control"
counted check "slots: a slow reader" case_of slow_reader "$control"
counted check "slots: seeds" case_of seeds
counted check "slots: nothing is kept, and nothing is drafted" case_of slots_alone
counted check "slots: SIGTERM: ends, and no memory is lost" ends_well
counted check "slots: one request, all requests, the card have a fault" \
    with_server --timeout 1 -- slots_faults "$control"
counted check "slots: after faults: no memory is lost" ends_well
counted check "slots: a full queue" with_server --queue 1 -- slots_full "$control"
counted check "slots: a request that takes too long" with_server --request-timeout 0.6 -- late "$control"
drains() { start_server && case_of slots_drained "$control" $server && ends_well 0; }
counted check "slots: SIGTERM: what runs and waits is answered" drains
hurries() { start_server && case_of slots_hurried "$control" $server && ends_well 0; }
counted check "slots: a second SIGTERM: what runs is ended" hurries
greedy_package() { # a design with slots that does not sample
    features=(slots=4) spec=$work/greedy.yaml package=$work/greedy
    make_package
}
counted check "slots without sampling: package and image" greedy_package
counted check "... fields that the design does not have are refused by name" with_server -- slots_refused
logprobs_package() {
    features=(slots=4 logprobs=3) spec=$work/logprobs.yaml package=$work/logprobs
    make_package
}
counted check "log probabilities: package and image" logprobs_package
counted check "log probabilities in answers and streams" with_server --chat "$template" -- logprobs 3
counted check "log probabilities: SIGTERM: ends, and no memory is lost" ends_well
package=$one_at_a_time

# ---- the command line ----

start_fast_card
refuses() { check_refused "$1" "$2" "$3" "${serve_command[@]}" "${@:4}"; }
counted refuses "an option that is not known" 2 'unknown option.*--nothing' --nothing
counted refuses "a port that is none" 2 '`70000` is no number from 0 to 65535' --port 70000
counted refuses "a port that is no whole number" 2 '`1.5` is no number' --port 1.5
counted refuses "an address that is none" 1 'no IPv4 or IPv6 address' --bind localhost
counted refuses "a file of keys that is empty" 1 'has no key' --api-key-file /dev/null
counted refuses "a template that is not known" 1 'there is no chat template `chatnl`' --chat chatnl
counted refuses "a template for another vocabulary" 1 'has no token `<|im_start|>`' --chat chatml
counted refuses "no library" 1 'make -C .* host. builds it' --library "$work/none.so"
counted check_refused "no package" 1 'none/package.json: ' "$kit/rill-serve" "$work/none" \
    --library "$kit/librill_host.so"
counted check_refused "two packages" 2 'one PACKAGE is expected' "$kit/rill-serve" a b
stop_card
counted refuses "no card" 1 'xbutil examine'
printed() { # the options of the usage are those of the manual page and of the completions
    local names
    names=$("$kit/rill-serve" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' | sort) &&
        [ "$(wc -l <<<"$names")" -gt 20 ] &&
        diff <(echo "$names") <("$kit/rill-serve" --print man |
            sed -n 's/\\-/-/g; s/^\.B --\([a-z-]*\).*/\1/p' | sort) &&
        for shell in bash zsh; do
            diff <(echo "$names") <("$kit/rill-serve" --print $shell | grep -oE -- ' "?--[a-z-]+' | tr -d ' "' |
                sed 's/^--//' | sort) || return
        done
}
counted check "man page and completions have every option" printed
verdict
