// SPDX-License-Identifier: Apache-2.0
// The memory side: per channel the DMA engines of its clients and one read and one write arbiter to the channel's AXI4
// master. Client 0 of the read side is the lane's weight stream where there is an engine.
#include <string.h>

#include "include/cost.h"
#include "gen/emit/emit.h"
#include "include/kernel.h"

static bool has_engine(const struct ir *ir) { return ir->engines > 0; }

int emit_channel_clients(const struct ir *ir, int channel, bool is_write, struct emit_client out[EMIT_MAX_CLIENTS]) {
    int count = 0;
    if (!is_write && has_engine(ir)) out[count++] = (struct emit_client){.name = "lane", .is_lane = true};
    for (int c = 0; c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        if (client->is_write != is_write || !ir_client_on(ir, client, channel)) continue;
        if (count == EMIT_MAX_CLIENTS)
            base_fatal("emit: more than %d clients on channel %d", EMIT_MAX_CLIENTS, channel);
        out[count++] = (struct emit_client){.name = client->name,
                                            .base = client->base == IR_NONE ? NULL : ir->net[client->base].verilog,
                                            .burst = client->burst,
                                            .buffer = client->buffer,
                                            .on_every = client->channel == IR_NONE,
                                            .is_packed = client->is_packed};
    }
    return count;
}

int emit_id_bits(const struct ir *ir) {
    struct emit_client unused[EMIT_MAX_CLIENTS];
    int most = 2;
    for (int w = 0; w < 2; w++)
        for (int c = 0; c < ir->design.channels; c++) {
            int n = emit_channel_clients(ir, c, w, unused);
            if (n > most) most = n;
        }
    return u64_clog2((uint64_t)most);
}

// ---- nets of the clients ----

// Somebody counts the client's writes.
static bool is_tracked(const struct ir *ir, const char *client) {
    return ir_net_is_tied(ir, ir_find_net(ir, arena_printf(ir->arena, "%s_written", client)), false);
}

void emit_client_nets(const struct ir *ir, struct text *out) {
    int c = ir->design.channels, bits = ir->design.beat_bits;
    for (int i = 0; i < ir->clients; i++) {
        const struct ir_client *client = &ir->client[i];
        int n = client->channel == IR_NONE ? ir->engine[client->engine].channels : 1;
        text_addf(out, "    wire [%d:0] %s_desc_tvalid, %s_desc_tready, %s_beat_tvalid, %s_beat_tready;\n", n - 1,
                  client->name, client->name, client->name, client->name);
        text_addf(out, "    wire [55:0] %s_desc_tdata;\n    wire [%d:0] %s_beat_tdata;\n", client->name,
                  (client->is_packed ? n : 1) * bits - 1, client->name);
        if (!client->is_write) continue;
        text_addf(out, "    wire [%d:0] %s_write_idle;\n", n - 1, client->name);
        if (is_tracked(ir, client->name)) text_addf(out, "    wire [%d:0] %s_written;\n", n - 1, client->name);
    }
    if (!has_engine(ir)) return;
    text_addf(out, "    wire [%d:0] lane_desc_tvalid, lane_desc_tready, lane_beat_tvalid, lane_beat_tready;\n", c - 1);
    text_addf(out, "    wire [%d:0] lane_beat_tdata;\n", c * bits - 1);
    for (int e = 0; e < ir->engines; e++) text_addf(out, "    wire %s;\n", ir_engine_name(ir, e, "walk_burst_tready"));
}

// ---- one channel ----

struct channel {
    const struct ir *ir;
    int index;
    int lane; // of the engine that owns it
    struct emit_levels *levels;
    struct text *out;
};

static void emit_read_engine(const struct channel *ch, int i, const struct emit_client *client) {
    const struct ir_design *d = &ch->ir->design;
    const char *bit = client->is_lane ? arena_printf(ch->ir->arena, "[%d]", ch->index) : "";
    const char *data =
        client->is_lane ? arena_printf(ch->ir->arena, "[%d*%d +: %d]", ch->index, d->beat_bits, d->beat_bits) : "";
    const char *base =
        client->base ? client->base : arena_printf(ch->ir->arena, "channel_base[%d +: 64]", ch->index * 64);
    int prefetch = client->is_lane ? d->prefetch_beats : client->buffer ? (int)client->buffer : 2 * d->max_burst;
    int burst = client->burst ? (int)client->burst : d->max_burst, engine = ir_engine_at(ch->ir, ch->index);
    enum ram_style style = client->is_lane && engine != IR_NONE ? ch->ir->engine[engine].prefetch_style : RAM_AUTO;
    text_addf(ch->out,
              "    %s #(.BEAT_BITS(%d), .MAX_BURST(%d), .OUTSTANDING(%d), .PREFETCH_BEATS(%d), "
              ".RAM_STYLE(\"%s\")) u_read_%02d_%s (\n",
              rtl_dma_read.module, d->beat_bits, burst, d->outstanding, prefetch,
              ram_style_words[style != RAM_AUTO ? style : cost_prefetch_style(prefetch)], ch->index, client->name);
    text_addf(ch->out,
              "        .clk(clk), .rst(core_rst[%d]), .base(%s), .flush(core_flush[%d]), .idle(ch%02d_r_idle[%d]), "
              ".error(ch%02d_r_error[%d]), .error_addr(ch%02d_r_place[%d +: 64]),\n",
              ch->levels->reset++, base, ch->levels->flush++, ch->index, i, ch->index, i, ch->index, 64 * i);
    const char *name = client->name;
    const char *word = client->is_lane ? ir_engine_name(ch->ir, ir_engine_at(ch->ir, ch->index), "walk_burst_tdata")
                                       : arena_printf(ch->ir->arena, "%s_desc_tdata", name);
    text_addf(ch->out,
              "        .s_axis_burst_tvalid(%s_desc_tvalid%s), .s_axis_burst_tready(%s_desc_tready%s), "
              ".s_axis_burst_tdata(%s),\n",
              name, bit, name, bit, word);
    text_addf(ch->out,
              "        .m_axis_beat_tvalid(%s_beat_tvalid%s), .m_axis_beat_tready(%s_beat_tready%s), "
              ".m_axis_beat_tdata(%s_beat_tdata%s),\n",
              name, bit, name, bit, name, data);
    text_addf(ch->out,
              "        .m_axi_arvalid(ch%02d_arvalid[%d]), .m_axi_arready(ch%02d_arready[%d]), "
              ".m_axi_araddr(ch%02d_araddr[%d +: 64]),\n",
              ch->index, i, ch->index, i, ch->index, 64 * i);
    text_addf(ch->out,
              "        .m_axi_arlen(ch%02d_arlen[%d +: 8]), .m_axi_rvalid(ch%02d_rvalid[%d]), "
              ".m_axi_rready(ch%02d_rready[%d]),\n",
              ch->index, 8 * i, ch->index, i, ch->index, i);
    text_addf(ch->out, "        .m_axi_rdata(ch%02d_rdata), .m_axi_rresp(ch%02d_rresp), .m_axi_rlast(ch%02d_rlast));\n",
              ch->index, ch->index, ch->index);
}

static void emit_write_engine(const struct channel *ch, int i, const struct emit_client *client) {
    const struct ir_design *d = &ch->ir->design;
    const char *bit = client->on_every ? arena_printf(ch->ir->arena, "[%d]", ch->lane) : "";
    const char *data =
        client->is_packed ? arena_printf(ch->ir->arena, "[%d*%d +: %d]", ch->lane, d->beat_bits, d->beat_bits) : "";
    const char *base =
        client->base ? client->base : arena_printf(ch->ir->arena, "channel_base[%d +: 64]", ch->index * 64);
    const char *name = client->name;
    text_addf(ch->out, "    %s #(.BEAT_BITS(%d), .MAX_BURST(%d), .OUTSTANDING(%d)%s) u_write_%02d_%s (\n",
              rtl_dma_write.module, d->beat_bits, client->burst ? (int)client->burst : d->max_burst, d->outstanding,
              client->buffer ? arena_printf(ch->ir->arena, ", .BUFFER_BEATS(%d)", (int)client->buffer) : "", ch->index,
              name);
    text_addf(ch->out,
              "        .clk(clk), .rst(core_rst[%d]), .base(%s), .flush(core_flush[%d]), .idle(%s_write_idle%s), "
              ".written(%s), .error(ch%02d_w_error[%d]), .error_addr(ch%02d_w_place[%d +: 64]),\n",
              ch->levels->reset++, base, ch->levels->flush++, name, bit,
              is_tracked(ch->ir, name) ? arena_printf(ch->ir->arena, "%s_written%s", name, bit) : "", ch->index, i,
              ch->index, 64 * i);
    text_addf(ch->out,
              "        .s_axis_desc_tvalid(%s_desc_tvalid%s), .s_axis_desc_tready(%s_desc_tready%s), "
              ".s_axis_desc_tdata(%s_desc_tdata),\n",
              name, bit, name, bit, name);
    text_addf(ch->out,
              "        .s_axis_beat_tvalid(%s_beat_tvalid%s), .s_axis_beat_tready(%s_beat_tready%s), "
              ".s_axis_beat_tdata(%s_beat_tdata%s),\n",
              name, bit, name, bit, name, data);
    text_addf(ch->out,
              "        .m_axi_awvalid(ch%02d_awvalid[%d]), .m_axi_awready(ch%02d_awready[%d]), "
              ".m_axi_awaddr(ch%02d_awaddr[%d +: 64]),\n",
              ch->index, i, ch->index, i, ch->index, 64 * i);
    text_addf(ch->out,
              "        .m_axi_awlen(ch%02d_awlen[%d +: 8]), .m_axi_wvalid(ch%02d_wvalid[%d]), "
              ".m_axi_wready(ch%02d_wready[%d]),\n",
              ch->index, 8 * i, ch->index, i, ch->index, i);
    text_addf(ch->out,
              "        .m_axi_wdata(ch%02d_wdata[%d +: %d]), .m_axi_wlast(ch%02d_wlast[%d]), "
              ".m_axi_bvalid(ch%02d_bvalid[%d]),\n",
              ch->index, d->beat_bits * i, d->beat_bits, ch->index, i, ch->index, i);
    text_addf(ch->out,
              "        .m_axi_bready(ch%02d_bready[%d]), .m_axi_bresp(ch%02d_bresp));\n    assign ch%02d_w_idle[%d] = "
              "%s_write_idle%s;\n",
              ch->index, i, ch->index, ch->index, i, name, bit);
}

static void emit_channel_nets(const struct channel *ch, int readers, int writers) {
    int c = ch->index, bits = ch->ir->design.beat_bits;
    text_addf(ch->out,
              "    wire [%d:0] ch%02d_r_idle, ch%02d_r_error, ch%02d_arvalid, ch%02d_arready, ch%02d_rvalid, "
              "ch%02d_rready;\n",
              readers - 1, c, c, c, c, c, c);
    text_addf(ch->out, "    wire [%d:0] ch%02d_araddr, ch%02d_r_place;\n    wire [%d:0] ch%02d_arlen;\n",
              64 * readers - 1, c, c, 8 * readers - 1, c);
    text_addf(ch->out,
              "    wire [%d:0] ch%02d_rdata;\n    wire [1:0] ch%02d_rresp, ch%02d_bresp;\n    wire ch%02d_rlast;\n",
              bits - 1, c, c, c, c);
    text_addf(ch->out,
              "    wire [%d:0] ch%02d_w_idle, ch%02d_w_error, ch%02d_awvalid, ch%02d_awready, ch%02d_wvalid, "
              "ch%02d_wready, ch%02d_wlast, "
              "ch%02d_bvalid, ch%02d_bready;\n",
              writers - 1, c, c, c, c, c, c, c, c, c);
    text_addf(ch->out,
              "    wire [%d:0] ch%02d_awaddr, ch%02d_w_place;\n    wire [%d:0] ch%02d_awlen;\n    wire [%d:0] "
              "ch%02d_wdata;\n",
              64 * writers - 1, c, c, 8 * writers - 1, c, bits * writers - 1, c);
}

static void connect_arbiter(const struct channel *ch, const char *const *client, const char *const *port,
                            struct text *out) {
    for (; *client; client++) text_addf(out, ", .s_axi_%s(ch%02d_%s)", *client, ch->index, *client);
    for (; *port; port++) text_addf(out, ", .m_axi_%s(m_axi_hbm_%02d_%s)", *port, ch->index, *port);
    text_add(out, ");\n");
}

static void emit_arbiters(const struct channel *ch, int readers, int writers) {
    static const char *const rc[] = {"arvalid", "arready", "araddr", "arlen", "rvalid",
                                     "rready",  "rdata",   "rresp",  "rlast", NULL};
    static const char *const rp[] = {"arvalid", "arready", "arid", "araddr", "arlen", "arsize", "arburst",
                                     "rvalid",  "rready",  "rid",  "rdata",  "rresp", "rlast",  NULL};
    static const char *const wc[] = {"awvalid", "awready", "awaddr", "awlen",  "wvalid", "wready",
                                     "wdata",   "wlast",   "bvalid", "bready", "bresp",  NULL};
    static const char *const wp[] = {"awvalid", "awready", "awid",   "awaddr", "awlen", "awsize",
                                     "awburst", "wvalid",  "wready", "wdata",  "wstrb", "wlast",
                                     "bvalid",  "bready",  "bid",    "bresp",  NULL};
    int bits = ch->ir->design.beat_bits, id = emit_id_bits(ch->ir);
    text_addf(ch->out,
              "    %s #(.CLIENTS(%d), .BEAT_BITS(%d), .ID_W(%d)) u_read_arbiter_%02d (.clk(clk), "
              ".rst(rst)",
              rtl_axi_read_arbiter.module, readers, bits, id, ch->index);
    connect_arbiter(ch, rc, rp, ch->out);
    text_addf(ch->out,
              "    %s #(.CLIENTS(%d), .BEAT_BITS(%d), .ID_W(%d)) u_write_arbiter_%02d (.clk(clk), "
              ".rst(rst)",
              rtl_axi_write_arbiter.module, writers, bits, id, ch->index);
    connect_arbiter(ch, wc, wp, ch->out);
}

// A side without clients keeps one that never asks.
static void tie_off(const struct channel *ch, bool is_write) {
    int c = ch->index;
    if (is_write)
        text_addf(ch->out,
                  "    assign ch%02d_awvalid = 1'b0;\n    assign ch%02d_awaddr = 64'd0;\n    assign ch%02d_awlen = "
                  "8'd0;\n    assign ch%02d_wvalid = "
                  "1'b0;\n"
                  "    assign ch%02d_wdata = 0;\n    assign ch%02d_wlast = 1'b0;\n    assign ch%02d_bready = 1'b1;\n   "
                  " assign ch%02d_w_idle = "
                  "1'b1;\n    assign ch%02d_w_error = 1'b0;\n    assign ch%02d_w_place = 64'd0;\n",
                  c, c, c, c, c, c, c, c, c, c);
    else
        text_addf(ch->out,
                  "    assign ch%02d_arvalid = 1'b0;\n    assign ch%02d_araddr = 64'd0;\n    assign ch%02d_arlen = "
                  "8'd0;\n    assign ch%02d_rready = "
                  "1'b1;\n"
                  "    assign ch%02d_r_idle = 1'b1;\n    assign ch%02d_r_error = 1'b0;\n"
                  "    assign ch%02d_r_place = 64'd0;\n",
                  c, c, c, c, c, c, c);
    static const char *const written[] = {"awready", "wready", "bvalid", "bresp", NULL}, *const read[] = {
                                                                                             "arready", "rvalid",
                                                                                             "rdata",   "rresp",
                                                                                             "rlast",   NULL};
    text_addf(ch->out, "    wire unused_%s_%02d = &{1'b0", is_write ? "write" : "read", c);
    for (const char *const *signal = is_write ? written : read; *signal; signal++)
        text_addf(ch->out, ", ch%02d_%s", c, *signal);
    text_add(ch->out, "};\n");
}

// The address that the first client with an error has kept; registers that move with an error alone.
static void emit_channel_error(const struct channel *ch, int readers, int writers) {
    int c = ch->index;
    text_addf(ch->out,
              "    always @(posedge clk) begin\n        memory_error[%d] <= (|ch%02d_r_error) | (|ch%02d_w_error);\n"
              "        if ((|ch%02d_r_error) | (|ch%02d_w_error)) begin\n            error_is_write[%d] <= "
              "~(|ch%02d_r_error);\n            error_address[%d +: 64] <=\n                ",
              c, c, c, c, c, c, c, 64 * c);
    for (int i = 0; i < readers; i++)
        text_addf(ch->out, "ch%02d_r_error[%d] ? ch%02d_r_place[%d +: 64] :\n                ", c, i, c, 64 * i);
    for (int i = 0; i + 1 < writers; i++)
        text_addf(ch->out, "ch%02d_w_error[%d] ? ch%02d_w_place[%d +: 64] :\n                ", c, i, c, 64 * i);
    text_addf(ch->out, "ch%02d_w_place[%d +: 64];\n        end\n    end\n", c, 64 * (writers - 1));
}

static void emit_channel(const struct ir *ir, int c, struct emit_levels *levels, struct text *out) {
    int engine = ir_engine_at(ir, c);
    struct channel ch = {ir, c, engine == IR_NONE ? 0 : c - ir->engine[engine].first_channel, levels, out};
    struct emit_client read[EMIT_MAX_CLIENTS], write[EMIT_MAX_CLIENTS];
    int readers = emit_channel_clients(ir, c, false, read), writers = emit_channel_clients(ir, c, true, write);
    text_addf(out, "\n    // ---- memory channel %d ----\n", c);
    emit_channel_nets(&ch, readers ? readers : 1, writers ? writers : 1);
    for (int i = 0; i < readers; i++) emit_read_engine(&ch, i, &read[i]);
    for (int i = 0; i < writers; i++) emit_write_engine(&ch, i, &write[i]);
    if (!readers) tie_off(&ch, false);
    if (!writers) tie_off(&ch, true);
    emit_arbiters(&ch, readers ? readers : 1, writers ? writers : 1);
    text_addf(out, "    assign channel_idle[%d] = (&ch%02d_r_idle) & (&ch%02d_w_idle);\n", c, c, c);
    emit_channel_error(&ch, readers ? readers : 1, writers ? writers : 1);
    text_addf(out,
              "    assign channel_answer[%d] = (m_axi_hbm_%02d_wvalid & m_axi_hbm_%02d_wready) | "
              "(m_axi_hbm_%02d_bvalid & m_axi_hbm_%02d_bready);\n",
              c, c, c, c, c);
    text_addf(out, "    assign channel_beat[%d] = m_axi_hbm_%02d_rvalid & m_axi_hbm_%02d_rready;\n", c, c, c);
    text_addf(out, "    assign channel_stall[%d] = %s;\n", c,
              has_engine(ir) ? arena_printf(ir->arena, "~lane_beat_tvalid[%d]", c) : "1'b0");
}

// A burst goes to all channels of its engine.
static void emit_walk_fork(const struct ir *ir, int engine, struct emit_levels *levels, struct text *out) {
    const struct ir_engine *e = &ir->engine[engine];
    const char *part =
        ir->engines > 1 ? arena_printf(ir->arena, "[%d:%d]", e->first_channel + e->channels - 1, e->first_channel) : "";
    text_addf(out,
              "    %s #(.PORTS(%d)) u_%s (.clk(clk), .rst(core_rst[%d]), .s_axis_tvalid(%s), .s_axis_tready(%s),\n"
              "        .m_axis_tvalid(lane_desc_tvalid%s), .m_axis_tready(lane_desc_tready%s));\n",
              rtl_fork.module, e->channels, ir_engine_name(ir, engine, "walk_fork"), levels->reset++,
              ir_engine_name(ir, engine, "walk_burst_tvalid"), ir_engine_name(ir, engine, "walk_burst_tready"), part,
              part);
}

void emit_memory(const struct ir *ir, struct emit_levels *levels, struct text *out) {
    text_add(out, "\n    // ---- memory ----\n");
    for (int e = 0; e < ir->engines; e++) emit_walk_fork(ir, e, levels, out);
    for (int c = 0; c < ir->design.channels; c++) emit_channel(ir, c, levels, out);
}
