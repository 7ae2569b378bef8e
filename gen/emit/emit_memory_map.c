// SPDX-License-Identifier: Apache-2.0
// Writes memory_map.json, which lists the segments of the design's memory with their channels, offsets and sizes in
// bytes. docs/memory.md explains the segments.
#include <string.h>

#include "gen/emit/emit.h"

static const char *kind_name(enum ir_segment_kind kind) {
    static const char *const names[] = {"weights", "k_cache", "v_cache", "table", "parameters", "io", "header"};
    return names[kind];
}

void emit_memory_map(const struct ir *ir, struct text *out) {
    text_addf(out, "{\"channels\": %d, \"beat_bits\": %d, \"segments\": [", ir->design.channels, ir->design.beat_bits);
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        text_add(out, s ? ",\n  {\"name\": " : "\n  {\"name\": ");
        text_add_json_string(out, seg->name, strlen(seg->name));
        text_addf(out, ", \"kind\": \"%s\", \"channel\": %d, \"offset\": %lld, \"bytes\": %lld, \"layer_stride\": %lld",
                  kind_name(seg->kind), seg->channel, (long long)seg->offset, (long long)seg->bytes,
                  (long long)seg->layer_stride);
        int engine = seg->channel == IR_NONE && ir->engines > 1 ? ir_engine_of(ir, seg->node) : IR_NONE;
        if (engine != IR_NONE)
            text_addf(out, ", \"first_channel\": %d, \"channels\": %d", ir->engine[engine].first_channel,
                      ir->engine[engine].channels);
        if (seg->parts > 1) text_addf(out, ", \"parts\": %d", seg->parts);
        text_add(out, "}");
    }
    text_add(out, "\n]}\n");
}
