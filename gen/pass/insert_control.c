// SPDX-License-Identifier: Apache-2.0
// insert-control: the kernels around the dataflow that run a request (registers, token loop, ring of ids, parameter
// loading, KV write tracking) and the plain nets between them. docs/rtl.md sections 9 and 11.
#include "include/kernel.h"
#include "include/kv.h"
#include "include/layout.h"
#include "include/ops.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"

enum {
    COUNTERS = 4 /* of an engine: busy, waits for beats, for operands, for room behind it; docs/rtl.md section 11 */,
    OPEN_BESIDE =
        8 /* descriptors of a client beside its beats without a response: one whose beats come, pulses on their way */
};

struct net {
    const char *port;
    bool is_output;
    int bits;
    const char *net;
};

static void add_nets(struct ir *ir, int kernel, const struct net *net, size_t count) {
    for (size_t i = 0; i < count; i++) ir_add_wire(ir, kernel, net[i].port, net[i].is_output, net[i].bits, net[i].net);
}

static int counters(const struct ir *ir) { return COUNTERS * (ir->engines ? ir->engines : 1); }

// Those of a graph without any have room for one, which nobody reads.
static int end_ids(const struct ir *ir) { return ir->design.eot.count ? ir->design.eot.count : 1; }

// A parameter that has its default is left out.
static void set_end_ids(struct ir *ir, int k) {
    if (end_ids(ir) > 1) ir_set_int(ir, k, "END_IDS", end_ids(ir));
}

static void add_registers(struct ir *ir) {
    int k = kernel_add(ir, "registers", &rtl_axil_regs, IR_NONE), c = ir->design.channels;
    ir->kernel[k].is_control = true;
    ir_set_int(ir, k, "CHANNELS", c);
    ir_set_int(ir, k, "COUNTERS", counters(ir));
    set_end_ids(ir, k);
    static const char *const axil[] = {"awvalid", "awready", "awaddr", "wvalid", "wready",  "wdata",
                                       "wstrb",   "bvalid",  "bready", "bresp",  "arvalid", "arready",
                                       "araddr",  "rvalid",  "rready", "rdata",  "rresp"};
    for (size_t i = 0; i < COUNT_OF(axil); i++) {
        const char *name = arena_printf(ir->arena, "s_axi_control_%s", axil[i]);
        ir_add_wire(ir, k, name, false, 0, name);
    }
    const struct net nets[] = {{"irq", false, 0, "interrupt"},
                               {"ap_start", true, 1, "ap_start"},
                               {"ap_done", false, 1, "ap_done"},
                               {"ap_idle", false, 1, "ap_idle"},
                               {"prompt_len", true, 32, "prompt_len"},
                               {"max_new", true, 32, "max_new"},
                               {"eot_id", true, end_ids(ir) * 32, "eot_id"},
                               {"ignore_eot", true, 1, "ignore_eot"},
                               {"prompt_ptr", true, 64, "prompt_ptr"},
                               {"ring_ptr", true, 64, "ring_ptr"},
                               {"channel_base", true, c * 64, "channel_base"},
                               {"status", false, 32, "status"},
                               {"ids_count", false, 32, "ids_count"},
                               {"fault_code", false, 32, "fault_code"},
                               {"fault_place", false, 32, "fault_place"},
                               {"identity", false, 64, "identity"},
                               {"layout", false, 64, "layout"},
                               {"image", false, 64, "image"},
                               {"halt", true, 2, "halt"},
                               {"watchdog", true, 32, "watchdog"},
                               {"ring_ids", true, 32, "ring_ids"},
                               {"ending", false, 32, "ending"},
                               {"fault_address", false, 64, "fault_address"},
                               {"fault_channel", false, 32, "fault_channel"},
                               {"fault_state", false, 32, "fault_state"},
                               {"idle_engines", false, 64, "idle_engines"},
                               {"logits_hash", false, 64, "logits_hash"},
                               {"channel_beat", false, c, "channel_beat"},
                               {"channel_stall", false, c, "channel_stall"},
                               {"counters", false, counters(ir) * 64, "counters"}};
    add_nets(ir, k, nets, COUNT_OF(nets));
}

// The host's settings of sampling; where the design takes none, nothing is connected.
static void add_sampling(struct ir *ir) {
    int registers = kernel_first(ir, KERNEL_REGISTERS), k = kernel_first(ir, KERNEL_SAMPLES);
    static const struct {
        const char *name, *port;
        int bits;
    } settings[] = {
        {"inverse_temperature", "inverse", 32}, {"top_k", "top_k", 32}, {"min_p", "min_p", 32}, {"seed", "seed", 64}};
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        bool any = k != IR_NONE;
        ir_add_wire(ir, registers, settings[i].name, any, any ? settings[i].bits : 0, any ? settings[i].name : "");
        if (any) ir_add_wire(ir, k, settings[i].port, false, settings[i].bits, settings[i].name);
    }
    if (k == IR_NONE) return;
    ir_set_int(ir, registers, "SAMPLING", 1);
    ir_add_wire(ir, k, "position", false, 16, "status[31:16]");
}

// The first engine's in the low bits.
static const char *counter_events(struct ir *ir) {
    static const char *const event[COUNTERS] = {"engine_stall_out", "engine_stall_x", "engine_stall_beat",
                                                "engine_busy"};
    struct text t = {0};
    for (int e = ir->engines - 1; e >= 0; e--)
        for (int i = 0; i < COUNTERS; i++) text_addf(&t, "%s%s", t.len ? ", " : "{", ir_engine_name(ir, e, event[i]));
    const char *events = ir->engines ? arena_printf(ir->arena, "%s}", text_cstr(&t)) : "4'd0";
    text_free(&t);
    return events;
}

static void add_counters(struct ir *ir) {
    int k = kernel_add(ir, "counters", &rtl_event_counters, IR_NONE);
    ir->kernel[k].is_control = true;
    ir_set_int(ir, k, "EVENTS", counters(ir));
    const struct net nets[] = {{"clear", false, 1, "load_start"},
                               {"enable", false, 1, "~ap_idle"},
                               {"events", false, counters(ir), counter_events(ir)},
                               {"counts", true, counters(ir) * 64, "counters"}};
    add_nets(ir, k, nets, COUNT_OF(nets));
}

static int64_t all_layers(const struct ir *ir) {
    int64_t layers = 0;
    for (int u = 0; u < kv_units(ir); u++) layers += kv_layers(ir, u);
    return layers;
}

// Layers of all caches whose writes have their responses.
static const char *all_layers_done(const struct ir *ir) {
    const char *sum = "kv_layers_done";
    for (int u = 0; u < kv_units(ir); u++) {
        const char *done = kv_name(ir, u, "kv_layers_done");
        sum = u ? arena_printf(ir->arena, "%s + %s", sum, done) : done;
    }
    return sum;
}

static void set_token_loop_params(struct ir *ir, int k) {
    int faults = 0;
    for (int i = 0; i < ir->kernels; i++) faults += ir->kernel[i].has_fault;
    ir_set_int(ir, k, "MODE", !ir->design.is_lm);
    ir_set_int(ir, k, "CHANNELS", ir_key_channels(ir));
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "CONTEXT", ir->design.context);
    ir_set_int(ir, k, "VOCAB", ir_vocabulary(ir));
    set_end_ids(ir, k);
    ir_set_int(ir, k, "KV_LAYERS", all_layers(ir));
    ir_set_int(ir, k, "FAULTS", faults ? faults : 1);
    int outputs = ir->design.is_lm ? 1 : ir->outputs;
    ir_set_int(ir, k, "OUTPUTS", outputs ? outputs : 1);
    ir_set_int(ir, k, "MEMORY_ERRORS", ir->design.channels);
    ir_set_int(ir, k, "BASES", ir->design.channels);
    ir_set_int(ir, k, "ADDR_BITS", ir_address_bits(ir));
}

// A graph that is no language model has no ids.
static void tie_off_ids(struct ir *ir, int k) {
    const struct {
        const char *port;
        int bits;
    } inputs[] = {{"m_axis_prompt_burst_tready", 1},
                  {"s_axis_prompt_tvalid", 1},
                  {"s_axis_prompt_tdata", ir->design.beat_bits},
                  {"m_axis_id_tready", 1},
                  {"s_axis_next_id_tvalid", 1},
                  {"s_axis_next_id_tdata", 32},
                  {"s_axis_next_id_tuser", ports_user_bits(ir)},
                  {"s_axis_next_id_tlast", 1},
                  {"m_axis_ring_tready", 1}};
    static const char *const outputs[] = {"m_axis_prompt_burst_tvalid",
                                          "m_axis_prompt_burst_tdata",
                                          "s_axis_prompt_tready",
                                          "m_axis_id_tvalid",
                                          "m_axis_id_tdata",
                                          "m_axis_id_tuser",
                                          "m_axis_id_tlast",
                                          "s_axis_next_id_tready",
                                          "m_axis_ring_tvalid",
                                          "m_axis_ring_tdata"};
    for (size_t i = 0; i < COUNT_OF(inputs); i++) ir_add_zero(ir, k, inputs[i].port, inputs[i].bits);
    for (size_t i = 0; i < COUNT_OF(outputs); i++) ir_add_wire(ir, k, outputs[i], false, 0, "");
}

// The kernel that makes the ids and hashes what it chooses them from, or IR_NONE.
static int find_chooser(const struct ir *ir) {
    for (int k = 0; ir->design.is_lm && k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], KERNEL_CHOOSES) && ir->kernel[k].node == ir->tensor[ir->output[0]].producer)
            return k;
    return IR_NONE;
}

// Of others nobody reads the hash.
static void add_row_hashes(struct ir *ir, int chooser) {
    for (int k = 0; k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], KERNEL_CHOOSES))
            ir_add_wire(ir, k, "row_hash", k == chooser, k == chooser ? 64 : 0, k == chooser ? "row_hash" : "");
}

static void add_token_loop_nets(struct ir *ir) {
    int k = kernel_first(ir, KERNEL_LOOP), chooser = find_chooser(ir);
    add_row_hashes(ir, chooser);
    const struct net nets[] = {{"start", false, 1, "ap_start"},
                               {"done", true, 1, "ap_done"},
                               {"idle", true, 1, "ap_idle"},
                               {"prompt_len", false, 32, "prompt_len"},
                               {"max_new", false, 32, "max_new"},
                               {"eot_id", false, end_ids(ir) * 32, "eot_id"},
                               {"ignore_eot", false, 1, "ignore_eot"},
                               {"prompt_ptr", false, 64, "prompt_ptr"},
                               {"ring_ptr", false, 64, "ring_ptr"},
                               {"channel_base", false, ir->design.channels * 64, "channel_base"},
                               {"ring_ids", false, 32, "ring_ids"},
                               {"watchdog", false, 32, "watchdog"},
                               {"halt", false, 2, "halt"},
                               {"status", true, 32, "status"},
                               {"ids_count", true, 32, "ids_count"},
                               {"fault_code", true, 32, "fault_code"},
                               {"fault_place", true, 32, "fault_place"},
                               {"fault_address", true, 64, "fault_address"},
                               {"fault_channel", true, 32, "fault_channel"},
                               {"fault_state", true, 32, "fault_state"},
                               {"ending", true, 32, "ending"},
                               {"image", true, 64, "image"},
                               {"row_hash", false, 64, chooser == IR_NONE ? "64'd0" : "row_hash"},
                               {"logits_hash", true, 64, "logits_hash"},
                               {"image_wrong", false, 1, "image_wrong"},
                               {"image_place", false, 2, "image_place"},
                               {"image_checksum", false, 64, "image_checksum"},
                               {"load_start", true, 1, "load_start"},
                               {"load_done", false, 1, "load_done"},
                               {"flush", true, 1, "flush"},
                               {"soft_rst", true, 1, "soft_rst"},
                               {"quiet", false, 1, "quiet"},
                               {"kv_layers_done", false, 32, all_layers_done(ir)},
                               {"out_steps_done", false, 0, "out_steps_done"},
                               {"ids_written", false, 32, "ids_written"},
                               {"kernel_fault", false, 0, "kernel_fault"},
                               {"memory_error", false, 0, "memory_error"},
                               {"error_is_write", false, 0, "error_is_write"},
                               {"error_address", false, 0, "error_address"},
                               {"progress", false, 1, "progress"},
                               {"idle_engines", false, 64, "idle_engines"}};
    add_nets(ir, k, nets, COUNT_OF(nets));
    set_token_loop_params(ir, k);
    if (ir->design.is_lm) {
        ir_add_client_port(ir, k, "m_axis_prompt_burst", DESCRIPTOR_BITS, "prompt", "desc");
        ir_add_client_port(ir, k, "s_axis_prompt", ir->design.beat_bits, "prompt", "beat");
    } else tie_off_ids(ir, k);
}

static void add_ring(struct ir *ir) {
    int loop = kernel_first(ir, KERNEL_LOOP), prompt = ir_add_client_for(ir, "prompt", IR_CLIENT_PROMPT);
    ir->client[prompt].base = ir_net(ir, "prompt_ptr");
    int k = kernel_add(ir, "ring", &rtl_ring_writer, IR_NONE);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    int in = ir_add_port(ir, k, "ring", false, IR_STREAM_BARE, RING_BITS);
    ir_connect(ir, loop, ir_port_for(&ir->kernel[loop], IR_ROLE_RING, true), k, in);
    int client = ir_add_client(ir, "ring", k, "", true, 0);
    ir->client[client].base = ir_net(ir, "ring_ptr");
    ir_add_wire(ir, k, "dma_idle", false, 1, "ring_write_idle");
    ir_add_wire(ir, k, "ids_written", true, 32, "ids_written");
}

struct stores {
    int count;
    int64_t beats;
    struct ir_word *counts; // beats of each, the first store's last
};

static int count_stores(const struct ir *ir) {
    int count = 0;
    for (int s = 0; s < ir->segments; s++) count += ir->segment[s].kind == IR_SEG_PARAMS;
    return count;
}

// The store that an operation's kernel reads.
static int store_of(const struct ir *ir, int node) {
    for (int e = 0; e < ir->edges; e++)
        if (kernel_is(&ir->kernel[ir->edge[e].src_kernel], KERNEL_STORE) &&
            ir->kernel[ir->edge[e].dst_kernel].node == node)
            return ir->edge[e].src_kernel;
    base_fatal("insert-control: operation %s has no store of parameters", ir->node[node].name);
}

// The stores of vector parameters in the order of their segments.
static struct stores connect_stores(struct ir *ir) {
    struct stores all = {.counts = ARENA_ARRAY(ir->arena, struct ir_word, (size_t)ir->segments + 1)};
    bool one = count_stores(ir) == 1; // then the net is no vector
    for (int s = 0; s < ir->segments; s++) {
        if (ir->segment[s].kind != IR_SEG_PARAMS) continue;
        int64_t n = ir->segment[s].bytes / (ir->design.beat_bits / 8);
        all.counts[ir->segments - 1 - all.count] =
            (struct ir_word){.bits = 32, .radix = IR_DECIMAL, .value = (uint64_t)n};
        int k = store_of(ir, ir->segment[s].node);
        ir_add_wire(ir, k, "load_valid", false, 1,
                    one ? "param_load_valid & param_load_store"
                        : arena_printf(ir->arena, "param_load_valid & param_load_store[%d]", all.count));
        ir_add_wire(ir, k, "load_data", false, (int)layout_load_bits(&ir->design), "param_load_data");
        ir_add_wire(ir, k, "load_start", false, 1, "load_start");
        ir_add_wire(ir, k, "keep", false, 1, "image_keep");
        all.beats += n;
        all.count++;
    }
    all.counts += ir->segments - all.count;
    return all;
}

static void add_param_loader(struct ir *ir, const struct stores *stores) {
    int k = kernel_add(ir, "param_loader", &rtl_param_loader, IR_NONE);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "STORES", stores->count);
    if (layout_load_pieces(&ir->design) > 1) ir_set_int(ir, k, "PIECES", layout_load_pieces(&ir->design));
    ir_set_param(ir, k, "COUNTS", ir_value_list(ir->arena, stores->counts, stores->count));
    const struct net nets[] = {{"start", false, 1, "load_start"},
                               {"s_axis_beat_tvalid", false, 1, "param_rest_tvalid"},
                               {"s_axis_beat_tready", true, 1, "param_rest_tready"},
                               {"s_axis_beat_tdata", false, ir->design.beat_bits, "param_rest_tdata"},
                               {"load_valid", true, 1, "param_load_valid"},
                               {"load_store", true, stores->count, "param_load_store"},
                               {"load_data", true, (int)layout_load_bits(&ir->design), "param_load_data"},
                               {"done", true, 1, "param_loaded"}};
    add_nets(ir, k, nets, COUNT_OF(nets));
}

static const struct ir_segment *header_segment(const struct ir *ir) {
    for (int s = 0; s < ir->segments; s++)
        if (ir->segment[s].kind == IR_SEG_HEADER) return &ir->segment[s];
    base_fatal("insert-control: the image has no header");
}

// One linear read per start: the image's header, and the parameters behind it for the stores.
static void add_image_header(struct ir *ir) {
    struct stores stores = connect_stores(ir);
    int k = kernel_add(ir, "image_header", &rtl_image_header, IR_NONE);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "BEATS", stores.beats);
    ir_set_word(ir, k, "OFFSET", 40, header_segment(ir)->offset);
    bool any = stores.count > 0;
    const struct net nets[] = {{"start", false, 1, "load_start"},
                               {"layout", false, 64, "layout"},
                               {"kept", false, 64, "image"},
                               {"m_axis_beat_tvalid", any, 1, any ? "param_rest_tvalid" : ""},
                               {"m_axis_beat_tready", false, 1, any ? "param_rest_tready" : "1'b0"},
                               {"m_axis_beat_tdata", any, ir->design.beat_bits, any ? "param_rest_tdata" : ""},
                               {"loaded", false, 1, any ? "param_loaded" : "1'b1"},
                               {"keep", any, 1, any ? "image_keep" : ""},
                               {"wrong", true, 1, "image_wrong"},
                               {"place", true, 2, "image_place"},
                               {"checksum", true, 64, "image_checksum"},
                               {"done", true, 1, "load_done"}};
    add_nets(ir, k, nets, COUNT_OF(nets));
    ir_add_client_port(ir, k, "m_axis_desc", DESCRIPTOR_BITS, "param", "desc");
    ir_add_client_port(ir, k, "s_axis_beat", ir->design.beat_bits, "param", "beat");
    ir_add_client_for(ir, "param", IR_CLIENT_IMAGE);
    if (any) add_param_loader(ir, &stores);
}

// Descriptors that a write engine has taken of a client and not written.
static int open_bits(void) { return u64_clog2(IR_WRITES_OPEN + OPEN_BESIDE + 1); }

static int writers_of(const struct ir *ir, int kernel) {
    int writers = 0;
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].kernel == kernel) writers += ir->engine[ir->client[c].engine].channels;
    return writers;
}

// The write engines of K are on the channels of the engine that reads it, those of V likewise.
static void add_kv_tracker(struct ir *ir, int unit) {
    int k_writer = kv_kernel(ir, unit, KERNEL_KEYS), v_tail = kv_kernel(ir, unit, KERNEL_VALUES);
    int keys = writers_of(ir, k_writer), values = writers_of(ir, v_tail);
    int k = kernel_add(ir, kv_name(ir, unit, "kv_tracker"), &rtl_kv_tracker, IR_NONE);
    ir_set_int(ir, k, "K_WRITERS", keys);
    ir_set_int(ir, k, "V_WRITERS", values);
    ir_set_int(ir, k, "COUNT_W", open_bits());
    const struct net nets[] = {
        {"k_layer_done", false, 1, kv_name(ir, unit, "k_layer_done")},
        {"k_given", false, keys, kv_name(ir, unit, "k_given")},
        {"k_written", false, keys, arena_printf(ir->arena, "%s_written", ir->kernel[k_writer].name)},
        {"v_layer_done", false, 1, kv_name(ir, unit, "v_layer_done")},
        {"v_given", false, values, kv_name(ir, unit, "v_given")},
        {"v_written", false, values, arena_printf(ir->arena, "%s_written", ir->kernel[v_tail].name)},
        {"k_layers_done", true, 32, kv_name(ir, unit, "k_layers_done")},
        {"v_layers_done", true, 32, kv_name(ir, unit, "v_layers_done")},
        {"kv_layers_done", true, 32, kv_name(ir, unit, "kv_layers_done")}};
    add_nets(ir, k, nets, COUNT_OF(nets));
}

static void add_output_nets(struct ir *ir) {
    for (int k = 0; k < ir->kernels; k++) {
        if (!kernel_is(&ir->kernel[k], KERNEL_ROWS_OUT)) continue;
        ir_set_int(ir, k, "COUNT_W", open_bits());
        ir_add_wire(ir, k, "dma_written", false, 1, arena_printf(ir->arena, "%s_written", ir->kernel[k].name));
        ir_add_wire(ir, k, "steps_done", true, 32, arena_printf(ir->arena, "%s_steps_done", ir->kernel[k].name));
    }
}

// The arbiters of a channel have so many places; the lane of an engine takes one.
static bool clients_fit(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    for (int c = 0; c < ir->design.channels; c++)
        for (int w = 0; w < 2; w++) {
            int count = w == 0 && ir->engines > 0, spills = 0;
            for (int i = 0; i < ir->clients; i++) {
                const struct ir_client *client = &ir->client[i];
                if (client->is_write != w || !ir_client_on(ir, client, c)) continue;
                count++;
                spills += client->kernel != IR_NONE && kernel_is(&ir->kernel[client->kernel], KERNEL_SPILL);
            }
            if (count <= IR_CHANNEL_CLIENTS) continue;
            struct loc loc = spec ? spec_place(spec, "design.channels") : loc_none();
            diag_error(diag, loc, "%d engines %s channel %d of the memory, at most %d can", count,
                       w ? "write to" : "read from", c, IR_CHANNEL_CLIENTS);
            if (spills)
                diag_note(diag, loc,
                          "%d of them carry streams between groups: more `channels` share these, a greater "
                          "`on_chip_kib` has fewer",
                          spills);
            else diag_note(diag, loc, "inputs, outputs, tables and rows by position have one each");
            return false;
        }
    return true;
}

bool pass_insert_control(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    add_registers(ir);
    add_counters(ir);
    add_token_loop_nets(ir);
    add_sampling(ir);
    if (ir->design.is_lm) add_ring(ir);
    add_image_header(ir);
    for (int u = 0; u < kv_units(ir); u++) add_kv_tracker(ir, u);
    add_output_nets(ir);
    return clients_fit(ir, spec, diag);
}
