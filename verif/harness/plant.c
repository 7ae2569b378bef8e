// SPDX-License-Identifier: Apache-2.0
// Planted faults (--plant). They damage a run on purpose, and the run must notice it. This proves that the comparisons
// can fail. load.c has the faults in the state of `--from`.
#include "verif/harness/sim_internal.h"

// Returns the first planted fault of this kind, or NULL.
static const struct plant *find(const struct sim *sim, enum plant_kind kind) {
    for (size_t i = 0; i < sim->options.plants.count; i++)
        if (sim->options.plants.items[i].kind == kind) return &sim->options.plants.items[i];
    return NULL;
}

bool plant_is(const struct sim *sim, enum plant_kind kind) { return find(sim, kind) != NULL; }

void plant_begin(struct sim *sim) {
    const struct plant *endless = find(sim, PLANT_ENDLESS);
    if (endless) hbm_inject_endless(sim->hbm, 0, endless->place);
}

void plant_end(struct sim *sim) {
    const struct plant *memory = find(sim, PLANT_MEMORY);
    uint64_t bytes;
    uint8_t *results = host_results(sim, &bytes);
    if (memory && results && memory->place / 8 < bytes) results[memory->place / 8] ^= (uint8_t)(1 << memory->place % 8);
    const struct plant *logits = find(sim, PLANT_LOGITS);
    if (logits) sim->host.result[sim->host.request].logits_hash ^= (uint64_t)1 << logits->place % 64;
    if (plant_is(sim, PLANT_OPEN)) hbm_accept_read(hbm_channel(sim->hbm, 0), sim_base(sim, 0), 1, 0);
}
