// SPDX-License-Identifier: Apache-2.0
// Reads the part `design` of a spec, and checks its keys against one another, the board and the model.
#include <stddef.h>
#include <string.h>

#include "gen/spec/spec_read.h"

static const int64_t beat_sizes[] = {256, 512};
static const int64_t lane_counts[] = {1, 2, 4, 8, 16, 32};
static const int64_t token_counts[] = {1, 2, 4, 8};
static const int64_t bmm_row_counts[] = {1, 2, 4, 8, 16};
static const int64_t array_counts[] = {1, 2, 4};
static const int64_t pump_counts[] = {1, 2};

// Placeholders for presets that other keys decide: `embedding` follows `head`, `pump` follows `A` (copies), and
// `draft_confidence` follows `drafts` and `A`.
enum { AS_HEAD = -1, AS_COPIES = -1, AS_DRAFTS = -1 };
enum { MAX_GROUP = 1024, PAGE_BYTES = 4096 /* no AXI burst may cross a page of this size */ };

#define FIELD(name) .key = #name, .offset = SPEC_OFFSET(spec_design, name)
#define LEGAL(list) .type = SCHEMA_INT, .legal = list, .count = COUNT_OF(list)
#define RANGE(low, high) .type = SCHEMA_INT, .min = low, .max = high
#define WORDS(list, n) .type = SCHEMA_WORD, .words = list, .count = n

#define FORMAT_JSON "{\"enum\": [\"int8\", \"int4\", \"int4_asym\"]}"

static const struct schema_field design_fields[] = {
    {FIELD(clock_mhz), .type = SCHEMA_FLOAT, .min = 1, .max = 1000, .preset = 250, .range = "1 to the board's limit",
     .preset_doc = "the board's `clock.default_mhz` (250 for `u55c`)",
     .doc = "clock of the design in MHz ([which clock to plan with](clock.md))"},
    {FIELD(channels), RANGE(1, SPEC_MAX_CHANNELS), .search = true, .preset = 1,
     .range = "1 to 32, any integer, at most the board's",
     .doc = "memory channels (HBM pseudo-channels) that the design uses. Each one feeds one lane of "
            "a matrix engine"},
    {FIELD(beat_bits), LEGAL(beat_sizes), .preset = 512, .doc = "bits of a memory beat, one transfer on a channel"},
    {FIELD(lanes), LEGAL(lane_counts), .search = true, .preset = 8,
     .doc = "fp32 values that a vector kernel processes per cycle, and that a word of its streams "
            "holds. Must divide the size of a head"},
    {FIELD(unroll), RANGE(0, 8192), .search = true, .preset = 0,
     .doc = "total number of lanes of the elementwise kernels, norms and quantizers. Rill distributes them so that the "
            "slowest kernel gets more ([passes.md](passes.md#lanes)). All other kernels have `lanes`. 0: every kernel "
            "has `lanes`"},
    {.key = "T",
     .offset = SPEC_OFFSET(spec_design, tokens),
     .search = true,
     LEGAL(token_counts),
     .preset = 1,
     .doc = "largest number of tokens (or rows) in one step. A decode step processes one token, "
            "or up to 1 + `drafts`, of each request in the step"},
    {.key = "A",
     .offset = SPEC_OFFSET(spec_design, copies),
     .search = true,
     LEGAL(array_counts),
     .preset = 1,
     .range = "1, 2, 4; divides `T` or `tensor_rows`",
     .doc = "tokens that the engine serves per cycle with one beat of weights. `A: 2` shares each "
            "multiplier between two tokens. `A: 4` also uses it twice per cycle, which needs a second "
            "clock of twice `clock_mhz`"},
    {FIELD(pump), LEGAL(pump_counts), .search = true, .preset = AS_COPIES, .range = "1, 2; `A: 4` requires 2",
     .preset_doc = "2 with `A: 4`, else 1",
     .doc = "how often a multiplier works per cycle. With `A: 1` or `A: 2`, `pump: 2` halves the "
            "number of multipliers and gives them a second clock of twice `clock_mhz`"},
    {FIELD(query_heads), RANGE(1, 8), .search = true, .preset = 1,
     .doc = "query heads that may share one read of their keys and values in a decode step, at most "
            "`T` ([engine.md](engine.md#grouped-queries)). 1: every head reads them for itself"},
    {FIELD(tensor_rows), LEGAL(token_counts), .preset = 1,
     .doc = "rows of a tensor that may share one read of the weights in a step of one position "
            "([engine.md](engine.md#rows-of-a-tensor)). 1: every row reads them for itself"},
    {FIELD(bmm_rows), LEGAL(bmm_row_counts), .preset = 1,
     .doc =
         "rows of its first operand that a `bmm` multiplies at the same time. A `bmm` takes the largest power of two "
         "up to this number that divides its rows"},
    {FIELD(weights), WORDS(spec_format_words, SPEC_FORMATS), .preset = SPEC_INT8,
     .range = "`int8`, `int4`, `int4_asym`, or a map of patterns",
     .json = "{\"anyOf\": [" FORMAT_JSON ", {\"type\": \"object\", \"required\": [\"default\"], "
             "\"maxProperties\": 256, \"additionalProperties\": " FORMAT_JSON "}]}",
     .doc =
         "[format](formats.md) of the weights of products. `int8` has a scale for each row, `int4` also one for each "
         "`group`, `int4_asym` also a scale and an offset for each 32 weights. A map gives formats by the names of "
         "tensors ([formats by name](#formats-by-name)): `{default: int4, '*.v_proj.*': int8}`"},
    {FIELD(head), WORDS(spec_format_words, SPEC_FORMATS), .preset = SPEC_INT8,
     .doc = "format of the output head, the last product, which makes the logits"},
    {FIELD(embedding), WORDS(spec_table_format_words, SPEC_TABLE_FORMATS), .preset = AS_HEAD,
     .preset_doc = "the value of `head`, or `int8` if `head` is `int4_asym`",
     .doc = "format of the embedding table's rows"},
    {FIELD(activations), WORDS(spec_activation_words, SPEC_ACTIVATIONS), .preset = SPEC_ACTIVATIONS_INT8,
     .doc = "format of the operands of products: bits of their mantissas. A `group` of values shares "
            "an exponent ([numerics.md](numerics.md#3-block-quantization-mx))"},
    {FIELD(kv), WORDS(spec_format_words, 1), .preset = SPEC_INT8, .doc = "format of keys and values in the KV cache"},
    {FIELD(group), RANGE(0, 1 << 20), .preset = 128, // check_group has the exact limits
     .range = "multiples of `beat_bits / 4` (128 with 512 bits, 64 with 256 bits) up to 1024",
     .doc = "values of an operand that share an exponent. In the weight format `int4` also the weights of a "
            "row that share a scale. (`int4_asym` always has groups of 32 weights.)"},
    {FIELD(binding), WORDS(spec_binding_words, SPEC_BINDINGS), .preset = SPEC_SHARED,
     .doc = "`shared`: all products take turns on one matrix engine that uses every channel. "
            "`spatial`: each product (`matmul`, `attn_scores`, `attn_values`) has its own engine and "
            "its own channels"},
    {FIELD(resident), WORDS(spec_resident_words, SPEC_RESIDENTS), .preset = SPEC_RESIDENT_NONE,
     .doc = "which matrix engines keep their weights on chip instead of reading them from memory in every step "
            "([engine.md](engine.md#weights-on-chip)). `none`: no engine. `all`: every engine that reads no keys or "
            "values. `auto`: those whose weights fit into a quarter of the board's memory blocks, the smallest first"},
    {FIELD(resident_lanes), RANGE(1, SPEC_MAX_RESIDENT), .preset = 0, .range = "1 to 256, at most 32 for each engine",
     .preset_doc = "`channels`",
     .doc = "lanes of all engines with weights on chip, together. These lanes need no memory channels"},
    {FIELD(fifo), WORDS(spec_fifo_words, SPEC_FIFOS), .preset = SPEC_AUTO,
     .doc = "how FIFO depths are chosen ([fifos.md](fifos.md)). `timed`: from the timing of the kernels. "
            "`safe`: a whole tensor wherever a stream forks or waits for another one, two words everywhere else. "
            "`conservative`: at most the depths of `timed`, to save memory; the design may be slower. "
            "`auto`: the better of `timed` and `safe` by forecast"},
    {FIELD(prefetch_beats), RANGE(2, 4096), .search = true, .preset = 64, .range = "2 to 4096, at least `max_burst`",
     .doc = "depth of each channel's prefetch FIFO in beats: how far the memory reads ahead while "
            "the engine waits ([effect of 512](model-speed.md#prefetch-depth))"},
    {FIELD(max_burst), RANGE(1, 128), .preset = 16,
     .range = "a power of two from 1 to 64, or to 128 with `beat_bits: 256`", .doc = "longest read burst in beats"},
    {FIELD(outstanding), RANGE(1, 64), .search = true, .preset = 8,
     .doc = "read bursts in flight of each read engine. A channel has one read engine for its engine lane, "
            "and one for each other part of the design that reads from this channel, such as the embedding"},
    {FIELD(dies), RANGE(1, DEVICE_MAX_SLRS), .search = true, .preset = 1, .range = "1 to 8, at most the board's",
     .doc = "dies (SLRs) of the FPGA that the design is spread over. Rill adds registers between "
            "them and writes `pblocks.tcl` for the placer. 1: the design is not partitioned"},
    {FIELD(crossings), WORDS(spec_crossing_words, SPEC_CROSSINGS), .preset = SPEC_ANY_RATE,
     .doc = "how beats cross from die to die. `auto`: a design with a second clock that would otherwise exceed the "
            "limits sends them in two halves, at twice `clock_mhz` "
            "([beats in halves](engine.md#lanes-on-several-dies)). `single_rate`: never, so no path between dies uses "
            "the second clock"},
    {FIELD(reserve), WORDS(spec_reserve_words, SPEC_RESERVES), .preset = SPEC_FIRST_RESERVE,
     .doc = "LUTs and flip-flops that the compiler reserves for each memory port, on the die of the memory: the "
            "board's first or second [reserve](boards.md#what-a-design-may-use-of-a-die). The design is divided over "
            "the dies, and compared with its limits, with this reserve"},
    {FIELD(sampling), RANGE(1, 64), .preset = 0, .preset_doc = "none",
     .doc = "lets requests draw tokens at random, with a top-k of at most this number "
            "([numerics.md](numerics.md#10-sampling)). Without the key every token is the most "
            "likely one"},
    {FIELD(logprobs), RANGE(0, 5), .preset = 0, .range = "0 to 5",
     .doc = "number of most likely tokens whose log probabilities the host gets with each generated token, beside that "
            "of the token itself ([log probabilities](numerics.md#11-log-probabilities)). The generated tokens stay "
            "the same. 0: no log probabilities. Cannot be combined with `on_chip_kib`"},
    {FIELD(drafts), RANGE(0, 7), .preset = 0, .range = "0 to `T - 1`",
     .doc = "largest number of guessed tokens in a decode step. The design guesses them from the ids of the request, "
            "and the same step checks them ([drafts](drafts.md)). The generated tokens stay the same. With more "
            "than `A - 1` drafts, the engine holds each beat of weights for more than one cycle"},
    {FIELD(draft_confidence), RANGE(0, 3), .preset = AS_DRAFTS, .preset_doc = "2 with at most `A - 1` drafts, else 1",
     .doc = "confidence in drafts with which a request begins ([drafts](drafts.md#when-drafts-help)). A right guess "
            "raises it by 1, a wrong one lowers it by 1, and steps have drafts while it is 2 or 3. Without `drafts`, "
            "the key has no effect"},
    {FIELD(host_drafts), RANGE(0, 1), .preset = 0, .range = "0 or 1",
     .doc =
         "1: the host may predict the tokens of a request, before it or while it runs, and steps take them as drafts "
         "([predicted tokens](drafts.md#predicted-tokens)). The generated tokens stay the same. Needs `drafts`"},
    {FIELD(slots), RANGE(1, SPEC_MAX_SLOTS), .preset = 1,
     .doc = "requests that the design holds at the same time ([batches](batches.md)). A step has tokens of several of "
            "them, at most `T` in all, and reads the weights once. The generated tokens of a request stay the same. "
            "Cannot be combined with `query_heads`, `tensor_rows`, `on_chip_kib` or `binding: spatial` "
            "([all limits](batches.md#limits))"},
    {FIELD(prefix), RANGE(0, 1), .preset = 0, .range = "0 or 1",
     .doc = "1: a request may begin after the positions that it shares with the previous request (with `slots`, with "
            "that of a "
            "slot), for example the next turn of a conversation ([kept prefixes](serve.md#kept-prefixes)). The "
            "generated tokens stay the "
            "same"},
    {FIELD(on_chip_kib), RANGE(1, 1 << 20), .preset = 0, .preset_doc = "none",
     .doc = "on-chip memory in KiB that operations which run together may use for intermediate "
            "tensors. Rill cuts the operations into groups that run one after another and fit "
            "([passes.md](passes.md#groups)). Without the key everything is one group"},
};
const struct schema_table spec_design_table = {
    .path = "design", .what = "design", .fields = design_fields, .count = COUNT_OF(design_fields)};

static bool is_legal(const struct schema_field *f, int64_t v) {
    for (size_t i = 0; i < f->count; i++)
        if (f->legal[i] == v) return true;
    return false;
}

// Narrows a key's legal values before it is read, so that the value which a message suggests breaks no other rule: A
// divides T, lanes divide a head, and a burst fits its FIFO. Values of `channels`, `dies` and `clock_mhz` that are too
// large pass here, because check_board reports them with the limits of the board.
static void narrow_field(struct schema_field *f, const struct yaml_node *map, const struct spec_model *model,
                         struct arena *arena) {
    const struct yaml_node *node = yaml_get(map, f->key), *other = NULL;
    int64_t v = 0, value = 0;
    double number;
    if (!node || !yaml_parse_float(node, &number)) return;
    bool whole = yaml_parse_int(node, &v);
    bool of_board = whole && (!strcmp(f->key, "channels") || !strcmp(f->key, "dies"));
    if (number > f->max && (of_board || !strcmp(f->key, "clock_mhz"))) f->max = 1 << 30;
    if (!strcmp(f->key, "group") && (number < f->min || number > f->max)) {
        f->min = (other = yaml_get(map, "beat_bits")) && yaml_parse_int(other, &value) && value == 256 ? 64 : 128;
        f->max = MAX_GROUP;
    }
    if (!strcmp(f->key, "prefetch_beats") && number < f->min)
        f->min =
            (other = yaml_get(map, "max_burst")) && yaml_parse_int(other, &value) && value <= 128 ? (double)value : 16;
    if (!strcmp(f->key, "A") && !is_legal(f, v) && (!(other = yaml_get(map, "T")) || yaml_parse_int(other, &value)))
        while (f->count > 1 && f->legal[f->count - 1] > (other ? value : 1)) f->count--;
    if (!strcmp(f->key, "lanes") && !is_legal(f, v))
        while (model && f->count > 1 && !family_allows(model->values, "design.lanes", f->legal[f->count - 1], arena))
            f->count--; // the legal values are powers of two, so the largest one that fits is left
}

void spec_read_design(const struct yaml_node *node, const struct spec_model *model, struct spec_design *design,
                      struct arena *arena, struct diag *diag) {
    struct schema_field fields[COUNT_OF(design_fields)];
    node = spec_take_formats(node, design, arena, diag);
    memcpy(fields, design_fields, sizeof fields);
    for (size_t i = 0; i < COUNT_OF(fields); i++) narrow_field(&fields[i], node, model, arena);
    struct schema_table table = spec_design_table;
    table.fields = fields;
    schema_read_table(node, &table, design, arena, diag);
    if (design->pump == AS_COPIES) design->pump = design->copies >= CHOICE_PUMPED_COPIES ? 2 : 1;
    if (design->draft_confidence == AS_DRAFTS) design->draft_confidence = design->drafts < design->copies ? 2 : 1;
    if (design->embedding == AS_HEAD) design->embedding = design->head == SPEC_INT4 ? SPEC_TABLE_INT4 : SPEC_TABLE_INT8;
}

// Checks that `group` is at most MAX_GROUP, and that a group of int4 weights, which shares a scale, fills whole beats.
static void check_group(const struct spec_design *d, struct loc loc, struct diag *diag) {
    int unit = d->beat_bits / 4;
    if (d->group % unit == 0 && d->group >= unit && d->group <= MAX_GROUP) return;
    int nearest = d->group > MAX_GROUP ? MAX_GROUP : (d->group + unit / 2) / unit * unit;
    if (nearest < unit) nearest = unit;
    diag_error(diag, loc, MSG_GROUP_MULTIPLE, d->group, unit, d->beat_bits, MAX_GROUP);
    diag_note(diag, loc, "the nearest legal value is %d", nearest);
}

// Checks that A divides the number of tokens or of rows, because values that share a multiplier must be tokens of one
// step or rows of one tensor. All these numbers are powers of two, so A fails to divide the larger one only if A is
// larger itself. The larger one is then the nearest legal A.
static void check_arrays(const struct spec_design *d, struct loc loc, struct diag *diag) {
    int places = d->tokens > d->tensor_rows ? d->tokens : d->tensor_rows;
    if (places % d->copies == 0) return;
    diag_error(diag, loc, MSG_A_DIVIDES_T, d->copies, places > d->tokens ? "tensor_rows" : "T", places);
    diag_note(diag, loc, "the nearest legal value is %d", places);
}

// Checks that T has room for the drafts in addition to the first token of a step.
static void check_drafts(const struct spec_design *d, struct loc loc, struct diag *diag) {
    if (d->drafts < d->tokens) return;
    diag_error(diag, loc, MSG_DRAFTS_STEP, d->drafts, d->tokens);
    if (d->tokens > 1) diag_note(diag, loc, "the nearest legal value is %d", d->tokens - 1);
    else diag_note(diag, loc, "remove `drafts`, or use `T` of at least 2");
}

// Checks that a design whose host predicts tokens can have drafts.
static void check_host_drafts(const struct spec_design *d, struct loc loc, struct diag *diag) {
    if (!d->host_drafts || d->drafts) return;
    diag_error(diag, loc, MSG_HOST_DRAFTS);
    diag_note(diag, loc, "add `drafts`, for example `drafts: %d`", d->tokens > 1 ? d->tokens - 1 : 1);
}

// Checks that `pump` is 2 with `A: 4`, where multipliers always work twice in a cycle.
static void check_pump(const struct spec_design *d, struct loc loc, struct diag *diag) {
    if (d->pump > 1 || d->copies < CHOICE_PUMPED_COPIES) return;
    diag_error(diag, loc, MSG_PUMP, d->pump, d->copies);
    diag_note(diag, loc, "the nearest legal value is 2");
}

// Returns the largest power of two that is at most v, or 1.
static int floor_power(int v) {
    int power = 1;
    while (power * 2 <= v) power *= 2;
    return power;
}

// Checks the length of bursts: within a page, a power of two, and not longer than the prefetch FIFO.
static void check_bursts(const struct rill_spec *spec, struct diag *diag) {
    const struct spec_design *d = &spec->design;
    struct loc loc = spec_place(spec, "design.max_burst");
    int limit = PAGE_BYTES / (d->beat_bits / 8);
    if (d->max_burst > limit) {
        diag_error(diag, loc, MSG_BURST_4K, d->max_burst, d->beat_bits);
        diag_note(diag, loc, "the nearest legal value is %d",
                  limit < d->prefetch_beats ? limit : floor_power(d->prefetch_beats));
        return;
    }
    // A burst ends at a multiple of its length, so no burst crosses a page if the length is a power of two.
    if ((d->max_burst & (d->max_burst - 1))) {
        // Suggests the nearest power of two (the lower one if two are equally near) that the prefetch FIFO can hold.
        int nearest = floor_power(d->max_burst);
        if (nearest * 2 <= d->prefetch_beats && nearest * 3 / 2 < d->max_burst) nearest *= 2;
        if (nearest > d->prefetch_beats) nearest = floor_power(d->prefetch_beats);
        diag_error(diag, loc, MSG_BURST_POWER, d->max_burst);
        diag_note(diag, loc, "the nearest legal value is %d", nearest);
        return;
    }
    if (d->max_burst <= d->prefetch_beats) return;
    if (!yaml_get(yaml_get(spec->root, "design"), "max_burst"))
        loc = spec_place(spec, "design.prefetch_beats"); // max_burst is a default, so the fault is in prefetch_beats
    diag_error(diag, loc, MSG_BURST_PREFETCH, d->max_burst, d->prefetch_beats);
    diag_note(diag, loc,
              "a burst is issued only with all its room reserved: max_burst at most %d, or "
              "prefetch_beats at least %d",
              floor_power(d->prefetch_beats), d->max_burst);
}

// Checks the keys that the board limits. Without a board there is nothing to check.
static void check_board(const struct rill_spec *spec, struct diag *diag) {
    const struct spec_design *d = &spec->design;
    const struct rill_device *device = spec->device;
    if (!device) return;
    int most = device->hbm.channels < SPEC_MAX_CHANNELS ? device->hbm.channels : SPEC_MAX_CHANNELS;
    if (d->channels > most) {
        struct loc loc = spec_place(spec, "design.channels");
        if (most < SPEC_MAX_CHANNELS || device->hbm.channels == most)
            diag_error(diag, loc, MSG_CHANNELS_OF_BOARD, d->channels, device->name, device->hbm.channels);
        else diag_error(diag, loc, MSG_CHANNELS_RANGE, SPEC_MAX_CHANNELS, d->channels);
        diag_note(diag, loc, "the nearest legal value is %d", most);
    }
    if (d->dies > (int)device->slr_count) {
        struct loc loc = spec_place(spec, "design.dies");
        diag_error(diag, loc, MSG_DIES_OF_BOARD, d->dies, device->name, device->slr_count);
        diag_note(diag, loc, "the nearest legal value is %zu", device->slr_count);
    }
    if (d->clock_mhz > device->clock_max_mhz) {
        struct loc loc = spec_place(spec, "design.clock_mhz");
        diag_error(diag, loc, MSG_CLOCK_OF_BOARD, d->clock_mhz, device->name);
        diag_note(diag, loc, "the nearest legal value is %g", device->clock_max_mhz);
    }
}

static struct loc place_of_key(void *context, const char *key) { return spec_place(context, key); }

void spec_check_design(const struct rill_spec *spec, struct arena *arena, struct diag *diag) {
    check_group(&spec->design, spec_place(spec, "design.group"), diag);
    check_arrays(&spec->design, spec_place(spec, "design.A"), diag);
    check_pump(&spec->design, spec_place(spec, "design.pump"), diag);
    check_drafts(&spec->design, spec_place(spec, "design.drafts"), diag);
    check_host_drafts(&spec->design, spec_place(spec, "design.host_drafts"), diag);
    check_bursts(spec, diag);
    check_board(spec, diag);
    if (!spec->model) return;
    spec->model->values->design = &spec->design;
    family_check_design(spec->model->values, place_of_key, (void *)spec, arena, diag);
}
