#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests `rill package`: its files agree with one another and with the Verilog, its scripts run under strict substitutes
# for the vendor's tools, XRT's library reads a binary made from it, and the kernel's module simulates like the design.
# See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

usage() {
    cat <<'TEXT'
usage: tests/package/run.sh [--no-sim] [--alone | --crossings] [SPEC...]
  --no-sim  without the simulation of a kernel's module
  --alone   only packages in a folder with no project above it
  --crossings  only placement: crossings between dies
  SPEC      these designs alone: each is packaged in build/package/<name of the file> and checked
TEXT
}

sim=1 only="" specs=()
for arg in "$@"; do
    case $arg in
        --no-sim) sim=0 ;;
        --alone | --crossings) only=${arg#--} ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) specs+=("$arg") ;;
    esac
done
here=$root/tests/package
work=$root/build/tests/package log=$root/build/tests/package.log
[ ${#specs[@]} = 0 ] || work=$root/build/package
rm -rf "$work" && mkdir -p "$work/xrt" "$root/build/tests"
outside=$(mktemp -d) && trap 'rm -rf "$outside"' EXIT # outside the tree, so that rill finds none of the tree's files
export MOCK_RECORD=$work/record MOCK_CELLS=$work/cells \
    MOCK_PBLOCKS="pblock_dynamic_SLR0 pblock_dynamic_SLR1 pblock_dynamic_SLR2"
# PATH with substitutes for the vendor's tools. They write what they were asked to do to the file MOCK_RECORD. Their
# design has the instances of the file MOCK_CELLS and the pblocks MOCK_PBLOCKS.
mocked=$here/bin:$PATH

holds() { python3 "$here/check.py" "$@"; } # what, package, file...

make_package() { # spec, name
    "$rill" gen "$1" -o "$work/$2.design" && "$rill" package "$work/$2.design" -o "$work/$2"
}

# ---- the files of one package ----

valid() { # package
    xmllint --noout --relaxng "$here/kernel.rng" "$1/kernel.xml" &&
        xmllint --noout --relaxng "$here/component.rng" "$1/component.xml"
}

agree() { # package
    local what
    for what in registers pins link core; do holds $what "$1" || return; done
    "$rill" package --registers >"$work/table" && holds docs "$1" "$work/table"
}

# Runs package_xo.tcl under the mock, through the Makefile, and checks what it did. If the board names no part, sets
# one, as a user would.
tcl() { # package
    rm -f "$MOCK_RECORD"
    sed -i 's/^set rill(part) {}$/set rill(part) {xc0}/' "$1/design.tcl"
    PATH=$mocked make -s -C "$1" xo && holds tcl "$1" "$MOCK_RECORD" && remade "$1"
}
remade() { # package: checks that make makes the .xo again after a change of any file that package_xo.tcl reads
    local file
    make -q -C "$1" xo >/dev/null || return
    for file in design.tcl tools.tcl sources.tcl kernel.xml $(cd "$1" && ls clocks.xdc 2>/dev/null); do
        make -q -C "$1" xo -W "$file" >/dev/null && echo "a change of $file makes no other .xo" && return 1
    done
    return 0
}

# Makes an xclbin without a bitstream, and compares what XRT's library reads from it with the package.
binary() { # package
    python3 "$here/xclbin.py" "$1" "$work/binary" && XILINX_XRT=$work/xrt "$work/xclbin_read" \
        "$work/binary" >"$work/listing" &&
        holds xclbin "$1" "$work/listing"
}

# Lists the instances that Icarus elaborates, with the macro that the scripts of the package define. The list is kept
# for packages of the same Verilog, such as copies with a fault in another file.
instances() { # package
    local kept
    kept=$work/instances/$(cd "$1" && xargs cat design.mk design.tcl filelist.f <filelist.f | sha1sum | cut -d' ' -f1)
    if [ ! -e "$kept" ]; then
        mkdir -p "$work/instances" && elaborate "$1" >"$kept.new" && mv "$kept.new" "$kept" || return
    fi
    cp "$kept" "$MOCK_CELLS" && grep -q 'inst/u_top/u_control/u_registers$' "$MOCK_CELLS"
}
elaborate() ( # package
    cd "$1" && iverilog -g2005 -DRILL_VENDOR_CELLS -o "$work/netlist" -y "$root/verif/model" \
        -s "$(sed -n 's/^KERNEL := //p' design.mk)" -c filelist.f &&
        for unit in $(sed -n 's/^set rill(units) {\(.*\)}$/\1/p' design.tcl); do
            awk -v prefix="level0_i/ulp/$unit/inst/" -f "$here/cells.awk" "$work/netlist"
        done
)

place() { # package, mode: runs place.tcl in the mock
    RILL_PLACEMENT=$2 tclsh "$here/vivado.tcl" "$1/place.tcl"
}

# ---- clocks of one package ----

clocked() { instances "$1" && holds clocks "$1" "$MOCK_CELLS"; } # package
routed() { # package: the net that the platform's buffer drives has the property even without a placement
    instances "$1" && rm -f "$MOCK_RECORD" && place "$1" none &&
        grep -q '^set_property	CLOCK_DEDICATED_ROUTE	ANY_CMT_COLUMN	net:buffer$' "$MOCK_RECORD"
}
single() { instances "$1" && holds one_clock "$1" "$MOCK_CELLS"; } # package
clocks() { # package
    if [ -e "$1/clocks.xdc" ]; then clocked "$1" && routed "$1"; else single "$1"; fi
}

check_package() { # name of the package; makes four checks
    check "$1: XML by its schemas" valid "$work/$1"
    check "$1: registers, pins, link file, core, table" agree "$work/$1"
    check "$1: package_xo.tcl" tcl "$work/$1"
    check "$1: a binary in XRT's library" binary "$work/$1"
}

# ---- one package alone, in a folder with a blank in its name: everything by make ----

# Checks that no file names the tree. The copies of the original spec are left out, because they may name a board by its
# path.
names_no_place() { ! grep -rIl "$root" "$1" --exclude-dir=oracle --exclude=design.yaml; } # package

# Renames the package and works on a copy, so that a file that names the old folder is found. Runs lint, xclbin, hw_emu
# and ooc by make, and checks their results.
everything() { # package
    local unit place="$outside/another place/kernel"
    rm -rf "$outside/another place" && mkdir -p "$outside/another place" && cp -r "$1" "$place" &&
        mv "$1" "$1.gone" || return
    unit=$(sed -n 's/^UNIT := //p' "$place/design.mk")
    instances "$place" && rm -rf "$MOCK_RECORD" "$place/build" &&
        PATH=$mocked make -s -C "$place" lint xclbin hw_emu PLACEMENT=hard && looked_up "$place" STEPS=route &&
        [ -e "$place/build/hw/$unit.xclbin" ] &&
        [ -e "$place/build/hw_emu/$unit.xclbin" ] && [ -e "$place/build/ooc/route_timing.rpt" ] &&
        holds tcl "$place" "$MOCK_RECORD" &&
        ! grep -rl "$1" "$place" --include='*.tcl' --include='*.mk' --include='*.cfg' && names_no_place "$1.gone"
}
# Runs `make ooc`, which looks up the paths of placement.tcl.
looked_up() { # package, variables of make...
    local lines said
    lines=$(grep -c '^rill_' "$1/placement.tcl")
    said=$(PATH=$mocked make -s -C "$1" ooc "${@:2}") && echo "$said" &&
        grep -qx "rill: all $lines paths of placement.tcl found" <<<"$said"
}
moved() { # package
    everything "$1"
    local status=$?
    [ ! -d "$1.gone" ] || mv "$1.gone" "$1"
    return $status
}
check_moved() { # name of the package; makes four checks
    check "$1: moved: lint, xo, xclbin, hw_emu, ooc by make" moved "$work/$1"
    for mode in soft hard none; do
        check "$1: placement $mode: every path names an instance" place "$work/$1" $mode
    done
}

# ---- packages in a folder with no project above it, and without RILL_HOME: two kernels in one project ----

alone() { (cd "$outside" && env -u RILL_HOME "$@"); } # command in that folder
# Makes alpha and beta, and linear2 and halved. The designs of alpha and beta differ only in lanes, so their modules
# would have equal names and different contents without the prefix of the package.
two_packages() {
    variant "$root/configs/graph-linear.yaml" "$work/linear2.yaml" lanes=2 &&
        variant "$root/tests/e2e/cases/odd/spec.yaml" "$work/halved.yaml" pump=2 &&
        make_package "$work/halved.yaml" halved &&
        sed -i 's/^name: .*/name: linear2/' "$work/linear2.yaml" && make_package "$work/linear2.yaml" linear2 &&
        "$rill" package "$work/linear.design" -o "$outside/alpha" --name alpha >"$work/alpha.txt" &&
        "$rill" package "$work/linear2.design" -o "$outside/beta" --name beta >"$work/beta.txt"
}
modules_of() { cat "$@" | sed -n 's/^module \(\w*\).*/\1/p'; } # Verilog files
# Elaborates and lints one project with two units of alpha and one of beta. No module may be defined twice.
one_project() { # packages...
    local package list=()
    for package in "$@"; do
        while read -r file; do list+=("$package/$file"); done <"$outside/$package/filelist.f"
    done
    cat >"$outside/project.v" <<'TEXT'
module project (input wire ap_clk, input wire ap_rst_n, output wire [2:0] interrupt);
    alpha u_0 (.ap_clk(ap_clk), .ap_rst_n(ap_rst_n), .interrupt(interrupt[0]));
    alpha u_1 (.ap_clk(ap_clk), .ap_rst_n(ap_rst_n), .interrupt(interrupt[1]));
    beta u_2 (.ap_clk(ap_clk), .ap_rst_n(ap_rst_n), .interrupt(interrupt[2]));
endmodule
TEXT
    [ -z "$(cd "$outside" && modules_of "${list[@]}" | sort | uniq -d)" ] &&
        alone iverilog -g2005 -t null -s project "${list[@]}" project.v &&
        alone verilator --lint-only -Wno-fatal --top-module project "${list[@]}" project.v
}
tells() { # checks that `rill package` says what it wrote and which command comes next
    grep -q '^wrote .*/alpha: kernel `alpha`, compute unit `alpha_1`, of the design `graph-linear`; [0-9]* files$' \
        "$work/alpha.txt" && grep -q 'make -C .*/alpha xclbin .* GB of memory and [0-9]* GB of disk$' "$work/alpha.txt"
}
alone_lint() { alone make -s -C alpha lint && alone make -s -C beta lint && alone make -C beta help; }
strict_rules() { # of a package with a prefix, and of one with a second clock
    local package
    for package in "$outside/alpha" "$work/halved"; do "$root/verif/lint/strict.py" "$package"/rtl/*.v || return; done
}

# Checks that a folder contains only the files that its latest package lists, and no empty folder.
exact() { # folder
    diff <(cd "$1" && find . -type f | sed 's#^\./##' | sort) <(sort "$1/files.txt") &&
        [ -z "$(find "$1" -type d -empty)" ]
}
# Writes four packages to one folder: the second has another kernel, and the third has more files than the others. No
# file of an earlier package may stay. Files of the user stay, and a warning names a build of another design.
stale() {
    cp -r "$outside/alpha" "$outside/again" && exact "$outside/again" &&
        "$rill" package "$work/linear2.design" -o "$outside/again" --name gamma >/dev/null && exact "$outside/again" &&
        "$rill" package "$work/halved.design" -o "$outside/again" >/dev/null && exact "$outside/again" &&
        [ -e "$outside/again/clocks.xdc" ] && mkdir "$outside/again/build" && touch "$outside/again/own.txt" &&
        "$rill" package "$work/linear.design" -o "$outside/again/" 2>"$work/again.err" &&
        [ ! -e "$outside/again/clocks.xdc" ] &&
        grep -q 'again//*build: warning: this was built from another design' "$work/again.err" &&
        [ -e "$outside/again/own.txt" ] && rm -r "$outside/again/own.txt" "$outside/again/build" &&
        exact "$outside/again"
}
foreign_list() { # a list that was changed by hand removes nothing elsewhere
    echo kept >"$outside/kept.txt" && printf '../kept.txt\n%s\n' "$outside/kept.txt" >>"$outside/again/files.txt" &&
        "$rill" package "$work/linear2.design" -o "$outside/again" >/dev/null 2>&1 && [ -e "$outside/kept.txt" ]
}
cores() { # four packages of two designs, each with the default name and with another: all names of cores must differ
    grep -h '^name: ' "$outside"/{alpha,beta,again}/*.core "$work/linear"/*.core | sort | uniq -d | grep . && return 1
    return 0
}
# Packages a design again, for example with several compute units or other banks.
units_of() { # design of make_package, name of the package and its kernel, options of `rill package`...
    "$rill" package "$work/$1.design" -o "$outside/$2" --name "$2" "${@:3}" >"$work/units.txt" 2>&1
}
two_units() {
    units_of dies twin --units 2 && agree "$outside/twin" && binary "$outside/twin" &&
        grep -q '^nk=twin:2:twin_1.twin_2$' "$outside/twin/link.cfg" &&
        grep -q '^sp=twin_2.m_axi_hbm_10:HBM\[21\]$' "$outside/twin/link.cfg"
}
both_placed() { # place.tcl places equally many cells of both units, soft and hard
    local unit mode
    instances "$outside/twin" || return
    for mode in soft hard; do
        rm -f "$MOCK_RECORD" && place "$outside/twin" $mode || return
        for unit in twin_1 twin_2; do grep -c "cell:level0_i/ulp/$unit/" "$MOCK_RECORD"; done | sort -u >"$work/placed"
        [ "$(wc -l <"$work/placed")" = 1 ] && [ "$(cat "$work/placed")" -gt 10 ] || return
    done
}
both_clocks() { # place.tcl sets the property of the route to the MMCM of each unit
    units_of halved timed --units 2 && instances "$outside/timed" && rm -f "$MOCK_RECORD" &&
        place "$outside/timed" none &&
        [ "$(grep -c '^set_property	CLOCK_DEDICATED_ROUTE	ANY_CMT_COLUMN	net:buffer$' "$MOCK_RECORD")" = 2 ]
}
too_many() { # two units that exceed the board's limits: a warning lists the excess; two small units: no warning
    units_of dies heavy --units 2 && grep -Eq 'warning: 2 compute units exceed the limits of die SLR0, by estimate: ' \
        "$work/units.txt" && ! { units_of linear light --units 2 && grep warning "$work/units.txt"; }
}
# Links twin and a kernel of another design by make: one configuration with the lowest clock, and both placements.
linked() {
    units_of linear beside --first-bank 22 && sed -i 's/^kernel_frequency=.*/kernel_frequency=0:111/' \
        "$outside/beside/link.cfg" && instances "$outside/beside" && cp "$MOCK_CELLS" "$work/beside.cells" &&
        instances "$outside/twin" && cat "$work/beside.cells" >>"$MOCK_CELLS" && rm -f "$MOCK_RECORD" &&
        alone env PATH="$mocked" make -s -C twin xclbin PLACEMENT=hard ALSO=../beside &&
        grep -q 'cell:level0_i/ulp/twin_2/' "$MOCK_RECORD" &&
        [ "$(grep -c '^sp=' "$outside/twin/build/together/link.cfg")" = 23 ] &&
        grep -q '^kernel_frequency=0:111$' "$outside/twin/build/together/link.cfg" &&
        grep -q '^source {.*/beside/place.tcl}$' "$outside/twin/build/together/place.tcl"
}
clash() { # name, message, design, options: a package that cannot be linked with twin
    units_of "$3" clash "${@:4}" && PATH=$mocked check_refused "$1" 2 "$2" make -s -C "$outside/twin" together \
        ALSO=../clash
}
same_kernel() {
    "$rill" package "$work/linear.design" -o "$outside/clash" --name twin --first-bank 22 >/dev/null &&
        PATH=$mocked check_refused "outside: linked with a kernel of the same name" 2 \
            'two packages have the kernel .twin' make -s -C "$outside/twin" together ALSO=../clash
}
units_checks() {
    counted check "outside: a package with two compute units: link file, binary, registers" two_units
    counted check "outside: both units are placed" both_placed
    counted check "outside: the clock of both units is routed" both_clocks
    counted check "outside: more units than the board's limits allow" too_many
    counted check "outside: two units and another design's kernel in one link" linked
    counted clash "outside: linked with a kernel on the same banks" 'two memory ports are on HBM.21.' linear \
        --first-bank 21
    counted same_kernel
    counted check_refused "outside: more banks than the memory has" 1 'need the banks HBM.0. to HBM.32., but the last' \
        "$rill" package "$work/dies.design" -o "$outside/refused" --units 3
}

refused() { # name, pattern, design, arguments...
    rm -rf "$work/refused"
    check_refused "$1" 1 "$2" "$rill" package "$3" -o "$work/refused" "${@:4}"
    [ ! -e "$work/refused" ] || fail "$1: nothing is written" "$(ls "$work/refused")"
}
# The next functions check what make refuses before it starts a tool that runs for hours: a wrong PLACEMENT, and a clock
# that a package with two clocks does not support. both_clocks has made the package timed, linked has made beside, whose
# clock is below the range of timed.
range_of() { sed -n "s/^$1_MHZ := //p" "$outside/timed/design.mk"; } # LOWEST or HIGHEST
at_clock() { # line of the clock in link.cfg, command...
    sed -i "s/^\(kernel_frequency\|#none\).*/$1/" "$outside/timed/link.cfg" &&
        grep -qx "$1" "$outside/timed/link.cfg" && "${@:2}"
}
timed_tools() { PATH=$mocked make -s -C "$outside/timed" tools; }
refused_clock() { # name, line of the clock in link.cfg, message, variables of make...
    at_clock "$2" check_refused "two clocks: $1" 2 "$3" env PATH="$mocked" make -s -C "$outside/timed" tools "${@:4}"
}
# The lowest and the highest clock keep the MMCM's oscillator at 800 to 1600 MHz, and make accepts both.
within() {
    local multiple
    multiple=$(sed -n 's/.*MULTIPLY(\([0-9]*\)).*/\1/p' "$outside/timed/rtl/timed.v") &&
        [ $(($(range_of LOWEST) * multiple)) -ge 800 ] && [ $((($(range_of LOWEST) - 1) * multiple)) -lt 800 ] &&
        [ $(($(range_of HIGHEST) * multiple)) -le 1600 ] && [ $((($(range_of HIGHEST) + 1) * multiple)) -gt 1600 ] &&
        at_clock "kernel_frequency=0:$(range_of LOWEST)" timed_tools &&
        at_clock "kernel_frequency=0:$(range_of HIGHEST)" timed_tools &&
        grep -q "kernel_frequency.*| .$(range_of LOWEST), $(range_of HIGHEST). |" "$outside/timed/CHECKLIST.md" &&
        ! grep -q '_MHZ' "$outside/alpha/design.mk"
}
early_checks() {
    local low
    counted check_refused "outside: a wrong word in PLACEMENT" 2 'PLACEMENT=.sotf.: write soft, hard or none' \
        make -s -C "$outside/alpha" xclbin PLACEMENT=sotf
    counted check "two clocks: the lowest and the highest clock are accepted" within
    low=$(range_of LOWEST)
    counted refused_clock "a clock below the lowest" "kernel_frequency=0:$((low - 1))" \
        "asks for $((low - 1)) MHz, but kernel timed works at $low to "
    counted refused_clock "a clock above the highest" "kernel_frequency=0:$(($(range_of HIGHEST) + 1))" \
        'MHz, but kernel timed works at '
    counted refused_clock "a clock of VPP below the lowest" "kernel_frequency=0:$low" \
        'asks for 50 MHz, but kernel timed' VPP='v++ --kernel_frequency 0:50'
    counted refused_clock "a fixed clock of VPP below the lowest" '#none' \
        'asks for 50 MHz, but kernel timed' VPP='v++ --clock.freqHz 50000000:timed_1'
    counted refused_clock "no clock" '#none' 'asks for no clock, but kernel timed'
    counted at_clock "kernel_frequency=0:$low" check_refused "two clocks: linked with a package of a lower clock" 2 \
        'asks for 111 MHz, but kernel timed works at ' \
        env PATH="$mocked" make -s -C "$outside/timed" together ALSO=../beside
}
names_checks() {
    local word pin
    counted refused "refused: a name that is none" 'kernel name `1st`' "$work/linear.design" --name 1st
    for word in 'module Verilog' 'logic SystemVerilog' 'signal VHDL' 'Signal VHDL' 'Begin VHDL' \
        'unique0 SystemVerilog'; do
        counted refused "refused: a word of ${word#* }: ${word% *}" "is a reserved word of ${word#* };" \
            "$work/linear.design" --name "${word% *}"
    done
    for pin in ap_clk interrupt s_axi_control_awvalid m_axi_hbm_00_rdata rst; do
        counted refused "refused: the name of a pin: $pin" 'the kernel has a pin or a signal of that name' \
            "$work/linear.design" --name $pin
    done
    counted refused "refused: the name of a module" 'is the name of a module' "$work/linear.design" \
        --name rill_top
}
synthesized() { instances "$work/dies" && looked_up "$1"; } # package: dies, or a copy of it with a fault
# MOCK_DISSOLVED imitates a synthesis after which a generate block has only registers. Then `make ooc` must count the
# lines `rill_prefer` that name the block as missing for placement soft.
dissolved() {
    local said text='gen_chain[0].' soft
    soft=$(grep -c '^rill_prefer .*gen_chain\[0\]\.\*}' "$work/dies/placement.tcl")
    instances "$work/dies" && [ "$soft" -gt 0 ] &&
        said=$(MOCK_DISSOLVED=$text PATH=$mocked make -s -C "$work/dies" ooc) && echo "$said" &&
        grep -q 'gen_chain\[0\]\.\* names only primitives' <<<"$said" &&
        grep -q "stop at $soft of them with PLACEMENT=soft, at 0 with PLACEMENT=hard\$" <<<"$said"
}
# Paths that only placement hard uses do not stop placement soft.
hard_only() {
    local said copy=$outside/hard_only
    rm -rf "$copy" && cp -r "$work/dies" "$copy" && instances "$copy" &&
        echo 'rill_place pblock_SLR0 {u_control/u_none}' >>"$copy/placement.tcl" &&
        said=$(PATH=$mocked make -s -C "$copy" ooc) && echo "$said" &&
        grep -q 'stop at 0 of them with PLACEMENT=soft, at 1 with PLACEMENT=hard$' <<<"$said" && place "$copy" soft
}
clock_found() { # `make ooc` finds the input of the MMCM, and warns if the MMCM has another name
    instances "$outside/timed" && looked_up_clock | grep -q 'rill: WARNING: no pin' && return 1
    sed -i 's#/u_mmcm#/u_pll#' "$MOCK_CELLS" &&
        looked_up_clock | grep -q 'rill: WARNING: no pin u_clock/u_mmcm/CLKIN1'
}
looked_up_clock() { PATH=$mocked make -s -C "$outside/timed" ooc; }
alone_checks() {
    counted check "outside: packages of two kernels" two_packages
    counted check "outside: the command says what it wrote and what comes next" tells
    counted check "outside: two kernels and two units of one in one project" one_project alpha beta
    counted check "outside: each package's own checks" alone_lint
    counted check "outside: rules of strict front ends" strict_rules
    counted check "outside: registers, pins, link file, core of a package with a prefix" agree "$outside/alpha"
    counted check "outside: packaging again leaves nothing stale" stale
    counted check "outside: a list that names files elsewhere removes none of them" foreign_list
    counted check "outside: names of cores are unique" cores
    counted check "dies: every path of the placement is found out of context" synthesized "$work/dies"
    counted check "dies: a block of which only registers are left is missing out of context" dissolved
    counted check "dies: missing paths are counted for each placement" hard_only
    units_checks
    counted check "two clocks: the MMCM's input is looked up out of context" clock_found
    early_checks
    names_checks
}

# ---- placement: every crossing between dies goes from flip-flop to flip-flop ----

# Checks that both modes print a summary without errors. Other placements are checked together with the package's own.
crossings_of() { # package, placements
    local said=$work/$1.crossings
    "$here/crossings.sh" "$work/$1" rill_kernel "$work/netlists/$1" "${@:2}" >"$said"
    ! grep '^[a-z]*:placement.tcl: error' "$said" &&
        [ "$(grep -cE '^(soft|hard):placement.tcl: .* 0 others, 0 groups' "$said")" = 2 ]
}
# The next faults change only placement.tcl. misplaced adds a fault. crossings_of checks all faults of a package at
# once, because reading the netlist of the package takes long. Then is_found looks for the message of each fault.
wrong_checks=()
declare -A wrong=([dies]="" [cut_far]="" [halves]="")
misplaced() { # package, name, sed expression, mode, message
    local file=$work/wrong/${#wrong_checks[@]}.tcl
    sed "$3" "$work/$1/placement.tcl" >"$file"
    wrong_checks+=("$1"$'\t'"fault: $2"$'\t'"$4:$file"$'\t'"$5")
    wrong[$1]+=" $4:$file"
}
is_found() { # package, name, mode and file, message
    if cmp -s "${3#*:}" "$work/$1/placement.tcl"; then fail "$2" "the placement is not changed"
    elif grep -Eq -e "^$3: error: $4" "$work/$1.crossings"; then ok "$2"
    else fail "$2" "no message like '$4': $(grep -m 1 "^$3: " "$work/$1.crossings")"
    fi
}
# Removes the register of a hop between lanes. This needs a new netlist, so the design is a small one with two lanes.
unregistered() {
    make_package "$work/few.yaml" few >"$log" 2>&1
    sed -i 's/^    assign q = q_q;/    assign q = d;/' "$work/few/rtl/rill_hop_stage.v"
    RILL_TEST_TIMEOUT=1800 check_refused "fault: crossings without registers" 1 'not from flip-flop to flip-flop' \
        "$here/crossings.sh" "$work/few" rill_kernel "$work/netlists/few" hard:placement.tcl
}
crossings_checks() {
    local line
    mkdir -p "$work/wrong"
    counted check "halves: packaged" make_package "$root/tests/e2e/cases/halves/spec.yaml" halves
    misplaced dies "a lane's front on the lane's die, hard" \
        's/^\(rill_place pblock_\)SLR0\( .*u_front}\)/\1SLR1\2/' \
        hard 'not from flip-flop to flip-flop'
    misplaced dies "a lane's front on the lane's die, soft" 's/^\(rill_prefer \)SLR0\( .*u_front}\)/\1SLR1\2/' \
        soft 'not from flip-flop to flip-flop'
    misplaced dies "lanes without their parts, soft" '/^rill_prefer .*u_lane\/./d' soft \
        'not from flip-flop to flip-flop'
    misplaced dies "a line that matches no cell" \
        's/^\(rill_place .*\)gen_chain\[0\]\.\*/\1gen_chain[9].*/' hard 'no instance .*gen_chain.9.'
    misplaced cut_far "sums without the exponents of the operand, soft" \
        's/^\(rill_prefer .*gen_sums\)\.\*/\1.u_mine/' soft \
        'not from flip-flop to flip-flop: .*u_mine.* - .*gen_sums.u_shift'
    misplaced cut_far "registers named in place of their instance, soft" \
        's/^\(rill_prefer .*gen_sums\)\.\*/\1.u_shift\/*/' soft 'no instance .*gen_sums.u_shift/'
    misplaced halves "the sender of halves on the lane's die" \
        's/^\(rill_place pblock_\)SLR0\( .*u_beat_hop\/gen_halves.u_send}\)/\1SLR1\2/' \
        hard 'not from flip-flop to flip-flop'
    # shellcheck disable=SC2086 # one word per placement
    for line in dies cut_far halves; do
        counted check "crossings of $line: from flip-flop to flip-flop, soft and hard" crossings_of $line \
            {soft,hard}:placement.tcl ${wrong[$line]}
    done
    for line in "${wrong_checks[@]}"; do
        IFS=$'\t' read -r -a line <<<"$line"
        counted is_found "${line[@]}"
    done
    counted unregistered
}

# ---- specs: 1, 3, 11, 32 channels, 256 and 512 bits, one to three dies, custom kernels, no language model ----

ln -s /usr/lib/x86_64-linux-gnu "$work/xrt/lib"
counted check "reader of binaries builds on XRT's library" g++ -std=c++17 -O0 -I/usr/include/xrt \
    "$here/xclbin_read.cpp" \
    -o "$work/xclbin_read" \
    -lxrt_coreutil -luuid -pthread
if [ ${#specs[@]} != 0 ]; then
    for spec in "${specs[@]}"; do
        name=$(spec_name "$spec")
        counted check "$name: packaged" make_package "$spec" "$name"
        counted_many 4 check_package "$name"
        counted check "$name: clocks" clocks "$work/$name"
        counted_many 4 check_moved "$name"
        echo "packages: $work/$name"
    done
    verdict
    exit
fi
mkdir -p "$work/boards"
for pair in small:dies tight_far:cut_far; do
    board=$work/boards/${pair%:*}.yaml name=${pair#*:}
    sed -e 's/^part: .*/part: xc0/; s/^platform: .*/platform: test_1/' \
        "$root/tests/e2e/boards/${pair%:*}.yaml" >"$board"
    echo 'vitis: {first: "2022.2", last: "2024.2", cells: level0_i/ulp, pblock: pblock_dynamic}' >>"$board"
    sed "s#^board: .*#board: $board#" "$root/tests/e2e/cases/$name/spec.yaml" >"$work/$name.yaml"
done
variant "$root/tests/e2e/cases/kernels/spec.yaml" "$work/kernels.yaml" dies=2
variant "$work/dies.yaml" "$work/pumped.yaml" A=4
sed 's/dsp: 600/dsp: 160/' "$work/boards/small.yaml" >"$work/boards/few.yaml" # too few for lanes on the first die
variant "$work/dies.yaml" "$work/few.yaml" channels=2 lanes=1 T=2 A=1 dies=2
sed -i 's#boards/small#boards/few#' "$work/few.yaml"
declare -A spec=([medium]=$root/configs/gpt2-medium-u55c.yaml [linear]=$root/configs/graph-linear.yaml \
    [odd]=$root/tests/e2e/cases/odd/spec.yaml
    [dies]=$work/dies.yaml [pumped]=$work/pumped.yaml [cut_far]=$work/cut_far.yaml [kernels]=$work/kernels.yaml)
if [ -n "$only" ]; then
    for name in linear dies cut_far; do
        [ $only = alone ] && [ $name = cut_far ] && continue
        counted check "$name: packaged" make_package "${spec[$name]}" $name
    done
    "${only}_checks"
    verdict
    exit
fi
for name in medium linear odd dies pumped cut_far kernels; do
    counted check "$name: packaged" make_package "${spec[$name]}" $name
    counted_many 4 check_package $name
done

# ---- ports: no output depends on an input in the same cycle ----

ports() { "$here/ports.sh" "$1" rill_kernel "$work/ports.json"; } # package
for name in odd linear; do counted check "$name: every output of a port starts at a register" ports "$work/$name"; done
# In this copy, RREADY depends on the client that the beat's RID selects.
rm -rf "$work/unregistered" && cp -r "$work/linear" "$work/unregistered"
sed -i 's/assign m_axi_rready = open_q;/assign m_axi_rready = open_q \&\& |(route \& s_axi_rready);/' \
    "$work/unregistered/rtl/rill_axi_read_arbiter.v"
counted check_refused "fault: RREADY that depends on RID" 1 \
    'error: m_axi_hbm_[0-9]*_rready depends on m_axi_hbm_[0-9]*_rid' \
    "$here/ports.sh" "$work/unregistered" rill_kernel "$work/ports.json"

# ---- one package in detail: dies ----

again() {
    (cd / && "$rill" package "$work/dies.design" -o "$work/again") && rm -rf "$work/fresh" &&
        "$rill" package "$work/dies.design" -o "$work/fresh" &&
        diff -r "$work/again" "$work/fresh" && "$rill" package "$work/dies.design" -o "$work/again" &&
        diff -r "$work/again" "$work/fresh"
}
counted check "the same bytes again, from another folder, over an older one" again

named() {
    "$rill" package "$work/linear.design" -o "$work/named" --name story && [ -e "$work/named/rtl/story.v" ] &&
        agree "$work/named" &&
        grep -q '^nk=story:1:story_1$' "$work/named/link.cfg" &&
        "$rill" package "$work/linear.design" -o "$work/named" &&
        [ ! -e "$work/named/rtl/story.v" ] && agree "$work/named"
}
counted check "a kernel with another name, then the first name again" named

alone_checks
crossings_checks

# ---- two clocks: multipliers that work twice in a cycle ----

counted check "two clocks: made in phase, watched; constraints of every multiplier" clocked "$work/pumped"
counted check "two clocks: the platform's buffer may reach the MMCM" routed "$work/pumped"
counted check "one clock: no MMCM" single "$work/dies"
halved() { # a design whose multipliers take weights in both halves of a cycle
    variant "$root/tests/e2e/cases/odd/spec.yaml" "$work/halved.yaml" pump=2 && make_package "$work/halved.yaml" \
        halved &&
        clocked "$work/halved" && grep -q 'gen_halves[.]u_mul/u_dsp$' "$MOCK_CELLS"
}
counted check "two clocks of products with half the DSPs: constraints of every multiplier" halved
counted_many 4 check_moved pumped

# ---- placement of one package ----

places() { # mode, pattern of the mock's record, how many lines must match it at least
    rm -f "$MOCK_RECORD"
    place "$work/dies" "$1" && [ "$(grep -c "$2" "$MOCK_RECORD")" -ge "$3" ]
}
for name in cut_far dies; do counted_many 4 check_moved $name; done
counted check "placement soft: lanes on their dies" places soft \
    '^set_property	USER_SLR_ASSIGNMENT	SLR[012]	cell:level0_i/ulp/rill_1/inst/u_top/u_shared/u_engine/gen_lane' 11
counted check "placement hard: everything in the platform's pblocks" places hard \
    '^add_cells_to_pblock	pblock:pblock_dynamic_SLR[012]	cell:' 100

# ---- versions of the tools ----

counted check_refused "tools: too old" 2 '2022.1 is not one of the versions' env PATH="$mocked" MOCK_VERSION=2022.1 \
    make \
    -s -C "$work/dies" ooc
counted check_refused "tools: too new" 2 '2026.1 is not one of the versions' env PATH="$mocked" MOCK_VERSION=2026.1 \
    make \
    -s -C "$work/dies" tools
counted check_refused "tools: missing" 2 'no vivado in PATH' make -s -C "$work/dies" ooc
counted check "tools: others by RILL_ANY_TOOLS" env PATH="$mocked" MOCK_VERSION=2025.1 RILL_ANY_TOOLS=1 make \
    -s -C "$work/dies" ooc
counted check_refused "tools: the script asks, too" 1 'is not one of the versions' env MOCK_VERSION=2021.2 tclsh \
    "$here/vivado.tcl" "$work/dies/ooc.tcl" \
    "$work/ooc" synth
counted check_refused "no platform" 2 'no platform' env PATH="$mocked" make -s -C "$work/dies" tools PLATFORM=

# ---- each check can fail: a fault in one file, and what finds it ----

# Changes one file in a copy of a package. The check must then fail.
finds() { # name, check (function or `holds WHAT`), file, sed expression, package (default: dies)
    local name=$1 expression=$4 dir=$work/faulty status=0 of=$work/${5:-dies}
    rm -rf "$dir" && cp -r "$of" "$dir" && rm -rf "$dir/build"
    sed -i "$expression" "$dir/$3"
    if cmp -s "$dir/$3" "$of/$3"; then
        fail "fault: $name" "$expression changes nothing in $3"
        return
    fi
    $2 "$dir" >"$log" 2>&1 || status=$?
    if [ $status = 0 ]; then fail "fault: $name" "not found"
    elif [ $status -gt 125 ] || grep -q Killed "$log"; then fail "fault: $name" "status $status: $(tail -n 1 "$log")"
    else ok "fault: $name"
    fi
}
hard() { place "$1" hard; }
soft() { place "$1" soft; }
# Adds the fault of design.tcl to kernel.xml as well, so that package_xo.tcl, which compares the two, cannot find it.
both() { sed -i '/"eot_id"/s/offset="0x020"/offset="0x024"/' "$1/kernel.xml" && tcl "$1"; }
lints() { make -s -C "$1" lint; }

counted finds "wrong offset in design.tcl" tcl design.tcl 's/{ring_ptr 0x04c/{ring_ptr 0x048/'
counted finds "the same wrong offset in design.tcl and kernel.xml" both design.tcl 's/{eot_id 0x020/{eot_id 0x024/'
counted finds "pointer on another port in design.tcl" tcl design.tcl \
    's/^\(    {hbm_03 .*\){m_axi_hbm_03}/\1{m_axi_hbm_04}/'
counted finds "pointer on a port that is none" tcl design.tcl 's/^\(    {hbm_03 .*\){m_axi_hbm_03}/\1{m_axi_hbm_33}/'
counted finds "wrong size of a pointer" tcl design.tcl 's/{prompt_ptr 0x040 64/{prompt_ptr 0x040 32/'
counted finds "wrong width of a port's parameter" tcl design.tcl 's/DATA_WIDTH 256/DATA_WIDTH 512/'
counted finds "a port left out in design.tcl" tcl design.tcl 's/^set rill(masters) {m_axi_hbm_00 /set rill(masters) {/'
counted finds "reset of the other polarity" tcl package_xo.tcl 's/ACTIVE_LOW/ACTIVE_HIGH/'
counted finds "a clock frequency that the linker may not change" tcl package_xo.tcl \
    's/value_resolve_type user/value_resolve_type immediate/'
counted finds "an unknown command" tcl package_xo.tcl 's/^ipx::save_core/ipx::store_core/'
counted finds "an unknown option" tcl package_xo.tcl 's/-taxonomy/-taxonomie/'
counted finds "an unknown property" tcl package_xo.tcl 's/address_offset/offset/'
counted finds "a property of nothing" tcl package_xo.tcl \
    's/^set_property sdx_kernel true .core/set_property sdx_kernel true cor/'
counted finds "no control protocol" tcl package_xo.tcl 's/-ctrl_protocol ap_ctrl_hs/-ctrl_protocol ap_ctrl_none/'
counted finds "an argument in another order in kernel.xml" tcl kernel.xml 's/name="eot_id"/name="eot"/'
counted finds "wrong offset in kernel.xml" "holds registers" kernel.xml 's/offset="0x018"/offset="0x014"/'
counted finds "wrong type of an argument in kernel.xml" valid kernel.xml 's/type="void\*"/type="float"/'
counted finds "a port without a width in kernel.xml" valid kernel.xml 's/ dataWidth="256"//'
counted finds "wrong offset in component.xml" "holds registers" component.xml \
    's/<spirit:addressOffset>0x030</<spirit:addressOffset>0x034</'
counted finds "an element in the wrong place in component.xml" valid component.xml \
    's/<spirit:usage>register<.spirit:usage>//'
counted finds "a pin of another width in component.xml" "holds pins" component.xml \
    's/<spirit:left>63</<spirit:left>31</'
counted finds "a pin that nothing maps in component.xml" "holds pins" component.xml \
    '/<spirit:name>m_axi_hbm_02_rlast<.spirit:name><.spirit:physicalPort>/d'
counted finds "a tie of another value" "holds pins" rtl/rill_channel.v "s/arcache = 4'd3/arcache = 4'd0/"
counted finds "wrong offset in package.json" "holds registers" package.json \
    's/"ids_written", "offset": 52/"ids_written", "offset": 56/'
counted finds "a register in another place of the Verilog" "holds registers" rtl/rill_axil_regs.v \
    "s/REG_IDS: r_plain_q/REG_FAULT: r_plain_q/"
counted finds "a bank twice" "holds link" link.cfg 's/HBM\[3\]/HBM[2]/'
counted finds "a bank that is none" "holds link" link.cfg 's/HBM\[3\]/HBM[32]/'
counted finds "a range of banks" "holds link" link.cfg 's/HBM\[3\]/HBM[3:4]/'
counted finds "a port that is none in link.cfg" "holds link" link.cfg 's/m_axi_hbm_03/m_axi_hbm_13/'
counted finds "a port left out in link.cfg" "holds link" link.cfg '/m_axi_hbm_10/d'
counted finds "another clock in link.cfg" "holds link" link.cfg 's/^kernel_frequency=.*/kernel_frequency=0:300/'
counted finds "a clock of the linker's own" "holds link" link.cfg \
    's/^kernel_frequency=0:\(.*\)/[clock]\nfreqHz=\1000000:rill_1.ap_clk/'
counted finds "a file left out of the core" "holds core" rill_kernel.core '/rtl\/rill_fork.v/d'
counted finds "a core that is no YAML" "holds core" rill_kernel.core 's/^filesets:/filesets/'
counted finds "a binary with another bank" binary link.cfg 's/HBM\[3\]/HBM[12]/'
counted finds "a binary with another offset" binary kernel.xml 's/offset="0x010"/offset="0x014"/'
counted finds "an instance that is none, hard" hard placement.tcl 's/{u_control.u_token_loop}/{u_control\/u_token_lop}/'
counted finds "an instance that is none, soft" soft placement.tcl 's/gen_lane\[3\].u_lane}/gen_lane[33].u_lane}/'
counted finds "an instance that synthesis lacks" synthesized placement.tcl \
    's/gen_lane\[3\].u_lane}/gen_lane[33].u_lane}/'
counted finds "a preference of registers" soft place.tcl 's/ \[rill_modules / [rill_cells /'
counted finds "constraints that the core loses" tcl tools.tcl \
    '$aproc ipx::save_core {core} {set ::mock_constraints {}; do_ipx_save_core {} $core}' pumped
counted finds "a pblock that is none" hard design.tcl 's/pblock_dynamic/pblock_static/'
counted finds "an MMCM that is never reset" clocked rtl/rill_kernel.v \
    "s/(ap_clk), .rst(rst)/(ap_clk), .rst(1'b0)/" pumped
counted finds "a second clock that is always called ready" clocked rtl/rill_kernel.v \
    "s/clock_state(clock_state)/clock_state(32'd1)/" pumped
counted finds "one clock for both" clocked rtl/rill_kernel.v 's/clk_2x(clk_2x), .clock/clk_2x(ap_clk), .clock/' pumped
counted finds "registers at the MMCM's clock" clocked rtl/rill_kernel.v \
    's/u_top (.clk(ap_clk)/u_top (.clk(clk_2x)/' pumped
counted finds "no feedback in the delay group" clocked clocks.xdc 's/{u_clock.feedback_q /{/' pumped
counted finds "no property of the route to the MMCM" clocked clocks.xdc '/CLOCK_DEDICATED_ROUTE/d' pumped
counted finds "a property with another value" clocked clocks.xdc 's/ANY_CMT_COLUMN/BACKBONE/' pumped
counted finds "a route that the linked design does not get" routed place.tcl 's/^if .*rill_route_clock .*$//' pumped
counted finds "a route from the net inside alone" routed place.tcl 's/get_nets -segments/get_nets/' pumped
counted finds "an MMCM that is not found" routed place.tcl 's/u_mmcm/u_pll/' pumped
counted finds "an MMCM in a design with one clock" single rtl/rill_kernel.v \
    's/^endmodule/wire c; MMCME4_BASE u_mmcm (.CLKIN1(ap_clk), .CLKOUT0(c));\nendmodule/'
counted finds "constraints of clocks in a design with one" single sources.tcl \
    's/rill_constraints .list/& clocks.xdc/'
counted finds "an oscillator that is too fast" clocked rtl/rill_kernel.v 's/MULTIPLY(6)/MULTIPLY(8)/' pumped
counted finds "a constraint of other multipliers" clocked clocks.xdc 's/gen_leaf|/gen_three|/' pumped
counted finds "a constraint of none" clocked clocks.xdc 's/gen_(pumped|halves)/gen_paired/' pumped
counted finds "constraints that forget weights of both halves" clocked clocks.xdc "s/|halves//" halved
counted finds "constraints of weights that no multiplier keeps" clocked clocks.xdc \
    "\$r $root/boards/vitis/clocks_weights.xdc" halved
counted finds "an .xo that older constraints are in" tcl Makefile '/wildcard clocks.xdc/d' pumped
counted finds "constraints that nobody reads" tcl package_xo.tcl 's/ -fileset constrs_1 / -fileset constrs_2 /' pumped
counted finds "a pin that is not connected" lints rtl/rill_kernel.v '/\.m_axi_hbm_00_rdata(/d' linear
counted finds "a file left out of filelist.f" lints filelist.f '/rill_reset.v/d' linear
counted finds "a core of another design's name" "holds core" rill_kernel.core \
    's/^name: "rill:[^:]*:/name: "rill:kernel:/'
counted finds "a file that the list of files lacks" exact files.txt '/^placement.tcl$/d' linear

# ---- what is refused ----

cp -r "$work/linear.design" "$work/changed" && echo '# changed' >>"$work/changed/design.yaml"
counted refused "refused: a top of another design.yaml" \
    'rill_top.v: error: the file was not made with this design.yaml' \
    "$work/changed"
cp -r "$work/linear.design" "$work/lost" && rm "$work/lost/rtl/rill_add.v"
counted refused "refused: a file is missing" 'rtl/rill_add.v: error: cannot be read: No such file' "$work/lost"
counted refused "refused: no design" 'design.yaml: error: cannot be read' "$work/boards"
counted refused "refused: a package" 'this is a package, not a design' "$work/linear"
"$rill" gen "$root/configs/graph-linear.yaml" -o "$work/early" --dump-after=size-fifos &&
    mv "$work/early/size-fifos.yaml" "$work/early/design.yaml"
counted refused "refused: an unfinished design" 'the design is not finished' "$work/early"
counted check_refused "refused: into the design" 1 'needs its own folder' "$rill" package "$work/linear.design" \
    -o "$work/linear.design"
counted check_refused "refused: over another design" 1 'contains a design' "$rill" package "$work/linear.design" \
    -o "$work/odd.design"
counted check_refused "usage" 2 '.-o PKG. is missing' "$rill" package "$work/linear.design"
counted check_refused "a full disk leaves nothing" 1 'File too large|disk full' bash -c \
    'ulimit -f 8 && trap "" XFSZ && exec "$0" package "$1" -o "$2"' "$rill" "$work/linear.design" "$work/full"
[ ! -e "$work/full" ] || fail "a full disk leaves nothing" "$(ls "$work/full")"

# ---- the vendor's reports compared with the estimates; the reports are written by hand in the documented format ----

reports=$root/tests/report/vendor
vendor() { "$rill" report "$work/linear" --vendor "$@"; }
# Checks the rows of the engine, the streams, the DMA engines and the sum, counts of BRAM with a half, and the slack.
figures() { # folder of the reports
    vendor "$1" >"$work/vendor.txt" || return
    grep -Eq '^  engine +[0-9]+ +7000 +[0-9]+ +6000 +[0-9]+ +128 +[0-9.]+ +2.5 +0 +0$' "$work/vendor.txt" &&
        grep -Eq '^  streams +[0-9]+ +300 +[0-9]+ +200 +0 +0 +[0-9.]+ +2.5 +[0-9]+ +1$' "$work/vendor.txt" &&
        grep -Eq '^  DMA engines +[0-9]+ +550 ' "$work/vendor.txt" &&
        grep -Eq '^  all +[0-9]+ +12344 +[0-9]+ +9873 ' "$work/vendor.txt" &&
        grep -Eq '^  x_mux +[0-9]+ +- ' "$work/vendor.txt" &&
        grep -q 'Vivado v.2023.2 .*stage `Routed`' "$work/vendor.txt" &&
        grep -q 'setup -0.125 ns, 42 of 23456 end points fail' "$work/vendor.txt" &&
        grep -q 'with this slack 242.4 MHz' "$work/vendor.txt"
}
counted check "reports: figures, slack" figures "$reports"

# Copies the samples to $work/reports and changes one of them. Returns 1 if the expression changes nothing.
changed() { # file, sed expression
    rm -rf "$work/reports" && cp -r "$reports" "$work/reports" && sed -i "$2" "$work/reports/$1"
    ! cmp -s "$work/reports/$1" "$reports/$1"
}
older() {
    changed utilization.rpt 's/DSP Blocks/DSP48 Blocks/; /^|  /s/ \([0-9]\+\) |/ \1(0.5%) |/g; s/$/\r/' &&
        figures "$work/reports"
}
counted check "reports: an older version's column, shares, lines of Windows" older
later() { # of two reports, the one of the later stage is read; a report of another kind is ignored
    changed utilization.rpt 's/: Routed/: Synthesized/; s/ 12344 / 99 /' &&
        cp "$reports/utilization.rpt" "$work/reports/z.rpt" &&
        echo 'Power Report' >"$work/reports/power.rpt" && figures "$work/reports"
}
counted check "reports: the latest stage" later
vendor_json() { vendor "$reports" --json >"$work/vendor.json" && python3 -m json.tool "$work/vendor.json" >/dev/null; }
counted check "reports: as JSON" vendor_json
of_dies() {
    instances "$work/dies" && mkdir -p "$work/tree" && python3 "$here/hierarchy.py" make \
        "$MOCK_CELLS" >"$work/tree/a.rpt" &&
        "$rill" report "$work/dies" --vendor "$work/tree" --json >"$work/tree/a.json" &&
        python3 "$here/hierarchy.py" check "$MOCK_CELLS" "$work/tree/a.json" "$work/dies/placement.tcl"
}
counted check "reports: every instance on its die" of_dies
refused_report() { # what, file, sed expression, pattern
    if changed "$2" "$3"; then check_refused "reports: $1" 1 "$4" "$rill" report "$work/linear" --vendor "$work/reports"
    else fail "reports: $1" "the sample is not changed"; fi
}
counted refused_report "a count that is none" utilization.rpt 's/       7000 /       7o00 /' \
    'utilization.rpt:34:[0-9]*: error: `7o00` is not a count'
counted refused_report "a column that is missing" utilization.rpt 's/ RAMB36 / RAM    /' \
    'utilization.rpt:22:1: error: the table of instances has no column `RAMB36`'
counted refused_report "a row cut off" utilization.rpt 's/^\(|       u_y  .*\)  4 |$/\1/' \
    'utilization.rpt:31:1: error: a row has 10 cells, but the table has 11'
counted refused_report "a file cut off" utilization.rpt '22,$d' \
    'utilization.rpt: error: the table of instances is empty'
counted refused_report "another design" utilization.rpt 's/u_top /u_pot /; s/rill_top/rill_pot/' \
    'utilization.rpt: error: there is no instance of rill_top'
counted refused_report "an instance below none" utilization.rpt '/ u_engine   /d' \
    'utilization.rpt:35:2: error: instance `gen_lane.0..u_lane` is indented, but no instance is above it'
counted refused_report "a slack that is none" timing.rpt 's/ -0.125/ -0,125/' \
    'timing.rpt:20:6: error: `-0,125` is not a slack'
counted refused_report "a slack too few" timing.rpt 's/ -0.125/       /' \
    'timing.rpt:20:1: error: the timing summary has 11 figures, but 12 columns'
counted refused_report "a clock that is none" timing.rpt 's/ 4.000  / fast   /' \
    'timing.rpt:33:[0-9]*: error: `fast` is not a slack in ns'
mkdir -p "$work/twice" "$work/nothing" && cp "$reports/utilization.rpt" "$work/twice/a.rpt" &&
    cp "$reports/utilization.rpt" "$work/twice/b.rpt"
counted check_refused "reports: two of one stage" 1 'b.rpt: error: .*a.rpt is a report of the same stage' "$rill" \
    report \
    "$work/linear" --vendor "$work/twice"
counted check_refused "reports: none" 1 'nothing: error: there is no report' "$rill" report "$work/linear" --vendor \
    "$work/nothing"
counted check_refused "reports: not with a page" 2 'cannot be used together' "$rill" report "$work/linear" --vendor \
    "$reports" \
    --html "$work/page.html"

# ---- the kernel's module in the simulation ----

simulated() {
    local ids="--prompt-ids 1,2,3 --tokens 3 --ignore-eot"
    "$rill" pack "${spec[odd]}" --weights random:1 -o "$work/odd" &&
        "$rill" sim "$work/odd" --quick-build $ids --json "$work/odd.json" &&
        grep -q 'u_kernel (.ap_clk' "$work/odd/sim/rill_sim_top.sv" && grep -q '"match": true' "$work/odd.json" &&
        diff -r "$work/odd.design/oracle" "$work/odd/oracle"
}
[ $sim = 0 ] || counted check "the kernel's module in place of the top: ids and streams of the replay" simulated

verdict
