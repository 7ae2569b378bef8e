# SPDX-License-Identifier: Apache-2.0
# The second clock of a kernel whose multipliers work twice in a cycle (design.A: 4, design.pump: 2), for its
# implementation. The MMCM of u_clock makes clk_2x from ap_clk. clk_2x rises with ap_clk and in the middle of its cycle,
# so a path from one clock to the other has half a cycle, unless an exception below gives it more.

# The MMCM's feedback and clk_2x get the same root and the same delay, so that clk_2x rises when ap_clk does.
set_property CLOCK_DELAY_GROUP rill_clocks [get_nets {u_clock/feedback_q u_clock/clk_2x}]

# ap_clk comes from a clock buffer of the platform, which may be in another column than the MMCM. Without this property
# placement stops at such a pair ([Place 30-718]). place.tcl sets it once more, on the net at the buffer.
set_property CLOCK_DEDICATED_ROUTE ANY_CMT_COLUMN [get_nets -of_objects [get_pins u_clock/u_mmcm/CLKIN1]]

# Multipliers take A and D only at edges that both clocks have (en_x of rill_pumped_mul), so these paths have a cycle.
# Each `.` of the patterns is a bracket, because a backslash may not survive the quotes.
set rill_factors [get_pins -hierarchical -regexp -filter {NAME =~ ".*/gen_(pumped|halves)[.]u_mul/u_dsp/(A|D).[0-9]+."}]
set_multicycle_path 2 -setup -end -through $rill_factors
set_multicycle_path 1 -hold -end -through $rill_factors
