// SPDX-License-Identifier: Apache-2.0
// Reads the config.json of a checkpoint with the rules of the family gpt2.
#include "gen/spec/family.h"
#include "tests/fuzz/readers/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name = "config.json";
    struct arena arena;
    struct diag diag;
    reader_begin(&arena, &diag);
    reader_file(&arena, name, data, size);
    const struct family *family = family_find("gpt2", ".", loc_none(), &arena, &diag);
    const struct family_values *values = family ? family_config_read(family, reader_folder(), &arena, &diag) : NULL;
    if (values) (void)family_config_check(values, values, reader_folder(), &arena, &diag);
    reader_end(&arena, &name, 1);
    return 0;
}
