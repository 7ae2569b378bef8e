// SPDX-License-Identifier: Apache-2.0
// A simulation that goes on in another process: all of the process's memory in a file. Linux; the same executable,
// files and machine.
#ifndef VERIF_SNAPSHOT_H
#define VERIF_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// First of all in main. With --save or --resume the program starts again with fixed addresses; with --resume it does
// not return: the saved run goes on where snapshot_save was called. Ends the program with a message where that is not
// possible.
void snapshot_enter(int argc, char **argv);
// The cycle of --pause has come.
bool snapshot_due(uint64_t cycle);
// To the file of --save. False in the process that saved; true in the one that goes on. *why: NULL, or why nothing was
// saved.
bool snapshot_save(const char **why);
// Of --save, NULL without.
const char *snapshot_path(void);

#ifdef __cplusplus
}
#endif

#endif
