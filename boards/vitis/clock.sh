#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stops if the clock that v++ is asked for is outside the range of a package with a second clock, LOWEST_MHZ to
# HIGHEST_MHZ of its design.mk. Vivado may only warn of such a clock. The link then ends after hours, and every request
# of the binary fails, because the MMCM does not lock.
# The clock is kernel_frequency or freqHz, in the link file or in the variable VPP.
# usage: clock.sh LINK_CFG PACKAGE...
set -eu
config=$1
shift

stop() {
    echo "rill: error: $*" >&2
    exit 1
}

# Prints each clock that the link file or VPP asks for, in MHz.
clocks() {
    { cat "$config" && printf '%s\n' "${VPP:-}"; } | sed -n -E \
        -e 's/.*kernel_frequency[= ]+(0:)?([0-9.]+)([^0-9.:].*)?$/\2/p' \
        -e 's/.*[fF]reqHz[= ]+([0-9]+)([^0-9].*)?$/\1 Hz/p' | awk '{ print (NF > 1 ? $1 / 1e6 : $1) }'
}
value() { sed -n "s/^$1 := //p" "$2/design.mk"; } # variable, package

for package; do
    low=$(value LOWEST_MHZ "$package") high=$(value HIGHEST_MHZ "$package") kernel=$(value KERNEL "$package")
    [ -n "$low" ] || continue
    asked=$(clocks)
    works="kernel $kernel works at $low to $high MHz, because of its second clock"
    [ -n "$asked" ] || stop "$config asks for no clock, but $works: write kernel_frequency=0:MHZ"
    for mhz in $asked; do
        awk "BEGIN { exit !($mhz < $low || $mhz > $high) }" || continue
        stop "the link asks for $mhz MHz, but $works: change kernel_frequency in link.cfg," \
            "or run rill gen and rill package again with clock_mhz: $mhz"
    done
done
