// SPDX-License-Identifier: Apache-2.0
// Writes which data modules exchange on streams, on plain nets and through memory: the list of one module, and the
// block diagram of the design.
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

struct names { // a list in which each name occurs once
    struct arena *arena;
    VEC(const char *) seen;
};

static void add_name(struct names *n, const char *name) {
    for (size_t i = 0; i < n->seen.count; i++)
        if (!strcmp(n->seen.items[i], name)) return;
    VEC_PUSH(n->arena, n->seen, name);
}

// Adds data that goes from module to module on plain nets instead of streams.
static void add_plain_data(const struct emit_plan *p, int from, int to, struct names *names) {
    static const struct {
        enum ir_net_role role;
        const char *name;
    } data[] = {{IR_NET_PARAM_LOAD_VALID, "vector parameters (param_load)"},
                {IR_NET_TAIL_DATA, "values of the open block (tail_data, 4 cycles after tail_valid)"},
                {IR_NET_ROW_HASH, "hash of the logits (row_hash)"}};
    for (int n = 0; n < p->ir->nets; n++)
        for (size_t i = 0; i < COUNT_OF(data); i++)
            if (p->ir->net[n].role == data[i].role && p->driver[n] == from && emit_plan_reads(p, n, to))
                add_name(names, data[i].name);
}

// Returns the names of the data on streams and nets from one module to another, each once.
static struct names flow_of(const struct emit_plan *p, int from, int to) {
    struct names names = {.arena = p->ir->arena};
    for (int e = 0; e < p->ir->edges; e++) {
        const struct ir_edge *edge = &p->ir->edge[e];
        if (p->home[edge->src_kernel] == from && p->home[edge->dst_kernel] == to)
            add_name(&names, emit_carried_name(p->ir, edge));
    }
    add_plain_data(p, from, to, &names);
    return names;
}

// Returns the name of the data that a memory client transfers, with the client's name.
static const char *data_of_client(const struct ir *ir, const struct ir_client *c) {
    static const struct {
        const struct kernel_class *class;
        const char *data;
    } written[] = {{&rtl_k_writer, "keys"},
                   {&rtl_v_tail, "full blocks of values"},
                   {&rtl_record_writer, "log probabilities"},
                   {&rtl_ring_writer, "generated ids"}};
    const char *data = c->role == IR_CLIENT_PROMPT  ? "prompt ids"
                       : c->role == IR_CLIENT_IMAGE ? "header of the image, vector parameters"
                                                    : NULL;
    for (size_t i = 0; i < COUNT_OF(written) && c->kernel != IR_NONE; i++)
        if (!strcmp(ir->kernel[c->kernel].module, written[i].class->module)) data = written[i].data;
    return data ? arena_printf(ir->arena, "%s (%s)", data, c->name) : c->name;
}

// Returns the names of the transfers by which a module reads or writes memory.
static struct names transfers_of(const struct emit_plan *p, int m, bool is_write) {
    const struct ir *ir = p->ir;
    struct names names = {.arena = ir->arena};
    if (m == p->shared && ir_has_lanes(ir) && !is_write)
        add_name(&names,
                 kernel_first(ir, KERNEL_KEYS) == IR_NONE ? "weights (lane)" : "weights, keys and values (lane)");
    for (int c = 0; c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        int home = client->kernel == IR_NONE ? p->control : p->home[client->kernel];
        if (home == m && client->is_write == is_write) add_name(&names, data_of_client(ir, client));
    }
    return names;
}

static void add_names(const struct names *n, struct text *out) {
    for (size_t i = 0; i < n->seen.count; i++) text_addf(out, "%s%s", i ? ", " : "", n->seen.items[i]);
    text_add(out, "\n");
}

static void add_flow(const char *from, const char *to, const struct names *n, struct text *out) {
    if (!n->seen.count) return;
    text_addf(out, "//   %s to %s: ", from, to);
    add_names(n, out);
}

void emit_flows(const struct emit_plan *p, int m, struct text *out) {
    for (int from = 0; from < p->modules; from++)
        for (int to = 0; to < p->modules; to++) {
            struct names n = flow_of(p, from, to);
            if (from != to && (m == from || m == to))
                add_flow(emit_module_path(p, from), emit_module_path(p, to), &n, out);
        }
    for (int is_write = 0; is_write <= 1; is_write++) {
        struct names n = transfers_of(p, m, is_write);
        const char *path = emit_module_path(p, m);
        add_flow(is_write ? path : "memory", is_write ? "memory" : path, &n, out);
    }
}

// ---- the block diagram ----
//
// The diagram is a column: the control, the regions in the order of the graph, and the control again. A vertical arrow
// has the data that go to the next module of the column. A horizontal arrow has all other data that a module exchanges.
// The module that the regions share is below the column.

struct picture {
    const struct emit_plan *plan;
    const char *before; // what each line begins with
    int columns;        // width of the column of names
    const char *name;   // of the module at hand until it is printed, then an empty text
    struct text *out;
};

// Returns the module below this one in the column, for the control the first region. The control is below the last
// region.
static int module_below(const struct emit_plan *p, int m) {
    int from = m == p->control ? 0 : m + 1;
    while (from < p->modules && p->module[from].region == IR_NONE) from++;
    return from < p->modules ? from : p->control;
}

// Returns the name of a module in the diagram, with the number of times that its region runs in a step.
static const char *name_of(const struct emit_plan *p, int m) {
    int region = p->module[m].region;
    int64_t repeat = region == IR_NONE ? 1 : p->ir->region[region].repeat;
    const char *path = emit_module_path(p, m);
    return repeat == 1 ? path : arena_printf(p->ir->arena, "%s x%lld", path, (long long)repeat);
}

// Adds a line that begins with `start` and lists the data. Breaks the list before COLUMNS. indent: blanks of the next
// line after p->before.
static void add_list(const struct picture *p, const char *start, const struct names *n, int indent) {
    enum { COLUMNS = 116 };
    size_t column = strlen(p->before) + strlen(start);
    text_addf(p->out, "%s%s", p->before, start);
    for (size_t i = 0; i < n->seen.count; i++) {
        size_t len = strlen(n->seen.items[i]) + 2;
        if (i && column + len > COLUMNS) {
            text_addf(p->out, "\n%s%*s", p->before, indent, "");
            column = strlen(p->before) + (size_t)indent;
        }
        text_addf(p->out, " %s%s", n->seen.items[i], i + 1 < n->seen.count ? "," : "");
        column += len;
    }
    text_add(p->out, "\n");
}

// Adds a horizontal arrow with its data, after the name of the module if this is its first arrow.
static void add_arrow(struct picture *p, const char *arrow, const char *other, const struct names *n) {
    if (!n->seen.count) return;
    const char *start = arena_printf(p->plan->ir->arena, "%-*s %s %s:", p->columns, p->name, arrow, other);
    add_list(p, start, n, p->columns + 8);
    p->name = "";
}

static void add_stream_arrow(struct picture *p, int from, int to, bool is_output) {
    struct names n = flow_of(p->plan, from, to);
    add_arrow(p, is_output ? "-->" : "<--", emit_module_path(p->plan, is_output ? to : from), &n);
}

// Adds a module and its horizontal arrows. Data between two modules of the column are at the reader, and data between a
// region and the shared module are at the region.
static void add_block(struct picture *p, int m) {
    const struct emit_plan *plan = p->plan;
    p->name = name_of(plan, m);
    for (int o = 0; o < plan->modules; o++) {
        bool arrives = m == plan->shared ? o == plan->control : o != plan->shared && module_below(plan, o) != m;
        if (o != m && arrives) add_stream_arrow(p, o, m, false);
    }
    if (m != plan->shared && plan->shared != EMIT_TOP) {
        if (m != plan->control) add_stream_arrow(p, m, plan->shared, true);
        add_stream_arrow(p, plan->shared, m, false);
    }
    for (int is_write = 0; is_write <= 1; is_write++) {
        struct names n = transfers_of(plan, m, is_write);
        add_arrow(p, is_write ? "-->" : "<--", "memory", &n);
    }
    if (*p->name) text_addf(p->out, "%s%s\n", p->before, p->name);
}

static void add_blank(const struct picture *p) { text_addf(p->out, "%.*s\n", (int)strcspn(p->before, " "), p->before); }

// Adds the vertical arrow from a module to the one below it, or a blank line if the module sends nothing there.
static void add_step_down(const struct picture *p, int m, int below) {
    struct names n = flow_of(p->plan, m, below);
    if (!n.seen.count) return add_blank(p);
    add_list(p, "  | ", &n, 4);
    text_addf(p->out, "%s  v\n", p->before);
}

// Adds the column: the control, the regions, and the control again if the last region sends something to it.
static void add_column(struct picture *p) {
    const struct emit_plan *plan = p->plan;
    int above = plan->control;
    add_block(p, above);
    for (int m; (m = module_below(plan, above)) != plan->control; above = m) {
        add_step_down(p, above, m);
        add_block(p, m);
    }
    if (above == plan->control || !flow_of(plan, above, plan->control).seen.count) return;
    add_step_down(p, above, plan->control);
    text_addf(p->out, "%s%s (the same instance as above)\n", p->before, emit_module_path(plan, plan->control));
}

void emit_picture(const struct emit_plan *plan, const char *before, struct text *out) {
    struct picture p = {.plan = plan, .before = before, .out = out};
    for (int m = 0; m < plan->modules; m++) {
        int columns = (int)strlen(name_of(plan, m));
        p.columns = columns > p.columns ? columns : p.columns;
    }
    text_addf(out, "%shost\n%s  |  registers\n%s  v\n", before, before, before);
    add_column(&p);
    if (plan->shared == EMIT_TOP) return;
    add_blank(&p);
    add_block(&p, plan->shared);
}
