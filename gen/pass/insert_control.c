// SPDX-License-Identifier: Apache-2.0
// insert-control: adds the kernels that run a request (registers, counters, ring of ids, image header, parameter
// loader, trackers of KV writes) and connects them and the token loop by plain nets. docs/memory.md and
// docs/registers.md explain what they do.
#include "gen/bind/bind.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/layout.h"
#include "gen/ir/registers.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"

// COUNTERS: counters of an engine: cycles in which it is busy, and in which it waits for beats, for operands, or for
// its reader (docs/registers.md). OPEN_BESIDE: most open descriptors of a client beyond its unacknowledged beats: the
// one that is being written, and those whose pulses are on the way (rill_write_tracker).
enum { COUNTERS = 4, OPEN_BESIDE = 8 };

struct port { // a port of a kernel and the net of the design that is connected to it
    const char *name;
    enum ir_net_role net;
};

// Connects a port to a net. Direction and width of the port come from the Verilog module. The width depends on the
// kernel's parameters, so these must be set before.
static void add_net(struct ir *ir, int kernel, const bind_ports *ports, const char *name, int net) {
    const struct bind_port *port = bind_find_port(ports, name);
    ir_add_wire(ir, kernel, name, port->is_output, port->bits, net);
}

// Connects one port to a net, as add_net does.
static void add_one(struct ir *ir, int kernel, const char *name, int net) {
    bind_ports ports = bind_read_ports(ir, kernel);
    add_net(ir, kernel, &ports, name, net);
}

// Connects ports to nets of the design. Nets that do not exist yet are created.
static void add_nets(struct ir *ir, int kernel, const struct port *port, size_t count) {
    bind_ports ports = bind_read_ports(ir, kernel);
    for (size_t i = 0; i < count; i++) add_net(ir, kernel, &ports, port[i].name, ir_design_net(ir, port[i].net));
}

// engine_counters returns the number of event counters of the engines, and counters the number of all event counters.
static int engine_counters(const struct ir *ir) { return COUNTERS * (ir->engines ? ir->engines : 1); }
static int counters(const struct ir *ir) { return engine_counters(ir) + (ir->design.drafts ? DRAFT_COUNTERS : 0); }
// Whether the slot loop counts the drafts of each request. The token loop of a design without slots gives events.
static bool slots_count_drafts(const struct ir *ir) { return ir->design.slots && ir->design.drafts; }
static int events(const struct ir *ir) { return slots_count_drafts(ir) ? engine_counters(ir) : counters(ir); }

// Returns the number of end ids in the registers. It is at least 1, because the register of the first one always
// exists.
static int end_ids(const struct ir *ir) { return ir->design.eot.count ? ir->design.eot.count : 1; }

// Sets the parameter END_IDS if it differs from its default, 1.
static void set_end_ids(struct ir *ir, int k) {
    if (end_ids(ir) > 1) ir_set_int(ir, k, "END_IDS", end_ids(ir));
}

// Connects the AXI4-Lite port of the registers with the pins of the top.
static void add_axil(struct ir *ir, int k) {
    static const char *const axil[] = {"awvalid", "awready", "awaddr", "wvalid", "wready",  "wdata",
                                       "wstrb",   "bvalid",  "bready", "bresp",  "arvalid", "arready",
                                       "araddr",  "rvalid",  "rready", "rdata",  "rresp"};
    for (size_t i = 0; i < COUNT_OF(axil); i++) {
        const char *name = arena_printf(ir->arena, "s_axi_control_%s", axil[i]);
        ir_add_wire(ir, k, name, false, 0, ir_add_net(ir, name));
    }
}

// Connects the values of the registers' counters: those of the event counters, and with slots and drafts above them
// the counts of the selected slot's drafts.
static void add_counter_values(struct ir *ir, int k) {
    int values = ir_design_net(ir, IR_NET_COUNTERS);
    if (!slots_count_drafts(ir)) {
        add_one(ir, k, "counters", values);
        return;
    }
    struct ir_part *part = ARENA_ARRAY(ir->arena, struct ir_part, 2);
    part[0].net = ir_design_net(ir, IR_NET_DRAFT_COUNTS);
    part[1].net = values;
    ir_add_use(ir, k, "counters", 64 * counters(ir), ir_use_parts(ir, IR_USE_JOINED, part, 2));
}

// Adds the register file, and connects it to the pins of the top and to the nets of the design.
static void add_registers(struct ir *ir) {
    int k = kernel_add(ir, "registers", &rtl_axil_regs, IR_NONE), c = ir->design.channels;
    ir->kernel[k].is_control = true;
    ir_set_int(ir, k, "CHANNELS", c);
    ir_set_int(ir, k, "COUNTERS", counters(ir));
    set_end_ids(ir, k);
    add_axil(ir, k);
    const struct port nets[] = {{"irq", IR_NET_INTERRUPT},
                                {"ap_start", IR_NET_AP_START},
                                {"ap_done", IR_NET_AP_DONE},
                                {"ap_idle", IR_NET_AP_IDLE},
                                {"prompt_len", IR_NET_PROMPT_LEN},
                                {"max_new", IR_NET_MAX_NEW},
                                {"eot_id", IR_NET_EOT_ID},
                                {"ignore_eot", IR_NET_IGNORE_EOT},
                                {"prompt_ptr", IR_NET_PROMPT_PTR},
                                {"ring_ptr", IR_NET_RING_PTR},
                                {"channel_base", IR_NET_CHANNEL_BASE},
                                {"status", IR_NET_STATUS},
                                {"ids_count", IR_NET_IDS_COUNT},
                                {"fault_code", IR_NET_FAULT_CODE},
                                {"fault_place", IR_NET_FAULT_PLACE},
                                {"identity", IR_NET_IDENTITY},
                                {"layout", IR_NET_LAYOUT},
                                {"image", IR_NET_IMAGE},
                                {"halt", IR_NET_HALT},
                                {"watchdog", IR_NET_WATCHDOG},
                                {"ring_ids", IR_NET_RING_IDS},
                                {"ending", IR_NET_ENDING},
                                {"fault_address", IR_NET_FAULT_ADDRESS},
                                {"fault_channel", IR_NET_FAULT_CHANNEL},
                                {"fault_state", IR_NET_FAULT_STATE},
                                {"idle_engines", IR_NET_IDLE_ENGINES},
                                {"logits_hash", IR_NET_LOGITS_HASH},
                                {"clock_state", IR_NET_CLOCK_STATE},
                                {"channel_beat", IR_NET_CHANNEL_BEAT},
                                {"channel_no_beat", IR_NET_CHANNEL_NO_BEAT}};
    add_nets(ir, k, nets, COUNT_OF(nets));
    add_counter_values(ir, k);
}

// Whether the kernel that samples gets only the last token of a step, as its token 0. It then needs the position of
// that token instead of the step's.
static bool samples_last(const struct ir *ir, int k) {
    return k != IR_NONE && ir_takes_last(ir, ir->node[ir->kernel[k].node].region);
}

// A setting of sampling. name: its port at the registers and at the slot loop. port: its port at the kernel that
// samples. net: its value from the host. row: its value for a token, in a design with slots.
static const struct setting {
    const char *name, *port;
    enum ir_net_role net, row;
} settings[] = {{"inverse_temperature", "inverse", IR_NET_INVERSE_TEMPERATURE, IR_NET_ROW_INVERSE},
                {"top_k", "top_k", IR_NET_TOP_K, IR_NET_ROW_TOP_K},
                {"min_p", "min_p", IR_NET_MIN_P, IR_NET_ROW_MIN_P},
                {"seed", "seed", IR_NET_SEED, IR_NET_ROW_SEED}};

// Connects the ports `position`, `store` and `row` of the kernel that samples. They give the position of the token and,
// in a design with slots, the token of the step for which the settings are. Without slots, all tokens of a step have
// the same settings.
static void add_sampled_row(struct ir *ir, int k) {
    const struct ir_part position = {.net = ir_design_net(ir, IR_NET_STATUS), .low = 16, .width = 16};
    const struct port row[] = {{"position", IR_NET_ROW_POSITION}, {"store", IR_NET_ROW_SET}, {"row", IR_NET_ROW}};
    if (ir->design.slots) {
        add_nets(ir, k, row, COUNT_OF(row));
        return;
    }
    if (samples_last(ir, k)) add_one(ir, k, "position", ir_design_net(ir, IR_NET_HEAD_POSITION));
    else ir_add_use(ir, k, "position", 16, ir_use_parts(ir, IR_USE_PART, &position, 1));
    ir_add_zero(ir, k, "store", 1);
    ir_add_zero(ir, k, "row", 3);
}

// Connects the host's sampling settings to the kernel that samples, or leaves them open in a design without such a
// kernel. In a design with slots they go to the slot loop, which gives that kernel the settings of each token.
static void add_sampling(struct ir *ir) {
    int registers = kernel_first(ir, KERNEL_REGISTERS), k = kernel_first(ir, KERNEL_SAMPLES);
    bool slots = ir->design.slots > 0;
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        const struct setting *s = &settings[i];
        if (k == IR_NONE) {
            ir_add_open(ir, registers, s->name);
            continue;
        }
        add_one(ir, registers, s->name, ir_design_net(ir, s->net));
        add_one(ir, k, s->port, ir_design_net(ir, slots ? s->row : s->net));
    }
    if (k == IR_NONE) return;
    ir_set_int(ir, registers, "SAMPLING", 1);
    add_sampled_row(ir, k);
}

// Returns the vector of events that the counters count. The first engine's events are the lowest bits, `busy` lowest.
// Without slots, the events of drafts are the highest bits.
static struct ir_use counter_events(struct ir *ir) {
    static const enum ir_net_role event[COUNTERS] = {IR_NET_ENGINE_STALL_OUT, IR_NET_ENGINE_STALL_X,
                                                     IR_NET_ENGINE_STALL_BEAT, IR_NET_ENGINE_BUSY};
    bool drafts = ir->design.drafts && !slots_count_drafts(ir);
    if (!ir->engines && !drafts) return ir_use_constant(events(ir), 0);
    struct ir_part *part = ARENA_ARRAY(ir->arena, struct ir_part, (size_t)events(ir));
    int parts = 0;
    if (drafts) part[parts++].net = ir_design_net(ir, IR_NET_DRAFT_EVENTS);
    if (!ir->engines) part[parts++] = (struct ir_part){.net = IR_NONE, .width = engine_counters(ir)};
    for (int e = ir->engines - 1; e >= 0; e--)
        for (int i = 0; i < COUNTERS; i++) part[parts++].net = ir_net(ir, event[i], e);
    return ir_use_parts(ir, IR_USE_JOINED, part, parts);
}

static void add_counters(struct ir *ir) {
    int k = kernel_add(ir, "counters", &rtl_event_counters, IR_NONE);
    ir->kernel[k].is_control = true;
    ir_set_int(ir, k, "EVENTS", events(ir));
    const struct ir_part busy = {.net = ir_design_net(ir, IR_NET_AP_IDLE), .inverted = true};
    add_one(ir, k, "clear", ir_design_net(ir, IR_NET_LOAD_START));
    ir_add_use(ir, k, "enable", 1, ir_use_parts(ir, IR_USE_PART, &busy, 1));
    ir_add_use(ir, k, "events", events(ir), counter_events(ir));
    add_one(ir, k, "counts", ir_design_net(ir, IR_NET_COUNTERS));
}

// Returns the number of layers (repetitions of attention) in all KV caches.
static int64_t all_layers(const struct ir *ir) {
    int64_t layers = 0;
    for (int u = 0; u < kv_units(ir); u++) layers += kv_layers(ir, u);
    return layers;
}

// Returns the sum of the nets that count, for each cache, the layers whose writes have been acknowledged.
static struct ir_use all_layers_done(struct ir *ir) {
    int caches = kv_units(ir);
    if (!caches) return ir_use_net(ir, kv_net(ir, 0, IR_NET_KV_LAYERS_DONE)); // no cache: the emitter ties it to 0
    struct ir_part *part = ARENA_ARRAY(ir->arena, struct ir_part, (size_t)caches);
    for (int u = 0; u < caches; u++) part[u].net = kv_net(ir, u, IR_NET_KV_LAYERS_DONE);
    return ir_use_parts(ir, caches > 1 ? IR_USE_SUM : IR_USE_PART, part, caches);
}

// Sets the parameters of the token loop, which with slots is a slot loop.
static void set_token_loop_params(struct ir *ir, int k) {
    int faults = 0;
    for (int i = 0; i < ir->kernels; i++) faults += ir->kernel[i].has_fault;
    if (ir->design.slots) {
        ir_set_int(ir, k, "SLOTS", ir->design.slots);
        ir_set_int(ir, k, "PARTS", ir_parts_of_step(ir));
    } else ir_set_int(ir, k, "MODE", !ir->design.is_lm);
    ir_set_int(ir, k, "CHANNELS", ir_key_channels(ir));
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "CONTEXT", ir->design.context);
    ir_set_int(ir, k, "VOCAB", ir_vocabulary(ir));
    set_end_ids(ir, k);
    if (ir->design.drafts) {
        ir_set_int(ir, k, "DRAFTS", ir->design.drafts);
        ir_set_int(ir, k, "CONFIDENCE", ir->design.draft_confidence);
    }
    ir_set_int(ir, k, "KV_LAYERS", all_layers(ir));
    ir_set_int(ir, k, "FAULTS", faults ? faults : 1);
    int outputs = ir->design.is_lm ? 1 : ir->outputs;
    if (!ir->design.slots) ir_set_int(ir, k, "OUTPUTS", outputs ? outputs : 1);
    ir_set_int(ir, k, "MEMORY_ERRORS", ir->design.channels);
    ir_set_int(ir, k, "BASES", ir->design.channels);
    ir_set_int(ir, k, "ADDR_BITS", ir_address_bits(ir));
}

// Ties off the token loop's ports for ids in a graph that is not a language model: inputs are 0, outputs are open.
static void tie_off_ids(struct ir *ir, int k) {
    static const char *const names[] = {
        "m_axis_prompt_desc_tready", "s_axis_prompt_tvalid",      "s_axis_prompt_tdata",      "m_axis_id_tready",
        "s_axis_next_id_tvalid",     "s_axis_next_id_tdata",      "s_axis_next_id_tuser",     "s_axis_next_id_tlast",
        "m_axis_ring_tready",        "m_axis_prompt_desc_tvalid", "m_axis_prompt_desc_tdata", "s_axis_prompt_tready",
        "m_axis_id_tvalid",          "m_axis_id_tdata",           "m_axis_id_tuser",          "m_axis_id_tlast",
        "s_axis_next_id_tready",     "m_axis_ring_tvalid",        "m_axis_ring_tdata"};
    bind_ports ports = bind_read_ports(ir, k);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct bind_port *port = bind_find_port(&ports, names[i]);
        if (port->is_output) ir_add_open(ir, k, port->name);
        else ir_add_zero(ir, k, port->name, port->bits);
    }
}

// Returns the kernel that selects the output ids of a language model and hashes the logits, or IR_NONE.
static int find_chooser(const struct ir *ir) {
    for (int k = 0; ir->design.is_lm && k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], KERNEL_CHOOSES) && ir->kernel[k].node == ir->tensor[ir->output[0]].producer)
            return k;
    return IR_NONE;
}

// Connects the output for the hash of the logits at the chooser, and leaves it open at other kernels that select ids.
static void add_row_hashes(struct ir *ir, int chooser) {
    for (int k = 0; k < ir->kernels; k++) {
        if (!kernel_is(&ir->kernel[k], KERNEL_CHOOSES)) continue;
        if (k == chooser) add_one(ir, k, "row_hash", ir_design_net(ir, IR_NET_ROW_HASH));
        else ir_add_open(ir, k, "row_hash");
    }
}

// The next functions connect the ports of the token loop: those of a request, of the image, and of the end of a
// request.
static void add_request_nets(struct ir *ir, int k) {
    const struct port nets[] = {{"start", IR_NET_AP_START},
                                {"done", IR_NET_AP_DONE},
                                {"idle", IR_NET_AP_IDLE},
                                {"prompt_len", IR_NET_PROMPT_LEN},
                                {"max_new", IR_NET_MAX_NEW},
                                {"eot_id", IR_NET_EOT_ID},
                                {"ignore_eot", IR_NET_IGNORE_EOT},
                                {"prompt_ptr", IR_NET_PROMPT_PTR},
                                {"ring_ptr", IR_NET_RING_PTR},
                                {"channel_base", IR_NET_CHANNEL_BASE},
                                {"ring_ids", IR_NET_RING_IDS},
                                {"watchdog", IR_NET_WATCHDOG},
                                {"halt", IR_NET_HALT},
                                {"status", IR_NET_STATUS},
                                {"ids_count", IR_NET_IDS_COUNT},
                                {"fault_code", IR_NET_FAULT_CODE},
                                {"fault_place", IR_NET_FAULT_PLACE},
                                {"fault_address", IR_NET_FAULT_ADDRESS},
                                {"fault_channel", IR_NET_FAULT_CHANNEL},
                                {"fault_state", IR_NET_FAULT_STATE},
                                {"ending", IR_NET_ENDING},
                                {"image", IR_NET_IMAGE}};
    add_nets(ir, k, nets, COUNT_OF(nets));
}

static void add_image_nets(struct ir *ir, int k) {
    const struct port nets[] = {{"logits_hash", IR_NET_LOGITS_HASH},
                                {"image_wrong", IR_NET_IMAGE_WRONG},
                                {"image_place", IR_NET_IMAGE_PLACE},
                                {"image_checksum", IR_NET_IMAGE_CHECKSUM},
                                {"load_start", IR_NET_LOAD_START},
                                {"load_done", IR_NET_LOAD_DONE},
                                {"flush", IR_NET_FLUSH},
                                {"soft_rst", IR_NET_SOFT_RST},
                                {"quiet", IR_NET_QUIET}};
    add_nets(ir, k, nets, COUNT_OF(nets));
}

static void add_end_nets(struct ir *ir, int k) {
    if (!ir->design.slots) add_one(ir, k, "out_steps_done", ir_design_net(ir, IR_NET_OUT_STEPS_DONE));
    const struct port nets[] = {{"ids_written", IR_NET_IDS_WRITTEN},     {"kernel_fault", IR_NET_KERNEL_FAULT},
                                {"memory_error", IR_NET_MEMORY_ERROR},   {"error_is_write", IR_NET_ERROR_IS_WRITE},
                                {"error_address", IR_NET_ERROR_ADDRESS}, {"progress", IR_NET_PROGRESS},
                                {"idle_engines", IR_NET_IDLE_ENGINES}};
    add_nets(ir, k, nets, COUNT_OF(nets));
}

// Adds the memory client by which the token loop reads the prompt. In a graph that is not a language model, ties off
// the ports for ids.
static void add_loop_streams(struct ir *ir, int k) {
    if (!ir->design.is_lm) {
        tie_off_ids(ir, k);
        return;
    }
    int prompt = ir_add_client_for(ir, "prompt", IR_CLIENT_PROMPT);
    ir->client[prompt].base = ir_design_net(ir, ir->design.slots ? IR_NET_PROMPT_BASE : IR_NET_PROMPT_PTR);
    ir_add_client_port(ir, k, "m_axis_prompt_desc", DESCRIPTOR_BITS, prompt, IR_NET_DESC_TVALID);
    ir_add_client_port(ir, k, "s_axis_prompt", ir->design.beat_bits, prompt, IR_NET_BEAT_TVALID);
}

// Connects the ports for drafts, or ties them off. If the design can sample, the token loop needs `top_k`: a request
// with a list of candidates draws only the last token of a step, so it has no drafts.
static void add_draft_nets(struct ir *ir, int k) {
    bool drafts = ir->design.drafts > 0;
    if (drafts) add_one(ir, k, "draft_events", ir_design_net(ir, IR_NET_DRAFT_EVENTS));
    else ir_add_open(ir, k, "draft_events");
    if (drafts && ir->design.sampling) add_one(ir, k, "top_k", ir_design_net(ir, IR_NET_TOP_K));
    else ir_add_zero(ir, k, "top_k", 32);
}

// Connects the nets that only rill_token_loop has, the token loop of a design without slots.
static void add_single_nets(struct ir *ir, int k) {
    if (samples_last(ir, kernel_first(ir, KERNEL_SAMPLES)))
        add_one(ir, k, "head_position", ir_design_net(ir, IR_NET_HEAD_POSITION));
    else ir_add_open(ir, k, "head_position");
    add_draft_nets(ir, k);
}

// Nets between the registers and the slot loop. Both have ports with these names.
static const struct port slot_nets[] = {{"slot", IR_NET_SLOT},
                                        {"submit", IR_NET_SUBMIT},
                                        {"cancel", IR_NET_CANCEL},
                                        {"slots", IR_NET_SLOTS},
                                        {"request_ended", IR_NET_REQUEST_ENDED}};

// Connects the sampling settings of the slot loop, or ties them off in a design that does not sample.
static void add_slot_settings(struct ir *ir, int k) {
    static const struct port rows[] = {{"row_set", IR_NET_ROW_SET},           {"row", IR_NET_ROW},
                                       {"row_position", IR_NET_ROW_POSITION}, {"row_inverse", IR_NET_ROW_INVERSE},
                                       {"row_top_k", IR_NET_ROW_TOP_K},       {"row_min_p", IR_NET_ROW_MIN_P},
                                       {"row_seed", IR_NET_ROW_SEED}};
    if (ir->design.sampling) {
        ir_set_int(ir, k, "SAMPLING", 1);
        for (size_t i = 0; i < COUNT_OF(settings); i++)
            add_one(ir, k, settings[i].name, ir_design_net(ir, settings[i].net));
        add_nets(ir, k, rows, COUNT_OF(rows));
        return;
    }
    bind_ports ports = bind_read_ports(ir, k);
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        ir_add_zero(ir, k, settings[i].name, bind_find_port(&ports, settings[i].name)->bits);
    for (size_t i = 0; i < COUNT_OF(rows); i++) ir_add_open(ir, k, rows[i].name);
}

static void add_slot_nets(struct ir *ir, int k) {
    const struct port bases[] = {{"prompt_base", IR_NET_PROMPT_BASE}, {"ring_base", IR_NET_RING_BASE}};
    add_nets(ir, k, slot_nets, COUNT_OF(slot_nets));
    add_nets(ir, k, bases, COUNT_OF(bases));
    add_slot_settings(ir, k);
    if (slots_count_drafts(ir)) add_one(ir, k, "draft_counts", ir_design_net(ir, IR_NET_DRAFT_COUNTS));
    else ir_add_open(ir, k, "draft_counts");
}

// Connects the registers of slots, or ties them off in a design without slots.
static void add_slot_registers(struct ir *ir) {
    int k = kernel_first(ir, KERNEL_REGISTERS);
    if (ir->design.slots) {
        ir_set_int(ir, k, "SLOTS", ir->design.slots);
        add_nets(ir, k, slot_nets, COUNT_OF(slot_nets));
        return;
    }
    bind_ports ports = bind_read_ports(ir, k);
    for (size_t i = 0; i < COUNT_OF(slot_nets); i++) {
        const struct bind_port *port = bind_find_port(&ports, slot_nets[i].name);
        if (port->is_output) ir_add_open(ir, k, port->name);
        else ir_add_zero(ir, k, port->name, port->bits);
    }
}

// Connects `prefix`, `forget` and `held` of the registers with the token loop, or ties them off in a design without
// `prefix`.
static void add_prefix(struct ir *ir) {
    int registers = kernel_first(ir, KERNEL_REGISTERS), k = kernel_first(ir, KERNEL_LOOP);
    const struct port nets[] = {{"prefix", IR_NET_PREFIX}, {"forget", IR_NET_FORGET}, {"held", IR_NET_HELD}};
    if (ir->design.prefix) {
        add_nets(ir, registers, nets, COUNT_OF(nets));
        add_nets(ir, k, nets, COUNT_OF(nets));
        ir_set_int(ir, registers, "PREFIX", 1);
        ir_set_int(ir, k, "PREFIX", 1);
        return;
    }
    ir_add_open(ir, registers, "prefix");
    ir_add_open(ir, registers, "forget");
    ir_add_zero(ir, registers, "held", 32);
    ir_add_zero(ir, k, "prefix", 32);
    ir_add_zero(ir, k, "forget", 1);
    ir_add_open(ir, k, "held");
}

// Connects the writes of the host's list of drafts with the token loop, or ties them off in a design without
// `host_drafts`.
static void add_draft_list(struct ir *ir) {
    int registers = kernel_first(ir, KERNEL_REGISTERS), k = kernel_first(ir, KERNEL_LOOP);
    const struct port nets[] = {
        {"list_set", IR_NET_LIST_SET}, {"list_put", IR_NET_LIST_PUT}, {"list_word", IR_NET_LIST_WORD}};
    if (ir->design.host_drafts) {
        add_nets(ir, registers, nets, COUNT_OF(nets));
        add_nets(ir, k, nets, COUNT_OF(nets));
        ir_set_int(ir, registers, "LIST", 1);
        ir_set_int(ir, k, "LIST", 1);
        return;
    }
    bind_ports ports = bind_read_ports(ir, k);
    for (size_t i = 0; i < COUNT_OF(nets); i++) {
        ir_add_open(ir, registers, nets[i].name);
        ir_add_zero(ir, k, nets[i].name, bind_find_port(&ports, nets[i].name)->bits);
    }
}

// Sets the parameters of the token loop, which bind-operations has added, and connects its ports.
static void add_token_loop_nets(struct ir *ir) {
    int k = kernel_first(ir, KERNEL_LOOP), chooser = find_chooser(ir);
    add_row_hashes(ir, chooser);
    set_token_loop_params(ir, k);
    add_request_nets(ir, k);
    if (ir->design.slots) add_slot_nets(ir, k);
    else add_single_nets(ir, k);
    if (chooser == IR_NONE) ir_add_zero(ir, k, "row_hash", 64);
    else add_one(ir, k, "row_hash", ir_design_net(ir, IR_NET_ROW_HASH));
    const struct ir_part clock = {.net = ir_design_net(ir, IR_NET_CLOCK_STATE), .low = 0, .width = 2};
    ir_add_use(ir, k, "clock_state", 2, ir_use_parts(ir, IR_USE_PART, &clock, 1));
    add_image_nets(ir, k);
    ir_add_use(ir, k, "kv_layers_done", 32, all_layers_done(ir));
    add_end_nets(ir, k);
    add_loop_streams(ir, k);
}

// Returns the net with the base address of the ring that is written.
static int ring_base(struct ir *ir) { return ir_design_net(ir, ir->design.slots ? IR_NET_RING_BASE : IR_NET_RING_PTR); }

// Connects the kernel that makes the records of log probabilities with the token loop, and ties off its ports for step
// words if it has no stream of them.
static void connect_logprobs(struct ir *ir, int k, int loop) {
    ir_connect(ir, loop, ir_port_for(&ir->kernel[loop], IR_ROLE_RING, true), k,
               ir_port_for(&ir->kernel[k], IR_ROLE_RING, false));
    if (ir_port_for(&ir->kernel[k], IR_ROLE_STEP, false) != IR_NONE) return;
    ir_add_zero(ir, k, "s_axis_step_tvalid", 1);
    ir_add_zero(ir, k, "s_axis_step_tdata", STEP_BITS);
    ir_add_open(ir, k, "s_axis_step_tready");
}

// Adds the kernel that writes the records of log probabilities. The records of a ring follow its ids. Returns the
// kernel, which sends the ids to the ring.
static int add_record_writer(struct ir *ir, int loop) {
    int from = kernel_first(ir, KERNEL_RECORDS), k = kernel_add(ir, "records", &rtl_record_writer, IR_NONE);
    connect_logprobs(ir, from, loop);
    int out = ir_port_for(&ir->kernel[from], IR_ROLE_RECORD, true);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_word(ir, k, "OFFSET", 40, layout_logprobs_at(&ir->design));
    if (ir->design.slots) ir_set_int(ir, k, "SLOTS", ir->design.slots);
    int in = ir_add_port(ir, k, "record", false, IR_STREAM_BARE, ir->kernel[from].port[out].data_bits);
    ir_connect(ir, from, out, k, in);
    ir_add_port(ir, k, "ring", true, IR_STREAM_BARE, RING_BITS);
    int client = ir_add_client(ir, ir->kernel[k].name, k, "", true, 0);
    ir->client[client].base = ring_base(ir);
    add_one(ir, k, "dma_idle", ir_net(ir, IR_NET_WRITE_IDLE, client));
    return k;
}

static void add_ring(struct ir *ir) {
    int loop = kernel_first(ir, KERNEL_LOOP), from = ir->design.logprobs ? add_record_writer(ir, loop) : loop;
    int k = kernel_add(ir, "ring", &rtl_ring_writer, IR_NONE);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    int in = ir_add_port(ir, k, "ring", false, IR_STREAM_BARE, RING_BITS);
    ir_connect(ir, from, ir_port_for(&ir->kernel[from], IR_ROLE_RING, true), k, in);
    int client = ir_add_client(ir, "ring", k, "", true, 0);
    ir->client[client].base = ring_base(ir);
    if (ir->design.slots) ir_set_int(ir, k, "SLOTS", ir->design.slots);
    add_one(ir, k, "dma_idle", ir_net(ir, IR_NET_WRITE_IDLE, client));
    add_one(ir, k, "ids_written", ir_design_net(ir, IR_NET_IDS_WRITTEN));
}

struct stores { // the stores of a design: of vector parameters, and of weights that stay on chip
    int count;
    int64_t beats;          // beats of all stores
    struct ir_word *counts; // beats of each store, the last store first, as in a Verilog concatenation
};

static int count_stores(const struct ir *ir) {
    int count = 0;
    for (int s = 0; s < ir->segments; s++) count += ir->segment[s].kind == IR_SEG_PARAMS;
    for (int e = 0; e < ir->engines; e++) count += ir->engine[e].store != IR_NONE;
    return count;
}

// Returns the parameter store that an operation's kernel reads.
static int store_of(const struct ir *ir, int node) {
    for (int e = 0; e < ir->edges; e++)
        if (kernel_is(&ir->kernel[ir->edge[e].src_kernel], KERNEL_STORE) &&
            ir->kernel[ir->edge[e].dst_kernel].node == node)
            return ir->edge[e].src_kernel;
    base_fatal("insert-control: operation %s has no store of parameters", ir->node[node].name);
}

// Connects a store to the load bus. place: the store's index, which is its bit in the net that selects a store.
// IR_NONE: it is the only store, so that this net has one bit and is used whole.
static void add_store_nets(struct ir *ir, int k, int place) {
    const struct ir_part load[] = {{.net = ir_design_net(ir, IR_NET_PARAM_LOAD_VALID)},
                                   {.net = ir_design_net(ir, IR_NET_PARAM_LOAD_STORE),
                                    .low = place == IR_NONE ? 0 : place,
                                    .width = place != IR_NONE}};
    const struct port nets[] = {
        {"load_data", IR_NET_PARAM_LOAD_DATA}, {"load_start", IR_NET_LOAD_START}, {"keep", IR_NET_IMAGE_KEEP}};
    ir_add_use(ir, k, "load_valid", 1, ir_use_parts(ir, IR_USE_AND, load, COUNT_OF(load)));
    add_nets(ir, k, nets, COUNT_OF(nets));
}

// Connects a store as the next one of the list. beats: number of beats that it is loaded with. one: the design has no
// other store.
static void connect_store(struct ir *ir, struct stores *all, int kernel, int64_t beats, bool one) {
    all->counts[ir->segments - 1 - all->count] =
        (struct ir_word){.bits = 32, .radix = IR_DECIMAL, .value = (uint64_t)beats};
    add_store_nets(ir, kernel, one ? IR_NONE : all->count);
    all->beats += beats;
    all->count++;
}

// Returns the beats of the weights of a resident engine, in all lanes together.
static int64_t beats_of_weights(const struct ir *ir, int engine) {
    int64_t bytes = 0;
    for (int s = 0; s < ir->segments; s++)
        if (ir_is_of_store(ir, &ir->segment[s]) && ir_engine_of(ir, ir->segment[s].node) == engine)
            bytes += ir->segment[s].bytes * ir_segment_copies(ir, &ir->segment[s]);
    return bytes / (ir->design.beat_bits / 8);
}

// Connects the stores in the order of their segments: those of parameters, then those of weights. Returns their number
// and beats.
static struct stores connect_stores(struct ir *ir) {
    struct stores all = {.counts = ARENA_ARRAY(ir->arena, struct ir_word, (size_t)ir->segments + 1)};
    bool one = count_stores(ir) == 1;
    for (int s = 0; s < ir->segments; s++) {
        if (ir->segment[s].kind != IR_SEG_PARAMS) continue;
        int64_t beats = ir->segment[s].bytes / (ir->design.beat_bits / 8);
        connect_store(ir, &all, store_of(ir, ir->segment[s].node), beats, one);
    }
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].store != IR_NONE) connect_store(ir, &all, ir->engine[e].store, beats_of_weights(ir, e), one);
    all.counts += ir->segments - all.count;
    return all;
}

// Adds the kernel that distributes the beats after the image header to the stores.
static void add_param_loader(struct ir *ir, const struct stores *stores) {
    int k = kernel_add(ir, "param_loader", &rtl_param_loader, IR_NONE);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "STORES", stores->count);
    if (layout_load_pieces(&ir->design) > 1) ir_set_int(ir, k, "PIECES", layout_load_pieces(&ir->design));
    ir_set_param(ir, k, "COUNTS", ir_value_list(ir->arena, stores->counts, stores->count));
    const struct port nets[] = {{"start", IR_NET_LOAD_START},
                                {"s_axis_beat_tvalid", IR_NET_IMAGE_PARAMS_TVALID},
                                {"s_axis_beat_tready", IR_NET_IMAGE_PARAMS_TREADY},
                                {"s_axis_beat_tdata", IR_NET_IMAGE_PARAMS_TDATA},
                                {"load_valid", IR_NET_PARAM_LOAD_VALID},
                                {"load_store", IR_NET_PARAM_LOAD_STORE},
                                {"load_data", IR_NET_PARAM_LOAD_DATA},
                                {"done", IR_NET_PARAM_LOADED}};
    add_nets(ir, k, nets, COUNT_OF(nets));
}

static const struct ir_segment *header_segment(const struct ir *ir) {
    for (int s = 0; s < ir->segments; s++)
        if (ir->segment[s].kind == IR_SEG_HEADER) return &ir->segment[s];
    base_fatal("insert-control: the image has no header");
}

// Connects the image header with the parameter loader, which gets the beats after the header. Without stores (any is
// false) there is no loader; `loaded` is then 1 and the other inputs are 0.
static void add_rest_nets(struct ir *ir, int k, bool any) {
    const struct port nets[] = {{"m_axis_beat_tvalid", IR_NET_IMAGE_PARAMS_TVALID},
                                {"m_axis_beat_tready", IR_NET_IMAGE_PARAMS_TREADY},
                                {"m_axis_beat_tdata", IR_NET_IMAGE_PARAMS_TDATA},
                                {"loaded", IR_NET_PARAM_LOADED},
                                {"keep", IR_NET_IMAGE_KEEP}};
    if (any) {
        add_nets(ir, k, nets, COUNT_OF(nets));
        return;
    }
    bind_ports ports = bind_read_ports(ir, k);
    for (size_t i = 0; i < COUNT_OF(nets); i++) {
        const struct bind_port *port = bind_find_port(&ports, nets[i].name);
        struct ir_use loaded = ir_use_constant(1, nets[i].net == IR_NET_PARAM_LOADED), open = {.kind = IR_USE_OPEN};
        ir_add_use(ir, k, port->name, port->bits, port->is_output ? open : loaded);
    }
}

// Adds the kernel that reads the image's header. One linear read per start gets the header and the parameters that
// follow it.
static void add_image_header(struct ir *ir) {
    struct stores stores = connect_stores(ir);
    int k = kernel_add(ir, "image_header", &rtl_image_header, IR_NONE);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "BEATS", stores.beats);
    ir_set_word(ir, k, "OFFSET", 40, header_segment(ir)->offset);
    bool any = stores.count > 0;
    const struct port nets[] = {{"start", IR_NET_LOAD_START}, {"layout", IR_NET_LAYOUT}, {"kept", IR_NET_IMAGE}},
                      found[] = {{"wrong", IR_NET_IMAGE_WRONG},
                                 {"place", IR_NET_IMAGE_PLACE},
                                 {"checksum", IR_NET_IMAGE_CHECKSUM},
                                 {"done", IR_NET_LOAD_DONE}};
    add_nets(ir, k, nets, COUNT_OF(nets));
    add_rest_nets(ir, k, any);
    add_nets(ir, k, found, COUNT_OF(found));
    int client = ir_add_client_for(ir, "param", IR_CLIENT_IMAGE);
    ir_add_client_port(ir, k, "m_axis_desc", DESCRIPTOR_BITS, client, IR_NET_DESC_TVALID);
    ir_add_client_port(ir, k, "s_axis_beat", ir->design.beat_bits, client, IR_NET_BEAT_TVALID);
    if (any) add_param_loader(ir, &stores);
}

// Returns the width of a counter of descriptors that a write engine has accepted from a client and not yet written.
static int open_bits(void) { return u64_clog2(IR_WRITES_OPEN + OPEN_BESIDE + 1); }

// Returns the number of write engines that serve a kernel: one on every channel of its client's engine.
static int writers_of(const struct ir *ir, int kernel) {
    int writers = 0;
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].kernel == kernel) writers += ir->engine[ir->client[c].engine].channels;
    return writers;
}

// Returns the net that reports acknowledged writes of the kernel's client.
static int written_by(struct ir *ir, int kernel) {
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].kernel == kernel && ir->client[c].is_write) return ir_net(ir, IR_NET_WRITTEN, c);
    base_fatal("insert-control: kernel %s writes nothing", ir->kernel[kernel].name);
}

// Adds the kernel that tracks the writes of one KV cache. The keys are written on the channels of the engine that reads
// them, and the values on those of the engine that reads the values.
static void add_kv_tracker(struct ir *ir, int unit) {
    int k_writer = kv_kernel(ir, unit, KERNEL_KEYS), v_tail = kv_kernel(ir, unit, KERNEL_VALUES);
    int keys = writers_of(ir, k_writer), values = writers_of(ir, v_tail);
    int k = kernel_add(ir, kv_name(ir, unit, "kv_tracker"), &rtl_kv_tracker, IR_NONE);
    ir_set_int(ir, k, "K_WRITERS", keys);
    ir_set_int(ir, k, "V_WRITERS", values);
    ir_set_int(ir, k, "COUNT_W", open_bits());
    const struct {
        const char *port;
        int net;
    } nets[] = {{"k_layer_done", kv_net(ir, unit, IR_NET_K_LAYER_DONE)},
                {"k_given", kv_net(ir, unit, IR_NET_K_GIVEN)},
                {"k_written", written_by(ir, k_writer)},
                {"v_layer_done", kv_net(ir, unit, IR_NET_V_LAYER_DONE)},
                {"v_given", kv_net(ir, unit, IR_NET_V_GIVEN)},
                {"v_written", written_by(ir, v_tail)},
                {"k_layers_done", kv_net(ir, unit, IR_NET_K_LAYERS_DONE)},
                {"v_layers_done", kv_net(ir, unit, IR_NET_V_LAYERS_DONE)},
                {"kv_layers_done", kv_net(ir, unit, IR_NET_KV_LAYERS_DONE)}};
    bind_ports ports = bind_read_ports(ir, k);
    for (size_t i = 0; i < COUNT_OF(nets); i++) add_net(ir, k, &ports, nets[i].port, nets[i].net);
}

// Connects the kernels that write output rows to the nets of their acknowledged writes and of their finished steps.
static void add_output_nets(struct ir *ir) {
    for (int k = 0; k < ir->kernels; k++) {
        if (!kernel_is(&ir->kernel[k], KERNEL_ROWS_OUT)) continue;
        ir_set_int(ir, k, "COUNT_W", open_bits());
        add_one(ir, k, "dma_written", written_by(ir, k));
        add_one(ir, k, "steps_done", ir_net(ir, IR_NET_STEPS_DONE, k));
    }
}

// Checks that each channel has at most IR_CHANNEL_CLIENTS clients that read and at most IR_CHANNEL_CLIENTS that write,
// because its two arbiters have no more ports. The lane of an engine takes one port of the read arbiter.
static bool clients_fit(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    for (int c = 0; c < ir->design.channels; c++)
        for (int w = 0; w < 2; w++) {
            int count = w == 0 && ir_engine_at(ir, c) != IR_NONE, spills = 0;
            for (int i = 0; i < ir->clients; i++) {
                const struct ir_client *client = &ir->client[i];
                if (client->is_write != w || !ir_client_on(ir, client, c)) continue;
                count++;
                spills += client->kernel != IR_NONE && kernel_is(&ir->kernel[client->kernel], KERNEL_SPILL);
            }
            if (count <= IR_CHANNEL_CLIENTS) continue;
            struct loc loc = spec ? spec_place(spec, "design.channels") : loc_none();
            diag_error(diag, loc, MSG_MEMORY_CLIENTS, count, w ? "write to" : "read from", c, IR_CHANNEL_CLIENTS);
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
    if (!bind_has_library(ir, diag)) return false;
    add_registers(ir);
    add_counters(ir);
    add_token_loop_nets(ir);
    add_sampling(ir);
    add_slot_registers(ir);
    add_prefix(ir);
    add_draft_list(ir);
    if (ir->design.is_lm) add_ring(ir);
    add_image_header(ir);
    for (int u = 0; u < kv_units(ir); u++) add_kv_tracker(ir, u);
    add_output_nets(ir);
    return clients_fit(ir, spec, diag);
}
