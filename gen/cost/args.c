// SPDX-License-Identifier: Apache-2.0
#include "args.h"

#include <stdlib.h>
#include <string.h>

const char *args_text(const struct args *a, const char *name) {
    for (int i = 0; i < a->count; i++)
        if (!strcmp(a->param[i].name, name)) return a->param[i].value;
    return "";
}

int64_t args_int(const struct args *a, const char *name, int64_t fallback) {
    const char *text = args_text(a, name), *tick = strchr(text, '\'');
    int base = tick && tick[1] == 'h' ? 16 : tick && tick[1] == 'b' ? 2 : 10;
    const char *digits = tick ? tick[1] ? tick + 2 : "" : text;
    char *end;
    long long value = strtoll(digits, &end, base);
    return end == digits || *end ? fallback : value;
}
