// SPDX-License-Identifier: Apache-2.0
// Looks up codes of the registers `fault` and `ending` in endings.def.
#include "gen/base/endings.h"

#include "gen/base/base.h"

enum ends { RUN, REQUEST };

static const struct {
    uint64_t code;
    enum ends ends;
    const char *text;
} faults[] = {
#define FAULT(id, code, ends, text) {code, ends, text},
#include "include/endings.def"
};

static const struct {
    uint64_t code;
    const char *text;
} endings[] = {
#define ENDING(id, code, text) {code, text},
#include "include/endings.def"
};

bool fault_ends_request_alone(uint64_t fault) {
    for (size_t i = 0; i < COUNT_OF(faults); i++)
        if (faults[i].code == fault) return faults[i].ends == REQUEST;
    return false;
}

const char *fault_text(uint64_t fault) {
    for (size_t i = 0; i < COUNT_OF(faults); i++)
        if (faults[i].code == fault) return faults[i].text;
    return NULL;
}

const char *ending_text(uint64_t ending) {
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (endings[i].code == ending) return endings[i].text;
    return NULL;
}
