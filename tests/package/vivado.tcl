# SPDX-License-Identifier: Apache-2.0
# A strict stand-in for Vivado's Tcl, for scripts of `rill package`: what it does not know is an error, be it a command,
# an option, a property of that kind of object, an interface, a pblock or an instance. What was done is recorded.
#
# usage: tclsh vivado.tcl SCRIPT [ARGUMENT]...
# environment: MOCK_RECORD (file of lines `kind<TAB>...`), MOCK_VERSION (default 2023.2), MOCK_CELLS (file of instance
# paths, for place.tcl), MOCK_PBLOCKS (names), MOCK_DISSOLVED (generate blocks whose paths have this text keep only
# primitives)
set mock_record [open $env(MOCK_RECORD) a]
proc say {args} {puts $::mock_record [join $args "\t"]}
proc stop {text} {
    puts stderr "mock: $text"
    exit 3
}
proc unknown {args} {stop "unknown command: $args"}

# ---- commands: options with a value, options without, least and most further words ----

array set mock_syntax {
    version                     {{} {-short} 0 0}
    create_project              {{-part} {-force} 2 2}
    current_fileset             {{} {} 0 0}
    add_files                   {{-fileset} {-norecurse} 1 1}
    get_files                   {{} {} 1 1}
    update_compile_order        {{-fileset} {} 0 0}
    close_project               {{} {-delete} 0 0}
    ipx::package_project        {{-root_dir -vendor -library -taxonomy -set_current} {-import_files} 0 0}
    ipx::unload_core            {{} {} 1 1}
    ipx::edit_ip_in_project     {{-upgrade -name -directory} {} 1 1}
    ipx::current_core           {{} {} 0 0}
    ipx::get_user_parameters    {{-of_objects} {} 0 0}
    ipx::remove_user_parameter  {{} {} 2 2}
    ipx::get_bus_interfaces     {{-of_objects} {-quiet} 1 1}
    ipx::infer_bus_interface    {{} {} 3 3}
    ipx::get_ports              {{-of_objects} {} 0 0}
    ipx::get_bus_parameters     {{-of_objects} {-quiet} 1 1}
    ipx::add_bus_parameter      {{} {} 2 2}
    ipx::associate_bus_interfaces {{-busif -clock -reset} {} 1 1}
    ipx::get_memory_maps        {{-of_objects} {-quiet} 0 0}
    ipx::remove_memory_map      {{} {} 2 2}
    ipx::add_memory_map         {{} {} 2 2}
    ipx::add_address_block      {{} {} 2 2}
    ipx::add_register           {{} {} 2 2}
    ipx::add_register_parameter {{} {} 2 2}
    ipx::add_field              {{} {} 2 2}
    ipx::create_xgui_files      {{} {} 1 1}
    ipx::update_checksums       {{} {} 1 1}
    ipx::check_integrity        {{} {-kernel} 1 1}
    ipx::save_core              {{} {} 1 1}
    package_xo {{-kernel_name -xo_path -ip_directory -ctrl_protocol -output_kernel_xml -kernel_xml} {-force} 0 0}
    read_verilog                {{} {} 1 1}
    read_xdc                    {{} {} 1 1}
    synth_design                {{-top -part -mode -flatten_hierarchy} {} 0 0}
    opt_design {{} {} 0 0} place_design {{} {} 0 0} phys_opt_design {{} {} 0 0} route_design {{} {} 0 0}
    report_utilization          {{-file} {-hierarchical} 0 0}
    report_timing_summary       {{-file} {} 0 0}
    write_checkpoint            {{} {-force} 1 1}
    get_cells                   {{} {-quiet} 1 1}
    filter                      {{} {} 2 2}
    get_pblocks                 {{} {-quiet} 1 1}
    get_pins                    {{-of_objects -filter} {-quiet} 0 1}
    get_nets                    {{-of_objects} {-segments} 0 0}
    add_cells_to_pblock         {{} {-clear_locs} 2 2}
    set_property                {{} {} 3 3}
    get_property                {{} {} 2 2}
}
# Properties that a kind of object has.
array set mock_properties {
    fileset {top}
    constraints {used_in_synthesis}
    core {name version display_name description core_revision sdx_kernel sdx_kernel_type supported_families
        auto_family_support_level}
    block {range width usage}
    register {description address_offset size access}
    field {description bit_offset bit_width access}
    parameter {value value_resolve_type NAME}
    interface {slave_memory_map_ref}
    port {NAME}
    map {NAME}
    user {NAME}
    cell {USER_SLR_ASSIGNMENT}
    net {CLOCK_DEDICATED_ROUTE}
}

# Splits a call into options and words; options may stand anywhere, as in Vivado.
proc parse {command words} {
    lassign $::mock_syntax($command) valued plain least most
    set given {}
    set rest {}
    for {set i 0} {$i < [llength $words]} {incr i} {
        set word [lindex $words $i]
        if {[lsearch -exact $valued $word] >= 0} {
            if {[incr i] >= [llength $words]} {stop "$command: $word without its value"}
            dict set given $word [lindex $words $i]
        } elseif {[lsearch -exact $plain $word] >= 0} {
            dict set given $word 1
        } elseif {[regexp {^-[a-z]} $word]} {
            stop "$command: unknown option $word"
        } else {
            lappend rest $word
        }
    }
    if {[llength $rest] < $least || [llength $rest] > $most} {stop "$command: [llength $rest] words: $words"}
    return [list $given $rest]
}

foreach command [array names mock_syntax] {
    if {[string match *::* $command]} {namespace eval [namespace qualifiers $command] {}}
    set do do_[string map {:: _} $command]
    proc $command {args} "lassign \[parse $command \$args\] given rest; say $command {*}\$args; $do \$given \$rest"
    proc $do {given rest} {return {}}
}

# ---- objects: `kind:name...`; what was not made is no object ----

set mock_constraints {}
set mock_objects(core) {}
set mock_objects(fileset) {}
proc object {args} {return [join $args :]}
proc kind {object} {return [lindex [split $object :] 0]}
proc name {object} {return [join [lrange [split $object :] 1 end] :]}
proc exists {object} {return [info exists ::mock_objects($object)]}
proc make {args} {
    if {[exists [object {*}$args]]} {stop "[object {*}$args] is made twice"}
    set ::mock_objects([object {*}$args]) {}
    return [object {*}$args]
}
proc need {object kind} {
    if {![exists $object] || [kind $object] ne $kind} {stop "`$object` is no $kind"}
    return $object
}
proc found {object} {return [expr {[exists $object] ? $object : ""}]}

# The pins of the kernel's module; interfaces are what `_awvalid` behind a name shows, and clock and reset.
proc read_pins {files} {
    foreach file $files {
        if {![file exists $file]} {stop "no file $file"}
    }
    set stream [open [lindex $files end]]
    set text [read $stream]
    close $stream
    foreach {all direction range name} [regexp -all -inline {(input|output)\s+wire\s+(\[\d+:0\]\s+)?(\w+)} $text] {
        set ::mock_pins($name) $direction
        make port $name
        if {[regexp {^(\w+)_awvalid$} $name -> interface]} {make interface $interface}
    }
    foreach name {ap_clk ap_rst_n} {if {[info exists ::mock_pins($name)]} {make interface $name}}
}

proc do_version {given rest} {return [expr {[info exists ::env(MOCK_VERSION)] ? $::env(MOCK_VERSION) : "2023.2"}]}
proc do_current_fileset {given rest} {return fileset}
# Verilog that makes cells of the vendor's with a macro has it defined in front of its first use.
proc check_cells {files} {
    foreach file $files {
        if {![file exists $file]} {stop "no file $file"}
        set channel [open $file]
        set text [read $channel]
        close $channel
        set use [string first "`ifdef RILL_VENDOR_CELLS" $text]
        set made [string first "`define RILL_VENDOR_CELLS" $text]
        if {$use >= 0 && ($made < 0 || $made > $use)} {stop "no macro RILL_VENDOR_CELLS for $file"}
    }
}
proc do_add_files {given rest} {
    if {![dict exists $given -fileset]} {
        check_cells [lindex $rest 0]
        set ::mock_added [lindex $rest 0]
        return
    }
    if {[dict get $given -fileset] ne "constrs_1"} {stop "no fileset [dict get $given -fileset]"}
    foreach file [lindex $rest 0] {
        if {![file exists $file]} {stop "no file $file"}
        make constraints $file
        lappend ::mock_constraints $file
    }
}
proc do_get_files {given rest} {return [found [object constraints [lindex $rest 0 0]]]}
proc do_ipx_package_project {given rest} {
    read_pins $::mock_added
    set ::mock_ip [dict get $given -root_dir]
    file mkdir $::mock_ip
    make map Reg
}
# As Vivado: component.xml names the files of the core, and for which step each of the constraints is.
proc do_ipx_save_core {given rest} {
    set file [open [file join $::mock_ip component.xml] w]
    foreach path $::mock_constraints {
        set use [expr {[info exists ::mock_value([object constraints $path],used_in_synthesis)] ?
            "<spirit:userFileType>USED_IN_implementation</spirit:userFileType>" : ""}]
        puts $file "<spirit:file>\n<spirit:name>src/[file tail $path]</spirit:name>\n\
            <spirit:userFileType>xdc</spirit:userFileType>\n$use</spirit:file>"
    }
    close $file
}
proc do_ipx_current_core {given rest} {return core}
proc do_ipx_get_user_parameters {given rest} {return [make user DATA]}
proc do_ipx_get_ports {given rest} {
    need [dict get $given -of_objects] core
    set list {}
    foreach name [lsort [array names ::mock_pins]] {lappend list [object port $name]}
    return $list
}
proc do_ipx_get_bus_interfaces {given rest} {return [found [object interface [lindex $rest 0]]]}
proc do_ipx_infer_bus_interface {given rest} {
    lassign $rest pins type core
    need $core core
    if {![regexp {^xilinx\.com:(signal|interface):(clock|reset|interrupt|aximm)_rtl:1\.0$} $type]} {stop "type $type"}
    foreach pin $pins {if {![info exists ::mock_pins($pin)]} {stop "no pin $pin"}}
    return [make interface [lindex $pins 0]]
}
proc do_ipx_get_bus_parameters {given rest} {
    return [found [object parameter [name [dict get $given -of_objects]] [lindex $rest 0]]]
}
proc do_ipx_add_bus_parameter {given rest} {
    return [make parameter [name [need [lindex $rest 1] interface]] [lindex $rest 0]]
}
proc do_ipx_associate_bus_interfaces {given rest} {
    foreach option [dict keys $given] {need [object interface [dict get $given $option]] interface}
    need [lindex $rest 0] core
}
proc do_ipx_get_memory_maps {given rest} {return [found map:Reg]}
proc do_ipx_remove_memory_map {given rest} {unset ::mock_objects([need [object map [lindex $rest 0]] map])}
proc do_ipx_add_memory_map {given rest} {return [make map [lindex $rest 0]]}
proc do_ipx_add_address_block {given rest} {
    need [lindex $rest 1] map
    return [make block [lindex $rest 0]]
}
proc do_ipx_add_register {given rest} {
    need [lindex $rest 1] block
    lappend ::mock_registers [lindex $rest 0]
    return [make register [lindex $rest 0]]
}
proc do_ipx_add_register_parameter {given rest} {
    return [make parameter [name [need [lindex $rest 1] register]] [lindex $rest 0]]
}
proc do_ipx_add_field {given rest} {return [make field [name [need [lindex $rest 1] register]] [lindex $rest 0]]}
proc need_property {object property} {
    if {![info exists ::mock_properties([kind $object])]} {stop "[kind $object] has no properties"}
    if {[lsearch -exact $::mock_properties([kind $object]) $property] < 0} {
        stop "[kind $object] has no property `$property`"
    }
}
proc do_set_property {given rest} {
    lassign $rest property value object
    if {![exists $object]} {stop "set_property $property: no object `$object`"}
    need_property $object $property
    if {$property eq "CLOCK_DEDICATED_ROUTE" && [lsearch -exact {TRUE FALSE BACKBONE ANY_CMT_COLUMN} $value] < 0} {
        stop "CLOCK_DEDICATED_ROUTE has no value $value"
    }
    if {[string match *:ASSOCIATED_BUSIF $object]} {need [object interface $value] interface}
    set ::mock_value($object,$property) $value
}
proc do_get_property {given rest} {
    lassign $rest property object
    need_property $object $property
    return [name $object]
}

# As Vivado: every register that is no control register becomes an argument, in the order in which they were made.
proc write_kernel_xml {path name} {
    set file [open $path w]
    puts $file "<root><kernel name=\"$name\"><args>"
    set id 0
    foreach register $::mock_registers {
        if {[lsearch -exact {CTRL GIER IP_IER IP_ISR} $register] >= 0} continue
        set parameter parameter:$register:ASSOCIATED_BUSIF,value
        set port [expr {[info exists ::mock_value($parameter)] ? $::mock_value($parameter) : "s_axi_control"}]
        puts $file "<arg name=\"$register\" id=\"$id\" port=\"$port\"\
            size=\"[format 0x%x [expr {$::mock_value(register:$register,size) / 8}]]\"\
            offset=\"$::mock_value(register:$register,address_offset)\"/>"
        incr id
    }
    puts $file "</args></kernel></root>"
    close $file
}

proc do_package_xo {given rest} {
    foreach option {-kernel_name -xo_path -ip_directory} {
        if {![dict exists $given $option]} {stop "package_xo without $option"}
    }
    if {$::mock_value(fileset,top) ne [dict get $given -kernel_name]} {stop "the kernel's name is not its module's"}
    if {[dict exists $given -output_kernel_xml]} {
        write_kernel_xml [dict get $given -output_kernel_xml] [dict get $given -kernel_name]
    }
    close [open [dict get $given -xo_path] w]
}

# ---- synthesis and placement ----

# After synthesis out of context, paths begin below the kernel.
proc do_synth_design {given rest} {
    read_cells
    set below {}
    foreach cell $::mock_cells {lappend below [regsub {^.*?/inst/} $cell ""]}
    set ::mock_cells $below
}
proc do_read_verilog {given rest} {check_cells [lindex $rest 0]}
proc do_read_xdc {given rest} {if {![file exists [lindex $rest 0]]} {stop "no file [lindex $rest 0]"}}
proc do_report_utilization {given rest} {close [open [dict get $given -file] w]}
proc do_report_timing_summary {given rest} {close [open [dict get $given -file] w]}
proc do_write_checkpoint {given rest} {close [open [lindex $rest 0] w]}
proc read_cells {} {
    if {[info exists ::mock_cells]} return
    set file [open $::env(MOCK_CELLS)]
    set ::mock_cells [split [string trim [read $file]] "\n"]
    close $file
}
proc do_get_cells {given rest} {
    read_cells
    # `*` and `?` stand for characters of one level. Brackets stand for themselves, without a backslash.
    if {[string first \\ [lindex $rest 0]] >= 0} {stop "get_cells: a backslash in `[lindex $rest 0]`"}
    set pattern [string map {[ \\[ ] \\]} [lindex $rest 0]]
    set levels [llength [split $pattern /]]
    foreach cell $::mock_cells {
        if {[string match $pattern $cell] && [llength [split $cell /]] == $levels} {
            set ::mock_objects([object cell $cell]) {}
            if {![string match {*[*]} $pattern]} {return [object cell $cell]}
            # A pattern of a generate block also matches the registers in it. Paths have no blanks. Of the blocks that
            # MOCK_DISSOLVED names, only the registers are left.
            set ::mock_objects([object primitive $cell]) {}
            if {[info exists ::env(MOCK_DISSOLVED)] && [string first $::env(MOCK_DISSOLVED) $cell] >= 0} {
                return [object primitive $cell]
            }
            return [list [object primitive $cell] [object cell $cell]]
        }
    }
    return {}
}
proc do_filter {given rest} {
    lassign $rest objects expression
    if {$expression ne "!IS_PRIMITIVE"} {stop "filter: another expression"}
    set list {}
    foreach object $objects {if {[kind $object] eq "cell"} {lappend list $object}}
    return [expr {[llength $list] == 1 ? [lindex $list 0] : $list}]
}
# A pin of the kernel's clock input has one net in each level of the hierarchy. The platform's buffer drives the
# topmost.
proc do_get_pins {given rest} {
    if {[dict exists $given -of_objects]} {
        if {[dict get $given -of_objects] ne {net:inside net:buffer}} {stop "get_pins: these are not all segments"}
        if {[dict get $given -filter] ne "IS_LEAF && DIRECTION == OUT"} {stop "get_pins: another filter"}
        set ::mock_objects(pin:buffer) {}
        return pin:buffer
    }
    if {![regexp {^(.*/u_mmcm)/CLKIN1$} [lindex $rest 0] -> cell]} {return {}}
    if {![llength [do_get_cells {} [list $cell]]]} {return {}}
    set ::mock_objects(pin:CLKIN1) {}
    return pin:CLKIN1
}
proc do_get_nets {given rest} {
    set ::mock_objects(net:inside) {}
    set ::mock_objects(net:buffer) {}
    if {[need [dict get $given -of_objects] pin] eq "pin:buffer"} {return net:buffer}
    return [expr {[dict exists $given -segments] ? {net:inside net:buffer} : "net:inside"}]
}
proc do_get_pblocks {given rest} {
    if {[lsearch -exact $::env(MOCK_PBLOCKS) [lindex $rest 0]] < 0} {return {}}
    set ::mock_objects([object pblock [lindex $rest 0]]) {}
    return [object pblock [lindex $rest 0]]
}
proc do_add_cells_to_pblock {given rest} {
    need [lindex $rest 0] pblock
    foreach object [lindex $rest 1] {need $object [kind $object]}
}

set argv0 [lindex $argv 0]
set argv [lrange $argv 1 end]
set argc [llength $argv]
source $argv0
close $mock_record
