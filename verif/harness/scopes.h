// SPDX-License-Identifier: Apache-2.0
// Finds signals of the Verilated design that verif/harness/state.vlt makes public.
#ifndef VERIF_SCOPES_H
#define VERIF_SCOPES_H

#include <cstring>

#include "verif/harness/sim_pins.h"
#include "verilated.h"
#include "verilated_sym_props.h"
#include "verilated_syms.h"

// Returns whether the path ends with these levels of hierarchy.
static inline bool scope_ends(const char *path, const char *instance) {
    const size_t whole = std::strlen(path), part = std::strlen(instance);
    return whole > part && path[whole - part - 1] == '.' && std::strcmp(path + whole - part, instance) == 0;
}

// Implements the type sim_find (sim_pins.h). context points to the VerilatedContext.
static inline bool scope_find(void *context, const char *instance, const char *name, sim_signal *found) {
    for (const auto &entry : *static_cast<VerilatedContext *>(context)->scopeNameMap()) {
        if (!scope_ends(entry.first, instance)) continue;
        const VerilatedVar *var = entry.second->varFind(name);
        if (var == nullptr) continue;
        found->data = static_cast<uint8_t *>(var->datap());
        found->bytes = var->entSize();
        found->words = var->totalSize() / var->entSize();
        return true;
    }
    return false;
}

#endif
