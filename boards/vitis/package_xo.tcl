# SPDX-License-Identifier: Apache-2.0
# Packages the kernel as an IP with the properties that the Vitis linker requires, and the IP as an .xo file.
# usage: vivado -mode batch -source package_xo.tcl -tclargs OUT.xo WORKDIR
#
# Interfaces and registers come from design.tcl, which is made from the table that the RTL's documents are made from.
# The kernel.xml that Vivado writes is compared with the one of this folder: every argument's name, id, port, size and
# offset.
set here [file dirname [file normalize [info script]]]
source [file join $here design.tcl]
source [file join $here tools.tcl]
source [file join $here sources.tcl]

if {$argc != 2} {error "usage: vivado -mode batch -source package_xo.tcl -tclargs OUT.xo WORKDIR"}
set xo [file normalize [lindex $argv 0]]
set work [file normalize [lindex $argv 1]]
rill_check_vivado

# ---- the project, and the core that Vivado makes of it ----

file delete -force $work
file mkdir $work [file dirname $xo]
create_project -force -part [rill_need part "the part"] rill_project [file join $work project]
add_files -norecurse [rill_with_cells $rill_sources [file join $work rtl]]
if {[llength $rill_constraints]} {
    add_files -norecurse -fileset constrs_1 $rill_constraints
    set_property used_in_synthesis false [get_files $rill_constraints]
}
set_property top $rill(kernel) [current_fileset]
update_compile_order -fileset sources_1
set ip [file join $work ip]
ipx::package_project -root_dir $ip -vendor $rill(vendor) -library $rill(library) -taxonomy /KernelIP -import_files \
    -set_current false
ipx::unload_core [file join $ip component.xml]
ipx::edit_ip_in_project -upgrade true -name rill_edit -directory [file join $work edit] [file join $ip component.xml]
set core [ipx::current_core]
set_property name $rill(kernel) $core
set_property version $rill(version) $core
set_property display_name $rill(kernel) $core
set_property description $rill(description) $core
foreach parameter [ipx::get_user_parameters -of_objects $core] {
    ipx::remove_user_parameter [get_property NAME $parameter] $core
}

# ---- interfaces: Vivado infers them from the names of the pins; what it has not found is inferred by name ----

proc rill_interface {name pins type} {
    global core
    if {![llength [ipx::get_bus_interfaces -quiet $name -of_objects $core]]} {
        ipx::infer_bus_interface $pins $type $core
    }
    set found [ipx::get_bus_interfaces -quiet $name -of_objects $core]
    if {[llength $found] != 1} {error "Vivado made no interface $name of the pins $pins"}
    return $found
}

proc rill_bus_parameter {interface name value} {
    set parameter [ipx::get_bus_parameters -quiet $name -of_objects $interface]
    if {![llength $parameter]} {set parameter [ipx::add_bus_parameter $name $interface]}
    set_property value $value $parameter
    return $parameter
}

proc rill_pins {interface} {
    global core
    set pins {}
    foreach port [ipx::get_ports -of_objects $core] {
        if {[string match "${interface}_*" [get_property NAME $port]]} {lappend pins [get_property NAME $port]}
    }
    return $pins
}

set clock [rill_interface ap_clk ap_clk xilinx.com:signal:clock_rtl:1.0]
set reset [rill_interface ap_rst_n ap_rst_n xilinx.com:signal:reset_rtl:1.0]
set interrupt [rill_interface interrupt interrupt xilinx.com:signal:interrupt_rtl:1.0]
# The linker may give the kernel another clock: a parameter that is not the user's would then stop it ([BD 41-237]).
set_property value_resolve_type user [rill_bus_parameter $clock FREQ_HZ $rill(clock_hz)]
rill_bus_parameter $reset POLARITY ACTIVE_LOW
rill_bus_parameter $interrupt SENSITIVITY LEVEL_HIGH
set control [rill_interface $rill(control) [rill_pins $rill(control)] xilinx.com:interface:aximm_rtl:1.0]
ipx::associate_bus_interfaces -busif $rill(control) -clock ap_clk $core
foreach master $rill(masters) {
    set interface [rill_interface $master [rill_pins $master] xilinx.com:interface:aximm_rtl:1.0]
    ipx::associate_bus_interfaces -busif $master -clock ap_clk $core
    foreach {name value} $rill(bus_parameters) {rill_bus_parameter $interface $name $value}
}
ipx::associate_bus_interfaces -clock ap_clk -reset ap_rst_n $core

# ---- registers ----

foreach map [ipx::get_memory_maps -quiet -of_objects $core] {
    ipx::remove_memory_map [get_property NAME $map] $core
}
set map [ipx::add_memory_map $rill(control) $core]
set block [ipx::add_address_block reg0 $map]
set_property range $rill(range) $block
set_property width 32 $block
set_property usage register $block
foreach row $rill(registers) {
    lassign $row name offset bits access bus meaning
    set register [ipx::add_register $name $block]
    set_property description $meaning $register
    set_property address_offset $offset $register
    set_property size $bits $register
    set_property access $access $register
    if {$bus ne ""} {
        set parameter [ipx::add_register_parameter ASSOCIATED_BUSIF $register]
        set_property value $bus $parameter
    }
    set register_of($name) $register
}
foreach row $rill(fields) {
    lassign $row register name bit bits access meaning
    if {![info exists register_of($register)]} continue
    set field [ipx::add_field $name $register_of($register)]
    set_property description $meaning $field
    set_property bit_offset $bit $field
    set_property bit_width $bits $field
    set_property access $access $field
}
set_property slave_memory_map_ref $rill(control) $control

# ---- the kernel ----

set_property core_revision 1 $core
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
set_property supported_families {} $core
set_property auto_family_support_level level_2 $core
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity -kernel $core
ipx::save_core $core
close_project -delete

# ---- constraints: a core that has lost them would be linked without a message ----

# Returns the types of a file of the core in all its entries in component.xml. They include the steps it is used in.
proc rill_uses {path file} {
    set channel [open $path]
    set text [read $channel]
    close $channel
    set found 0
    set uses {}
    foreach entry [regexp -all -inline {<spirit:file>.*?</spirit:file>} $text] {
        if {[string first "/$file<" $entry] < 0 && [string first ">$file<" $entry] < 0} continue
        set found 1
        foreach {all use} [regexp -all -inline {<spirit:userFileType>([^<]*)<} $entry] {lappend uses $use}
    }
    if {!$found} {error "$path names no $file: the core has lost its constraints"}
    return $uses
}
foreach rill_file $rill_constraints {
    set name [file tail $rill_file]
    set uses [rill_uses [file join $ip component.xml] $name]
    if {[lsearch -glob $uses USED_IN_*] >= 0 && [lsearch -exact $uses USED_IN_implementation] < 0} {
        error "$name in the core is not for the implementation: $uses"
    }
    puts "rill: the core has $name: $uses"
}

file delete -force $xo
set written [file join $work kernel.xml]
package_xo -force -kernel_name $rill(kernel) -xo_path $xo -ip_directory $ip -ctrl_protocol ap_ctrl_hs \
    -output_kernel_xml $written

# ---- comparison of Vivado's kernel.xml with this folder's ----

proc rill_arguments {path} {
    set file [open $path]
    set text [read $file]
    close $file
    set list {}
    foreach {tag} [regexp -all -inline {<arg\s[^>]*>} $text] {
        foreach key {name id port size offset} {
            if {![regexp "\\s${key}=\"(\[^\"\]*)\"" $tag -> value($key)]} {
                error "$path: an argument without $key: $tag"
            }
        }
        lappend list [list $value(name) [expr {$value(id)}] $value(port) [expr {$value(size)}] [expr {$value(offset)}]]
    }
    return [lsort -integer -index 1 $list]
}

if {[file exists $written]} {
    set theirs [rill_arguments $written]
    set ours [rill_arguments [file join $here kernel.xml]]
    if {$theirs ne $ours} {
        foreach a $ours b $theirs {if {$a ne $b} {puts "rill: argument {$a} of kernel.xml, {$b} of Vivado's"}}
        error "the arguments that Vivado made differ from those of kernel.xml: the host would set others"
    }
    puts "rill: the [llength $ours] arguments are those of kernel.xml"
} else {
    puts "rill: WARNING: package_xo wrote no kernel.xml, nothing is compared"
}
puts "rill: $xo"
