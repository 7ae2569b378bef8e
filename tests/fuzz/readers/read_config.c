// SPDX-License-Identifier: Apache-2.0
// config.json of a checkpoint.
#include "checkpoint.h"
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name = "config.json";
    struct arena arena;
    struct diag diag;
    struct gpt2_config config;
    reader_begin(&arena, &diag);
    reader_file(&arena, name, data, size);
    if (gpt2_config_read(&arena, reader_folder(), &config, &diag))
        (void)gpt2_config_check(&arena, reader_folder(), &config, &config, &diag);
    reader_end(&arena, &name, 1);
    return 0;
}
