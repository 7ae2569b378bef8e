// SPDX-License-Identifier: Apache-2.0
#include "args.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 1 << 24 }; // no parameter that costs anything is larger: products of them fit

const char *args_text(const struct args *a, const char *name) {
    for (int i = 0; i < a->count; i++)
        if (!strcmp(a->param[i].name, name)) return a->param[i].value;
    return "";
}

const char *args_style(const struct args *a, const char *fallback) {
    static const char *const styles[] = {"auto", "srl", "distributed", "block", "ultra"};
    const char *text = args_text(a, "RAM_STYLE");
    for (size_t i = 0; i < COUNT_OF(styles); i++)
        if (strstr(text, styles[i])) return styles[i];
    return fallback;
}

int64_t args_int(const struct args *a, const char *name, int64_t fallback) {
    const char *text = args_text(a, name), *tick = strchr(text, '\'');
    int base = tick && tick[1] == 'h' ? 16 : tick && tick[1] == 'b' ? 2 : 10;
    const char *digits = tick ? tick[1] ? tick + 2 : "" : text;
    char *end;
    long long value = strtoll(digits, &end, base);
    if (end == digits || *end) return fallback;
    return value > LIMIT ? LIMIT : value < -LIMIT ? -LIMIT : value;
}
