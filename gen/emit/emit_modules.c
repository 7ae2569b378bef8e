// SPDX-License-Identifier: Apache-2.0
// Writes the modules of a design's plan (emit_plan.h): ports, internal nets, then streams, kernels, and the logic that
// belongs to no kernel. A pin is a port, or all ports of a stream.
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/ir/layout.h"
#include "gen/kernel/kernel.h"

// ---- ports ----

static void add_pin(const struct emit_plan *p, emit_pins *pins, struct emit_pin pin) {
    VEC_PUSH(p->ir->arena, *pins, pin);
}

// Adds the pin of a clock or of copies of a reset.
static void add_level(const struct emit_plan *p, emit_pins *pins, const char *port, const char *net, int64_t bits) {
    add_pin(p, pins, (struct emit_pin){.name = port, .net = net, .bits = bits, .kind = EMIT_PIN_LEVEL});
}

static const char *reset_doc(const struct emit_plan *p, int m, int die) {
    const char *others = m == p->control ? "other instance" : "instance", *on = emit_on_die(p->ir, die);
    return arena_printf(p->ir->arena, "resets%s: a bit for each %s%s, bit 0 for the first in this file", on, others,
                        *on ? " or part of a link there" : "");
}

// Returns the name of the module's parameter with the number of its resets of a die.
static const char *resets_name(const struct emit_plan *p, int die) { return emit_of_die(p->ir, "RESETS", die); }

// Adds the module's copies of each die's reset.
static void add_resets(const struct emit_plan *p, int m, emit_pins *pins) {
    const struct ir *ir = p->ir;
    for (int d = 0; d < IR_MAX_DIES; d++) {
        int count = p->module[m].resets[d];
        if (!count) continue;
        add_level(p, pins, emit_of_die(ir, "core_rst", d), emit_module_reset(p, m, d), count);
        pins->items[pins->count - 1].doc = reset_doc(p, m, d);
        pins->items[pins->count - 1].number = resets_name(p, d);
    }
}

static bool has_second_clock(const struct emit_plan *p, int m) {
    bool found = false;
    for (int e = 0; e < p->ir->engines; e++) found = found || p->home[p->ir->engine[e].kernel] == m;
    return found && ir_second_clock(p->ir);
}

static void add_levels(const struct emit_plan *p, int m, emit_pins *pins) {
    add_level(p, pins, "clk", "clk", 1);
    if (has_second_clock(p, m)) {
        add_level(p, pins, "clk_2x", "clk_2x", 1);
        pins->items[pins->count - 1].doc = "clock of the multipliers, in phase with clk at twice its rate";
    }
    if (m == p->control && ir_second_clock(p->ir)) {
        add_level(p, pins, "clock_state", "clock_state", 32);
        pins->items[pins->count - 1].doc = ir_net_doc(p->ir, IR_NET_CLOCK_STATE);
    }
    if (m == p->control) {
        add_level(p, pins, "rst", "rst", 1);
        pins->items[pins->count - 1].doc = "for what outlives a request: token loop, registers, counters";
    }
    add_resets(p, m, pins);
}

static bool has_pin(const emit_pins *pins, const char *name) {
    for (size_t i = 0; i < pins->count; i++)
        if (!strcmp(pins->items[i].name, name)) return true;
    return false;
}

// Describes the tensor that a stream carries, and its two ends.
static const char *stream_doc(const struct ir *ir, int edge) {
    const struct ir_edge *e = &ir->edge[edge];
    struct text carried = {0};
    emit_carried(ir, e, &carried);
    const char *doc =
        arena_printf(ir->arena, "%s, from %s to %s", text_cstr(&carried), ir_port_text(ir, e->src_kernel, e->src_port),
                     ir_port_text(ir, e->dst_kernel, e->dst_port));
    text_free(&carried);
    return doc;
}

// Describes the word at a fork's input, which its readers in other modules read.
static const char *fork_doc(const struct ir *ir, int in) {
    const struct ir_edge *e = &ir->edge[in];
    struct text carried = {0};
    emit_carried(ir, e, &carried);
    const char *doc = arena_printf(
        ir->arena, "%s; the data for all readers of %s, each of which has its own handshake, from_%s_<n>_*",
        text_cstr(&carried), ir->kernel[e->dst_kernel].name, ir->kernel[e->dst_kernel].name);
    text_free(&carried);
    return doc;
}

// Returns whether the names of a fork's output tell its number and its reader, so that a comment would only repeat
// them.
static bool tells_reader(const struct emit_plan *p, int edge) {
    const char *name = p->from[edge], *reader = p->ir->kernel[p->ir->edge[edge].dst_kernel].name;
    size_t len = strlen(name), end = strlen(reader);
    return emit_copied_from(p, edge) != IR_NONE && len > end && name[len - end - 1] == '_' &&
           !strcmp(name + len - end, reader);
}

// Adds the pin of a stream's nets at its writer or at its reader. other: the module at the other end.
static void add_stream(const struct emit_plan *p, int edge, bool at_writer, bool is_output, int other,
                       emit_pins *pins) {
    const char *name = at_writer ? p->from[edge] : p->to[edge];
    struct emit_word word = emit_word(p->ir, &p->ir->edge[edge]);
    if (at_writer && emit_copied_from(p, edge) != IR_NONE) word = (struct emit_word){0};
    add_pin(p, pins,
            (struct emit_pin){.name = name,
                              .net = name,
                              .doc = at_writer && tells_reader(p, edge) ? NULL : stream_doc(p->ir, edge),
                              .word = word,
                              .kind = EMIT_PIN_STREAM,
                              .is_output = is_output,
                              .other = other});
}

// Adds the pin of the word that a fork of one module sends to readers in another module, once for all readers.
static void add_fork_word(const struct emit_plan *p, int edge, bool is_output, int other, emit_pins *pins) {
    int in = emit_copied_from(p, edge);
    if (in == IR_NONE || has_pin(pins, p->copied[in])) return;
    add_pin(p, pins,
            (struct emit_pin){.name = p->copied[in],
                              .net = p->copied[in],
                              .doc = fork_doc(p->ir, in),
                              .word = emit_word(p->ir, &p->ir->edge[in]),
                              .kind = EMIT_PIN_WORD,
                              .is_output = is_output,
                              .other = other});
}

// Adds streams that go from one module to another. The link is in the reader's module, so the writer's nets cross. A
// pooled stream's link is in the pool's module, so the reader's nets cross as well if the reader is in another module.
static void add_streams_between(const struct emit_plan *p, int m, int source, int sink, emit_pins *pins) {
    for (int e = 0; e < p->ir->edges; e++) {
        const struct ir_edge *edge = &p->ir->edge[e];
        int from = p->home[edge->src_kernel], link = emit_link_home(p, e), to = p->home[edge->dst_kernel];
        int other = source == m ? sink : source;
        if (from == source && link == sink) {
            add_fork_word(p, e, source == m, other, pins);
            add_stream(p, e, true, source == m, other, pins);
        }
        if (link == source && to == sink) add_stream(p, e, false, source == m, other, pins);
    }
}

static void add_streams(const struct emit_plan *p, int m, emit_pins *pins) {
    for (int other = 0; other < p->modules; other++) {
        if (other == m) continue;
        add_streams_between(p, m, other, m, pins);
        add_streams_between(p, m, m, other, pins);
    }
}

// Adds the pin of a transfer's descriptors or beats: `handshakes` handshakes, one for each channel, and `words` words
// of a width.
static void add_axis(const struct emit_plan *p, const char *name, const char *doc, int64_t handshakes, int64_t words,
                     const char *width, bool is_output, emit_pins *pins) {
    const char *is = emit_of_channels(p->ir, words, width);
    add_pin(p, pins,
            (struct emit_pin){.name = name,
                              .net = name,
                              .doc = doc,
                              .bits = emit_evaluate(p->ir, is),
                              .is = is,
                              .handshakes = handshakes,
                              .handshakes_are = emit_of_channels(p->ir, handshakes, NULL),
                              .kind = EMIT_PIN_AXIS,
                              .is_output = is_output});
}

static const char lane_beat[] = "lane_beat";

// Describes the descriptors that a walker sends to its channels. There are several copies of a descriptor if one
// register would have too many loads.
static const char *lane_doc(const struct ir *ir, int channels) {
    int copies = kernel_tree_copies(channels);
    const char *doc = "lane (weights, keys, values): one descriptor for all channels";
    if (copies == 1) return doc;
    return arena_printf(ir->arena, "%s, in %d copies, one for each %d channels, the first one in the low bits", doc,
                        copies, KERNEL_TREE_GROUP);
}

// Describes the descriptors of a client that several channels serve.
static const char *desc_doc(const struct ir *ir, const struct ir_client *client, int channels) {
    const struct ir_kernel *k = client->kernel == IR_NONE ? NULL : &ir->kernel[client->kernel];
    if (channels == 1) return "";
    if (k && kernel_is(k, KERNEL_VALUES)) return "each descriptor goes to all channels";
    if (k && kernel_is(k, KERNEL_KEYS))
        return arena_printf(ir->arena, "each descriptor goes to channel (position of its key) mod %s",
                            emit_expression(ir, emit_of_channels(ir, channels, NULL), channels));
    return "tvalid and tready have a bit for each channel; tdata is for all channels whose tvalid is 1";
}

// Describes the beats of a client that several channels serve. packed: each channel has its own beats.
static const char *beat_doc(int channels, bool packed) {
    return channels == 1 ? ""
           : packed      ? "a beat for each channel, channel 0 in the low bits"
                         : "each beat goes to the channel of its descriptor";
}

// Adds the pins of the memory transfers of a module's kernels.
static void add_clients(const struct emit_plan *p, int m, emit_pins *pins) {
    const struct ir *ir = p->ir;
    for (int c = 0; c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        if ((client->kernel == IR_NONE ? p->control : p->home[client->kernel]) != m) continue;
        int n = emit_client_channels(ir, c);
        int64_t beats = client->is_packed || client->parts > 1 ? n : 1;
        add_axis(p, arena_printf(ir->arena, "%s_desc", client->name), desc_doc(ir, client, n), n, 1, "DESC_W", true,
                 pins);
        add_axis(p, arena_printf(ir->arena, "%s_beat", client->name), beat_doc(n, beats > 1), n, beats, "BEAT_BITS",
                 client->is_write, pins);
    }
    for (int e = 0; e < ir->engines && m == p->shared; e++)
        if (!ir_is_resident(&ir->engine[e]))
            add_axis(p, ir_engine_name(ir, e, "lane_desc"), lane_doc(ir, ir->engine[e].channels),
                     ir->engine[e].channels, kernel_tree_copies(ir->engine[e].channels), "DESC_W", true, pins);
    if (ir_has_lanes(ir) && m == p->shared)
        add_axis(p, lane_beat, "lane (weights, keys, values): a beat for each channel, channel 0 in the low bits",
                 ir->design.channels, ir->design.channels, "BEAT_BITS", false, pins);
}

static const char fault_port[] = "fault";

// Returns whether a module other than the net's driver reads the net.
static bool leaves(const struct emit_plan *p, int net) {
    for (int m = EMIT_TOP; m < p->modules; m++)
        if (m != p->driver[net] && emit_plan_reads(p, net, m)) return true;
    return false;
}

static void add_plain(const struct emit_plan *p, const char *name, const char *doc, int64_t bits, const char *is,
                      bool is_output, emit_pins *pins) {
    add_pin(p, pins,
            (struct emit_pin){.name = name, .net = name, .doc = doc, .bits = bits, .is = is, .is_output = is_output});
}

// Lists the parameter store of each bit of a net.
static const char *doc_of_stores(const struct ir *ir, int net) {
    const char *what = "one bit for each store, high for the one that takes param_load_data:", *doc = what;
    for (int w = 0; w < ir->wires; w++)
        for (int i = 0; i < ir->wire[w].use.parts; i++) {
            const struct ir_part *part = &ir->wire[w].use.part[i];
            if (part->net == net && part->width)
                doc = arena_printf(ir->arena, "%s%s %d=%s", doc, doc == what ? "" : ",", (int)part->low,
                                   ir->kernel[ir->wire[w].kernel].name);
        }
    return doc;
}

// Lists the events whose cycles are counted, the last one first.
static const char *doc_of_counters(const struct ir *ir, int net) {
    for (int w = 0; w < ir->wires; w++)
        if (ir->wire[w].kernel == ir->net[net].driver && !strcmp(ir->wire[w].port, "events"))
            return arena_printf(ir->arena, "cycles, 64 bits for each of %s", ir_use_print(ir, &ir->wire[w].use));
    return ir_net_doc(ir, IR_NET_COUNTERS);
}

// Returns whether a store of parameters is on another die than the loader.
static bool has_far_store(const struct ir *ir) {
    bool far = false;
    for (int k = 0; k < ir->kernels; k++)
        far = far || (kernel_is(&ir->kernel[k], KERNEL_STORE) && kernel_load_hops(&ir->kernel[k]));
    return far;
}

// Returns the net that is the kernel's first input on plain nets, if the kernel takes it as a whole. Otherwise returns
// IR_NONE.
static int net_before(const struct ir *ir, int kernel) {
    for (int w = 0; w < ir->wires; w++)
        if (ir->wire[w].kernel == kernel && !ir->wire[w].is_output) return ir_use_whole(&ir->wire[w].use);
    return IR_NONE;
}

// Returns the kernel that drives a net, or NULL if there is none.
static const struct ir_kernel *driver_of(const struct ir *ir, int net) {
    int driver = net == IR_NONE ? IR_NONE : ir->net[net].driver;
    return driver == IR_NONE ? NULL : &ir->kernel[driver];
}

static bool is_of_hop(const struct ir *ir, int net) {
    const struct ir_kernel *k = driver_of(ir, net);
    return k && kernel_hop_stages(k) >= 0;
}

static bool is_of_slices(const struct ir *ir, int net) {
    const struct ir_kernel *k = driver_of(ir, net);
    return k && kernel_slice_bits(k) > 0;
}

// Describes a net after register stages between dies: the net that it copies, and the delay in cycles.
static const char *doc_of_hop(const struct emit_plan *p, int n) {
    const struct ir *ir = p->ir;
    int first = n, cycles = 0;
    for (; is_of_hop(ir, first); first = net_before(ir, ir->net[first].driver))
        cycles += kernel_hop_stages(driver_of(ir, first));
    if (first == IR_NONE) return emit_purpose(ir, ir->net[n].driver);
    const char *of = p->driver[first] < 0 || p->driver[first] == p->driver[n]
                         ? ""
                         : arena_printf(ir->arena, " of %s", emit_module_path(p, p->driver[first]));
    return arena_printf(ir->arena, "%s%s%s, %d cycle%s later", ir->net[first].name, of,
                        emit_on_die(ir, ir->kernel[ir->net[n].driver].die), cycles, cycles == 1 ? "" : "s");
}

// Describes a net with slices of a word for another die, or the net with the word that is made from them there.
static const char *doc_of_slices(const struct ir *ir, int n) {
    const struct ir_kernel *k = &ir->kernel[ir->net[n].driver];
    int slices = is_of_slices(ir, n) ? n : net_before(ir, ir->net[n].driver);
    while (slices != IR_NONE && is_of_hop(ir, slices)) slices = net_before(ir, ir->net[slices].driver);
    int word = is_of_slices(ir, slices) ? net_before(ir, ir->net[slices].driver) : IR_NONE;
    if (word == IR_NONE) return emit_purpose(ir, ir->net[n].driver);
    if (slices != n)
        return arena_printf(ir->arena, "%s%s, put together from its slices", ir->net[word].name,
                            emit_on_die(ir, k->die));
    return arena_printf(ir->arena, "%s in slices for another die, one per cycle: {number, slice[%d:0]}",
                        ir->net[word].name, kernel_slice_bits(k) - 1);
}

// Describes the word on the load bus.
static const char *doc_of_load(const struct ir *ir) {
    return layout_load_pieces(&ir->design) == 1
               ? ir_net_doc(ir, IR_NET_PARAM_LOAD_DATA)
               : "vector parameters: BEAT_BITS/LOAD_BITS pieces of a beat, the low one first";
}

// Returns the comment of a net. It comes from the net's role or else from the kernel that drives the net.
static const char *net_doc(const struct emit_plan *p, int n) {
    const struct ir *ir = p->ir;
    const struct ir_net *net = &ir->net[n];
    if (net->role == IR_NET_PARAM_LOAD_STORE) return doc_of_stores(ir, n);
    if (net->role == IR_NET_PARAM_LOAD_DATA) return doc_of_load(ir);
    if (net->role == IR_NET_COUNTERS) return doc_of_counters(ir, n);
    if (net->role == IR_NET_WRITTEN)
        return arena_printf(ir->arena, "pulse: a descriptor of %s has all its responses", ir->client[net->of].name);
    if (net->role == IR_NET_PARAM_LOAD_VALID && has_far_store(ir))
        return "u_control sends a piece of vector parameters; a store on another die takes it HOPS cycles later (HOPS "
               "of the store), from param_load_to_*_in";
    if (net->role != IR_NET_PLAIN || net->driver == IR_NONE) return ir_net_doc(ir, net->role);
    if (is_of_hop(ir, n)) return doc_of_hop(p, n);
    if (is_of_slices(ir, n) || kernel_joins_slices(driver_of(ir, n))) return doc_of_slices(ir, n);
    return emit_purpose(ir, net->driver);
}

// Returns whether a net belongs to the beats for the lanes, which are a stream (add_clients).
static bool is_of_lanes(const struct ir_net *net) {
    return net->role == IR_NET_LANE_BEAT_TVALID || net->role == IR_NET_LANE_BEAT_TREADY ||
           net->role == IR_NET_LANE_BEAT_TDATA;
}

// Describes the vector of a module's faults.
static const char *doc_of_faults(const struct emit_plan *p, int m) {
    if (p->module[m].faults > 1) return "bits of kernel_fault";
    for (int k = 0; k < p->ir->kernels; k++)
        if (p->ir->kernel[k].has_fault && p->home[k] == m)
            return arena_printf(p->ir->arena, "kernel fault of %s", p->ir->kernel[k].name);
    return NULL;
}

// Adds the pins of plain nets that the module drives and another one reads, or that it reads and another one drives,
// and the pin of the module's faults.
static void add_nets(const struct emit_plan *p, int m, emit_pins *pins) {
    for (int i = 0; i < p->ir->nets; i++) {
        int n = p->net[i];
        if (is_of_lanes(&p->ir->net[n])) continue;
        bool out = p->driver[n] == m && leaves(p, n);
        bool in = p->driver[n] != m && p->driver[n] != EMIT_NOT && emit_plan_reads(p, n, m);
        if (in || out)
            add_plain(p, p->ir->net[n].name, net_doc(p, n), emit_net_bits(p->ir, n), emit_net_width(p->ir, n), out,
                      pins);
    }
    if (p->module[m].faults)
        add_pin(p, pins,
                (struct emit_pin){.name = fault_port,
                                  .net = arena_printf(p->ir->arena, "faults_of_%s", p->module[m].name),
                                  .doc = doc_of_faults(p, m),
                                  .bits = p->module[m].faults,
                                  .is_output = true});
}

// Adds the pins that only the control module has.
static void add_control(const struct emit_plan *p, emit_pins *pins) {
    int channels = p->ir->design.channels;
    add_plain(p, "channel_idle", "no DMA engine of the channel has anything to do", channels,
              emit_of_channels(p->ir, channels, NULL), false, pins);
    add_plain(p, "channel_write_moves", "the memory takes a beat or gives a write response in this cycle", channels,
              emit_of_channels(p->ir, channels, NULL), false, pins);
    add_pin(p, pins,
            (struct emit_pin){.name = "interrupt", .net = "interrupt", .bits = 1, .is_output = true, .is_pin = true});
    for (int s = 0; s < EMIT_AXIL_SIGNALS; s++) {
        if (emit_is_ignored(s)) continue;
        const struct emit_signal *signal = &emit_axil_signals[s];
        const char *name = arena_printf(p->ir->arena, "s_axi_control_%s", signal->name);
        add_pin(
            p, pins,
            (struct emit_pin){
                .name = name, .net = name, .bits = signal->bits, .is_output = !signal->from_master, .is_pin = true});
    }
}

emit_pins emit_pins_of(const struct emit_plan *p, int m) {
    emit_pins pins = {0};
    add_levels(p, m, &pins);
    add_streams(p, m, &pins);
    add_clients(p, m, &pins);
    add_nets(p, m, &pins);
    if (m == p->control) add_control(p, &pins);
    return pins;
}

// ---- text of ports ----

static int stream_signals(const struct ir *ir, const struct emit_pin *pin, struct emit_pin_signal *out) {
    const struct emit_word *w = &pin->word;
    int count = 0;
    for (int f = pin->kind == EMIT_PIN_WORD ? EMIT_TDATA : 0; f <= EMIT_TDATA; f++) {
        int64_t bits = f == EMIT_TDATA ? w->data + w->user + w->last + w->count : 1;
        const char *field = f == EMIT_TDATA && emit_is_packed(w) ? "word" : emit_field_words[f];
        const char *name = arena_printf(ir->arena, "%s_%s", pin->name, field);
        const char *is = f == EMIT_TDATA && bits ? emit_word_width(ir, w) : NULL;
        if (bits) out[count++] = (struct emit_pin_signal){name, name, bits, is, pin->is_output ^ (f == EMIT_TREADY)};
    }
    return count;
}

static int axis_signals(const struct ir *ir, const struct emit_pin *pin, struct emit_pin_signal *out) {
    for (int f = 0; f <= EMIT_TDATA; f++) {
        const char *name = arena_printf(ir->arena, "%s_%s", pin->name, emit_field_words[f]);
        int64_t bits = f == EMIT_TDATA ? pin->bits : pin->handshakes;
        const char *is = f == EMIT_TDATA ? pin->is : pin->handshakes_are;
        out[f] = (struct emit_pin_signal){name, name, bits, is, pin->is_output ^ (f == EMIT_TREADY)};
    }
    return EMIT_TDATA + 1;
}

// Lists the signals of a pin: those of a stream, or the net itself. Returns their number.
int emit_pin_signals(const struct ir *ir, const struct emit_pin *pin, struct emit_pin_signal out[EMIT_PIN_SIGNALS]) {
    if (pin->kind == EMIT_PIN_AXIS) return axis_signals(ir, pin, out);
    if (pin->kind == EMIT_PIN_STREAM || pin->kind == EMIT_PIN_WORD) return stream_signals(ir, pin, out);
    out[0] = (struct emit_pin_signal){pin->name, pin->net, pin->bits, pin->is, pin->is_output};
    return 1;
}

const char *emit_pin_heading(const struct emit_plan *p, const struct emit_pin *pin) {
    if (pin->kind == EMIT_PIN_STREAM || pin->kind == EMIT_PIN_WORD)
        return arena_printf(p->ir->arena, "streams %s %s", pin->is_output ? "to" : "from",
                            emit_module_path(p, pin->other));
    if (pin->kind == EMIT_PIN_AXIS)
        return "memory: descriptors {beats[15:0], byte offset[39:0]} and beats of DMA transfers";
    if (pin->is_pin) return "pins of the top";
    return pin->kind == EMIT_PIN_NET ? "control and status" : NULL;
}

const char *emit_pin_note(const struct emit_plan *p, const emit_pins *pins, size_t i) {
    const char *heading = emit_pin_heading(p, &pins->items[i]);
    const char *before = i ? emit_pin_heading(p, &pins->items[i - 1]) : NULL;
    return heading && before && !strcmp(heading, before) ? NULL : heading;
}

// Adds a signal of a pin as a port. first: it begins a line.
static void add_port(const struct ir *ir, const struct emit_pin *pin, const struct emit_pin_signal *s, bool first,
                     struct text *out) {
    const char *range = pin->number && s->bits > 1 ? arena_printf(ir->arena, "[%s-1:0] ", pin->number)
                                                   : emit_range_of(ir, s->is, s->bits);
    text_addf(out, "%s%s wire %s%s", first ? "" : ", ",
              s->is_output ? "output"
              : first      ? "input "
                           : "input",
              range, s->port);
}

void emit_pin_text(const struct emit_pin *pin, const char *code, struct text *out) {
    bool plain = pin->kind == EMIT_PIN_NET || pin->kind == EMIT_PIN_LEVEL;
    if (plain || !pin->doc || !*pin->doc) return emit_commented(code, pin->doc, out);
    text_addf(out, "    // %s\n%s\n", pin->doc, code);
}

// Adds a pin's ports, those of a stream on one line.
static void add_pin_ports(const struct ir *ir, const struct emit_pin *pin, bool last, struct text *out) {
    struct emit_pin_signal signal[EMIT_PIN_SIGNALS];
    int signals = emit_pin_signals(ir, pin, signal);
    struct text line = {0};
    for (int s = 0; s < signals; s++) add_port(ir, pin, &signal[s], s == 0, &line);
    emit_pin_text(pin, arena_printf(ir->arena, "    %s%s", text_cstr(&line), last ? "" : ","), out);
    text_free(&line);
}

static void add_ports(const struct emit_plan *p, int m, const emit_pins *pins, struct text *out) {
    for (size_t i = 0; i < pins->count; i++) {
        const char *note = emit_pin_note(p, pins, i);
        if (note) text_addf(out, "\n    // %s\n", note);
        struct emit_pin pin = pins->items[i];
        if (!strcmp(pin.name, fault_port) && pin.bits > 1) {
            emit_describe_faults(p, m, "    ", out);
            pin.doc = NULL;
        }
        add_pin_ports(p->ir, &pin, i + 1 == pins->count, out);
    }
    text_add(out, ");\n");
}

// ---- nets inside ----

// Returns whether the control module assigns the net at a clock edge (emit_control).
static bool is_register(const struct ir_net *n) { return n->role == IR_NET_QUIET || n->role == IR_NET_PROGRESS; }

// Returns the net of tready if `net` is the tvalid of a handshake that is no stream of kernels, else IR_NONE. The role
// of tdata follows that of tready.
static int ready_of(const struct ir *ir, int net) {
    enum ir_net_role role = ir->net[net].role;
    bool valid =
        role == IR_NET_IMAGE_PARAMS_TVALID || role == IR_NET_STORED_BEAT_TVALID || role == IR_NET_WALK_DESC_TVALID;
    return valid ? ir_find_net(ir, (enum ir_net_role)(role + 1), ir->net[net].of) : IR_NONE;
}

// Returns whether the net is tready or tdata of such a handshake. declare_inner declares it together with tvalid.
static bool is_after_valid(const struct ir *ir, int net) {
    static const enum ir_net_role roles[] = {IR_NET_IMAGE_PARAMS_TREADY, IR_NET_IMAGE_PARAMS_TDATA,
                                             IR_NET_STORED_BEAT_TREADY,  IR_NET_STORED_BEAT_TDATA,
                                             IR_NET_WALK_DESC_TREADY,    IR_NET_WALK_DESC_TDATA};
    for (size_t i = 0; i < COUNT_OF(roles); i++)
        if (ir->net[net].role == roles[i]) return true;
    return false;
}

static const char *net_range(const struct ir *ir, int net) {
    return emit_range_of(ir, emit_net_width(ir, net), emit_net_bits(ir, net));
}

// Declares a net inside the module. The nets of a handshake share a line, and their comment is above it.
static void declare_inner(const struct emit_scope *s, int net) {
    const struct ir *ir = s->plan->ir;
    const char *kind = is_register(&ir->net[net]) ? "reg" : "wire", *doc = net_doc(s->plan, net);
    const char *code = arena_printf(ir->arena, "    %s %s%s", kind, net_range(ir, net), ir->net[net].name);
    int ready = ready_of(ir, net);
    if (ready == IR_NONE) return emit_commented(arena_printf(ir->arena, "%s;", code), doc, s->out);
    int data = ir_find_net(ir, (enum ir_net_role)(ir->net[ready].role + 1), ir->net[net].of);
    text_addf(s->out, "    // %s\n%s, %s; wire %s%s;\n", doc, code, ir->net[ready].name, net_range(ir, data),
              ir->net[data].name);
}

// Declares the nets that a kernel of the module drives and no other module reads. IR_NONE: the nets that no kernel
// drives.
static void add_nets_of(const struct emit_scope *s, int kernel) {
    const struct emit_plan *p = s->plan;
    const struct ir *ir = p->ir;
    bool any = false;
    for (int i = 0; i < ir->nets; i++) {
        int n = p->net[i];
        bool used = ir->net[n].driver != IR_NONE || emit_plan_reads(p, n, s->module);
        if (!used || p->driver[n] != s->module || leaves(p, n) || ir->net[n].driver != kernel) continue;
        if (is_after_valid(ir, n)) continue;
        if (!any && kernel != IR_NONE) text_addf(s->out, "    // u_%s\n", ir->kernel[kernel].name);
        if (!any && kernel == IR_NONE) text_add(s->out, "    // assigned at the end of this module\n");
        any = true;
        declare_inner(s, n);
    }
    if (any) text_add(s->out, "\n");
}

// Declares the nets inside the module, in the order of the kernels that drive them.
static void add_inner_nets(const struct emit_scope *s) {
    struct emit_scope inner = *s;
    struct text nets = {0};
    int count;
    const int *kernel = emit_kernel_order(s->plan, s->module, &count);
    inner.out = &nets;
    for (int i = 0; i < count; i++) add_nets_of(&inner, kernel[i]);
    add_nets_of(&inner, IR_NONE);
    if (nets.len) {
        text_add(s->out, "\n    // ---- nets inside this module, by what drives them ----\n");
        text_add_bytes(s->out, nets.data, nets.len - 1); // without the last empty line
    }
    text_free(&nets);
}

// Returns whether a module reads all bits of a net.
static bool takes_all(const struct emit_plan *p, int m, int net) {
    if (m == p->control && p->ir->net[net].role == IR_NET_STEPS_DONE) return true; // out_steps_done takes it
    for (int w = 0; w < p->ir->wires; w++) {
        const struct ir_wire *wire = &p->ir->wire[w];
        for (int i = 0; i < wire->use.parts && p->home[wire->kernel] == m; i++)
            if (wire->use.part[i].net == net && !wire->use.part[i].width) return true;
    }
    return false;
}

// Marks the inputs whose bits a module reads only in part, so that lint does not report the other bits.
static void add_unread(const struct emit_scope *s) {
    const struct emit_plan *p = s->plan;
    for (int i = 0; i < p->ir->nets; i++) {
        int n = p->net[i];
        if (p->driver[n] != s->module && p->driver[n] != EMIT_NOT && emit_plan_reads(p, n, s->module) &&
            emit_net_bits(p->ir, n) > 1 && !takes_all(p, s->module, n))
            text_addf(s->out, "    wire unused_%s = &{1'b0, %s}; // for lint: this module does not read all bits\n",
                      p->ir->net[n].name, p->ir->net[n].name);
    }
}

// ---- whole modules ----

static void add_body(struct emit_scope *s) {
    const struct emit_plan *p = s->plan;
    add_inner_nets(s);
    add_unread(s);
    emit_kernels(s);
    if (s->module == p->shared) emit_walks(s);
    if (s->module == p->control) emit_control(s);
}

// Lists the parameters with the numbers of the module's resets, one for each die on which there are several. Returns
// their number.
static int reset_counts(const struct emit_plan *p, int m, struct emit_constant out[IR_MAX_DIES]) {
    int count = 0;
    for (int d = 0; d < IR_MAX_DIES; d++) {
        int resets = p->module[m].resets[d];
        if (resets > 1)
            out[count++] =
                (struct emit_constant){resets_name(p, d), arena_printf(p->ir->arena, "%d", resets),
                                       arena_printf(p->ir->arena, "bits of %s", emit_of_die(p->ir, "core_rst", d))};
    }
    return count;
}

// Adds the constants that the code uses. They are parameters, because a localparam in the body would come after the
// ports, whose ranges need it. Instances do not set them.
static void add_constants(const struct emit_plan *p, int m, const char *code, struct text *out) {
    struct emit_constant used[EMIT_MAX_CONSTANTS + IR_MAX_DIES];
    int count = emit_used_constants(p->ir, code, used);
    count += reset_counts(p, m, used + count);
    if (!count) return text_add(out, " (\n");
    text_add(
        out,
        " #(\n    // Constants of the design, for the ranges and instances below. No instance may override them.\n");
    for (int i = 0; i < count; i++)
        emit_commented(
            arena_printf(p->ir->arena, "    parameter %s = %s%s", used[i].name, used[i].is, i + 1 < count ? "," : ""),
            used[i].doc, out);
    text_add(out, ") (\n");
}

// Puts the whole text of a module together, breaks long lines, and stores it in the plan. body: what follows the ports.
static void write_module(struct emit_plan *p, int m, const struct text *body) {
    struct text plain = {0}, code = {0}, text = {0};
    emit_pins pins = emit_pins_of(p, m);
    emit_describe_module(p, m, &plain);
    add_ports(p, m, &pins, &code);
    text_add_bytes(&code, body->data, body->len);
    text_addf(&plain, "`default_nettype none\n\nmodule %s", p->module[m].module);
    add_constants(p, m, text_cstr(&code), &plain);
    text_add_bytes(&plain, code.data, code.len);
    text_add(&plain, "endmodule\n\n`default_nettype wire\n");
    emit_wrapped(&plain, &text);
    p->module[m].text = arena_strndup(p->ir->arena, text.data, text.len);
    text_free(&plain);
    text_free(&code);
    text_free(&text);
}

static struct emit_scope scope_of(const struct emit_plan *p, int m, struct text *out) {
    bool *declared = ARENA_ARRAY(p->ir->arena, bool, 2 * (size_t)p->ir->edges + 1);
    bool *written = ARENA_ARRAY(p->ir->arena, bool, (size_t)p->ir->kernels + 1);
    return (struct emit_scope){.plan = p, .module = m, .declared = declared, .written = written, .out = out};
}

// Counts the copies of the reset that a body takes, by writing the body once without using the text. The count must be
// known before, because a single copy is declared without a range.
static void count_copies(struct emit_plan *p, int m) {
    struct text unused = {0};
    struct emit_scope scope = scope_of(p, m, &unused);
    add_body(&scope);
    text_free(&unused);
    for (int d = 0; d < IR_MAX_DIES; d++) {
        p->module[m].resets[d] = scope.resets[d];
        p->resets[d] += scope.resets[d];
    }
}

void emit_modules(struct emit_plan *p) {
    for (int m = 0; m < p->modules; m++) count_copies(p, m);
    emit_count_channels(p);
    for (int m = 0; m < p->modules; m++) {
        struct text body = {0};
        struct emit_scope scope = scope_of(p, m, &body);
        add_body(&scope);
        write_module(p, m, &body);
        text_free(&body);
    }
}
