// SPDX-License-Identifier: Apache-2.0
// Implements pages_for_code: finds the code in /proc/self/maps and moves it to large pages.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mremap
#endif
#include "verif/harness/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE ((uintptr_t)2 << 20) // bytes of a large page

// Finds the address range of the mapping that contains pages_for_code. Returns false if it cannot be found.
static bool find_code(uintptr_t *start, uintptr_t *end) {
    char line[1024];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
        found = from <= (uintptr_t)pages_for_code && (uintptr_t)pages_for_code < to;
        *start = from, *end = to;
    }
    if (maps != NULL) fclose(maps);
    return found;
}

// Copies the code to large pages, at an address with the same offset within a large page as the code has, then moves
// these pages to the address of the code.
void pages_for_code(void) {
    uintptr_t start, end;
    const char *wish = getenv("RILL_PAGES");
    if ((wish != NULL && !strcmp(wish, "small")) || !find_code(&start, &end)) return;
    size_t bytes = end - start, before = start % LARGE, whole = (before + bytes + LARGE - 1) / LARGE * LARGE;
    char *room = mmap(NULL, whole + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return;
    char *copy = room + (LARGE - (uintptr_t)room % LARGE) % LARGE;
    madvise(copy, whole, MADV_HUGEPAGE);
    memcpy(copy + before, (const void *)start, bytes);
    if (!mprotect(copy, whole, PROT_READ | PROT_EXEC))
        mremap(copy + before, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start);
    munmap(room, whole + LARGE); // unmaps the pages that were not moved
}
