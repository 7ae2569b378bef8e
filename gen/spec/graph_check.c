// SPDX-License-Identifier: Apache-2.0
// Checks the tensor names of a graph: each is defined once, before its use, and has a value whenever its reader runs.
#include <string.h>

#include "gen/spec/spec_read.h"

// A tensor that was defined.
struct symbol {
    struct spec_name name;
    const struct spec_region *region; // NULL: an input of the graph
    bool carried;                     // a carried tensor of the region, not the output of an operation
};

struct scope {
    struct arena *arena;
    struct diag *diag;
    VEC(struct symbol) symbols;
    // A name was defined twice, and this was reported. Unknown names are then not reported, because they may follow
    // from that error.
    bool twice;
};

static const struct symbol *find(const struct scope *s, const char *name) {
    for (size_t i = 0; i < s->symbols.count; i++)
        if (strcmp(s->symbols.items[i].name.text, name) == 0) return &s->symbols.items[i];
    return NULL;
}

// Adds a tensor to the scope. Reports an error if the name is already defined.
static void define(struct scope *s, struct spec_name name, const struct spec_region *region, bool carried) {
    const struct symbol *old = find(s, name.text);
    if (old) {
        diag_error(s->diag, name.loc, MSG_TENSOR_TWICE, name.text);
        diag_note(s->diag, old->name.loc, "first defined here");
        s->twice = true;
        return;
    }
    VEC_PUSH(s->arena, s->symbols, (struct symbol){name, region, carried});
}

// Reports an unknown name, with a note if the tensor is defined further down.
static void report_unknown(struct scope *s, struct spec_name name, const struct spec_graph *graph) {
    diag_error(s->diag, name.loc, MSG_UNKNOWN_TENSOR, name.text);
    for (size_t i = 0; i < graph->region_count; i++)
        for (size_t k = 0; k < graph->regions[i].op_count; k++)
            for (size_t o = 0; o < graph->regions[i].ops[k].out_count; o++) {
                struct spec_name later = graph->regions[i].ops[k].outs[o];
                if (strcmp(later.text, name.text) != 0) continue;
                diag_note(s->diag, later.loc,
                          "it is computed only here: operations must be in the order in which they run");
                return;
            }
    const char **names = ARENA_ARRAY(s->arena, const char *, s->symbols.count);
    for (size_t i = 0; i < s->symbols.count; i++) names[i] = s->symbols.items[i].name.text;
    diag_note_words(s->diag, name.loc, name.text, names, s->symbols.count);
}

// Checks that a name is defined, and that the region which uses it does not run more often than the region which
// defines it. region NULL: the name is an output of the graph, to which the second rule does not apply.
static void use(struct scope *s, struct spec_name name, const struct spec_region *region,
                const struct spec_graph *graph) {
    const struct symbol *symbol = find(s, name.text);
    if (diag_full(s->diag)) return;
    if (!symbol && !s->twice) {
        report_unknown(s, name, graph);
    } else if (symbol && region && symbol->region && region->when == SPEC_ALWAYS && symbol->region->when == SPEC_LAST) {
        diag_error(s->diag, name.loc, MSG_REGION_RUNS_ALWAYS, region->name.text, name.text, symbol->region->name.text);
        diag_note(s->diag, symbol->name.loc, "made here; give region `%s` `when: last` too", region->name.text);
    }
}

// Checks that the next value of a carried tensor is the output of an operation in its region.
static void check_next(struct scope *s, const struct spec_carry *carry, const struct spec_region *region) {
    const struct symbol *symbol = find(s, carry->next.text);
    if (symbol && symbol->region == region && !symbol->carried) return;
    diag_error(s->diag, carry->next.loc, MSG_NEXT_OF_REGION, carry->name.text, region->name.text, carry->next.text);
    const char **made = ARENA_ARRAY(s->arena, const char *, s->symbols.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < s->symbols.count; i++)
        if (s->symbols.items[i].region == region && !s->symbols.items[i].carried)
            made[count++] = s->symbols.items[i].name.text;
    diag_note_words(s->diag, carry->next.loc, carry->next.text, made, count);
}

static void check_region(struct scope *s, const struct spec_region *region, const struct spec_graph *graph) {
    for (size_t i = 0; i < region->carry_count; i++) use(s, region->carries[i].init, region, graph);
    for (size_t i = 0; i < region->carry_count; i++) define(s, region->carries[i].name, region, true);
    for (size_t i = 0; i < region->op_count && !diag_full(s->diag); i++) {
        const struct spec_op *op = &region->ops[i];
        for (size_t k = 0; k < op->in_count; k++) use(s, op->ins[k], region, graph);
        for (size_t k = 0; k < op->out_count; k++) define(s, op->outs[k], region, false);
    }
    for (size_t i = 0; i < region->carry_count && !diag_full(s->diag); i++) check_next(s, &region->carries[i], region);
}

static void check_region_name(const struct spec_graph *graph, size_t index, struct diag *diag) {
    struct spec_name name = graph->regions[index].name;
    for (size_t i = 0; i < index; i++) {
        if (strcmp(graph->regions[i].name.text, name.text) != 0) continue;
        diag_error(diag, name.loc, MSG_REGION_TWICE, name.text);
        diag_note(diag, graph->regions[i].name.loc, "first defined here");
        return;
    }
}

// Checks that an output is listed once, because each output has one memory area and one name in the files of results.
static void check_output(const struct spec_graph *graph, size_t index, struct diag *diag) {
    struct spec_name name = graph->outputs[index];
    for (size_t i = 0; i < index; i++) {
        if (strcmp(graph->outputs[i].text, name.text) != 0) continue;
        diag_error(diag, name.loc, MSG_OUTPUT_TWICE, name.text);
        return;
    }
}

void spec_check_graph(const struct spec_graph *graph, struct arena *arena, struct diag *diag) {
    struct scope scope = {.arena = arena, .diag = diag};
    for (size_t i = 0; i < graph->input_count; i++) define(&scope, graph->inputs[i].name, NULL, false);
    for (size_t i = 0; i < graph->region_count; i++) {
        check_region_name(graph, i, diag);
        check_region(&scope, &graph->regions[i], graph);
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        use(&scope, graph->outputs[i], NULL, graph);
        check_output(graph, i, diag);
    }
}
