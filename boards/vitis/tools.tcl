# SPDX-License-Identifier: Apache-2.0
# Which version of Vivado runs, and whether it is one that the board's file names (design.tcl: rill(first), rill(last)).
# RILL_ANY_TOOLS=1 in the environment turns the refusal into a warning.

# 2022.2 and 2022.2.1 as a number that can be compared: year and minor.
proc rill_version_number {version} {
    if {![regexp {^(\d{4})\.(\d+)} $version -> year minor]} {error "no version of the tools: `$version`"}
    return [expr {$year * 100 + $minor}]
}

proc rill_check_vivado {} {
    global rill env
    set version [version -short]
    puts "rill: Vivado $version, expected $rill(first) to $rill(last)"
    if {$rill(first) eq ""} return
    set number [rill_version_number $version]
    if {$number >= [rill_version_number $rill(first)] && $number <= [rill_version_number $rill(last)]} return
    set says "Vivado $version is not one of the versions that this package is for, $rill(first) to $rill(last)"
    if {[info exists env(RILL_ANY_TOOLS)] && $env(RILL_ANY_TOOLS) eq "1"} {puts "rill: WARNING: $says"; return}
    error "$says; RILL_ANY_TOOLS=1 tries all the same"
}

# The sources to read, with the macro RILL_VENDOR_CELLS, which makes the RTL instantiate the vendor's cells (DSP48E2,
# MMCM). A file that tests the macro is copied to the folder `out` with a definition above its text, because the
# synthesis of a packaged IP knows no macro of the project that it was packaged in.
proc rill_with_cells {sources out} {
    file mkdir $out
    set read {}
    foreach source $sources {
        set channel [open $source]
        set text [read $channel]
        close $channel
        if {[string first "RILL_VENDOR_CELLS" $text] >= 0} {
            set source [file join $out [file tail $source]]
            set channel [open $source w]
            puts $channel "`ifndef RILL_VENDOR_CELLS\n`define RILL_VENDOR_CELLS\n`endif"
            puts -nonewline $channel $text
            close $channel
        }
        lappend read $source
    }
    return $read
}

# Returns a value of the board's file. If the file does not give it, the script cannot go on and stops.
proc rill_need {key what} {
    global rill
    if {$rill($key) eq ""} {error "the board's file says nothing of $what: give it in design.tcl as rill($key)"}
    return $rill($key)
}
