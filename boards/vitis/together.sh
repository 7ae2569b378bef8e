#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Joins link.cfg and the placement of this package with those of other packages, for one binary with all their kernels.
# "This package" is the current folder. Writes OUT/link.cfg and OUT/place.tcl. The clock is the lowest one that a
# package asks for.
# usage: together.sh OUT PACKAGE...
set -eu

stop() {
    echo "rill: error: $1" >&2
    exit 1
}
# Prints a name that occurs twice in the new link.cfg. The argument is a sed expression that prints all names.
twice() { sed -n "$1" "$out/link.cfg" | sort | uniq -d | head -n 1; }

out=$1
shift
mkdir -p "$out"
for other; do [ -f "$other/link.cfg" ] && [ -f "$other/place.tcl" ] || stop "$other is no package of rill"; done
clock=$(for one in . "$@"; do
    sed -n 's/^kernel_frequency=0:\([0-9]*\)$/\1/p' "$one/link.cfg"
done | sort -n | head -n 1)
sed "s/^kernel_frequency=.*/kernel_frequency=0:$clock/" link.cfg >"$out/link.cfg"
place() { printf 'set env(RILL_PACKAGE) {%s}\nsource {%s/place.tcl}\n' "$1" "$1" >>"$out/place.tcl"; } # package
echo '# Placement of several packages, each by its own script.' >"$out/place.tcl"
place "$(pwd)"
for other; do
    printf '\n# from the package %s\n[connectivity]\n' "$other" >>"$out/link.cfg"
    grep -E '^(nk|sp)=' "$other/link.cfg" >>"$out/link.cfg"
    place "$(cd "$other" && pwd)"
done
kernel=$(twice 's/^nk=\([^:]*\):.*/\1/p')
[ -z "$kernel" ] || stop "two packages have the kernel \`$kernel\`: package one again with another --name"
bank=$(twice 's/^sp=.*:\(HBM.*\)$/\1/p')
[ -z "$bank" ] || stop "two memory ports are on $bank: package one again with another --first-bank"
echo "rill: $(grep -c '^nk=' "$out/link.cfg") kernels, $(grep -c '^sp=' "$out/link.cfg") memory ports, $clock MHz"
