#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares memory_map.json with the packed image, by a program that knows only the documentation. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/e2e/memory_map.sh
Packs some designs and compares their memory maps with their images: the places of all segments and, for the shipped
model, the values of its checkpoint. Then plants faults in maps and images. Each fault must be found.
TEXT
}

case ${1:-} in
    "") ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
cd "$root" || exit 1
work=$root/build/e2e/memory_map
log=$work/log
model=$root/models/tinystories-gpt2-1m
specs=(odd inputs grouped lanes lookup)
rm -rf "$work"
mkdir -p "$work"

# Makes a design with safe FIFO depths. Places and values do not depend on depths, whose search would take most of the
# time.
make_design() { # spec, folder, weights, key=value...
    variant "$1" "$2.yaml" fifo=safe "${@:4}"
    "$rill" gen "$2.yaml" -o "$2" >"$log" 2>&1 && "$rill" pack "$2.yaml" --weights "$3" -o "$2" >>"$log" 2>&1
}

holds() { tests/e2e/memory_map.py "$@"; }

check_places() { # spec
    local file=tests/e2e/cases/$1/spec.yaml
    [ -e "$file" ] || file=tests/witness/$1.yaml
    if make_design "$file" "$work/$1" random:3; then check "places of $1" holds "$work/$1"
    else fail "places of $1" "$(reason)"; fi
}
for spec in "${specs[@]}"; do queue check_places "$spec"; done
same_image() { # design; compares the image that was packed for its spec with the image for the compiled design
    cp -r "$1" "$work/compiled" && rm -rf "$work/compiled/image" &&
        "$rill" pack "$1/design.yaml" --weights random:3 -o "$work/compiled" >"$log" 2>&1 &&
        diff -r "$1/image" "$work/compiled/image"
}
queue check "the image of the compiled design" same_image "$work/odd"
prepare make_design tests/e2e/cases/odd/spec.yaml "$work/spatial" random:3 channels=11 binding=spatial
queue check "places of odd, an engine for each product" holds "$work/spatial"

design=$work/story planted=$work/planted
prepare make_design configs/tinystories-gpt2-1m.yaml "$design" "$model"
queue check "values of the story model" holds "$design" "$model"
prepare make_design configs/tinystories-gpt2-1m.yaml "$work/three" "$model" channels=3
queue check "values of the story model on three channels" holds "$work/three" "$model"

# Plants a fault in a copy of the design. The copy must be refused.
check_planted() { # name, what must be said, command that changes the copy...
    rm -rf "$planted" && cp -r "$design" "$planted"
    "${@:3}" || { fail "planted: $1" "no fault is planted"; return; }
    check_refused "planted: $1" 1 "$2" tests/e2e/memory_map.py "$planted" "$model"
}
planted() { # name, what must be said, sed expression on the map
    queue check_planted "$1" "$2" sed -i "$3" "$planted/memory_map.json"
}
planted "an offset one beat off" 'the image has|overlap' 's/"offset": 544768/"offset": 544832/'
planted "another stride of layers" 'the image has|overlap|wanted' 's/"layer_stride": 53248/"layer_stride": 53312/'
planted "a segment on another channel" 'the image has|wanted|ends at' '/"token_row"/s/"channel": 0/"channel": 1/'
planted "a segment that grows into the next" 'overlap' '/"k_cache"/s/"bytes": 65536/"bytes": 69632/'
planted "a segment within a beat" 'offset 675848' 's/"offset": 675840/"offset": 675848/'
queue check_planted "a header of another layout" 'header: layout' sed -i 's/"layout": "./"layout": "x/' \
    "$planted/image/manifest.json"
queue check_planted "the image of another channel" 'the image has' cp "$design/image/channel_02.bin" \
    "$planted/image/channel_01.bin"
run_queue
verdict
