// SPDX-License-Identifier: Apache-2.0
// Emits one rill_channel per memory channel and connects its read and write clients (engine weights, KV cache,
// streams). Read client 0 of a channel that belongs to an engine is the weight stream of its lane (named `lane`).
#include <string.h>

#include "gen/cost/cost.h"
#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

int emit_channel_clients(const struct ir *ir, int channel, bool is_write, struct emit_client out[EMIT_MAX_CLIENTS]) {
    int count = 0;
    if (!is_write && ir_engine_at(ir, channel) != IR_NONE)
        out[count++] = (struct emit_client){.name = "lane",
                                            .is_lane = true,
                                            .client = IR_NONE,
                                            .base = IR_NONE,
                                            .style = ir->engine[ir_engine_at(ir, channel)].prefetch_style};
    for (int c = 0; c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        if (client->is_write != is_write || !ir_client_on(ir, client, channel)) continue;
        if (count == EMIT_MAX_CLIENTS)
            base_fatal("emit: more than %d clients on channel %d", EMIT_MAX_CLIENTS, channel);
        out[count++] = (struct emit_client){.name = client->name,
                                            .client = c,
                                            .base = client->base,
                                            .burst = client->burst,
                                            .buffer = client->buffer,
                                            .style = client->ram_style,
                                            .on_every = client->channel == IR_NONE,
                                            .is_packed = client->is_packed,
                                            .part = channel - client->channel,
                                            .parts = ir_parts(client->parts)};
    }
    return count;
}

// An AXI id distinguishes the read clients of a channel. It has at least 1 bit, so `most` begins at 2.
int emit_id_bits(const struct ir *ir) {
    struct emit_client unused[EMIT_MAX_CLIENTS];
    int most = 2;
    for (int c = 0; c < ir->design.channels; c++) {
        int n = emit_channel_clients(ir, c, false, unused);
        if (n > most) most = n;
    }
    return u64_clog2((uint64_t)most);
}

// ---- one channel ----

struct channel {
    const struct emit_plan *plan;
    const struct ir *ir;
    int index;
    int address;          // width of an address, in bits
    int engine;           // engine that owns the channel, or IR_NONE
    int readers, writers; // counts of the read and the write clients
    struct emit_client read[EMIT_MAX_CLIENTS], write[EMIT_MAX_CLIENTS];
    struct text *out;
};

static struct channel channel_of(const struct emit_plan *p, int c, struct text *out) {
    struct channel ch = {.plan = p,
                         .ir = p->ir,
                         .index = c,
                         .address = ir_address_bits(p->ir),
                         .engine = ir_engine_at(p->ir, c),
                         .out = out};
    ch.readers = emit_channel_clients(p->ir, c, false, ch.read);
    ch.writers = emit_channel_clients(p->ir, c, true, ch.write);
    return ch;
}

int emit_channel_engines(const struct ir *ir, int channel) {
    struct emit_client clients[EMIT_MAX_CLIENTS];
    return emit_channel_clients(ir, channel, false, clients) + (emit_channel_clients(ir, channel, true, clients) > 0);
}

int emit_channel_die(const struct ir *ir) { return emit_way_stages(ir) ? cost_memory_die(ir) : 0; }

// Reserves reset and flush bits for the DMA engines of all channels.
void emit_count_channels(struct emit_plan *p) {
    for (int c = 0; c < p->ir->design.channels; c++) p->flushes += emit_channel_engines(p->ir, c);
    p->resets[emit_channel_die(p->ir)] += p->flushes;
}

// The next three functions return a client's parameters: the RAM of its prefetch FIFO, the FIFO's beats, and the
// longest burst in beats.

static enum ram_style style_of(const struct emit_client *client, int prefetch) {
    return client->style != RAM_AUTO ? client->style : cost_prefetch_style(prefetch);
}

static int prefetch_of(const struct channel *ch, const struct emit_client *client) {
    const struct ir_design *d = &ch->ir->design;
    return client->is_lane ? d->prefetch_beats : client->buffer ? (int)client->buffer : 2 * d->max_burst;
}

static int burst_of(const struct channel *ch, const struct emit_client *client) {
    return client->burst ? (int)client->burst : ch->ir->design.max_burst;
}

// ---- parameters ----

// Writes a parameter with a value for each read client, the last one first.
static void add_list(const struct channel *ch, const char *param,
                     int (*of)(const struct channel *, const struct emit_client *)) {
    text_addf(ch->out, ",%s.%s(%s", ch->readers > 1 ? "\n        " : " ", param, emit_open(ch->readers));
    for (int i = ch->readers - 1; i >= 0; i--) text_addf(ch->out, "32'd%d%s", of(ch, &ch->read[i]), i ? ", " : "");
    text_addf(ch->out, "%s)", emit_close(ch->readers));
}

static void add_parameters(const struct channel *ch) {
    const struct ir_design *d = &ch->ir->design;
    text_addf(ch->out,
              "    %s #(\n        .BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .ADDR_BITS(ADDR_BITS), .READERS(%d), "
              ".WRITERS(%d)",
              rtl_channel.module, ch->readers, ch->writers);
    if (ch->readers) {
        text_addf(ch->out, ",\n        .OUTSTANDING(%d), .STYLE(\"", d->outstanding);
        for (int i = ch->readers - 1; i >= 0; i--) // a style's first letter
            text_addf(ch->out, "%c", *ram_style_words[style_of(&ch->read[i], prefetch_of(ch, &ch->read[i]))]);
        text_add(ch->out, "\")");
        add_list(ch, "BURST", burst_of);
        add_list(ch, "PREFETCH", prefetch_of);
    }
    if (ch->writers)
        text_addf(ch->out, ",\n        .WRITES(%d), .WRITE_BUFFER(%lld)", IR_WRITES_OPEN,
                  (long long)ir_write_buffer(ch->ir, ch->index));
    text_addf(ch->out, ") u_channel_%02d (\n", ch->index);
}

// Adds a comment with the clients of one side (read or write) in the order of the packed ports.
static void add_names(const struct channel *ch, bool is_write) {
    const struct emit_client *client = is_write ? ch->write : ch->read;
    int count = is_write ? ch->writers : ch->readers;
    text_addf(ch->out, "    // %s clients, the last one first:", is_write ? "write" : "read");
    for (int i = count - 1; i >= 0; i--) text_addf(ch->out, " %s%s", client[i].name, i ? "," : "");
    text_add(ch->out, count ? "\n" : " none\n");
}

// ---- ports: clients are packed, client 0 in the low bits ----

enum part { // a port of a client on one side; part_words has the names
    BASE,
    DESC_TVALID,
    DESC_TREADY,
    DESC_TDATA,
    BEAT_TVALID,
    BEAT_TREADY,
    BEAT_TDATA,
    WRITE_IDLE,
    WRITTEN,
    PARTS
};
static const char *const part_words[PARTS] = {"base",        "desc_tvalid", "desc_tready", "desc_tdata", "beat_tvalid",
                                              "beat_tready", "beat_tdata",  "write_idle",  "written"};

// Returns the base address of a client: its own net, or the channel's register.
static const char *base_of(const struct channel *ch, const struct emit_client *client) {
    if (client->base != IR_NONE)
        return arena_printf(ch->ir->arena, "%s[ADDR_BITS-1:0]", ch->ir->net[client->base].name);
    return arena_printf(ch->ir->arena, "channel_base[64*%d +: ADDR_BITS]", ch->index);
}

// Returns the position of this channel in the packed nets of a client (0: low bits). Three kinds of clients are on
// several channels: the lanes of all channels, a client on every channel of an engine, and a client whose tensor is
// split into parts on one channel each. Any other client is on this channel alone.
static int place_of(const struct channel *ch, const struct emit_client *c) {
    if (c->is_lane) return ch->index;
    return c->on_every ? ch->index - ch->ir->engine[ch->engine].first_channel : c->parts > 1 ? c->part : 0;
}

// Returns the number of channels in the packed nets of a client.
static int places_of(const struct channel *ch, const struct emit_client *c) {
    if (c->is_lane) return ch->ir->design.channels;
    return c->on_every ? ch->ir->engine[ch->engine].channels : c->parts > 1 ? c->parts : 1;
}

// ---- channels that are alike ----

// Returns whether two clients x of channel a and y of channel b have the same name, and positions in their packed nets
// at the same distance from the channel's index, so that only the index differs in the emitted text.
static bool same_client(const struct channel *a, const struct emit_client *x, const struct channel *b,
                        const struct emit_client *y) {
    bool apart = places_of(a, x) > 1 && place_of(a, x) - a->index != place_of(b, y) - b->index;
    return !strcmp(x->name, y->name) && !apart;
}

static bool same_clients(const struct channel *a, const struct channel *b) {
    bool same = a->readers == b->readers && a->writers == b->writers && a->engine == b->engine;
    for (int i = 0; same && i < a->readers; i++) same = same_client(a, &a->read[i], b, &b->read[i]);
    for (int i = 0; same && i < a->writers; i++) same = same_client(a, &a->write[i], b, &b->write[i]);
    return same && (!a->writers || ir_write_buffer(a->ir, a->index) == ir_write_buffer(b->ir, b->index));
}

// Returns which copy of the walker's descriptor a channel reads, counted from 0. Returns 0 for a channel without an
// engine.
static int copy_of(const struct channel *ch) {
    return ch->engine == IR_NONE ? 0 : (ch->index - ch->ir->engine[ch->engine].first_channel) / KERNEL_TREE_GROUP;
}

// Adds a comment that says what differs between this channel and an earlier one with the same clients.
static void add_likeness(const struct channel *ch, int like) {
    struct channel other = channel_of(ch->plan, like, NULL);
    int first = ch->engine == IR_NONE ? 0 : ch->ir->engine[ch->engine].first_channel;
    text_addf(ch->out, "    // as channel %d, with the index %d in place of %d", like, ch->index, like);
    if (first > 0) text_addf(ch->out, ", and lane %d of the engine in place of %d", ch->index - first, like - first);
    if (copy_of(ch) != copy_of(&other)) text_addf(ch->out, ", and copy %d of the walker's descriptor", copy_of(ch));
    text_add(ch->out, "\n");
}

// Returns the first channel with the same clients as this one; this one if there is none before it.
static int first_like(const struct channel *ch) {
    for (int c = 0; c < ch->index; c++) {
        struct channel other = channel_of(ch->plan, c, NULL);
        if (same_clients(ch, &other)) return c;
    }
    return ch->index;
}

// ---- the nets at a client's ports ----

// Returns the net of a signal of the lane's descriptors, which the engine's walker sends.
static const char *lane_desc(const struct channel *ch, enum part part) {
    const struct ir_engine *e = &ch->ir->engine[ch->engine];
    const char *net = ir_engine_name(ch->ir, ch->engine, arena_printf(ch->ir->arena, "lane_%s", part_words[part]));
    int place = ch->index - e->first_channel, copies = kernel_tree_copies(e->channels);
    if (part != DESC_TDATA) return emit_slice(ch->ir, net, e->channels, place, 1);
    if (copies == 1) return net;
    return arena_printf(ch->ir->arena, "%s[DESC_W*%d +: DESC_W]", net, place / KERNEL_TREE_GROUP);
}

// Returns the net, or the slice of a net, that a port of this channel has for a client.
static const char *part_of(const struct channel *ch, const struct emit_client *c, enum part part) {
    int64_t bits = part == BEAT_TDATA ? ch->ir->design.beat_bits : 1;
    int place = place_of(ch, c), places = places_of(ch, c);
    bool shared = part == DESC_TDATA || (part == BEAT_TDATA && c->on_every && !c->is_packed);
    if (part == BASE) return base_of(ch, c);
    if (c->is_lane && part <= DESC_TDATA) return lane_desc(ch, part);
    const char *net = arena_printf(ch->ir->arena, "%s_%s", c->name, part_words[part]);
    if (part == BEAT_TDATA && !shared && places > 1)
        return arena_printf(ch->ir->arena, "%s[BEAT_BITS*%d +: BEAT_BITS]", net, place);
    return shared ? net : emit_slice(ch->ir, net, bits * places, bits * place, bits);
}

// Returns whether a port is written on the line of the port before it. If a side has one client, its descriptor stream
// is on one line, and so is its beat stream.
static bool is_joined(int clients, int part) {
    return clients == 1 && (part == DESC_TREADY || part == DESC_TDATA || part == BEAT_TREADY || part == BEAT_TDATA);
}

static void add_clients(const struct channel *ch, bool is_write, enum part part) {
    const struct emit_client *client = is_write ? ch->write : ch->read;
    int count = is_write ? ch->writers : ch->readers;
    text_addf(ch->out, "%s.%s_%s(%s", is_joined(count, part) ? "" : "        ", is_write ? "write" : "read",
              part_words[part], emit_open(count));
    for (int i = count - 1; i >= 0; i--) text_addf(ch->out, "%s%s", part_of(ch, &client[i], part), i ? ", " : "");
    text_addf(ch->out, "%s),%s", emit_close(count), is_joined(count, part + 1) ? " " : "\n");
}

// Ties off a side without clients.
static void add_no_clients(const struct channel *ch, bool is_write) {
    const char *side = is_write ? "write" : "read";
    text_addf(ch->out,
              "        .%s_base({ADDR_BITS{1'b0}}), .%s_desc_tvalid(1'b0), .%s_desc_tready(), "
              ".%s_desc_tdata({DESC_W{1'b0}}),\n",
              side, side, side, side);
    if (is_write)
        text_add(ch->out,
                 "        .write_beat_tvalid(1'b0), .write_beat_tready(), .write_beat_tdata({BEAT_BITS{1'b0}}),\n");
    else text_add(ch->out, "        .read_beat_tvalid(), .read_beat_tready(1'b0), .read_beat_tdata(),\n");
}

static void add_side(const struct channel *ch, bool is_write) {
    int count = is_write ? ch->writers : ch->readers;
    if (!count) return add_no_clients(ch, is_write);
    for (int part = BASE; part <= BEAT_TDATA; part++) add_clients(ch, is_write, (enum part)part);
}

// Returns whether some module reads the net of a client.
static bool is_read(const struct ir *ir, enum ir_net_role role, int client) {
    return ir_net_is_read(ir, ir_find_net(ir, role, client));
}

// Returns whether some module reads the net of a write client of the channel.
static bool any_told(const struct channel *ch, enum ir_net_role role) {
    for (int i = 0; i < ch->writers; i++)
        if (is_read(ch->ir, role, ch->write[i].client)) return true;
    return false;
}

// Connects an output port of the channel that has a bit for each write client. The bit of a client goes to the client's
// net if some module reads this net, and otherwise to an `unused_*` wire. If no client's net is read, the port stays
// open.
static void add_told(const struct channel *ch, const char *port, enum ir_net_role role, enum part part) {
    bool any = any_told(ch, role);
    text_addf(ch->out, "        .%s(%s", port, any ? emit_open(ch->writers) : "");
    for (int i = ch->writers - 1; i >= 0 && any; i--) {
        const struct emit_client *c = &ch->write[i];
        bool read = is_read(ch->ir, role, c->client);
        text_addf(ch->out, "%s%s",
                  read ? part_of(ch, c, part)
                       : arena_printf(ch->ir->arena, "unused_%02d_%s_%s", ch->index, c->name, part_words[part]),
                  i ? ", " : "");
    }
    text_addf(ch->out, "%s),\n", any ? emit_close(ch->writers) : "");
}

// Declares the `unused_*` wires of a channel.
static void add_untold_nets(const struct channel *ch, enum ir_net_role role, enum part part) {
    bool any = any_told(ch, role);
    for (int i = 0; i < ch->writers && any; i++)
        if (!is_read(ch->ir, role, ch->write[i].client))
            text_addf(ch->out, "    wire unused_%02d_%s_%s;\n", ch->index, ch->write[i].name, part_words[part]);
}

// Returns whether some modules read write_idle, or written, of some write clients of the channel but not of others.
static bool is_part_told(const struct channel *ch, enum ir_net_role role) {
    bool all = true;
    for (int i = 0; i < ch->writers; i++) all = all && is_read(ch->ir, role, ch->write[i].client);
    return !all && any_told(ch, role);
}

// Says why bits of write_idle and written are open or have `unused_*` nets.
static void add_untold_reason(const struct channel *ch) {
    bool either = true;
    for (int i = 0; i < ch->writers; i++)
        either = either && is_read(ch->ir, IR_NET_WRITE_IDLE, ch->write[i].client) !=
                               is_read(ch->ir, IR_NET_WRITTEN, ch->write[i].client);
    if (!ch->writers) return;
    if (!any_told(ch, IR_NET_WRITE_IDLE))
        text_add(ch->out, "    // write_idle is open, because no module reads it for these clients.\n");
    if (is_part_told(ch, IR_NET_WRITE_IDLE) || is_part_told(ch, IR_NET_WRITTEN))
        text_addf(ch->out, "    // No module reads the unused_* bits%s.\n",
                  either ? ": for each write client, one of write_idle and written is enough" : "");
}

// Connects the AXI port to pins of the top.
static void add_port(const struct channel *ch) {
    for (int i = 0; i < EMIT_AXI_SIGNALS; i++)
        text_addf(ch->out, "%s.m_axi_%s(m_axi_hbm_%02d_%s)",
                  i == 0                 ? "        "
                  : emit_begins_group(i) ? ",\n        "
                                         : ", ",
                  emit_axi_signals[i].name, ch->index, emit_axi_signals[i].name);
    text_add(ch->out, ");\n");
}

// Connects clock, resets, flush, status and memory errors of the channel.
static void add_control(const struct channel *ch) {
    const struct ir *ir = ch->ir;
    int n = emit_channel_engines(ir, ch->index), channels = ir->design.channels;
    const char *bit = emit_bit(ir, channels, ch->index),
               *reset = emit_channel_level(ir, emit_of_die(ir, "core_rst", emit_channel_die(ir)), ch->index),
               *flush = emit_channel_level(ir, "core_flush", ch->index);
    text_addf(ch->out, "        .clk(clk), .rst(rst), .core_rst(%s), .flush(%s),\n", n ? reset : "1'b0",
              n ? flush : "1'b0");
    text_addf(ch->out,
              "        .idle(channel_idle%s), .beat(channel_beat%s), .answer(channel_write_moves%s),\n"
              "        .error(memory_error%s), .error_is_write(error_is_write%s), .error_address(error_address%s),\n",
              bit, bit, bit, bit, bit, channels == 1 ? "" : arena_printf(ir->arena, "[64*%d +: 64]", ch->index));
}

// Writes the instance of a channel. Its comment lists the clients, or says what differs from an earlier channel with
// the same clients.
static void add_channel(const struct emit_plan *p, int c, struct text *out) {
    struct channel ch = channel_of(p, c, out);
    text_addf(out, "\n    // ---- memory channel %d ----\n", c);
    int like = first_like(&ch);
    if (like != c) add_likeness(&ch, like);
    else {
        add_names(&ch, false);
        add_names(&ch, true);
        if (!c)
            text_add(
                out,
                "    // STYLE, BURST and PREFETCH have a value for each read client, the last one first. STYLE is the "
                "RAM of the client's prefetch FIFO: d distributed, b block, u ultra. BURST and PREFETCH are in "
                "beats. OUTSTANDING: most bursts of a read client that wait for data. WRITES: most beats of the write "
                "engine that wait for their response. WRITE_BUFFER: depth of the write engine's buffer in beats.\n");
        add_untold_reason(&ch);
    }
    add_untold_nets(&ch, IR_NET_WRITE_IDLE, WRITE_IDLE);
    add_untold_nets(&ch, IR_NET_WRITTEN, WRITTEN);
    add_parameters(&ch);
    add_control(&ch);
    add_side(&ch, false);
    add_side(&ch, true);
    add_told(&ch, "write_idle", IR_NET_WRITE_IDLE, WRITE_IDLE);
    add_told(&ch, "written", IR_NET_WRITTEN, WRITTEN);
    add_port(&ch);
}

void emit_channels(const struct emit_plan *p, struct text *out) {
    for (int c = 0; c < p->ir->design.channels; c++) add_channel(p, c, out);
}

void emit_stall(const struct ir *ir, struct text *out) {
    text_addf(out,
              "\n    // ---- lanes without a beat, for the counters of the channels ----\n"
              "    assign channel_no_beat = %s\n",
              ir_has_lanes(ir) ? "~lane_beat_tvalid;" : "0;");
}

// ---- descriptors from a walker to its channels ----

// Sends each descriptor to all channels of its engine, through registers.
static void add_walk_tree(struct emit_scope *s, int engine) {
    const struct ir *ir = s->plan->ir;
    const char *walk = ir_engine_name(ir, engine, "walk_desc"), *lane = ir_engine_name(ir, engine, "lane_desc");
    const char *tree = ir_engine_name(ir, engine, "walk_tree");
    int channels = ir->engine[engine].channels, die = cost_memory_die(ir);
    text_addf(s->out,
              "\n    // ---- %s ----\n\n"
              "    // %s: gives each descriptor of the walker to all channels, through registers\n",
              tree, tree);
    const char *reset = emit_reset(s, tree, &die, 1);
    text_addf(s->out,
              "    %s #(\n        .DATA_W(%s),\n        .PORTS(%s),\n"
              "        // most readers of a copy of the descriptor\n        .GROUP(%d)) u_%s (\n"
              "        .clk(clk), .rst(%s),\n",
              rtl_fork_tree.module, emit_expression(ir, "DESC_W", DESCRIPTOR_BITS),
              emit_expression(ir, emit_of_channels(ir, channels, NULL), channels), KERNEL_TREE_GROUP, tree, reset);
    text_addf(s->out, "        .s_axis_tvalid(%s_tvalid), .s_axis_tready(%s_tready), .s_axis_tdata(%s_tdata),\n", walk,
              walk, walk);
    text_addf(s->out, "        .m_axis_tvalid(%s_tvalid), .m_axis_tready(%s_tready), .m_axis_tdata(%s_tdata));\n", lane,
              lane, lane);
}

void emit_walks(struct emit_scope *s) {
    if (!ir_has_lanes(s->plan->ir)) return;
    for (int e = 0; e < s->plan->ir->engines; e++)
        if (!ir_is_resident(&s->plan->ir->engine[e])) add_walk_tree(s, e);
}
