// SPDX-License-Identifier: Apache-2.0
// Saves a simulation to a file and resumes it in another process, by storing the memory that the process has written.
// This works only on Linux, and only with the same executable, files and machine.
#ifndef VERIF_SNAPSHOT_H
#define VERIF_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Call this at the start of main, before the run is opened. With --save or --resume the program restarts itself with
// fixed addresses. With --resume it does not return: the saved run continues where snapshot_save was called. If that is
// not possible, the program ends with a message.
void snapshot_enter(int argc, char **argv);
// Returns whether the run must be saved in this cycle: it is the cycle of --pause.
bool snapshot_due(uint64_t cycle);
// Saves to the file of --save. Returns false in the process that saved, and true in the process that resumes the run.
// Sets *why to NULL, or to the reason why nothing was saved.
bool snapshot_save(const char **why);
// Returns the file of --save, or NULL if the option is not given.
const char *snapshot_path(void);

#ifdef __cplusplus
}
#endif

#endif
