// SPDX-License-Identifier: Apache-2.0
// The table from which the simulator takes the functions of a machine. It is made from machines.def.
#include "gen/simulator/machines.h"

static bool sim_no_state(struct sim *sim, struct actor *a) {
    (void)sim;
    (void)a;
    return true;
}

const struct sim_machine *sim_machine_of(enum timing_machine machine) {
    static const struct sim_machine table[TIMING_MACHINES] = {
#define RILL_MACHINE(name, init, run) [TIMING_##name] = {init, run},
#include "gen/simulator/machines.def"
#undef RILL_MACHINE
    };
    return table[machine].run ? &table[machine] : NULL;
}
