// SPDX-License-Identifier: Apache-2.0
// Report section `clock`: the frequencies that the delay model estimates for the parts of the design, and the longest
// paths.
#include <string.h>

#include "gen/report/report_parts.h"

// Lists the parts of the design with their longest delay and the clock that this allows. A part's `where` is a die,
// `between dies`, `resets` or `design`.
static void add_parts(const struct clock_model *clock, struct text *out) {
    for (size_t i = 0; i < clock->parts.count; i++) {
        const struct clock_part *part = &clock->parts.items[i];
        double ns = clock_part_ns(part);
        text_addf(out, "  %-22s %8.2f ns %6.0f MHz\n", part->where, ns, clock_mhz_of(ns));
    }
}

static void add_paths(const struct clock_model *clock, struct text *out) {
    const struct clock_part *part;
    const struct clock_path *path;
    text_add(out, "  longest paths\n");
    for (int n = 0; (path = clock_worst(clock, n, &part)); n++)
        text_addf(out, "    %.2f ns, %s: %s\n", path->ns, part->where, path->text);
}

// The scripts of the delay model are only in the project's tree. An installed Rill does not have them, so messages
// refer to the page.
#define TO_MODEL "docs/clock.md says how to estimate it"

const char *report_clock_says(const struct report *r) {
    const struct clock_model *clock = r->clock;
    if (clock->state == CLOCK_NONE) return "not modelled; " TO_MODEL;
    if (clock->state == CLOCK_STALE) return "stale: its record is of other RTL; " TO_MODEL;
    return arena_printf(r->ir->arena, "the delay model supports %.0f MHz, estimated; the design asks for %g MHz",
                        clock_mhz_of(clock_longest_ns(clock)), r->ir->design.clock_mhz);
}

void report_clock(const struct report *r, struct text *out) {
    text_addf(out, "\nclock: %s\n", report_clock_says(r));
    if (r->clock->state != CLOCK_CURRENT) return;
    add_parts(r->clock, out);
    add_paths(r->clock, out);
}

// ---- JSON ----

static void json_string(const char *key, const char *value, struct text *out) {
    text_addf(out, "\"%s\": ", key);
    text_add_json_string(out, value, strlen(value));
}

static void json_paths(const struct clock_part *part, struct text *out) {
    for (size_t i = 0; i < part->paths.count; i++) {
        text_addf(out, "%s{\"ns\": %.2f, ", i ? ", " : "", part->paths.items[i].ns);
        json_string("path", part->paths.items[i].text, out);
        text_add(out, "}");
    }
}

static void json_parts(const struct clock_model *clock, struct text *out) {
    for (size_t i = 0; i < clock->parts.count; i++) {
        const struct clock_part *part = &clock->parts.items[i];
        double ns = clock_part_ns(part);
        text_add(out, i ? ",\n   {" : "\n   {");
        json_string("where", part->where, out);
        text_addf(out, ", \"ns\": %.2f, \"mhz\": %.0f, \"paths\": [", ns, clock_mhz_of(ns));
        json_paths(part, out);
        text_add(out, "]}");
    }
}

// Adds the clock as JSON. The member `rtl` is the hash of the design's Verilog, which decides whether the record of the
// delay model is stale.
void report_clock_json(const struct report *r, struct text *out) {
    static const char *const states[] = {"not modelled", "stale", "current"};
    const struct clock_model *clock = r->clock;
    text_add(out, " ");
    json_string("rtl", clock->rtl, out);
    text_add(out, ", \"clock\": {");
    json_string("state", states[clock->state], out);
    if (clock->state == CLOCK_CURRENT) {
        double ns = clock_longest_ns(clock);
        text_addf(out, ", \"class\": \"estimated\", \"ns\": %.2f, \"mhz\": %.0f, \"parts\": [", ns, clock_mhz_of(ns));
        json_parts(clock, out);
        text_add(out, "]");
    }
    text_add(out, "},\n");
}
