# SPDX-License-Identifier: Apache-2.0
# Run by the linker before placement (link property STEPS.PLACE_DESIGN.TCL.PRE; `make xclbin` sets it): which dies the
# parts of the kernel should be on, from placement.tcl; and how ap_clk reaches the MMCM of a second clock.
#
# RILL_PLACEMENT in the environment:
#   soft  (default) matrix engines, parts of lanes and large kernels get USER_SLR_ASSIGNMENT; the placer does the rest
#   hard  everything is added to the platform's own pblock of its die (rill(pblock)_<die>); may make routing worse
#   none  nothing
# RILL_PACKAGE in the environment: the package's folder. The linker may run a copy of this file in another folder.
set here [file dirname [file normalize [info script]]]
if {[info exists env(RILL_PACKAGE)]} {set here [file normalize $env(RILL_PACKAGE)]}
source [file join $here design.tcl]
source [file join $here tools.tcl]

set rill_mode soft
if {[info exists env(RILL_PLACEMENT)]} {set rill_mode $env(RILL_PLACEMENT)}
if {[lsearch -exact {soft hard none} $rill_mode] < 0} {error "RILL_PLACEMENT `$rill_mode`: soft, hard or none"}
set rill_placed 0

# The instances of a path below rill_top in a compute unit. `*` stands for any characters of one level; brackets stand
# for themselves, as Vivado takes names such as gen_lane[8].u_lane. A path that matches nothing is an error.
proc rill_cells {unit path} {
    set path [rill_need cells "the place of kernels in a linked design"]/$unit/inst/u_top/$path
    set cells [get_cells -quiet $path]
    if {![llength $cells]} {error "no instance $path in the linked design (placement.tcl)"}
    return $cells
}

# The instances of a path without the registers and other primitives that its pattern also matches, because placement
# ignores USER_SLR_ASSIGNMENT of a primitive.
proc rill_modules {unit path} {
    set cells [filter [rill_cells $unit $path] {!IS_PRIMITIVE}]
    if {![llength $cells]} {error "$path names only primitives, which take no preferred die (placement.tcl)"}
    return $cells
}

proc rill_prefer {die path} {
    global rill rill_mode rill_placed
    if {$rill_mode ne "soft"} return
    foreach unit $rill(units) {set_property USER_SLR_ASSIGNMENT $die [rill_modules $unit $path]}
    incr rill_placed
}

proc rill_place {pblock path} {
    global rill rill_mode rill_placed
    if {$rill_mode ne "hard"} return
    set die [string range $pblock [string length pblock_] end]
    set name [rill_need pblock "the platform's pblocks"]_$die
    set found [get_pblocks -quiet $name]
    if {[llength $found] != 1} {error "no pblock $name in the linked design"}
    foreach unit $rill(units) {add_cells_to_pblock $found [rill_cells $unit $path] -clear_locs}
    incr rill_placed
}

source [file join $here placement.tcl]

# The buffer of the platform that drives ap_clk may be in another column than the MMCM that makes the second clock of
# it. The placer looks at the net that the buffer drives, so this net gets the property, whatever its name.
proc rill_route_clock {unit} {
    set path [rill_need cells "the place of kernels in a linked design"]/$unit/inst/u_clock/u_mmcm/CLKIN1
    set pin [get_pins -quiet $path]
    if {[llength $pin] != 1} {error "no pin $path in the linked design: the MMCM of the second clock"}
    set driver [get_pins -quiet -of_objects [get_nets -segments -of_objects $pin] -filter {IS_LEAF && DIRECTION == OUT}]
    if {[llength $driver] != 1} {error "[llength $driver] drivers of the net at $path, expected one"}
    set net [get_nets -of_objects $driver]
    set_property CLOCK_DEDICATED_ROUTE ANY_CMT_COLUMN $net
    puts "rill: clock: $net may reach the MMCM over any column"
}
if {$rill(second_clock)} {foreach unit $rill(units) {rill_route_clock $unit}}
puts "rill: placement $rill_mode, $rill_placed paths"
