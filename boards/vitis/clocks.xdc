# SPDX-License-Identifier: Apache-2.0
# Clocks of a kernel whose multipliers work twice in a cycle (design.A: 4, design.pump: 2), for its implementation. The
# tool makes both of ap_clk by the MMCM of u_clock: clk, and clk_2x that rises with it and in the middle between.
# Without more, what goes from one to the other has half a cycle.

# The same root and the same delay for both.
set_property CLOCK_DELAY_GROUP rill_clocks [get_nets {u_clock/clk u_clock/clk_2x}]

# Multipliers take A and D at edges of both clocks alone (en_x of rill_pumped_mul), so what comes there has a cycle.
set rill_factors [get_pins -hierarchical -regexp -filter {NAME =~ .*/gen_(pumped|halves)[.]u_mul/u_dsp/(A|D)\[[0-9]+\]}]
set_multicycle_path 2 -setup -end -through $rill_factors
set_multicycle_path 1 -hold -end -through $rill_factors

# So they do with B at even heights of their trees; at odd ones it is taken in the middle of a cycle, and with a weight
# for each half (gen_halves) twice.
set rill_weights [get_pins -hierarchical -regexp -filter {NAME =~ .*(gen_leaf|gen_height\[[246]\]).*/gen_pumped[.]u_mul/u_dsp/B\[[0-9]+\]}]
set_multicycle_path 2 -setup -end -through $rill_weights
set_multicycle_path 1 -hold -end -through $rill_weights
