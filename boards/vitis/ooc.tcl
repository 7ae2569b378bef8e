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

# Looks up every path of placement.tcl in the synthesized kernel, where the linker would look for it hours later.
set rill_paths(all) {}
set rill_paths(missing) {}
proc rill_look_up {use path} {
    global rill_paths
    lappend rill_paths(all) $path
    if {[llength [get_cells -quiet u_top/$path]]} return
    lappend rill_paths(missing) $path
    puts "rill: WARNING: no instance $path in the synthesized kernel (placement.tcl, PLACEMENT=$use)"
}
proc rill_prefer {die path} {rill_look_up soft $path}
proc rill_place {pblock path} {rill_look_up hard $path}
proc rill_look_up_all {here} {
    global rill_paths
    source [file join $here placement.tcl]
    set all [llength $rill_paths(all)]
    set missing [llength $rill_paths(missing)]
    if {$missing} {
        puts "rill: WARNING: $missing of $all paths of placement.tcl are missing: `make xclbin` would stop at them"
    } else {
        puts "rill: all $all paths of placement.tcl found"
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
