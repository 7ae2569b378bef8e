# SPDX-License-Identifier: Apache-2.0
# The second clock of a kernel whose multipliers work twice in a cycle (design.A: 4, design.pump: 2), for its
# implementation. The MMCM of u_clock makes clk_2x of ap_clk. It rises with ap_clk and in the middle between, so what
# goes from one to the other has half a cycle, without more.

# The MMCM's feedback and clk_2x have the same root and the same delay: so clk_2x rises where ap_clk does.
set_property CLOCK_DELAY_GROUP rill_clocks [get_nets {u_clock/feedback_q u_clock/clk_2x}]

# ap_clk comes from a clock buffer of the platform, which may lie in another column than the MMCM. Without this property
# placement stops at such a pair ([Place 30-718]). place.tcl sets it once more, on the net at the buffer.
set_property CLOCK_DEDICATED_ROUTE ANY_CMT_COLUMN [get_nets -of_objects [get_pins u_clock/u_mmcm/CLKIN1]]

# Multipliers take A and D at edges of both clocks alone (en_x of rill_pumped_mul), so what comes there has a cycle.
set rill_factors [get_pins -hierarchical -regexp -filter {NAME =~ .*/gen_(pumped|halves)[.]u_mul/u_dsp/(A|D)\[[0-9]+\]}]
set_multicycle_path 2 -setup -end -through $rill_factors
set_multicycle_path 1 -hold -end -through $rill_factors

# So they do with B at even heights of their trees; at odd ones it is taken in the middle of a cycle, and with a weight
# for each half (gen_halves) twice.
set rill_weights [get_pins -hierarchical -regexp -filter {NAME =~ .*(gen_leaf|gen_height\[[246]\]).*/gen_pumped[.]u_mul/u_dsp/B\[[0-9]+\]}]
set_multicycle_path 2 -setup -end -through $rill_weights
set_multicycle_path 1 -hold -end -through $rill_weights
