// SPDX-License-Identifier: Apache-2.0
// Finds a board by name or path (device.h).
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "gen/device/device.h"

struct rill_device *rill_device_find(const char *name, const char *base_dir, struct loc loc, struct arena *arena,
                                     struct diag *diag) {
    bool is_path = file_is_path(name);
    const char *path = is_path ? file_from(arena, base_dir, name)
                               : file_find_shared(arena, arena_printf(arena, "boards/%s.yaml", name));
    if (path && access(path, R_OK) == 0) return rill_device_read(path, arena, diag);
    if (is_path) {
        diag_error(diag, loc, MSG_NO_BOARD_FILE, path);
        diag_note(
            diag, loc,
            "a path is relative to the spec; a board of the installation is a name without `/` and `.yaml`, as `u55c`");
        return NULL;
    }
    file_names names = file_list_shared(arena, "boards");
    diag_error(diag, loc, MSG_UNKNOWN_BOARD, name);
    if (!names.count)
        diag_note(diag, loc,
                  "the folder `boards` is not installed with the program; set RILL_HOME to the folder that has it");
    diag_note_words(diag, loc, name, names.items, names.count);
    return NULL;
}
