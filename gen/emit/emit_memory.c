// SPDX-License-Identifier: Apache-2.0
// The memory side of every channel: a read engine for each client that reads and their arbiter, one write engine for
// all clients that write. Client 0 of the read side is the lane's weight stream where there is an engine.
#include <string.h>

#include "gen/cost/cost.h"
#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

static bool has_engine(const struct ir *ir) { return ir->engines > 0; }

int emit_channel_clients(const struct ir *ir, int channel, bool is_write, struct emit_client out[EMIT_MAX_CLIENTS]) {
    int count = 0;
    if (!is_write && has_engine(ir))
        out[count++] = (struct emit_client){.name = "lane", .is_lane = true, .client = IR_NONE, .base = IR_NONE};
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
                                            .on_every = client->channel == IR_NONE,
                                            .is_packed = client->is_packed,
                                            .part = channel - client->channel,
                                            .parts = ir_parts(client->parts)};
    }
    return count;
}

int emit_id_bits(const struct ir *ir) {
    struct emit_client unused[EMIT_MAX_CLIENTS];
    int most = 2;
    for (int c = 0; c < ir->design.channels; c++) {
        int n = emit_channel_clients(ir, c, false, unused);
        if (n > most) most = n;
    }
    return u64_clog2((uint64_t)most);
}

// ---- nets of the clients ----

static bool is_read(const struct ir *ir, enum ir_net_role role, int client) {
    return ir_net_is_read(ir, ir_find_net(ir, role, client));
}

// Somebody counts the client's writes, waits for all of them.
static bool is_tracked(const struct ir *ir, int client) { return is_read(ir, IR_NET_WRITTEN, client); }
static bool is_waited_for(const struct ir *ir, int client) { return is_read(ir, IR_NET_WRITE_IDLE, client); }

void emit_client_nets(const struct ir *ir, struct text *out) {
    int c = ir->design.channels, bits = ir->design.beat_bits;
    for (int i = 0; i < ir->clients; i++) {
        const struct ir_client *client = &ir->client[i];
        int n = client->channel == IR_NONE ? ir->engine[client->engine].channels : ir_parts(client->parts);
        text_addf(out, "    wire %s%s_desc_tvalid, %s_desc_tready, %s_beat_tvalid, %s_beat_tready;\n",
                  emit_range(ir, n), client->name, client->name, client->name, client->name);
        text_addf(out, "    wire %s%s_desc_tdata;\n    wire [%d:0] %s_beat_tdata;\n", emit_range(ir, DESCRIPTOR_BITS),
                  client->name, (client->is_packed || client->parts > 1 ? n : 1) * bits - 1, client->name);
        if (!client->is_write) continue;
        if (is_waited_for(ir, i)) text_addf(out, "    wire %s%s_write_idle;\n", emit_range(ir, n), client->name);
        if (is_tracked(ir, i)) text_addf(out, "    wire %s%s_written;\n", emit_range(ir, n), client->name);
    }
    if (!has_engine(ir)) return;
    text_addf(out, "    wire %slane_desc_tvalid, lane_desc_tready, lane_beat_tvalid, lane_beat_tready;\n",
              emit_range(ir, c));
    text_addf(out, "    wire [%d:0] lane_beat_tdata;\n", c * bits - 1);
    for (int e = 0; e < ir->engines; e++)
        text_addf(out, "    wire %s, %s, %s;\n    wire %s%s;\n", ir_engine_name(ir, e, "walk_burst_tready"),
                  ir_engine_name(ir, e, "walk_sent_tvalid"), ir_engine_name(ir, e, "walk_sent_tready"),
                  emit_range(ir, DESCRIPTOR_BITS), ir_engine_name(ir, e, "walk_sent_tdata"));
}

// ---- one channel ----

struct channel {
    const struct ir *ir;
    int index;
    int address; // bits of an address
    int lane;    // of the engine that owns it
    int readers; // at least 1: without clients there are nets that never ask
    int writers;
    struct emit_levels *levels;
    struct text *out;
};

static const char *memory_reset(const struct ir *ir, struct emit_levels *levels) {
    return emit_reset(ir, levels, cost_memory_die(ir));
}

// A net of the channel's clients, the part of client i: `[i]` of one bit for each, `[i*bits +: bits]` of more.
static const char *client_net(const struct channel *ch, const char *net, int i, int bits, int clients) {
    const char *part =
        bits == 1 ? emit_bit(ch->ir, clients, i) : arena_printf(ch->ir->arena, "[%d +: %d]", bits * i, bits);
    return arena_printf(ch->ir->arena, "ch%02d_%s%s", ch->index, net, part);
}

static const char *reader_net(const struct channel *ch, const char *net, int i, int bits) {
    return client_net(ch, net, i, bits, ch->readers);
}

struct signal {
    const char *name;
    int bits; // of each client; 0: of all
};

// Ports of a read engine at the arbiter, a line of this text.
static void connect_client(const struct channel *ch, int i, const struct signal *signal, size_t count) {
    for (size_t s = 0; s < count; s++) {
        const char *net = signal[s].bits ? reader_net(ch, signal[s].name, i, signal[s].bits)
                                         : arena_printf(ch->ir->arena, "ch%02d_%s", ch->index, signal[s].name);
        text_addf(ch->out, "%s.m_axi_%s(%s)", s ? ", " : ",\n        ", signal[s].name, net);
    }
}

static const char *base_of(const struct channel *ch, const struct emit_client *client) {
    const struct ir *ir = ch->ir;
    return client->base != IR_NONE ? arena_printf(ir->arena, "%s[%d:0]", ir->net[client->base].name, ch->address - 1)
                                   : arena_printf(ir->arena, "channel_base[%d +: %d]", ch->index * 64, ch->address);
}

// A stream between a read engine and its client: `bit` of packed valids and readies, `data` the net of its words.
static void connect_stream(const struct channel *ch, const char *port, const char *net, const char *bit,
                           const char *data) {
    text_addf(ch->out, ",\n        .%s_tvalid(%s_tvalid%s), .%s_tready(%s_tready%s), .%s_tdata(%s)", port, net, bit,
              port, net, bit, port, data);
}

static const char *address_bits(const struct channel *ch) {
    return ch->address == 64 ? "" : arena_printf(ch->ir->arena, ", .ADDR_BITS(%d)", ch->address);
}

static void emit_read_engine(const struct channel *ch, int i, const struct emit_client *client) {
    const struct ir *ir = ch->ir;
    const struct ir_design *d = &ir->design;
    int part = client->is_lane ? ch->index : client->part, parts = client->is_lane ? d->channels : client->parts;
    const char *bit = emit_bit(ir, parts, part), *name = client->name;
    const char *data =
        client->is_lane || parts > 1 ? arena_printf(ir->arena, "[%d +: %d]", part * d->beat_bits, d->beat_bits) : "";
    int prefetch = client->is_lane ? d->prefetch_beats : client->buffer ? (int)client->buffer : 2 * d->max_burst;
    int burst = client->burst ? (int)client->burst : d->max_burst, engine = ir_engine_at(ir, ch->index);
    enum ram_style style = client->is_lane && engine != IR_NONE ? ir->engine[engine].prefetch_style : RAM_AUTO;
    text_addf(ch->out,
              "    %s #(.BEAT_BITS(%d), .MAX_BURST(%d), .OUTSTANDING(%d), .PREFETCH_BEATS(%d), "
              ".RAM_STYLE(\"%s\")%s) u_read_%02d_%s (\n",
              rtl_dma_read.module, d->beat_bits, burst, d->outstanding, prefetch,
              ram_style_words[style != RAM_AUTO ? style : cost_prefetch_style(prefetch)], address_bits(ch), ch->index,
              name);
    text_addf(ch->out,
              "        .clk(clk), .rst(%s), .base(%s), .flush(core_flush[%d]),\n        .idle(%s), .error(%s), "
              ".error_addr(%s)",
              memory_reset(ir, ch->levels), base_of(ch, client), ch->levels->flush++, reader_net(ch, "r_idle", i, 1),
              reader_net(ch, "r_error", i, 1), reader_net(ch, "r_place", i, ch->address));
    connect_stream(ch, "s_axis_burst", arena_printf(ir->arena, "%s_desc", name), bit,
                   client->is_lane ? ir_engine_name(ir, engine, "walk_sent_tdata")
                                   : arena_printf(ir->arena, "%s_desc_tdata", name));
    connect_stream(ch, "m_axis_beat", arena_printf(ir->arena, "%s_beat", name), bit,
                   arena_printf(ir->arena, "%s_beat_tdata%s", name, data));
    const struct signal ask[] = {{"arvalid", 1}, {"arready", 1}, {"araddr", ch->address}, {"arlen", 8}},
                        answer[] = {{"rvalid", 1}, {"rready", 1}, {"rdata", 0}, {"rresp", 0}, {"rlast", 0}};
    connect_client(ch, i, ask, COUNT_OF(ask));
    connect_client(ch, i, answer, COUNT_OF(answer));
    text_add(ch->out, ");\n");
}

// ---- the write engine: ports are packed, client 0 in the low bits ----

// What a client has at a port.
typedef const char *writer_part(const struct channel *, const struct emit_client *);

static const char *writer_bit(const struct channel *ch, const struct emit_client *c) {
    return c->on_every ? emit_bit(ch->ir, ch->ir->engine[ir_engine_at(ch->ir, ch->index)].channels, ch->lane) : "";
}

static const char *writer_desc_tvalid(const struct channel *ch, const struct emit_client *c) {
    return arena_printf(ch->ir->arena, "%s_desc_tvalid%s", c->name, writer_bit(ch, c));
}

static const char *writer_desc_tready(const struct channel *ch, const struct emit_client *c) {
    return arena_printf(ch->ir->arena, "%s_desc_tready%s", c->name, writer_bit(ch, c));
}

static const char *writer_desc(const struct channel *ch, const struct emit_client *c) {
    return arena_printf(ch->ir->arena, "%s_desc_tdata", c->name);
}

static const char *writer_beat_tvalid(const struct channel *ch, const struct emit_client *c) {
    return arena_printf(ch->ir->arena, "%s_beat_tvalid%s", c->name, writer_bit(ch, c));
}

static const char *writer_beat_tready(const struct channel *ch, const struct emit_client *c) {
    return arena_printf(ch->ir->arena, "%s_beat_tready%s", c->name, writer_bit(ch, c));
}

static const char *writer_beat(const struct channel *ch, const struct emit_client *c) {
    int bits = ch->ir->design.beat_bits;
    return c->is_packed ? arena_printf(ch->ir->arena, "%s_beat_tdata[%d +: %d]", c->name, ch->lane * bits, bits)
                        : arena_printf(ch->ir->arena, "%s_beat_tdata", c->name);
}

static void connect_writers(const struct channel *ch, const char *port, const struct emit_client *client,
                            writer_part *part) {
    text_addf(ch->out, ",\n        .%s(%s", port, emit_open(ch->writers));
    for (int i = ch->writers - 1; i >= 0; i--) text_addf(ch->out, "%s%s", part(ch, &client[i]), i ? ", " : "");
    text_addf(ch->out, "%s)", emit_close(ch->writers));
}

// What the engine says of each client.
static void give_writers(const struct channel *ch, const struct emit_client *client) {
    for (int i = 0; i < ch->writers; i++)
        if (!is_tracked(ch->ir, client[i].client))
            text_addf(ch->out, "    wire unused_write_%02d_%s = &{1'b0, %s}; // nobody counts them\n", ch->index,
                      client[i].name, client_net(ch, "written", i, 1, ch->writers));
    for (int i = 0; i < ch->writers; i++) {
        const char *name = client[i].name, *bit = writer_bit(ch, &client[i]);
        if (is_waited_for(ch->ir, client[i].client))
            text_addf(ch->out, "    assign %s_write_idle%s = %s;\n", name, bit,
                      client_net(ch, "w_idle", i, 1, ch->writers));
        if (is_tracked(ch->ir, client[i].client))
            text_addf(ch->out, "    assign %s_written%s = %s;\n", name, bit,
                      client_net(ch, "written", i, 1, ch->writers));
    }
}

// The port has 64 bits of an address, the design's engines those that the memory has.
static void connect_port(const struct channel *ch, const char *const *signal) {
    const char *address = "";
    for (int i = 0; signal[i]; i++) {
        bool is_address = !strcmp(signal[i] + 1, "raddr") || !strcmp(signal[i] + 1, "waddr");
        text_addf(ch->out, ",%s.m_axi_%s(m_axi_hbm_%02d_%s%s)", i ? " " : "\n        ", signal[i], ch->index, signal[i],
                  is_address ? arena_printf(ch->ir->arena, "[%d:0]", ch->address - 1) : "");
        if (is_address) address = signal[i];
    }
    text_add(ch->out, ");\n");
    if (ch->address < 64)
        text_addf(ch->out, "    assign m_axi_hbm_%02d_%s[63:%d] = %d'd0;\n", ch->index, address, ch->address,
                  64 - ch->address);
}

static void emit_write_engine(const struct channel *ch, const struct emit_client *client) {
    static const char *const port[] = {"awvalid", "awready", "awid",   "awaddr", "awlen", "awsize",
                                       "awburst", "wvalid",  "wready", "wdata",  "wstrb", "wlast",
                                       "bvalid",  "bready",  "bid",    "bresp",  NULL};
    const struct ir *ir = ch->ir;
    int c = ch->index;
    text_addf(ch->out, "    wire %sch%02d_w_idle, ch%02d_written;\n", emit_range(ir, ch->writers), c, c);
    text_addf(ch->out,
              "    %s #(.CLIENTS(%d), .BEAT_BITS(%d), .ID_W(%d), .OUTSTANDING(%d), .BUFFER_BEATS(%lld)%s) u_write_%02d "
              "(\n        .clk(clk), .rst(%s), .flush(core_flush[%d]), .idle(ch%02d_w_idle), "
              ".written(ch%02d_written),\n        .error(ch%02d_w_error), .error_addr(ch%02d_w_place)",
              rtl_dma_write.module, ch->writers, ir->design.beat_bits, emit_id_bits(ir), IR_WRITES_OPEN,
              (long long)ir_write_buffer(ir, c), address_bits(ch), c, memory_reset(ir, ch->levels), ch->levels->flush++,
              c, c, c, c);
    connect_writers(ch, "base", client, base_of);
    connect_writers(ch, "s_axis_desc_tvalid", client, writer_desc_tvalid);
    connect_writers(ch, "s_axis_desc_tready", client, writer_desc_tready);
    connect_writers(ch, "s_axis_desc_tdata", client, writer_desc);
    connect_writers(ch, "s_axis_beat_tvalid", client, writer_beat_tvalid);
    connect_writers(ch, "s_axis_beat_tready", client, writer_beat_tready);
    connect_writers(ch, "s_axis_beat_tdata", client, writer_beat);
    connect_port(ch, port);
    give_writers(ch, client);
}

static void emit_channel_nets(const struct channel *ch) {
    const struct ir *ir = ch->ir;
    int c = ch->index, bits = ir->design.beat_bits, readers = ch->readers;
    text_addf(ch->out,
              "    wire %sch%02d_r_idle, ch%02d_r_error, ch%02d_arvalid, ch%02d_arready, ch%02d_rvalid, "
              "ch%02d_rready;\n",
              emit_range(ir, readers), c, c, c, c, c, c);
    text_addf(ch->out, "    wire [%d:0] ch%02d_araddr, ch%02d_r_place;\n    wire [%d:0] ch%02d_arlen;\n",
              ch->address * readers - 1, c, c, 8 * readers - 1, c);
    text_addf(ch->out,
              "    wire [%d:0] ch%02d_rdata;\n    wire [1:0] ch%02d_rresp;\n    wire ch%02d_rlast, "
              "ch%02d_w_error;\n    wire [%d:0] ch%02d_w_place;\n",
              bits - 1, c, c, c, c, ch->address - 1, c);
}

static void emit_read_arbiter(const struct channel *ch) {
    static const char *const client[] = {"arvalid", "arready", "araddr", "arlen", "rvalid",
                                         "rready",  "rdata",   "rresp",  "rlast", NULL};
    static const char *const port[] = {"arvalid", "arready", "arid", "araddr", "arlen", "arsize", "arburst",
                                       "rvalid",  "rready",  "rid",  "rdata",  "rresp", "rlast",  NULL};
    text_addf(ch->out,
              "    %s #(.CLIENTS(%d), .BEAT_BITS(%d), .ID_W(%d)%s) u_read_arbiter_%02d (\n        .clk(clk), "
              ".rst(rst)",
              rtl_axi_read_arbiter.module, ch->readers, ch->ir->design.beat_bits, emit_id_bits(ch->ir),
              address_bits(ch), ch->index);
    for (int i = 0; client[i]; i++)
        text_addf(ch->out, ",%s.s_axi_%s(ch%02d_%s)", i ? " " : "\n        ", client[i], ch->index, client[i]);
    connect_port(ch, port);
}

// A side without clients keeps one that never asks.
static void tie_off_reads(const struct channel *ch) {
    static const char *const unused[] = {"arready", "rvalid", "rdata", "rresp", "rlast"};
    int c = ch->index;
    text_addf(ch->out,
              "    assign ch%02d_arvalid = 1'b0;\n    assign ch%02d_araddr = 0;\n    assign ch%02d_arlen = 8'd0;\n"
              "    assign ch%02d_rready = 1'b1;\n    assign ch%02d_r_idle = 1'b1;\n    assign ch%02d_r_error = 1'b0;\n"
              "    assign ch%02d_r_place = 0;\n    wire unused_read_%02d = &{1'b0",
              c, c, c, c, c, c, c, c);
    for (size_t i = 0; i < COUNT_OF(unused); i++) text_addf(ch->out, ", ch%02d_%s", c, unused[i]);
    text_add(ch->out, "};\n");
}

// Nobody writes: the port asks for nothing.
static void tie_off_writes(const struct channel *ch) {
    static const char *const zero[] = {"awvalid", "awid",   "awaddr", "awlen", "awsize",
                                       "awburst", "wvalid", "wdata",  "wstrb", "wlast"},
                             *const unused[] = {"awready", "wready", "bvalid", "bid", "bresp"};
    int c = ch->index;
    for (size_t i = 0; i < COUNT_OF(zero); i++) text_addf(ch->out, "    assign m_axi_hbm_%02d_%s = 0;\n", c, zero[i]);
    text_addf(ch->out,
              "    assign m_axi_hbm_%02d_bready = 1'b1;\n    wire ch%02d_w_idle = 1'b1;\n    assign ch%02d_w_error = "
              "1'b0;\n    assign ch%02d_w_place = 0;\n    wire unused_write_%02d = &{1'b0",
              c, c, c, c, c);
    for (size_t i = 0; i < COUNT_OF(unused); i++) text_addf(ch->out, ", m_axi_hbm_%02d_%s", c, unused[i]);
    text_add(ch->out, "};\n");
}

// The address that the first client with an error has kept; registers that move with an error alone.
static void emit_channel_error(const struct channel *ch) {
    int c = ch->index, channels = ch->ir->design.channels;
    const char *bit = emit_bit(ch->ir, channels, c);
    text_addf(ch->out,
              "    reg [%d:0] ch%02d_error_place;\n    assign error_address[%d +: 64] = {%sch%02d_error_place};\n",
              ch->address - 1, c, 64 * c,
              ch->address == 64 ? "" : arena_printf(ch->ir->arena, "%d'd0, ", 64 - ch->address), c);
    text_addf(ch->out,
              "    always @(posedge clk) begin\n        memory_error%s <= (|ch%02d_r_error) | ch%02d_w_error;\n"
              "        if ((|ch%02d_r_error) | ch%02d_w_error) begin\n            error_is_write%s <= "
              "~(|ch%02d_r_error);\n            ch%02d_error_place <=\n                ",
              bit, c, c, c, c, bit, c, c);
    for (int i = 0; i < ch->readers; i++)
        text_addf(ch->out, "%s ? %s :\n                ", reader_net(ch, "r_error", i, 1),
                  reader_net(ch, "r_place", i, ch->address));
    text_addf(ch->out, "ch%02d_w_place;\n        end\n    end\n", c);
}

static void emit_channel(const struct ir *ir, int c, struct emit_levels *levels, struct text *out) {
    int engine = ir_engine_at(ir, c);
    struct emit_client read[EMIT_MAX_CLIENTS], write[EMIT_MAX_CLIENTS];
    int readers = emit_channel_clients(ir, c, false, read), writers = emit_channel_clients(ir, c, true, write);
    struct channel ch = {.ir = ir,
                         .index = c,
                         .address = ir_address_bits(ir),
                         .lane = engine == IR_NONE ? 0 : c - ir->engine[engine].first_channel,
                         .readers = readers ? readers : 1,
                         .writers = writers,
                         .levels = levels,
                         .out = out};
    const char *bit = emit_bit(ir, ir->design.channels, c);
    text_addf(out, "\n    // ---- memory channel %d ----\n", c);
    emit_channel_nets(&ch);
    for (int i = 0; i < readers; i++) emit_read_engine(&ch, i, &read[i]);
    if (!readers) tie_off_reads(&ch);
    emit_read_arbiter(&ch);
    if (writers) emit_write_engine(&ch, write);
    else tie_off_writes(&ch);
    text_addf(out, "    assign channel_idle%s = (&ch%02d_r_idle) & (&ch%02d_w_idle);\n", bit, c, c);
    emit_channel_error(&ch);
    text_addf(out,
              "    assign channel_answer%s = (m_axi_hbm_%02d_wvalid & m_axi_hbm_%02d_wready) |\n        "
              "(m_axi_hbm_%02d_bvalid & m_axi_hbm_%02d_bready);\n",
              bit, c, c, c, c);
    text_addf(out, "    assign channel_beat%s = m_axi_hbm_%02d_rvalid & m_axi_hbm_%02d_rready;\n", bit, c, c);
    text_addf(out, "    assign channel_stall%s = %s;\n", bit,
              has_engine(ir) ? arena_printf(ir->arena, "~lane_beat_tvalid%s", bit) : "1'b0");
}

// Registers between the walker and the channels: ready of all of them comes together at the fork, late, so it moves no
// data.
static void emit_walk_slice(const struct ir *ir, int engine, struct emit_levels *levels, struct text *out) {
    text_addf(out, "    %s #(.DATA_W(%d), .MODE(3)) u_%s (\n        .clk(clk), .rst(%s)", rtl_register_slice.module,
              DESCRIPTOR_BITS, ir_engine_name(ir, engine, "walk_slice"), memory_reset(ir, levels));
    static const char *const signals[] = {"tvalid", "tready", "tdata"};
    for (size_t s = 0; s < COUNT_OF(signals); s++)
        text_addf(out, "%s.s_axis_%s(%s)", s ? ", " : ",\n        ", signals[s],
                  ir_engine_name(ir, engine, arena_printf(ir->arena, "walk_burst_%s", signals[s])));
    for (size_t s = 0; s < COUNT_OF(signals); s++)
        text_addf(out, "%s.m_axis_%s(%s)", s ? ", " : ",\n        ", signals[s],
                  ir_engine_name(ir, engine, arena_printf(ir->arena, "walk_sent_%s", signals[s])));
    text_add(out, ");\n");
}

// A burst goes to all channels of its engine.
static void emit_walk_fork(const struct ir *ir, int engine, struct emit_levels *levels, struct text *out) {
    const struct ir_engine *e = &ir->engine[engine];
    const char *part = ir->engines == 1 ? ""
                       : e->channels == 1
                           ? emit_bit(ir, ir->design.channels, e->first_channel)
                           : arena_printf(ir->arena, "[%d:%d]", e->first_channel + e->channels - 1, e->first_channel);
    text_addf(out,
              "    %s #(.PORTS(%d)) u_%s (\n        .clk(clk), .rst(%s), .s_axis_tvalid(%s), .s_axis_tready(%s),\n"
              "        .m_axis_tvalid(lane_desc_tvalid%s), .m_axis_tready(lane_desc_tready%s));\n",
              rtl_fork.module, e->channels, ir_engine_name(ir, engine, "walk_fork"), memory_reset(ir, levels),
              ir_engine_name(ir, engine, "walk_sent_tvalid"), ir_engine_name(ir, engine, "walk_sent_tready"), part,
              part);
}

void emit_memory(const struct ir *ir, struct emit_levels *levels, struct text *out) {
    text_add(out, "\n    // ---- memory ----\n");
    for (int e = 0; e < ir->engines; e++) {
        emit_walk_slice(ir, e, levels, out);
        emit_walk_fork(ir, e, levels, out);
    }
    for (int c = 0; c < ir->design.channels; c++) emit_channel(ir, c, levels, out);
}
