// SPDX-License-Identifier: Apache-2.0
// Names for the numbers of a design on which widths depend. A width is emitted as an expression of these names where
// one is known. The expression is evaluated and compared with the number that the rest of the compiler uses.
#include <ctype.h>
#include <string.h>

#include "gen/base/expression.h"
#include "gen/emit/emit.h"
#include "gen/ir/fields.h"
#include "gen/ir/layout.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/kernel/ports.h"

enum { FP32_BITS = 32, ID_BITS = 32 };

static int64_t beat_bits(const struct ir *ir) { return ir->design.beat_bits; }
static int64_t channels(const struct ir *ir) { return ir->design.channels; }
static int64_t tcount_bits(const struct ir *ir) { return u64_clog2((uint64_t)ir->design.channels + 1); }
static int64_t address_bits(const struct ir *ir) { return ir_address_bits(ir); }
static int64_t id_bits(const struct ir *ir) { return emit_id_bits(ir); }
static int64_t tokens(const struct ir *ir) { return ir->design.tokens; }
static int64_t side_bits(const struct ir *ir) { return emit_user_bits(ir) + 1; }
static int64_t engine_user_bits(const struct ir *ir) { return ir_user_bits(ir_places(ir)); }
static int64_t engine_side_bits(const struct ir *ir) { return engine_user_bits(ir) + 1; }
static int64_t context(const struct ir *ir) { return ir->design.context; }
static int64_t lanes(const struct ir *ir) { return ir->design.lanes; }
static int64_t fp32_bits(const struct ir *ir) { return (void)ir, FP32_BITS; }
static int64_t unit(const struct ir *ir) { return ports_unit_elements(ir); }
static int64_t mantissa_bits(const struct ir *ir) { return spec_mantissa_bits(ir->design.activations); }
static int64_t mx_bits(const struct ir *ir) { return ports_data_bits(ir, IR_MX, 1); }
static int64_t kv_bits(const struct ir *ir) { return ports_data_bits(ir, IR_KV, 1); }
static int64_t token_id_bits(const struct ir *ir) { return (void)ir, ID_BITS; }
static int64_t step_bits(const struct ir *ir) { return (void)ir, STEP_BITS; }
static int64_t ring_bits(const struct ir *ir) { return (void)ir, RING_BITS; }
static int64_t descriptor_bits(const struct ir *ir) { return (void)ir, DESCRIPTOR_BITS; }
static int64_t load_bits(const struct ir *ir) { return layout_load_bits(&ir->design); }
static int64_t all_faults(const struct ir *ir) { return emit_all_faults(ir); }

static int64_t cache_layers(const struct ir *ir) {
    int64_t layers = 0;
    for (int u = 0; u < kv_units(ir); u++) layers += kv_layers(ir, u);
    return layers;
}

// The names that a module of a design may declare as localparams. `is` may use constants of earlier rows.
static const struct constant {
    const char *name;
    int64_t (*value)(const struct ir *);
    const char *is;  // expression of constants of earlier rows; NULL: the declaration has the number
    const char *doc; // comment at the declaration
} constants[] = {
    {"BEAT_BITS", beat_bits, NULL, "width of a beat of a memory channel"},
    {"CHANNELS", channels, NULL, "memory channels"},
    {"TCOUNT_W", tcount_bits, NULL, "width of tcount, the number of valid elements: 0 to CHANNELS"},
    {"ADDR_BITS", address_bits, NULL, "address bits that the board's memory uses; the bits above are 0"},
    {"ID_W", id_bits, NULL, "width of an AXI id, which for reads is the number of the read client"},
    {"TOKENS", tokens, NULL, "T: most tokens in a step"},
    {"USER_W", emit_user_bits, NULL, "width of tuser: {last token of the step, number of the token in it}"},
    {"SIDE_W", side_bits, "USER_W+1", "width of tuser and tlast"},
    {"ENGINE_USER_W", engine_user_bits, NULL, "width of tuser in streams of an engine with more places"},
    {"ENGINE_SIDE_W", engine_side_bits, "ENGINE_USER_W+1", "width of tuser and tlast in these streams"},
    {"CONTEXT", context, NULL, "most positions in a request"},
    {"LANES", lanes, NULL, "lanes of vector kernels: elements in a word of fp32"},
    {"FP32_W", fp32_bits, NULL, "width of an fp32 element"},
    {"UNIT", unit, "BEAT_BITS/8", "elements in a word of mx or kv: bytes of a beat"},
    {"X_BITS", mantissa_bits, NULL, "width of a mantissa of mx; instances leave out X_BITS if it is 8"},
    {"MX_W", mx_bits, "UNIT*X_BITS+8", "width of a word of mx: {exponent - EXP_MIN, mantissas}"},
    {"KV_W", kv_bits, "UNIT*8+FP32_W", "width of a word of kv: {scale, int8 keys or values}"},
    {"TOKEN_ID_W", token_id_bits, NULL, "width of a token's id"},
    {"STEP_W", step_bits, NULL, "width of a step word (fields: first comment of rill_top.v)"},
    {"RING_W", ring_bits, NULL,
     "width of a word for the ring: {index, id}, 32 bits each; index counts the ids of a request from 0"},
    {"DESC_W", descriptor_bits, NULL, "width of a descriptor: {beats[15:0], byte offset[39:0]}"},
    {"KV_LAYERS", cache_layers, NULL, "layers that write keys and values"},
    {"LOAD_BITS", load_bits, "BEAT_BITS", "width of the vector parameters that are loaded in a cycle"},
    {"FAULTS", all_faults, NULL, "kernels that can raise a fault"},
};

_Static_assert(COUNT_OF(constants) <= EMIT_MAX_CONSTANTS, "room for all constants");

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const struct constant *find_constant(const char *name) {
    for (size_t i = 0; i < COUNT_OF(constants); i++)
        if (!strcmp(constants[i].name, name)) return &constants[i];
    return NULL;
}

// Returns the expression of a constant, or NULL. In a design on several dies, LOAD_BITS is a part of a beat.
static const char *is_of(const struct ir *ir, const struct constant *c) {
    int pieces = c->value == load_bits ? layout_load_pieces(&ir->design) : 1;
    return pieces == 1 ? c->is : arena_printf(ir->arena, "%s/%d", c->is, pieces);
}

// Gives expression_value the value of a constant. Returns false if there is no constant of this name.
static bool value_of(void *ir, const char *name, int64_t *value) {
    const struct constant *c = find_constant(name);
    if (c) *value = c->value(ir);
    return c != NULL;
}

int64_t emit_evaluate(const struct ir *ir, const char *is) {
    int64_t value = 0;
    struct expression_error error;
    if (!expression_value(ir->arena, is, value_of, (void *)ir, &value, &error))
        base_fatal("emit: `%s` has no value: %s", is, error.why);
    return value;
}

const char *emit_expression(const struct ir *ir, const char *is, int64_t value) {
    if (!is) return arena_printf(ir->arena, "%lld", (long long)value);
    if (emit_evaluate(ir, is) != value)
        base_fatal("emit: `%s` is %lld, not %lld", is, (long long)emit_evaluate(ir, is), (long long)value);
    return is;
}

const char *emit_range_of(const struct ir *ir, const char *is, int64_t bits) {
    const char *width = emit_expression(ir, is, bits);
    return bits == 1 || !is ? emit_range(ir, bits) : arena_printf(ir->arena, "[%s-1:0] ", width);
}

// ---- expressions ----

const char *emit_times(const struct ir *ir, int64_t times, const char *is) {
    return times == 1 ? is : arena_printf(ir->arena, "%lld*%s", (long long)times, is);
}

const char *emit_of_channels(const struct ir *ir, int64_t count, const char *is) {
    if (count == 1 || count != ir->design.channels) return is ? emit_times(ir, count, is) : NULL;
    return is ? arena_printf(ir->arena, "CHANNELS*%s", is) : "CHANNELS";
}

// Returns the kernel whose lanes the width of a port follows. A store of vector parameters has as many as their reader.
static int with_lanes(const struct ir *ir, int kernel, const struct ir_port *p) {
    bool stored = p->role == IR_ROLE_PARAM && ir->kernel[kernel].node == IR_NONE && p->edge != IR_NONE;
    return stored ? ir->edge[p->edge].dst_kernel : kernel;
}

// Returns the width of a word of fp32. The results of an engine have an element for each of its channels. In other
// streams, a word has an element for each lane, and a word of vector parameters has several. An operation that has
// another number of lanes than the design keeps the number.
static const char *of_fp32(const struct ir *ir, int kernel, const struct ir_port *p) {
    int64_t elements = p->data_bits / FP32_BITS, all = ir->design.lanes;
    if (p->kind == IR_STREAM_COUNTED) return emit_of_channels(ir, elements, "FP32_W");
    bool named = ports_lanes(ir, with_lanes(ir, kernel, p)) == all &&
                 (elements == all || (p->role == IR_ROLE_PARAM && elements % all == 0));
    return named ? emit_times(ir, elements / all, "LANES*FP32_W") : emit_times(ir, elements, "FP32_W");
}

static const char *of_type(const struct ir *ir, int kernel, const struct ir_port *p) {
    switch (p->type.dtype) {
    case IR_MX: return "MX_W";
    case IR_KV: return "KV_W";
    case IR_ID: return "TOKEN_ID_W";
    case IR_SCALAR: return "FP32_W";
    case IR_F32: return of_fp32(ir, kernel, p);
    default: return NULL;
    }
}

const char *emit_data_width(const struct ir *ir, int kernel, const struct ir_port *p) {
    if (p->edge != IR_NONE && ir_carries_steps(ir, &ir->edge[p->edge])) return "STEP_W";
    if (p->edge != IR_NONE && ir_is_of(ir, &ir->edge[p->edge], IR_ROLE_RING)) return "RING_W";
    if (p->type.loops || p->type.rank) return of_type(ir, kernel, p);
    bool is_fp32 = p->role == IR_ROLE_PARAM || p->role == IR_ROLE_SCALE || p->role == IR_ROLE_K_SCALE ||
                   p->role == IR_ROLE_V_SCALE;
    return is_fp32 ? of_fp32(ir, kernel, p) : NULL;
}

// Finds a stream of the kernel whose data is `bits` wide and whose width has a name. Returns the expression for this
// width, or NULL if there is no such stream.
static const char *width_of_streams(const struct ir *ir, int kernel, int64_t bits) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    for (int p = 0; p < k->ports; p++) {
        const char *is = k->port[p].data_bits == bits ? emit_data_width(ir, kernel, &k->port[p]) : NULL;
        if (is) return is;
    }
    return NULL;
}

const char *emit_stream_width(const struct ir *ir, const struct ir_edge *e) {
    const struct ir_kernel *from = &ir->kernel[e->src_kernel], *to = &ir->kernel[e->dst_kernel];
    const char *is = emit_data_width(ir, e->src_kernel, &from->port[e->src_port]);
    int64_t bits = from->port[e->src_port].data_bits;
    if (!is && to->port[e->dst_port].data_bits == bits) is = emit_data_width(ir, e->dst_kernel, &to->port[e->dst_port]);
    // The streams at the other side of a multiplexer, demultiplexer or fork have words of the same width.
    if (!is && kernel_is(from, KERNEL_MUX | KERNEL_FORK)) is = width_of_streams(ir, e->src_kernel, bits);
    if (!is && kernel_is(to, KERNEL_DEMUX | KERNEL_FORK)) is = width_of_streams(ir, e->dst_kernel, bits);
    return is;
}

// Returns whether the word is of a stream at an engine that has more places than a step has tokens. Its tuser is then
// wider than in other streams.
static bool is_engines(const struct ir *ir, const struct emit_word *w) { return w->user != emit_user_bits(ir); }

// Whether a word has up to one element for each memory channel, so that TCOUNT_W is the width of its tcount.
static bool counts_channels(const struct ir *ir, const struct emit_word *w) {
    int all = ir->design.channels;
    return w->count && all > 1 && w->is && !strcmp(w->is, emit_of_channels(ir, all, "FP32_W"));
}

const char *emit_side_width(const struct ir *ir, const struct emit_word *w) {
    const char *side = is_engines(ir, w) ? "ENGINE_SIDE_W" : "SIDE_W";
    if (counts_channels(ir, w)) return arena_printf(ir->arena, "%s+TCOUNT_W", side);
    return w->count ? arena_printf(ir->arena, "%s+%lld", side, (long long)w->count) : w->user ? side : NULL;
}

const char *emit_word_width(const struct ir *ir, const struct emit_word *w) {
    const char *side = emit_side_width(ir, w), *data = emit_expression(ir, w->is, w->data);
    return side ? arena_printf(ir->arena, "%s+%s", data, side) : w->is;
}

const char *emit_field_range(const struct ir *ir, const struct emit_word *w, enum emit_field f) {
    return emit_range_of(ir,
                         f == EMIT_TDATA                              ? w->is
                         : f == EMIT_TCOUNT && counts_channels(ir, w) ? "TCOUNT_W"
                         : f != EMIT_TUSER || !w->user                ? NULL
                         : is_engines(ir, w)                          ? "ENGINE_USER_W"
                                                                      : "USER_W",
                         emit_field_bits(w, f));
}

// ---- parameters of instances ----

// Returns the name of the constant that a parameter of an instance may equal. It is the parameter's own name, except
// for LAYERS of the kernels of a cache, and for the parameters in this list, which count channels.
static const char *named_for(const struct ir_kernel *k, const char *param) {
    static const char *const others[][2] = {
        {"MEMORY_ERRORS", "CHANNELS"}, {"BASES", "CHANNELS"}, {"K_WRITERS", "CHANNELS"}, {"V_WRITERS", "CHANNELS"}};
    bool of_cache = kernel_is(k, KERNEL_KEYS | KERNEL_VALUES | KERNEL_SCALES);
    if (of_cache && !strcmp(param, "LAYERS")) return "KV_LAYERS";
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (!strcmp(param, others[i][0])) return others[i][1];
    return param;
}

// Returns the width of a word at the kernel's first port of a direction whose words are fp32; NULL: there is none.
static const char *fp32_word(const struct ir *ir, int kernel, bool is_output) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].is_output == is_output && k->port[p].type.dtype == IR_F32 && k->port[p].type.loops)
            return emit_data_width(ir, kernel, &k->port[p]);
    return NULL;
}

// Returns the number of elements of a word of this width as an expression. NULL: the word is one element, or `is` is
// NULL.
static const char *elements_of(const struct ir *ir, const char *is) {
    const char *times = is ? strstr(is, "*FP32_W") : NULL;
    return times ? arena_printf(ir->arena, "%.*s", (int)(times - is), is) : NULL;
}

// Returns the expression of a parameter that follows from the words at the kernel's ports, or NULL.
static const char *of_ports(const struct ir *ir, int kernel, const char *name, int64_t value) {
    if (!strcmp(name, "DATA_W") || !strcmp(name, "WORD_W")) return width_of_streams(ir, kernel, value);
    if (!kernel_is(&ir->kernel[kernel], KERNEL_WIDTH)) return NULL; // another module may use these names otherwise
    if (!strcmp(name, "ELEM_W")) return fp32_word(ir, kernel, false) ? "FP32_W" : NULL;
    if (!strcmp(name, "IN_ELEMS")) return elements_of(ir, fp32_word(ir, kernel, false));
    return !strcmp(name, "OUT_ELEMS") ? elements_of(ir, fp32_word(ir, kernel, true)) : NULL;
}

const char *emit_param_expression(const struct ir *ir, int kernel, const struct ir_param *param) {
    if (param->value.kind != IR_VALUE_INT) return NULL;
    const char *name = named_for(&ir->kernel[kernel], param->name);
    // A kernel without streams is the store of an engine's weights, whose LANES are those of the engine.
    if (!strcmp(name, "LANES") && !ir->kernel[kernel].ports) return NULL;
    const struct constant *c = find_constant(name);
    if (c) return c->value(ir) == param->value.integer ? c->name : NULL;
    return of_ports(ir, kernel, name, param->value.integer);
}

// ---- declarations ----

// Returns whether the text has the name as a whole word that is not the name of a port (`.NAME`).
static bool uses(const char *text, const char *name) {
    size_t len = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || (!in_name(at[-1]) && at[-1] != '.')) && !in_name(at[len])) return true;
    return false;
}

// Marks the constants in a text without comments, and those in their expressions.
static void mark_used(const struct ir *ir, const char *text, bool used[]) {
    for (size_t i = COUNT_OF(constants); i-- > 0;) {
        used[i] = used[i] || uses(text, constants[i].name);
        const char *is = used[i] ? is_of(ir, &constants[i]) : NULL;
        for (size_t before = 0; is && before < i; before++)
            used[before] = used[before] || uses(is, constants[before].name);
    }
}

// Appends a text without its comments.
static void add_code(const char *text, struct text *out) {
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n"), code = 0;
        while (code < len && strncmp(line + code, "//", 2) != 0) code++;
        text_add_bytes(out, line, code);
        text_add(out, "\n");
        line += len + (line[len] == '\n');
    }
}

int emit_used_constants(const struct ir *ir, const char *text, struct emit_constant out[EMIT_MAX_CONSTANTS]) {
    bool used[COUNT_OF(constants)] = {false};
    struct text code = {0};
    int count = 0;
    add_code(text, &code);
    mark_used(ir, text_cstr(&code), used);
    text_free(&code);
    for (size_t i = 0; i < COUNT_OF(constants); i++) {
        const struct constant *c = &constants[i];
        const char *is = used[i] ? emit_expression(ir, is_of(ir, c), c->value(ir)) : NULL;
        bool slots = ir->design.slots > 0 && c->value == ring_bits;
        if (is)
            out[count++] = (struct emit_constant){
                c->name, is,
                slots ? "width of a word for a ring: {slot[3:0], index[27:0], id[31:0]}; index counts the ids of a "
                        "request from 0"
                      : c->doc};
    }
    return count;
}
