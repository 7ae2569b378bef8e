# SPDX-License-Identifier: Apache-2.0
# Synthesis, and with STEPS=route placement and routing, of the kernel out of context: no platform, no shell around it.
# Resources and timing are those of the kernel alone; the platform's logic and floorplan are not in them.
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

read_verilog [rill_with_cells $rill_sources [file join $out rtl]]
read_xdc [file join $here ooc.xdc]
synth_design -top $rill(kernel) -part [rill_need part "the part"] -mode out_of_context -flatten_hierarchy rebuilt
foreach rill_file $rill_constraints {read_xdc $rill_file}
rill_reports $out synth
if {$steps eq "route"} {
    opt_design
    place_design
    phys_opt_design
    route_design
    rill_reports $out route
}
puts "rill: reports in $out: rill report DESIGN --vendor $out"
