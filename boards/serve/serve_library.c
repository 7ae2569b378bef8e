// SPDX-License-Identifier: Apache-2.0
// Loads librill_host.so and looks up its functions.
#include "boards/serve/serve_library.h"

#include <dlfcn.h>
#include <string.h>

const char *library_load(struct library *library, const char *path) {
    void *handle = dlopen(path, RTLD_NOW);
    if (!handle) return dlerror();
#define LIBRARY_FIND(name)                                                                                             \
    {                                                                                                                  \
        void *found = dlsym(handle, #name);                                                                            \
        if (!found) return "it lacks " #name ", so it is of another version";                                          \
        memcpy(&library->name, &found, sizeof found);                                                                  \
    }
    LIBRARY_FUNCTIONS(LIBRARY_FIND)
#undef LIBRARY_FIND
    return NULL;
}
