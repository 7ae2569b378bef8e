# SPDX-License-Identifier: Apache-2.0
# Synthesis, and with STEPS=route placement and routing, of the kernel out of context: no platform, no shell around it.
# Resources and timing are those of the kernel alone; the platform's logic and floorplan are not in them. No clock
# buffer drives ap_clk here, so the slack after routing is without the skew of ap_clk, and says nothing of paths between
# ap_clk and clk_2x.
# usage: vivado -mode batch -source ooc.tcl -tclargs OUTDIR synth|route
set here [file dirname [file normalize [info script]]]
source [file join $here design.tcl]
source [file join $here tools.tcl]
source [file join $here sources.tcl]

if {$argc != 2} {error "usage: vivado -mode batch -source ooc.tcl -tclargs OUTDIR synth|route"}
set out [file normalize [lindex $argv 0]]
set steps [lindex $argv 1]
if {[lsearch -exact {synth route} $steps] < 0} {error "steps `$steps`: synth or route"}
rill_check_vivado
file mkdir $out

proc rill_reports {out name} {
    report_utilization -hierarchical -file [file join $out ${name}_utilization.rpt]
    report_timing_summary -file [file join $out ${name}_timing.rpt]
    write_checkpoint -force [file join $out $name.dcp]
}

# Looks up in the synthesized kernel what place.tcl looks up in the linked design, hours later: every path of
# placement.tcl, with the same conditions, and the input of the MMCM. PLACEMENT=soft uses only the lines `rill_prefer`,
# PLACEMENT=hard only the lines `rill_place`, so the missing paths are counted separately.
array set rill_paths {all 0 soft 0 hard 0}
proc rill_missing {use why} {
    global rill_paths
    incr rill_paths($use)
    puts "rill: WARNING: $why (placement.tcl, PLACEMENT=$use)"
}
proc rill_look_up {use path} {
    global rill_paths
    incr rill_paths(all)
    set cells [get_cells -quiet u_top/$path]
    if {![llength $cells]} {
        rill_missing $use "no instance $path in the synthesized kernel"
    } elseif {$use eq "soft" && ![llength [filter $cells {!IS_PRIMITIVE}]]} {
        rill_missing $use "$path names only primitives, which take no preferred die"
    }
}
proc rill_prefer {die path} {rill_look_up soft $path}
proc rill_place {pblock path} {rill_look_up hard $path}
proc rill_look_up_all {here} {
    global rill rill_paths
    source [file join $here placement.tcl]
    set missing [expr {$rill_paths(soft) + $rill_paths(hard)}]
    if {$missing} {
        puts "rill: WARNING: $missing of $rill_paths(all) paths of placement.tcl are missing: `make xclbin` would stop\
            at $rill_paths(soft) of them with PLACEMENT=soft, at $rill_paths(hard) with PLACEMENT=hard"
    } else {
        puts "rill: all $rill_paths(all) paths of placement.tcl found"
    }
    set pin u_clock/u_mmcm/CLKIN1
    if {$rill(second_clock) && [llength [get_pins -quiet $pin]] != 1} {
        puts "rill: WARNING: no pin $pin in the synthesized kernel: `make xclbin` would stop, whatever PLACEMENT is"
    }
}

read_verilog [rill_with_cells $rill_sources [file join $out rtl]]
read_xdc [file join $here ooc.xdc]
synth_design -top $rill(kernel) -part [rill_need part "the part"] -mode out_of_context -flatten_hierarchy rebuilt
foreach rill_file $rill_constraints {read_xdc $rill_file}
rill_look_up_all $here
rill_reports $out synth
if {$steps eq "route"} {
    opt_design
    place_design
    phys_opt_design
    route_design
    rill_reports $out route
}
puts "rill: reports in $out: rill report DESIGN --vendor $out"
