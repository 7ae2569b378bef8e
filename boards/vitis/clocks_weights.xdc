# SPDX-License-Identifier: Apache-2.0
# Multipliers that keep their weight for a cycle (A: 4; `rill package` adds these lines to no other design). At even
# heights of their trees they take B at edges that both clocks have, so its paths have a cycle. At odd heights they take
# B in the middle of a cycle, so its paths have half a cycle.
set rill_weights [get_pins -hierarchical -regexp -filter {NAME =~ ".*(gen_leaf|gen_height.[246].).*/gen_pumped[.]u_mul/u_dsp/B.[0-9]+."}]
set_multicycle_path 2 -setup -end -through $rill_weights
set_multicycle_path 1 -hold -end -through $rill_weights
